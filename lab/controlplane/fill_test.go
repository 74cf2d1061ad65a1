package controlplane_test

import (
	"testing"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

func TestFillStaysInItsProcess(t *testing.T) {
	_, err := controlplane.StartChild(t.Context(), controlplane.Options{Fill: func(func(string, []byte) error) error { return nil }})
	wantError(t, err, "Fill")
}
