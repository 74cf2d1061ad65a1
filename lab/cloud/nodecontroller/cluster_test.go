package nodecontroller_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/nodecontroller"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/pace"
)

// scale is how much faster than reality the test is: five seconds between polls become half a second.
const scale = 50

// Nodes here have no kubelet: nothing but the test may say whether they are ready.
func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Flags: map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--node-monitor-grace-period=1h"},
	}})
}

func TestNodeLifecycle(t *testing.T) {
	b := newFixture(t)
	instances := b.cloud.Instances()
	ends, stops, stays := instances[0], instances[1], instances[2]
	for _, i := range instances {
		b.register(i.NodeName, true)
	}
	b.register("made-by-a-person", false)

	for _, i := range instances {
		b.eventually("node "+i.NodeName+" to be initialised", func(ctx context.Context) error { return b.initialised(ctx, i) })
	}

	b.must(b.cloud.Terminate(ends.ID, true))
	b.must(b.cloud.StopInstance(stops.ID))
	for _, name := range []string{ends.NodeName, stops.NodeName, "made-by-a-person"} {
		b.ready(name, corev1.ConditionUnknown)
	}
	b.eventually("the shutdown taint", func(ctx context.Context) error { return b.hasShutdownTaint(ctx, stops.NodeName, true) })
	b.eventually("the end of the terminated instance's node", func(ctx context.Context) error {
		_, err := b.CoreV1().Nodes().Get(ctx, ends.NodeName, metav1.GetOptions{})
		if err == nil {
			return errors.New("it is still there")
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	b.eventually("the event of its end", func(ctx context.Context) error {
		events, err := b.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "reason=DeletingNode,involvedObject.name=" + ends.NodeName})
		if err == nil && len(events.Items) == 0 {
			return fmt.Errorf("no such event")
		}
		return err
	})

	b.must(b.cloud.StartInstance(stops.ID))
	b.ready(stops.NodeName, corev1.ConditionTrue)
	b.eventually("the shutdown taint's end", func(ctx context.Context) error { return b.hasShutdownTaint(ctx, stops.NodeName, false) })

	// The controller has gone round all nodes several times by now; these two it had no reason to touch.
	for _, name := range []string{stays.NodeName, "made-by-a-person"} {
		node := b.get(name)
		if slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == "node.cloudprovider.kubernetes.io/shutdown" }) {
			t.Errorf("node %s has taints %v", name, node.Spec.Taints)
		}
	}
	if got := b.get("made-by-a-person").Spec.ProviderID; got != "" {
		t.Errorf("the node made by a person was given providerID %s", got)
	}
}

type fixture struct {
	*testing.T
	kubernetes.Interface
	cloud *cloud.Cloud
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	shared := testbed.Shared(t)
	b := &fixture{T: t, Interface: shared.Client}
	var err error
	b.cloud, err = cloud.New(cloud.Options{Pace: pace.New(scale), InstantStart: true, Spec: cloud.Spec{
		Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3}},
	}})
	b.must(err)
	b.background("the cloud", b.cloud.Run)
	b.background("the node controller", func(ctx context.Context) error {
		return nodecontroller.Run(ctx, nodecontroller.Options{Config: shared.AdminConfig(), Cloud: b.cloud, Pace: pace.New(scale)})
	})
	return b
}

// background runs a part until the test ends, and waits for its end.
func (b *fixture) background(name string, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("running %s: %v", name, err)
		}
	})
}

// register makes a Node as a kubelet does, which under a cloud provider begins with a taint.
func (b *fixture) register(name string, cloudProvider bool) {
	b.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if cloudProvider {
		node.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	}
	_, err := b.CoreV1().Nodes().Create(b.Context(), node, metav1.CreateOptions{})
	b.must(err)
	b.Cleanup(func() {
		_ = b.CoreV1().Nodes().Delete(context.WithoutCancel(b.Context()), name, metav1.DeleteOptions{})
	})
	b.ready(name, corev1.ConditionTrue)
}

func (b *fixture) ready(name string, status corev1.ConditionStatus) {
	b.Helper()
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q,"lastHeartbeatTime":%q}]}}`, status, time.Now().Format(time.RFC3339))
	_, err := b.CoreV1().Nodes().Patch(b.Context(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	b.must(err)
}

func (b *fixture) initialised(ctx context.Context, i cloud.Instance) error {
	node, err := b.CoreV1().Nodes().Get(ctx, i.NodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	type facts struct {
		ProviderID, Zone, Region, Type string
		Addresses                      []corev1.NodeAddress
		Uninitialized                  bool
	}
	got := facts{
		ProviderID: node.Spec.ProviderID,
		Zone:       node.Labels["topology.kubernetes.io/zone"],
		Region:     node.Labels["topology.kubernetes.io/region"],
		Type:       node.Labels["node.kubernetes.io/instance-type"],
		Addresses:  node.Status.Addresses,
		Uninitialized: slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
			return taint.Key == "node.cloudprovider.kubernetes.io/uninitialized"
		}),
	}
	want := facts{
		ProviderID: "aws:///" + i.Zone + "/" + i.ID, Zone: i.Zone, Region: "us-east-1", Type: "m5.large",
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: i.PrivateIP},
			{Type: corev1.NodeInternalDNS, Address: i.NodeName},
			{Type: corev1.NodeHostName, Address: i.NodeName},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("-want +got:\n%s", diff)
	}
	return nil
}

func (b *fixture) hasShutdownTaint(ctx context.Context, name string, want bool) error {
	node, err := b.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	has := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == "node.cloudprovider.kubernetes.io/shutdown" && taint.Effect == corev1.TaintEffectNoSchedule
	})
	if has != want {
		return fmt.Errorf("taints are %v", node.Spec.Taints)
	}
	return nil
}

func (b *fixture) get(name string) *corev1.Node {
	b.Helper()
	node, err := b.CoreV1().Nodes().Get(b.Context(), name, metav1.GetOptions{})
	b.must(err)
	return node
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// eventually retries until there is no error.
func (b *fixture) eventually(what string, ask func(context.Context) error) {
	b.Helper()
	testbed.Eventually(b, func() error {
		if err := ask(b.Context()); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
}
