package cloud

import (
	"testing"
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
)

// TestAsOf sees a change when its time has come, at the lab's pace, and nothing of it before.
func TestAsOf(t *testing.T) {
	b := newFixture(t, Options{Spec: Spec{Groups: []GroupSpec{workers(2, 3)}}, InstantStart: true, Pace: pace.New(10)})
	states := func(ago time.Duration) (states []InstanceState) {
		for _, i := range b.AsOf(ago).Instances {
			states = append(states, i.State)
		}
		return states
	}
	ended := b.members("workers")[0].ID
	b.must(b.Terminate(ended, false))
	if got := states(5 * time.Second); len(got) != 3 {
		t.Errorf("before it was asked to remember, %v; want what is held now", got)
	}
	b.Remember(5 * time.Second)
	b.must(b.SetDesired("workers", 3))
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 3}, {499 * time.Millisecond, 3}, {time.Millisecond, 4}} {
		b.advanceBy(step.after)
		if got := states(5 * time.Second); len(got) != step.want {
			t.Errorf("%s later it is seen as %v, want %d instances", step.after, got, step.want)
		}
		if got := states(0); len(got) != 4 {
			t.Errorf("now there are %v, want four instances", got)
		}
	}
	for range 100 {
		b.must(b.SetImpaired(b.members("workers")[0].ID, true))
		b.advanceBy(100 * time.Millisecond)
	}
	if len(b.history) > 7 {
		t.Errorf("%d views are kept, of which six may be asked for", len(b.history))
	}
}
