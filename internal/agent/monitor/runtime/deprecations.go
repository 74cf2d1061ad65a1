package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// deprecations asks containerd what it is made to do that its next version will not.
type deprecations struct {
	runtimes *runtimes
	patience time.Duration
}

func (d *deprecations) find(ctx context.Context) ([]evidence.Evidence, error) {
	there, _ := d.runtimes.there()
	var found []evidence.Evidence
	var unread []error
	asked := false
	for _, e := range there {
		told, err := d.ask(ctx, e)
		switch {
		case cri.Refused(err, cri.Unimplemented): // another runtime
		case err != nil:
			unread = append(unread, err)
		default:
			asked = true
			found = append(found, told...)
		}
	}
	if err := errors.Join(unread...); err != nil {
		return nil, err
	}
	if !asked {
		return inapplicable("no containerd here", reason.DeprecatedContainerdConfiguration), nil
	}
	return found, nil
}

func (d *deprecations) ask(ctx context.Context, e *endpoint) ([]evidence.Evidence, error) {
	ctx, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	told, err := e.client.Deprecations(ctx)
	var found []evidence.Evidence
	for _, one := range told {
		found = append(found, evidence.Evidence{
			Reason: reason.DeprecatedContainerdConfiguration, Entity: one.ID, State: evidence.Fault, Raw: one.Message,
		})
	}
	return found, err
}
