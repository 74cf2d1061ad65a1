package repaircheck

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/config/crd"
	"github.com/naosu-dev/naosu/internal/cli"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/repair"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"AWS_EC2_METADATA_DISABLED", "AWS_ENDPOINT_URL"} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("AWS_EC2_METADATA_DISABLED", "true") // No cloud is to be asked.
	testbed.Main(m, controlplane.Options{Flags: testbed.WithoutKubelets()})
}

// fixture is a cluster of one node, and naosu's command line for it.
type fixture struct {
	*testbed.Environment
	client     client.Client
	kubeconfig string
	node       string
	// failedAt are the hops at which a drill has failed.
	failedAt map[repair.HopName]bool
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{Environment: testbed.Shared(t), node: "worker-1", failedAt: map[repair.HopName]bool{}}
	b.kubeconfig = b.KubeconfigPath()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if b.client, err = client.New(b.AdminConfig(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	return b
}

// ask runs `naosu ARGS -o json` and returns its output and exit code.
func ask[T any](ctx context.Context, t *testing.T, b *fixture, args ...string) (T, error) {
	t.Helper()
	var answer T
	out, err := b.run(ctx, append(args, "-o", "json")...)
	if exit.Code(err) == exit.NoAnswer {
		return answer, err
	}
	if problem := json.Unmarshal([]byte(out), &answer); problem != nil {
		t.Fatalf("naosu %s: %v\n%s", strings.Join(args, " "), problem, out)
	}
	return answer, err
}

func (b *fixture) run(ctx context.Context, args ...string) (string, error) {
	var out, trouble bytes.Buffer
	cmd := cli.NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &trouble})
	cmd.SetArgs(append([]string{"--kubeconfig", b.kubeconfig}, args...))
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

// install applies what `naosu crds` prints, waits until it is served, and makes the account that the controller runs as.
func (b *fixture) install(ctx context.Context, t *testing.T) {
	t.Helper()
	b.apply(ctx, t, crd.YAML())
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		return b.client.List(ctx, &v1alpha1.RemediationList{}) == nil && b.client.List(ctx, &v1alpha1.NodeRepairPolicyList{}) == nil, nil
	})
	if err != nil {
		t.Fatalf("wait for the definitions: %v", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "naosu-system"}}
	if err := b.client.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for _, file := range []string{"access.yaml", "role.yaml"} {
		data, err := os.ReadFile(filepath.Join("../../config/rbac", file))
		if err != nil {
			t.Fatal(err)
		}
		b.apply(ctx, t, data)
	}
}

func (b *fixture) apply(ctx context.Context, t *testing.T, documents []byte) {
	t.Helper()
	for document := range bytes.SplitSeq(documents, []byte("---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) == 0 {
			continue
		}
		if err := b.client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
}

// account is who the controller runs as, with the rights that config/rbac gives it.
const account = "system:serviceaccount:naosu-system:naosu-controller"

// controller runs naosu's controller until the test ends, or stop is called.
func (b *fixture) controller(ctx context.Context, t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := b.run(ctx, "controller", "--as", account, "--health-address", "0", "--metrics-address", "0"); err != nil && ctx.Err() == nil {
			t.Errorf("the controller: %v", err)
		}
	})
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// makeNode makes a node whose kubelet and agent report that all is well.
func (b *fixture) makeNode(ctx context.Context, t *testing.T) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: b.node}}
	if err := b.client.Create(ctx, node); err != nil {
		t.Fatal(err)
	}
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: b.node},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &b.node, LeaseDurationSeconds: new(int32(3600)), RenewTime: new(metav1.NowMicro())},
	}
	if err := b.client.Create(ctx, lease); err != nil {
		t.Fatal(err)
	}
	made := node.DeepCopy()
	now := metav1.Now()
	for _, kind := range []corev1.NodeConditionType{"Ready", "KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"} {
		why := "NoFault"
		if kind == corev1.NodeReady {
			why = "KubeletReady"
		}
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: why, LastHeartbeatTime: now, LastTransitionTime: now,
		})
	}
	node.Status.NodeInfo.BootID = "boot-1"
	// Controllers write to a new node too, so this is no update of what was made.
	if err := b.client.Status().Patch(ctx, node, client.MergeFrom(made)); err != nil {
		t.Fatal(err)
	}
}

func (b *fixture) condition(ctx context.Context, t *testing.T, kind corev1.NodeConditionType) corev1.NodeCondition {
	t.Helper()
	var node corev1.Node
	if err := b.client.Get(ctx, client.ObjectKey{Name: b.node}, &node); err != nil {
		t.Fatal(err)
	}
	for _, c := range node.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	t.Fatalf("%s has no condition %s", b.node, kind)
	return corev1.NodeCondition{}
}

// agent answers the next drill as the node's agent does, until the test ends or stop is called: it passes so many hops, and then
// fails, unless that was all.
func (b *fixture) agent(ctx context.Context, t *testing.T, state v1alpha1.AgentState, hops int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		_ = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			var all v1alpha1.RemediationList
			if err := b.client.List(ctx, &all); err != nil {
				return false, nil //nolint:nilerr // It is asked again.
			}
			for i := range all.Items {
				if r := &all.Items[i]; r.Spec.Drill != nil && r.Spec.Drill.Depth == v1alpha1.DrillDryRun && r.Status.Agent == nil && r.Status.Phase != v1alpha1.PhaseEnded {
					r.Status.Agent = word(state, hops)
					return b.client.Status().Update(ctx, r) == nil, nil
				}
			}
			return false, nil
		})
	})
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// word is what the agent writes.
func word(state v1alpha1.AgentState, hops int) *v1alpha1.AgentReport {
	now := metav1.NowMicro()
	report := &v1alpha1.AgentReport{State: state, At: now, Version: "v1", Message: "the agent's words"}
	for _, name := range []v1alpha1.HopName{v1alpha1.HopFault, v1alpha1.HopDetect, v1alpha1.HopEvidence, v1alpha1.HopReport}[:hops] {
		report.Hops = append(report.Hops, v1alpha1.Hop{Name: name, At: now})
	}
	if state == v1alpha1.AgentDone {
		report.Evidence = &v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse, Reason: "InterfaceNotUp", Since: metav1.Now()}
	}
	return report
}

type drilled = repair.Drilled
