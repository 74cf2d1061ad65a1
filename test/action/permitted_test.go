package action

import (
	"errors"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

func protected() (cloud.Permission, error) {
	return cloud.Permission{May: v1alpha1.MayNo, Why: sentence.CloudProtected("i-1", "workers")}, nil
}

// TestPermitted checks permissions for the machine before its node is cordoned, and only when all else allows, since clouds count requests.
func TestPermitted(t *testing.T) {
	for name, tc := range map[string]struct {
		may  func() (cloud.Permission, error)
		want string
	}{
		"it would be let through": {want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast"},
		"nobody can tell": {
			may:  func() (cloud.Permission, error) { return cloud.Permission{May: v1alpha1.MayUnknown}, nil },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast",
		},
		"the cloud does not answer": {
			may:  func() (cloud.Permission, error) { return cloud.Permission{}, errors.New("throttled") },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.policy.Spec.Paused = true
			w.cloud.may = tc.may
			w.later(30*time.Minute, func() {
				if w.cloud.asked > 0 {
					t.Errorf("while it was paused the cloud was asked %d times", w.cloud.asked)
				}
				w.policy.Spec.Paused = false
			})
			w.play(ctx, nil)
			if got := w.line(ctx); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if w.cloud.asked != 1 {
				t.Errorf("the cloud was asked %d times", w.cloud.asked)
			}
		})
	}
}

// TestPermittedLater goes on once a person takes the protection off, and has moved no pod before.
func TestPermittedLater(t *testing.T) {
	w, ctx := newWorld(t, replace), t.Context()
	w.cloud.may = protected
	w.later(30*time.Minute, func() {
		if n := w.node(ctx, "n1"); n.Spec.Unschedulable {
			t.Error("the node was cordoned")
		}
		w.cloud.may = nil
	})
	w.play(ctx, nil)
	if got, want := w.line(ctx), "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
