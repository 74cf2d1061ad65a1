package aws

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	naosulab "github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
)

// TestCluster sees on the real API server what naosu's provider does to a Node, as the Node itself names its machine: a
// reboot brings it back with another boot ID, and a replacement brings another in its place.
func TestCluster(t *testing.T) {
	l := labtest.Start(t, naosulab.Options{
		Pace:  pace.New(20),
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 2, Max: 4}}},
	})
	point(t, l.AWS)
	client := kubernetes.NewForConfigOrDie(l.Plane.AdminConfig())
	struck := l.Cloud.Instances()[0]

	before := awaitNode(t, client, "is up", func(n *corev1.Node) bool { return n.Name == struck.NodeName && n.Spec.ProviderID != "" && ready(n) })
	providers, gaps := discover.Discover(t.Context(), discover.Options{})
	actuator, found := providers.For(v1alpha1.ActionReboot, naosu.MachineOf(before))
	if len(gaps) != 0 || !found || actuator.Name() != "aws" {
		t.Fatalf("gaps %v, a reboot is offered: %t", gaps, found)
	}
	if _, err := naosu.Act(t.Context(), actuator, v1alpha1.ActionReboot, naosu.MachineOf(before)); err != nil {
		t.Fatal(err)
	}
	after := awaitNode(t, client, "is up after its reboot", func(n *corev1.Node) bool {
		return n.Name == struck.NodeName && ready(n) && n.Status.NodeInfo.BootID != before.Status.NodeInfo.BootID
	})
	if after.UID != before.UID {
		t.Error("the reboot made another Node")
	}

	known := map[string]bool{}
	for _, i := range l.Cloud.Instances() {
		known[i.NodeName] = true
	}
	if _, err := naosu.Act(t.Context(), actuator, v1alpha1.ActionReplace, naosu.MachineOf(after)); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, client, "has come in the place of the terminated one", func(n *corev1.Node) bool { return !known[n.Name] && ready(n) })
}

// awaitNode returns the first node that is as wanted; within five minutes, on a machine that has much to do.
func awaitNode(t *testing.T, client kubernetes.Interface, what string, wanted func(*corev1.Node) bool) *corev1.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	watched, err := client.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	for event := range watched.ResultChan() {
		if n, is := event.Object.(*corev1.Node); is && event.Type != watch.Deleted && wanted(n) {
			return n
		}
	}
	t.Fatalf("no node %s", what)
	return nil
}

func ready(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
