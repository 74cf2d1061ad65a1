package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/config/crd"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/test/program"
)

const (
	// quicker is how much faster than reality machines boot and kubelets report.
	quicker = 10
	// patience is how long anything may take, on a busy machine.
	patience = 4 * time.Minute
	often    = 100 * time.Millisecond
)

// shared is what the tests share: one cluster, which the first that needs it starts, and the program.
var shared struct {
	*lab.Lab
	client.Client
	naosu  string
	folder string

	start sync.Once
	err   error
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	code := m.Run()
	if shared.Lab == nil {
		return code
	}
	if err := errors.Join(labtest.Stop(shared.Lab), os.RemoveAll(shared.folder)); err != nil {
		fmt.Fprintln(os.Stderr, "stop the shared lab:", err)
		return 1
	}
	return code
}

func needLab(t *testing.T) {
	t.Helper()
	shared.naosu = program.Need(t, "naosu")
	shared.start.Do(func() { shared.err = startLab(context.Background()) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
}

func startLab(ctx context.Context) (err error) {
	if shared.folder, err = os.MkdirTemp("", "naosu-controller-"); err != nil {
		return err
	}
	shared.Lab, err = labtest.New(ctx, lab.Options{
		Pace: pace.New(quicker), DataDir: filepath.Join(shared.folder, "lab"),
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Min: 3, Desired: 6, Max: 9}}},
	})
	if err != nil {
		return err
	}
	return fill(ctx)
}

// fill makes the client, finds that a controller says what it lacks, and gives the cluster that and something to run.
func fill(ctx context.Context) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	var err error
	if shared.Client, err = client.New(shared.Plane.AdminConfig(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if err := withoutDefinitions(ctx); err != nil {
		return err
	}
	for document := range bytes.SplitSeq(crd.YAML(), []byte("---\n")) {
		definition := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &definition.Object); err != nil {
			return err
		}
		if len(definition.Object) > 0 {
			if err := shared.Create(ctx, definition); err != nil {
				return fmt.Errorf("creating %s: %w", definition.GetName(), err)
			}
		}
	}
	if err := shared.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "naosu-system"}}); err != nil {
		return err
	}
	labels := map[string]string{"app": "web"}
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(6)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)), Containers: []corev1.Container{{Name: "web", Image: "web:1"}},
		}},
	}}
	if err := shared.Create(ctx, web); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, often, patience, true, func(ctx context.Context) (bool, error) {
		err := shared.Get(ctx, client.ObjectKeyFromObject(web), web)
		served := shared.List(ctx, &v1alpha1.RemediationList{}) == nil && shared.List(ctx, &v1alpha1.NodeRepairPolicyList{}) == nil &&
			shared.List(ctx, &v1alpha1.FailoverPolicyList{}) == nil
		return served && web.Status.AvailableReplicas == 6, err
	})
}

// withoutDefinitions is how a controller ends on a cluster that does not know naosu's resources yet.
func withoutDefinitions(ctx context.Context) error {
	out, err := command(ctx, "--health-address", "0", "--metrics-address", "0").CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 2 || !strings.Contains(string(out), "naosu crds | kubectl apply") {
		return fmt.Errorf("without the definitions it ended with %w: %s", err, out)
	}
	return nil
}

// command is the program, led to the lab by its environment alone.
func command(ctx context.Context, flags ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, shared.naosu, append([]string{"controller"}, flags...)...)
	cmd.Env = append(os.Environ(), shared.AWS.Environment()...)
	cmd.Env = append(cmd.Env, "KUBECONFIG="+shared.Plane.KubeconfigPath())
	return cmd
}

// replica is a controller that runs.
type replica struct {
	*exec.Cmd
	health, metrics string
	log             *bytes.Buffer
	ended           chan struct{}
}

// start runs a controller and waits until it says that it is ready.
func start(t *testing.T, flags ...string) *replica {
	t.Helper()
	needLab(t)
	r := &replica{health: agenttest.Port(t), metrics: agenttest.Port(t), log: &bytes.Buffer{}, ended: make(chan struct{})}
	r.Cmd = command(context.WithoutCancel(t.Context()), append([]string{"--health-address", r.health, "--metrics-address", r.metrics}, flags...)...)
	r.Stdout, r.Stderr = r.log, r.log
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.Wait()
	}()
	t.Cleanup(func() {
		_ = r.Process.Signal(os.Interrupt)
		<-r.ended
		if t.Failed() {
			t.Logf("a controller's log:\n%s", r.log)
		}
	})
	until(t, "a controller is ready", func() bool { return status(t, "http://"+r.health+"/readyz") == http.StatusOK })
	return r
}

func status(t *testing.T, url string) int {
	t.Helper()
	code, _ := get(t, url)
	return code
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		return 0, ""
	}
	return response.StatusCode, body.String()
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), often, patience, true, func(context.Context) (bool, error) { return done(), nil })
	if err != nil {
		t.Fatalf("not seen: %s", what)
	}
}

// leader is the name of the leading replica, empty if none leads.
func leader(t *testing.T) string {
	t.Helper()
	var lease coordinationv1.Lease
	err := shared.Get(t.Context(), client.ObjectKey{Namespace: "naosu-system", Name: "naosu-controller"}, &lease)
	if apierrors.IsNotFound(err) || err == nil && lease.Spec.HolderIdentity == nil {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return *lease.Spec.HolderIdentity
}

func nodes(t *testing.T) []corev1.Node {
	t.Helper()
	var all corev1.NodeList
	if err := shared.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// agent plays the node agent of one node: it says that the network is down until the machine has booted anew.
func agent(t *testing.T, name string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { stop(); <-done })
	var n corev1.Node
	if err := shared.Get(ctx, client.ObjectKey{Name: name}, &n); err != nil {
		t.Fatal(err)
	}
	before := n.Status.NodeInfo.BootID
	since := metav1.Now()
	go func() {
		defer close(done)
		_ = wait.PollUntilContextCancel(ctx, often, true, func(ctx context.Context) (bool, error) {
			var n corev1.Node
			if err := shared.Get(ctx, client.ObjectKey{Name: name}, &n); err != nil {
				return false, nil //nolint:nilerr // It is tried again.
			}
			said := corev1.NodeCondition{
				Type: "NetworkingReady", Status: corev1.ConditionFalse, Reason: "InterfaceNotUp", Message: "eth1 is down", LastTransitionTime: since, LastHeartbeatTime: metav1.Now(),
			}
			if n.Status.NodeInfo.BootID != before {
				said.Status, said.Reason, said.Message = corev1.ConditionTrue, "NetworkingIsReady", ""
			}
			_ = say(ctx, &n, said) // What fails is tried again.
			return false, nil
		})
	}()
}

// say writes a condition where it differs.
func say(ctx context.Context, n *corev1.Node, said corev1.NodeCondition) error {
	was := n.DeepCopy()
	at := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == said.Type })
	switch {
	case at < 0:
		n.Status.Conditions = append(n.Status.Conditions, said)
	case n.Status.Conditions[at].Status == said.Status:
		return nil
	default:
		said.LastTransitionTime = metav1.Now()
		n.Status.Conditions[at] = said
	}
	return shared.Status().Patch(ctx, n, client.StrategicMergeFrom(was))
}

// policy repairs one node, at once.
func policy(t *testing.T, name string, node corev1.Node) {
	t.Helper()
	second := metav1.Duration{Duration: time.Second}
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto, NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: node.Labels[corev1.LabelHostname]}},
		Rules:        []v1alpha1.RepairRule{{Name: "link", Condition: "NetworkingReady", Status: metav1.ConditionFalse, For: second, Action: v1alpha1.ActionReboot}},
		Verification: v1alpha1.Verification{Dwell: &second}, NodeStartupGracePeriod: &metav1.Duration{},
	}}
	if err := shared.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), p) })
}

// of is the only Remediation of a policy; nil if there is none.
func of(t *testing.T, policy string) *v1alpha1.Remediation {
	t.Helper()
	var all v1alpha1.RemediationList
	if err := shared.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	mine := slices.DeleteFunc(all.Items, func(r v1alpha1.Remediation) bool { return r.Spec.Policy.Name != policy })
	if len(mine) > 1 {
		t.Fatalf("%d Remediations of one fault", len(mine))
	}
	if len(mine) == 0 {
		return nil
	}
	return &mine[0]
}

// reboots is how often AWS was asked to reboot a node's machine, but for dry runs.
func reboots(node corev1.Node) int {
	n := 0
	for _, call := range shared.AWS.Calls() {
		if call.Action == "RebootInstances" && !slices.Contains(call.Parameters["DryRun"], "true") &&
			strings.Contains(fmt.Sprint(call.Parameters), node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]) {
			n++
		}
	}
	return n
}
