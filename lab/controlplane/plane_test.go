package controlplane_test

import (
	"testing"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

func TestReady(t *testing.T) {
	p, client := start(t, controlplane.Start, controlplane.Options{})
	t.Log(p.DataDir(), client)
	p2, client := start(t, controlplane.StartChild, controlplane.Options{FeatureGates: map[string]bool{"HPAScaleToZero": true}})
	t.Log(p2.DataDir(), client)
}
