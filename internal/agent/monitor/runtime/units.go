package runtime

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

const kubeletService, containerdService = "kubelet.service", "containerd.service"

// units finds services that failed, or that systemd has restarted. What a person starts or stops is neither: only systemd's automatic restarts
// count, and stopping a service does not make it failed.
type units struct {
	bus    *systemd.Bus
	ignore []string
	// restarts is the count of each service at the last look; nil before the first, at which it is unknown when they were.
	restarts map[string]uint32
}

func (*units) reasons() []reason.ID {
	return []reason.ID{
		reason.ServiceFailedToStart, reason.KubeletRepeatedRestart, reason.ContainerdRepeatedRestart, reason.ServiceRepeatedRestart,
	}
}

func (u *units) find(ctx context.Context) ([]evidence.Evidence, error) {
	services, err := u.bus.Services(ctx)
	if errors.Is(err, systemd.ErrAbsent) {
		return inapplicable(err.Error(), u.reasons()...), nil
	}
	if err != nil {
		return nil, err
	}
	absent := map[reason.ID]string{
		reason.KubeletRepeatedRestart: kubeletService, reason.ContainerdRepeatedRestart: containerdService,
	}
	restarts := map[string]uint32{}
	var found []evidence.Evidence
	for _, s := range services {
		if s.Load != "loaded" || ignored(u.ignore, s.Name) {
			continue
		}
		for id, name := range absent {
			if name == s.Name {
				delete(absent, id)
			}
		}
		faults, count, err := u.checkService(ctx, s)
		if err != nil && ctx.Err() != nil {
			return nil, err
		} else if err != nil {
			continue // It was removed after it was listed.
		}
		restarts[s.Name] = count
		found = append(found, faults...)
	}
	u.restarts = restarts
	for id, name := range absent {
		found = append(found, inapplicable("systemd has no "+name, id)...)
	}
	return found, nil
}

func ignored(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if matched, _ := path.Match(pattern, name); matched {
			return true
		}
	}
	return false
}

// checkService looks at one service. It also returns its count of restarts.
func (u *units) checkService(ctx context.Context, s systemd.Service) ([]evidence.Evidence, uint32, error) {
	failed, err := u.failed(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	if s.Active == "inactive" || s.Sub == "exited" {
		return nil, u.restarts[s.Name], nil // Nothing is there to start again.
	}
	count, err := u.bus.Restarts(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	return append(failed, u.restarted(s.Name, count)...), count, nil
}

// exitOnSIGTERM is the exit status of programs that handle SIGTERM and end, as Java's do. systemd calls that a failure unless the unit says
// otherwise (SuccessExitStatus), although a person has stopped the service.
const exitOnSIGTERM = 128 + 15

// failed is evidence of a service that failed, other than the kubelet, which has its own monitor.
func (u *units) failed(ctx context.Context, s systemd.Service) ([]evidence.Evidence, error) {
	if s.Active != "failed" || s.Name == kubeletService {
		return nil, nil
	}
	transient, err := u.bus.Transient(ctx, s)
	if err != nil || transient {
		return nil, err
	}
	how, err := readEnd(ctx, u.bus, s)
	if err != nil || how.stopped {
		return nil, err
	}
	return []evidence.Evidence{{Reason: reason.ServiceFailedToStart, Entity: s.Name, State: evidence.Fault, Raw: how.raw}}, nil
}

// serviceEnd is how a service ended that does not run.
type serviceEnd struct {
	// stopped says that it was told to, or ended without an error by itself, which systemd does not tell apart afterwards.
	stopped bool
	raw     string
}

func readEnd(ctx context.Context, bus *systemd.Bus, s systemd.Service) (serviceEnd, error) {
	result, err := bus.Result(ctx, s)
	if err != nil {
		return serviceEnd{}, err
	}
	status, err := bus.Status(ctx, s)
	if err != nil {
		return serviceEnd{}, err
	}
	return serviceEnd{
		stopped: s.Active != "failed" || result == "exit-code" && status == exitOnSIGTERM,
		raw:     fmt.Sprintf("%s: ActiveState=%s Result=%s ExecMainStatus=%d", s.Name, s.Active, result, status),
	}, nil
}

// restarted is evidence of each restart since the last look.
func (u *units) restarted(name string, count uint32) []evidence.Evidence {
	if u.restarts == nil {
		return nil
	}
	fault := evidence.Evidence{
		Reason: reason.ServiceRepeatedRestart, Entity: name, State: evidence.Fault, Raw: fmt.Sprintf("%s: NRestarts=%d", name, count),
	}
	switch name {
	case kubeletService:
		fault.Reason, fault.Entity = reason.KubeletRepeatedRestart, ""
	case containerdService:
		fault.Reason, fault.Entity = reason.ContainerdRepeatedRestart, ""
	}
	more := count
	if before := u.restarts[name]; count >= before { // Else a person has started it, and systemd has reset the count.
		more = count - before
	}
	var each []evidence.Evidence
	for range min(more, maxRestarts) {
		each = append(each, fault)
	}
	return each
}

// maxRestarts bounds the evidence of restarts of one look.
const maxRestarts = 20

func inapplicable(why string, ids ...reason.ID) []evidence.Evidence {
	return all(evidence.Inapplicable, why, ids...)
}

func unreadable(why string, ids ...reason.ID) []evidence.Evidence {
	return all(evidence.Unreadable, why, ids...)
}

func all(state evidence.State, why string, ids ...reason.ID) []evidence.Evidence {
	var faults []evidence.Evidence
	for _, id := range ids {
		faults = append(faults, evidence.Evidence{Reason: id, State: state, Raw: why})
	}
	return faults
}
