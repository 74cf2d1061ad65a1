package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
)

// scale is how much faster than reality the tests' cluster is.
const scale = 20

func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Pace: pace.New(scale), Flags: map[controlplane.Component][]string{
		// Without regard to the pace: a node whose heartbeats are late on a busy machine is not ready for a while and loses no pods.
		controlplane.APIServer: {"--default-not-ready-toleration-seconds=300", "--default-unreachable-toleration-seconds=300"},
	}})
}

// testCluster is one test's part of a shared cluster: a namespace, and a fleet whose nodes only the test's pods select.
type testCluster struct {
	*testing.T
	kubernetes.Interface
	plane      *controlplane.Plane
	fleet      *nodes.Fleet
	namespace  string
	nodeLabels map[string]string
}

func newTestCluster(t *testing.T) *testCluster {
	t.Helper()
	shared := testbed.Shared(t)
	fleet, err := nodes.New(nodes.Options{Config: shared.AdminConfig(), Pace: pace.New(scale), Events: true, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- fleet.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("running the fleet: %v", err)
		}
	})
	return &testCluster{
		T: t, Interface: shared.Client, plane: shared.Plane, fleet: fleet,
		namespace: shared.Namespace, nodeLabels: map[string]string{"corner": shared.Namespace},
	}
}

func (b *testCluster) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// eventually polls until what the test waits for is there. The limit is far beyond any time that is expected.
func (b *testCluster) eventually(what string, is func(context.Context) bool) {
	b.Helper()
	err := poll(b.Context(), func(ctx context.Context) error {
		if !is(ctx) {
			return errors.New("not there")
		}
		return nil
	})
	if err != nil {
		b.Fatalf("waiting for %s: %v\n%s", what, err, b.state())
	}
}

func poll(ctx context.Context, ask func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		last = ask(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}

func (b *testCluster) state() string {
	var s strings.Builder
	ctx := context.Background()
	nodes, _ := b.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.FormatLabels(b.nodeLabels)})
	for _, n := range nodes.Items {
		fmt.Fprintf(&s, "node %s taints %v conditions %v\n", n.Name, n.Spec.Taints, n.Status.Conditions)
	}
	for _, p := range b.pods() {
		fmt.Fprintf(&s, "pod %s on %s deleted %v phase %s %s %s %+v\n", p.Name, p.Spec.NodeName, p.DeletionTimestamp, p.Status.Phase, p.Status.Reason, p.Status.Message, p.Status.ContainerStatuses)
	}
	events, _ := b.CoreV1().Events(b.namespace).List(ctx, metav1.ListOptions{})
	for _, e := range events.Items {
		fmt.Fprintf(&s, "event %s %s %s\n", e.InvolvedObject.Name, e.Reason, e.Message)
	}
	return s.String()
}

// boot switches machines of this test on and waits until their nodes are Ready and open.
func (b *testCluster) boot(names ...string) {
	b.Helper()
	for i, name := range names {
		b.fleet.Boot(nodes.Machine{
			NodeName: b.node(name), InternalIP: fmt.Sprintf("10.0.0.%d", i+1), Labels: b.nodeLabels,
			CPU: resource.MustParse("4"), Memory: resource.MustParse("8Gi"),
		})
		b.Cleanup(func() {
			b.fleet.Remove(b.node(name))
			_ = b.CoreV1().Nodes().Delete(context.Background(), b.node(name), metav1.DeleteOptions{})
		})
	}
	for _, name := range names {
		b.eventually("node "+name, func(ctx context.Context) bool {
			n, err := b.CoreV1().Nodes().Get(ctx, b.node(name), metav1.GetOptions{})
			return err == nil && b.ready(name) == corev1.ConditionTrue && len(n.Spec.Taints) == 0
		})
	}
}

func (b *testCluster) node(name string) string { return b.namespace + "-" + name }

func (b *testCluster) ready(name string) corev1.ConditionStatus {
	return b.condition(name, corev1.NodeReady)
}

func (b *testCluster) condition(name string, t corev1.NodeConditionType) corev1.ConditionStatus {
	n, err := b.CoreV1().Nodes().Get(b.Context(), b.node(name), metav1.GetOptions{})
	b.must(err)
	for _, c := range n.Status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return ""
}

// pods retries after an error: the API server may have just started again.
func (b *testCluster) pods() []corev1.Pod {
	var list *corev1.PodList
	err := poll(context.Background(), func(ctx context.Context) (err error) {
		list, err = b.CoreV1().Pods(b.namespace).List(ctx, metav1.ListOptions{})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return list.Items
}

// pod is nil if there is none.
func (b *testCluster) pod(name string) *corev1.Pod {
	for _, p := range b.pods() {
		if p.Name == name {
			return &p
		}
	}
	return nil
}

// running counts pods that are Running and Ready and not about to go.
func (b *testCluster) running() int {
	n := 0
	for _, p := range b.pods() {
		if isReady(&p) && p.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return p.Status.Phase == corev1.PodRunning && c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// eventuallyBegun waits until a pod runs, or has run: what it does may be short.
func (b *testCluster) eventuallyBegun(name string) {
	b.Helper()
	b.eventually("the begin of "+name, func(context.Context) bool { return b.pod(name).Status.Phase != corev1.PodPending })
}

func (b *testCluster) eventuallyRunning(n int) {
	b.Helper()
	b.eventually(fmt.Sprintf("%d pods running", n), func(context.Context) bool { return b.running() == n })
}

// template is of pods for the test's nodes, with one container and the given annotations.
func (b *testCluster) template(annotations map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}, Annotations: annotations},
		Spec: corev1.PodSpec{
			NodeSelector: b.nodeLabels,
			Containers:   []corev1.Container{{Name: "c", Image: "registry.example/c:1"}},
		},
	}
}

func (b *testCluster) bare(name string, annotations map[string]string, change func(*corev1.Pod)) {
	b.Helper()
	t := b.template(annotations)
	pod := &corev1.Pod{ObjectMeta: t.ObjectMeta, Spec: t.Spec}
	pod.Name = name
	if change != nil {
		change(pod)
	}
	_, err := b.CoreV1().Pods(b.namespace).Create(b.Context(), pod, metav1.CreateOptions{})
	b.must(err)
}

// on places a pod on one node, and has it evicted three seconds after that is lost.
func (b *testCluster) on(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: b.node(name)}
		for _, taint := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
				Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(3)),
			})
		}
	}
}

func (b *testCluster) deployment(replicas int32, annotations map[string]string) {
	b.Helper()
	_, err := b.AppsV1().Deployments(b.namespace).Create(b.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(replicas), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: b.template(annotations),
		},
	}, metav1.CreateOptions{})
	b.must(err)
}

func (b *testCluster) set(name string, s nodes.State) {
	b.Helper()
	b.must(b.fleet.SetState(b.node(name), s))
}

// waitForEvent waits for an Event about an object, and returns its message.
func (b *testCluster) waitForEvent(namespace, object, reason string) string {
	b.Helper()
	message := ""
	b.eventually(reason+" of "+object, func(ctx context.Context) bool {
		events, err := b.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + object + ",reason=" + reason})
		if err != nil || len(events.Items) == 0 {
			return false
		}
		message = events.Items[0].Message
		return true
	})
	return message
}
