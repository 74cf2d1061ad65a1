package randomness_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// In the first future everything happens at once, in order.
func TestFirstFuture(t *testing.T) {
	r := randomness.New(0)
	items := []int{1, 2, 3}
	if diff := cmp.Diff([][]int{items}, randomness.Batches(r, slices.Clone(items))); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	if got := randomness.Shuffled(r, items); !slices.Equal(got, items) {
		t.Errorf("shuffled: %v", got)
	}
	if r.Delayed() || r.EndsBeforeReplacement() || r.BindDelayed() || r.QuotaDelayed() || r.Lag() != 0 || r.StartDelay() != 0 || r.Observed(5) != 5 {
		t.Error("something is left to chance")
	}
	if wait, before := r.Within(time.Minute); wait != time.Minute || !before {
		t.Errorf("a periodic event comes after %v (%v)", wait, before)
	}
}

// A future's randomness follows from its seed, and drops and adds nothing.
func TestFurtherFutures(t *testing.T) {
	items := []int{1, 2, 3, 4, 5}
	orders := map[string]bool{}
	for seed := range uint64(20) {
		a, b := randomness.New(seed+1), randomness.New(seed+1)
		one, other := randomness.Batches(a, slices.Clone(items)), randomness.Batches(b, slices.Clone(items))
		if diff := cmp.Diff(one, other); diff != "" {
			t.Errorf("seed %d twice:\n%s", seed+1, diff)
		}
		all := slices.Concat(one...)
		orders[cmp.Diff(items, all)] = true
		if slices.Sort(all); !slices.Equal(all, items) {
			t.Errorf("batches of %v: %v", items, one)
		}
		if n := a.Observed(5); n < 1 || n > 5 {
			t.Errorf("%d of 5 observed", n)
		}
	}
	if len(orders) < 2 {
		t.Error("every seed gives the same order")
	}
}
