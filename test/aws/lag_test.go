package aws

import (
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
)

// TestProviderLag: what was just done is seen a moment later, and asked again in between nothing is done twice.
func TestProviderLag(t *testing.T) {
	now := clocktesting.NewFakeClock(time.Now())
	b := newFixtureAt(t, clock.WithTicker(now), 2*time.Second)
	struck := b.members("workers")[0]
	p := b.provider(provider.Options{})
	for range 2 {
		_, err := p.Replace(t.Context(), machine(struck))
		b.must(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  naosu.Running
	}{{0, naosu.On}, {time.Second, naosu.On}, {time.Second, naosu.Changes}} {
		now.Step(step.after)
		states, err := p.States(t.Context(), machine(struck))
		b.must(err)
		if states[0].Running != step.want {
			t.Errorf("%s later it is seen as %s, want %s", step.after, states[0].Running, step.want)
		}
	}
	if n := len(b.cloud.Instances()); n != 10 {
		t.Errorf("%d instances, want the nine and one in the place of the terminated", n)
	}
	launched := b.cloud.Instances()[9]
	b.must(b.cloud.Terminate(launched.ID, false))
	newest := b.cloud.Instances()[10]
	if err := describe(idsOf(newest.ID))(t.Context(), b.clients()); err == nil {
		t.Error("an instance is described at the moment of its launch")
	}
	now.Step(2 * time.Second)
	b.must(describe(idsOf(newest.ID))(t.Context(), b.clients()))
}
