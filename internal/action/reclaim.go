package action

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// DeleteInterfaces makes the calls of a run of deletions, one after the other, no sooner than the run says. The run then has the results. Its error is that
// of ctx; a run that EC2 stops has the reason (Stopped). Killed at any call, it leaves nothing to be cleaned up: another run decides anew.
func DeleteInterfaces(ctx context.Context, d cloud.InterfaceDeleter, r *reclaim.Run, c clock.Clock) error {
	for call, more := r.Next(c.Now()); more; call, more = r.Next(c.Now()) {
		if err := waitUntil(ctx, c, call); err != nil {
			return fmt.Errorf("delete network interfaces: %w", err)
		}
		switch call.Kind {
		case reclaim.DryRun:
			r.Tried(d.MayDeleteInterface(ctx, call.ID))
		case reclaim.Describe:
			at := c.Now() // What is described may change from here on.
			i, err := d.Interface(ctx, call.ID)
			r.Described(i, err, at)
		case reclaim.Delete:
			err := d.DeleteInterface(ctx, call.ID)
			r.Deleted(err, c.Now())
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete network interfaces: %w", err)
	}
	return nil
}

// waitUntil waits until a call may be made.
func waitUntil(ctx context.Context, c clock.Clock, call reclaim.Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pause := call.NotBefore.Sub(c.Now())
	if pause <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.After(pause):
		return nil
	}
}
