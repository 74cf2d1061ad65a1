package network

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

const netlinkLinks = "netlink links"

// linkMonitor also looks when the kernel notifies it that a link has changed.
type linkMonitor struct {
	monitor.Periodic
	watch func(ctx context.Context, changed func()) error
}

// Links monitors the links of the network namespace in which it looks.
func Links(o Options) monitor.Monitor {
	every := periodic("links", shortPeriod, netlinkLinks, func(context.Context) ([]evidence.Evidence, error) {
		all, err := link.List()
		if err != nil {
			return nil, err
		}
		return judgeLinks(all, o), nil
	}, reason.InterfaceNotRunning, reason.InterfaceNotUp, reason.MissingLoopbackInterface)
	return linkMonitor{Periodic: every, watch: func(ctx context.Context, changed func()) error {
		return link.Watch(ctx, func(name string) bool { return name == loopback || o.Links.MatchString(name) }, changed)
	}}
}

// Run looks each period, and at once when a link has changed.
func (w linkMonitor) Run(ctx context.Context, emit monitor.Emit) error {
	wake := make(chan struct{}, 1) // One look is enough for all changes before it.
	w.Wake = wake
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.Periodic.Run(ctx, emit) })
	group.Go(func() error {
		return w.watch(ctx, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	})
	return group.Wait()
}

const loopback = "lo"

// judgeLinks finds what is wrong with the links that must be up, and with the loopback.
func judgeLinks(all []link.Link, o Options) []evidence.Evidence {
	var found []evidence.Evidence
	hasLoopback := false
	for _, l := range all {
		hasLoopback = hasLoopback || l.Loopback && l.Name == loopback
		switch {
		case l.Name != loopback && !o.Links.MatchString(l.Name), l.Running:
		case l.Carriers == 0 && !l.Loopback:
			// A port that never had a carrier is not one that was lost.
		case !l.Up:
			found = append(found, fault(reason.InterfaceNotUp, l.Name, netlinkLinks, "link %s is down", l.Name))
		default:
			found = append(found, fault(reason.InterfaceNotRunning, l.Name, netlinkLinks, "link %s is up, but has no carrier", l.Name))
		}
	}
	if !hasLoopback {
		found = append(found, fault(reason.MissingLoopbackInterface, "", netlinkLinks, "no loopback link is named %s", loopback))
	}
	return found
}
