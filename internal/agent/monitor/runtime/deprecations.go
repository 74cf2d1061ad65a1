package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// deprecations asks containerd which deprecated features it is made to use.
type deprecations struct {
	runtimes *runtimes
	patience time.Duration
}

func (d *deprecations) find(ctx context.Context) ([]evidence.Evidence, error) {
	present, _ := d.runtimes.present()
	var found []evidence.Evidence
	var readErrs []error
	asked := false
	for _, e := range present {
		told, err := d.ask(ctx, e)
		switch {
		case cri.Refused(err, cri.Unimplemented): // another runtime
		case err != nil:
			readErrs = append(readErrs, err)
		default:
			asked = true
			found = append(found, told...)
		}
	}
	if err := errors.Join(readErrs...); err != nil {
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
	for _, checkOne := range told {
		found = append(found, evidence.Evidence{
			Reason: reason.DeprecatedContainerdConfiguration, Entity: checkOne.ID, State: evidence.Fault, Raw: checkOne.Message,
		})
	}
	return found, err
}
