// Package planetest has what the tests of control planes share.
package planetest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// Start runs a plane for one test. A failed test shows the end of the components' log.
func Start(t testing.TB, how controlplane.Starter, o controlplane.Options) (*controlplane.Plane, kubernetes.Interface) {
	t.Helper()
	p, err := how(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return p, Connect(p.AdminConfig())
}

// Eventually waits for a condition; a condition that reports an error is false, and the last error is reported.
// The limit is far beyond any time that is expected.
func Eventually(t testing.TB, what string, condition func(ctx context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// Must is for what fails only if the test itself is wrong.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Connect is a client with this configuration.
func Connect(config *rest.Config) kubernetes.Interface { return Must(kubernetes.NewForConfig(config)) }

// WantForbidden expects the API server to refuse.
func WantForbidden(t testing.TB, err error) {
	t.Helper()
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want forbidden", err)
	}
}

// WantError expects an error with all of these parts.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want %q in it", err, part)
		}
	}
}

// FillDisk leaves so many bytes of the disk that a file is on.
func FillDisk(t testing.TB, name string, leave int64) {
	t.Helper()
	f := Must(os.Create(name))
	defer f.Close()
	chunk := make([]byte, 64<<10)
	for {
		if _, err := f.Write(chunk); err != nil {
			break
		}
	}
	info := Must(f.Stat())
	if err := f.Truncate(info.Size() - leave); err != nil {
		t.Fatal(err)
	}
}
