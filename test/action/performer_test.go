package action

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestRepair(t *testing.T) {
	for action, want := range map[v1alpha1.Action][]string{
		v1alpha1.ActionReboot: {
			"Assess Done", "Guard Done", "Cordon Done", "Drain Done", "Act Done", "Wait Done", "Dwell Done", "Verify Done", "Uncordon Done", "AsForecast",
		},
	} {
		t.Run(string(action), func(t *testing.T) {
			w, ctx := newWorld(t, action), t.Context()
			w.play(ctx, nil)
			if diff := cmp.Diff(want, w.story(ctx)); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}
