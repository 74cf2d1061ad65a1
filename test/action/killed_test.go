package action

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// TestKilled kills the process at each of its calls, of the API server and of the cloud, before the call is done and after,
// and lets another go on.
func TestKilled(t *testing.T) {
	stories := map[v1alpha1.Action][]string{}
	for _, action := range []v1alpha1.Action{v1alpha1.ActionReboot, v1alpha1.ActionReplace} {
		w := newWorld(t, action)
		w.play(t.Context(), nil)
		stories[action] = w.story(t.Context())
	}
	for action, want := range stories {
		for _, after := range []bool{false, true} {
			t.Run(string(action)+map[bool]string{false: " before", true: " after"}[after], func(t *testing.T) {
				k := 1
				for ; killedAt(t, action, k, after, want); k++ {
				}
				t.Logf("killed at each of %d calls", k-1)
				if k < 30 {
					t.Errorf("only %d calls were seen", k-1)
				}
			})
		}
	}
}

// killedAt plays a repair whose process is killed at its k-th call; false if it made fewer.
func killedAt(t *testing.T, action v1alpha1.Action, k int, after bool, want []string) bool {
	t.Helper()
	w, ctx := newWorld(t, action), t.Context()
	calls := 0
	dead := func() error {
		if calls >= k {
			return errKilled
		}
		return nil
	}
	count := func() error { calls++; return nil }
	before := func() error { calls++; return dead() }
	if after {
		w.api.Before, w.api.After = func(memory.Call) error { err := dead(); calls++; return err }, func(memory.Call) error { return dead() }
		w.cloud.seen, w.cloud.lost = func() error { err := dead(); _ = count(); return err }, dead
	} else {
		w.api.Before, w.cloud.seen = func(memory.Call) error { return before() }, before
	}
	killed := false
	w.play(ctx, func() {
		if calls >= k && !killed { // Another process.
			killed = true
			w.api.Before, w.api.After, w.cloud.seen, w.cloud.lost = nil, nil, nil, nil
			w.must(w.performer().CollectGarbage(ctx))
		}
	})
	story := w.story(ctx)
	neverAsked := action == v1alpha1.ActionReboot && w.cloud.reboots == 0
	switch {
	case w.cloud.reboots > 1:
		t.Errorf("killed at call %d, the machine was rebooted %d times", k, w.cloud.reboots)
	case neverAsked && slices.Contains(story, v1alpha1.RemediationGaveUpReason):
		// It was killed between the record and the action, which must not be repeated.
	case !cmp.Equal(want, story):
		t.Errorf("killed at call %d (-want +got):\n%s", k, cmp.Diff(want, story))
	}
	w.tidy(ctx, k)
	return killed
}
