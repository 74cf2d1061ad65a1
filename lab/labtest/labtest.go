// Package labtest gives tests a lab: one call, and there is a cluster with nodes in a cloud. Its control plane runs in a
// child process; the nodes, the cloud and the addons run in the test's own.
package labtest

import (
	"context"
	"errors"
	"io"
	"testing"

	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// Start runs a lab until the test ends.
func Start(t testing.TB, o lab.Options) *lab.Lab {
	t.Helper()
	testbed.Need(t)
	l, err := New(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Stop(l); err != nil {
			t.Errorf("stop the test's lab: %v", err)
		}
	})
	return l
}

// If the plane runs in the same process, its log has what the lab's controllers log; here, that is discarded.
func init() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

// New runs a lab that several tests share; the caller stops it with Stop.
func New(ctx context.Context, o lab.Options) (*lab.Lab, error) {
	o.ControlPlane = testbed.StartPlane
	return lab.Start(ctx, o)
}

// Stop stops a lab of New. It also returns why its control plane had ended before.
func Stop(l *lab.Lab) error { return errors.Join(l.Plane.Err(), l.Stop()) }
