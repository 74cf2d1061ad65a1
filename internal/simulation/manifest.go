package simulation

import (
	"context"
	"errors"

	"github.com/naosu-dev/naosu/internal/change"
)

func (f *future) patch(context.Context, change.Patch) error { return errors.New("patches are not simulated yet") }

func (f *future) applyManifests(context.Context, change.Apply) error {
	return errors.New("manifests are not simulated yet")
}
