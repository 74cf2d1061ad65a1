// Package fault makes harmless faults for drills: of links in a network namespace of their own, and a line in the kernel's log that no pattern
// matches.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// lookInterval is the time between looks. On a real fault the kernel's notification triggers one.
const lookInterval = time.Second

// LinkReasons are the reasons whose fault BreakLink can make.
var LinkReasons = []reason.ID{reason.InterfaceNotRunning, reason.InterfaceNotUp, reason.MissingLoopbackInterface}

// BreakLink makes a link with a name in a network namespace of its own and then, once a detector has found it well there, the fault of a reason.
// It calls made, and emits what the detector finds from then on, until ctx ends; then the namespace is removed.
func BreakLink(ctx context.Context, id reason.ID, name string, detector monitor.Monitor, now clock.Clock, made func(), emit monitor.Emit) error {
	return inNamespace(func() error {
		if err := addHealthyLink(name); err != nil {
			return err
		}
		if err := watch(ctx, now, detector, func(faulty bool, _ []evidence.Evidence) bool { return !faulty }, id); err != nil {
			return fmt.Errorf("wait until the link is well: %w", err)
		}
		if err := breakLink(id, name); err != nil {
			return err
		}
		made()
		ended := watch(ctx, now, detector, func(_ bool, all []evidence.Evidence) bool {
			for _, e := range all {
				emit(e)
			}
			return false
		}, id)
		if ctx.Err() == nil {
			return ended
		}
		return nil
	})
}

// watch has a detector look until enough returns true. enough is called with all evidence of a look, and whether the reason's fault is in it.
func watch(ctx context.Context, now clock.Clock, detector monitor.Monitor, enough func(faulty bool, all []evidence.Evidence) bool, id reason.ID) error {
	for {
		var all []evidence.Evidence
		if err := detector.Look(ctx, func(e evidence.Evidence) { all = append(all, e) }); err != nil {
			return err
		}
		faulty := slices.ContainsFunc(all, func(e evidence.Evidence) bool { return e.Reason == id && e.State == evidence.Fault })
		if enough(faulty, all) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-now.After(lookInterval):
		}
	}
}

// withNeededPrivileges adds to a permission error which privileges are needed.
func withNeededPrivileges(err error, needs string) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("%w: it needs %s, as the privileged variant of the agent has", err, needs)
	}
	return err
}
