package simulation

import (
	"context"
	"errors"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Options say how a future is played.
type Options struct {
	// Seeds is how many times it is played with other dice; zero is once.
	Seeds int
	// Present is the fate of what waits already: its pods are offered to the scheduler too, unless this is set.
	LeavePending bool
}

// Run plays changes in the Judge's world, in order, and leaves the Judge as it was. An error is a change that names what
// is not there.
func Run(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options) (Outcome, error) {
	return Outcome{}, errors.New("not built")
}

// In is Run with a look around: look is called while the Judge stands in the (first) future's world.
func In(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, look func(Outcome) error) error {
	return errors.New("not built")
}
