package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// Options are what may be configured.
type Options struct {
	// Services are those that a Remediation may have restarted.
	Services []string `yaml:"services"`
}

// DefaultOptions allow the kubelet and the container runtimes, of which a node's pods survive a restart: their processes are
// not the runtime's children.
func DefaultOptions() Options {
	return Options{Services: []string{"kubelet.service", "containerd.service", "crio.service"}}
}

// restartTime bounds a restart: the kubelet's and containerd's units give themselves at most 90 s to stop and as much to start
// (DefaultTimeoutStopSec and DefaultTimeoutStartSec in systemd-system.conf(5)).
const restartTime = 5 * time.Minute

// Restarts restart services of the host.
type Restarts struct {
	Options
	Bus *systemd.Bus
}

// refuses says why a service is not restarted; empty if it is.
func (s *Restarts) refuses(service string) string {
	if slices.Contains(s.Services, service) {
		return ""
	}
	return fmt.Sprintf("this agent's configuration does not let %s be restarted; it does %s (work.services)", service, strings.Join(s.Services, ", "))
}

// run restarts a service, unless it was begun after since, which is when an agent that has ended meanwhile undertook to restart
// it; zero if none did. It says how that went.
func (s *Restarts) run(ctx context.Context, service string, since time.Time) (state, message string) {
	ctx, cancel := context.WithTimeoutCause(ctx, restartTime, fmt.Errorf("not within %v", restartTime))
	defer cancel()
	found, err := s.Bus.Service(ctx, service)
	switch {
	case err != nil:
		return kube.Failed, err.Error()
	case found.Load == "not-found":
		return kube.Failed, fmt.Sprintf("this host has no %s", service)
	}
	if !since.IsZero() {
		if done, err := s.restarted(ctx, found, since); err != nil {
			return kube.Failed, err.Error()
		} else if done {
			return s.outcome(ctx, service, "done")
		}
	}
	result, err := s.Bus.Restart(ctx, service)
	if err != nil {
		return kube.Failed, err.Error()
	}
	return s.outcome(ctx, service, result)
}

// restarted says whether a service was begun after a time, once systemd has nothing in hand for it.
func (s *Restarts) restarted(ctx context.Context, service systemd.Service, since time.Time) (bool, error) {
	for service.Job != 0 {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(time.Second):
		}
		var err error
		if service, err = s.Bus.Service(ctx, service.Name); err != nil {
			return false, err
		}
	}
	began, err := s.Bus.Began(ctx, service)
	return began.After(since), err
}

// outcome is how a restart went of which systemd says how its job ended.
func (s *Restarts) outcome(ctx context.Context, service, result string) (state, message string) {
	found, err := s.Bus.Service(ctx, service)
	if err != nil {
		return kube.Failed, err.Error()
	}
	began, err := s.Bus.Began(ctx, found)
	if err == nil && (result != "done" || found.Active != "active" && found.Active != "reloading") {
		err = errors.New("it does not run")
	}
	if err != nil {
		return kube.Failed, fmt.Sprintf("systemd's restart of %s ended with %q, and it is %s (%s): %v", service, result, found.Active, found.Sub, err)
	}
	return kube.Done, fmt.Sprintf("%s was started at %s and is %s", service, began.UTC().Format(time.RFC3339), found.Active)
}
