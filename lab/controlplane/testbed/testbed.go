// Package testbed gives tests a real control plane, as controller-runtime's envtest does.
//
// One plane is shared by all tests of a test binary, each in a namespace of its own, and started by the first that needs it.
// What is not in a namespace (nodes, volumes, classes) is shared too: a test that needs such objects to itself, other
// options or another plane beside the shared one gets a fresh plane. No plane has nodes: a test makes them, or runs
// lab/nodes. Every plane runs in a process of its own, the built naosu-lab, so that test binaries do not link Kubernetes.
//
// A package that uses it has
//
//	func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{}) }
package testbed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/test/program"
)

// Environment is a control plane with a namespace for one test.
type Environment struct {
	*controlplane.Plane
	// Client may do everything.
	Client kubernetes.Interface
	// Namespace is for this test alone, and is deleted after it.
	Namespace string
}

// start runs the shared plane, once. It is nil in a test binary whose TestMain does not call Main.
var start func() (*controlplane.Plane, error)

// Main runs a package's tests and stops their shared plane, which has these options. It never returns.
func Main(m *testing.M, o controlplane.Options) {
	os.Exit(run(m, o))
}

func run(m *testing.M, o controlplane.Options) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var plane *controlplane.Plane
	start = sync.OnceValues(func() (p *controlplane.Plane, err error) {
		plane, err = StartPlane(ctx, o)
		return plane, err
	})
	code := m.Run()
	if plane == nil {
		return code
	}
	if err := Stop(plane); err != nil {
		fmt.Fprintln(os.Stderr, "the shared control plane:", err)
		return 1
	}
	return code
}

// StartPlane is the controlplane.Starter of tests: a plane in a child process, the built naosu-lab.
func StartPlane(ctx context.Context, o controlplane.Options) (*controlplane.Plane, error) {
	lab, err := program.Path("naosu-lab")
	if err != nil {
		return nil, err
	}
	return controlplane.StartChild(ctx, lab, o)
}

// Stop stops a plane of StartPlane. It also returns why the plane had ended before, of which tests see only that nothing answers.
func Stop(p *controlplane.Plane) error { return errors.Join(p.Err(), p.Stop()) }

// WithoutKubelets are flags of a plane whose nodes are made by tests, without a kubelet. By default the controller
// manager finds such a node dead after a minute: it writes conditions and taints to it and evicts its pods, and a test sees
// that only where it is slow.
func WithoutKubelets() map[controlplane.Component][]string {
	return map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--node-monitor-grace-period=24h", "--node-startup-grace-period=24h"},
	}
}

// Patience ends waits of tests for what comes at once on an idle machine. It is met only where it never comes.
const Patience = 4 * time.Minute

// Eventually calls check until it returns nil, and fails the test with its last error if that takes longer than Patience. Cleanups may
// call it, too.
func Eventually(t testing.TB, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), Patience)
	defer cancel()
	if last := Poll(ctx, time.Second, check); last != nil {
		t.Fatalf("not within %v: %v", Patience, last)
	}
}

// Poll calls check until it returns nil, and returns its last error if ctx ends first. The pauses between the calls grow with what has been waited, by
// a fifth of it, up to longest: where a wait takes long since the machine is busy, its checks must not make it busier.
func Poll(ctx context.Context, longest time.Duration, check func() error) error {
	pauses := wait.Backoff{Duration: 50 * time.Millisecond, Factor: 1.2, Cap: longest, Steps: math.MaxInt}
	var last error
	err := pauses.DelayFunc().Until(ctx, true, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	return cmp.Or(last, err)
}

// Need leaves a test that needs a control plane out of a quick run (go test -short).
func Need(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out of a quick run: it needs a control plane")
	}
}

// Shared is the test binary's plane, with a namespace for this test.
func Shared(t testing.TB) *Environment {
	t.Helper()
	Need(t)
	if start == nil {
		t.Fatal("TestMain must call testbed.Main")
	}
	plane, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return newEnvironment(t, plane)
}

// Fresh is a plane for this test alone, stopped after the test.
func Fresh(t testing.TB, o controlplane.Options) *Environment {
	t.Helper()
	Need(t)
	plane, err := StartPlane(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Stop(plane); err != nil {
			t.Errorf("stop the test's control plane: %v", err)
		}
	})
	return newEnvironment(t, plane)
}

func newEnvironment(t testing.TB, plane *controlplane.Plane) *Environment {
	t.Helper()
	client, err := kubernetes.NewForConfig(plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	b := &Environment{Plane: plane, Client: client}
	if b.Namespace, err = newNamespace(t.Context(), client, t.Name()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := client.CoreV1().Namespaces().Delete(ctx, b.Namespace, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the test's namespace: %v", err)
		}
	})
	return b
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// newNamespace makes a namespace in which pods can be created: they need its default service account.
func newNamespace(ctx context.Context, client kubernetes.Interface, test string) (string, error) {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(test), "-"), "-")
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name[:min(len(name), 40)] + "-"}}
	made, err := client.CoreV1().Namespaces().Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("create a namespace for the test: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	err = Poll(ctx, time.Second, func() error {
		_, err := client.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("wait for the default service account of namespace %s: %w", made.Name, err)
	}
	return made.Name, nil
}
