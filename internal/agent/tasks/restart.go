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

// Options are what may be configured of tasks.
type Options struct {
	// Services are the systemd services that a Remediation may restart.
	Services []string `yaml:"services"`
}

// DefaultOptions allow the kubelet and the container runtimes: pods survive a restart of these, because their processes are not the runtime's
// children.
func DefaultOptions() Options {
	return Options{Services: []string{"kubelet.service", "containerd.service", "crio.service"}}
}

// restartTimeout bounds a restart: by default a unit has 90 s to stop and as much to start (DefaultTimeoutStopSec and DefaultTimeoutStartSec in
// systemd-system.conf(5)).
const restartTimeout = 5 * time.Minute

// Restarts restart services of the host.
type Restarts struct {
	Options
	Bus *systemd.Bus
}

// whyRefused is why a service may not be restarted; empty if it may.
func (s *Restarts) whyRefused(service string) string {
	if slices.Contains(s.Services, service) {
		return ""
	}
	return fmt.Sprintf("this agent's configuration does not let %s be restarted; it does %s (work.services)", service, strings.Join(s.Services, ", "))
}

// run restarts a service and returns the state and the message to report. since is when an earlier run of the agent accepted the task, zero if
// none did: if the service was started after that, it is not restarted again.
func (s *Restarts) run(ctx context.Context, service string, since time.Time) (state, message string) {
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("not within %v", restartTimeout))
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

// restarted says whether a service was started after a time. It waits until systemd has no job for it.
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

// outcome is the state and the message to report for a restart, given the result of systemd's job.
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
