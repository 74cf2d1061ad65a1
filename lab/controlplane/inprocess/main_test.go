package inprocess_test

import (
	"context"
	"os"
	"testing"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/inprocess"
)

// TestMain makes of the test binary, executed again, the child of a test.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == controlplane.ServeCommand {
		os.Exit(inprocess.Serve())
	}
	os.Exit(m.Run())
}

func startChild(ctx context.Context, o controlplane.Options) (*controlplane.Plane, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return controlplane.StartChild(ctx, self, o)
}
