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

// stuck finds pods that were told to end and cannot. No API tells the agent which pods were, but what holds them shows on
// the host: a process that was killed and does not end, for the kernel waits on its behalf; or a container that runs on
// after its sandbox was stopped, which is the last thing that is done to a pod.
type stuck struct {
	host     host.Host
	runtimes *runtimes
	patience time.Duration
	// names of pods by UID, of the last time that the runtime answered.
	names map[string]string
}

func (s *stuck) find(ctx context.Context) ([]evidence.Evidence, error) {
	processes, err := killed(s.host)
	if err != nil {
		return nil, err
	}
	why, unread := s.outlived(ctx)
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
	if unread != nil { // What processes tell holds all the same; who is not found is not well.
		found = append(found, unreadable(unread.Error(), reason.PodStuckTerminating)...)
	}
	return found, nil
}

// name is a pod's namespace and name, or its UID if the runtime never told.
func (s *stuck) name(uid string) string {
	if name := s.names[uid]; name != "" {
		return name
	}
	return uid
}

// outlived are the pods with a container that runs in a stopped sandbox, of the runtimes that answer.
func (s *stuck) outlived(ctx context.Context) (why map[string]string, unread error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	why = map[string]string{}
	names := map[string]string{}
	there, _ := s.runtimes.there()
	for _, e := range there {
		// Sandboxes first: a container of a stopped one that is listed afterwards has run on.
		sandboxes, err := e.client.Sandboxes(ctx, nil)
		if cri.Refused(err, cri.Unimplemented) {
			continue
		}
		var containers []cri.Container
		if err == nil {
			containers, err = e.client.Containers(ctx)
		}
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		for _, one := range sandboxes {
			names[one.UID] = one.Namespace + "/" + one.Name
		}
		maps.Copy(why, outlive(sandboxes, containers))
	}
	if unread == nil {
		s.names = names
	}
	return why, unread
}

func outlive(sandboxes []cri.Sandbox, containers []cri.Container) map[string]string {
	stopped := map[string]cri.Sandbox{}
	for _, one := range sandboxes {
		if one.Stopped {
			stopped[one.ID] = one
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
