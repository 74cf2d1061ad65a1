package diagnosis_test

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestConcerns asks about a pod without a claim: what is not known of volumes is no gap in the answer.
func TestConcerns(t *testing.T) {
	known := everything()
	known[cluster.VolumeAttachment], known[cluster.PersistentVolume] = cluster.Absent, cluster.Forbidden
	pod := change.Ref{Kind: "Pod", Namespace: "shop", Name: "image"}
	got := diagnosis.Explain(t.Context(), question(t, clustertest.Load(t, "testdata/status/pods.yaml"), known, &pod))
	if len(got.Unknown) > 0 || got.Summary.IsZero() {
		t.Errorf("unknown of %q: %v, want nothing", message.English().Say(got.Summary), got.Unknown)
	}
}
