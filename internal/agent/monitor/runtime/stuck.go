package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// stuckPods finds pods that are terminating and do not end. The agent does not read pods; it finds what holds them on the host: a process that
// was killed and does not end, because it waits in the kernel; or a container that still runs after its sandbox was stopped, which is the last
// step of a pod's termination.
type stuckPods struct {
	host     host.Host
	runtimes *runtimes
	patience time.Duration
	// names are those of pods by UID, from the runtime's last answer.
	names map[string]string
}

func (s *stuckPods) find(ctx context.Context) ([]evidence.Evidence, error) {
	processes, err := killed(s.host)
	if err != nil {
		return nil, err
	}
	why, readErr := s.outlived(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, p := range processes {
		why[s.name(p.pod)] = p.String()
	}
	var found []evidence.Evidence
	for pod, raw := range why {
		found = append(found, evidence.Evidence{Reason: reason.PodStuckTerminating, Entity: pod, State: evidence.Fault, Raw: raw})
	}
	if readErr != nil { // Evidence from processes is valid all the same; pods that are not found are not known to be well.
		found = append(found, unreadable(readErr.Error(), reason.PodStuckTerminating)...)
	}
	return found, nil
}

// name is a pod's namespace and name, or its UID if the runtime never told.
func (s *stuckPods) name(uid string) string {
	if name := s.names[uid]; name != "" {
		return name
	}
	return uid
}

// outlived are the pods with a container that runs in a stopped sandbox, according to the runtimes that answer.
func (s *stuckPods) outlived(ctx context.Context) (why map[string]string, readErr error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	why = map[string]string{}
	names := map[string]string{}
	present, _ := s.runtimes.present()
	for _, e := range present {
		// Sandboxes first: a container of a stopped one that is listed afterwards still runs.
		sandboxes, err := e.client.Sandboxes(ctx, nil)
		if cri.Refused(err, cri.Unimplemented) {
			continue
		}
		var containers []cri.Container
		if err == nil {
			containers, err = e.client.Containers(ctx)
		}
		if err != nil {
			readErr = errors.Join(readErr, err)
			continue
		}
		for _, checkOne := range sandboxes {
			names[checkOne.UID] = checkOne.Namespace + "/" + checkOne.Name
		}
		maps.Copy(why, outlive(sandboxes, containers))
	}
	if readErr == nil {
		s.names = names
	}
	return why, readErr
}

func outlive(sandboxes []cri.Sandbox, containers []cri.Container) map[string]string {
	stopped := map[string]cri.Sandbox{}
	for _, checkOne := range sandboxes {
		if checkOne.Stopped {
			stopped[checkOne.ID] = checkOne
		}
	}
	why := map[string]string{}
	for _, c := range containers {
		if sandbox, is := stopped[c.Sandbox]; is && c.Running {
			why[sandbox.Namespace+"/"+sandbox.Name] = fmt.Sprintf("container %s (%.12s) runs on in sandbox %.12s, which was stopped", c.Name, c.ID, c.Sandbox)
		}
	}
	return why
}
