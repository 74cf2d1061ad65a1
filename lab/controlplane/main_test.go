package controlplane_test

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

func TestMain(m *testing.M) {
	controlplane.MaybeRunChild()
	if dir := os.Getenv(parentVariable); dir != "" {
		os.Exit(runParent(dir))
	}
	os.Exit(m.Run())
}

type starter func(context.Context, controlplane.Options) (*controlplane.Plane, error)

// start runs a plane for one test. A failed test shows the end of the components' log.
func start(t testing.TB, how starter, o controlplane.Options) (*controlplane.Plane, kubernetes.Interface) {
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
	return p, connect(p.AdminConfig())
}

// eventually waits for a condition; a condition that reports an error is false, and the last error is told.
func eventually(t testing.TB, what string, condition func(ctx context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// must is for what fails only if the test itself is wrong.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func connect(config *rest.Config) kubernetes.Interface { return must(kubernetes.NewForConfig(config)) }

func wantForbidden(t testing.TB, err error) {
	t.Helper()
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want forbidden", err)
	}
}

func wantError(t testing.TB, err error, parts ...string) {
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
