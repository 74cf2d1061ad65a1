package diagnosis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// silentNode is one that does not answer.
func silentNode(name string) *corev1.Node {
	since := metav1.Time{Time: now.Add(-time.Minute)}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", LastTransitionTime: since, LastHeartbeatTime: since},
		}},
	}
}

// linksOf are the sentences of an explanation's chain.
func linksOf(e finding.Explanation) string {
	var all []string
	for _, cause := range e.Causes {
		all = append(all, message.English().Say(cause.Message))
	}
	return strings.Join(all, "\n")
}

// TestLeaseOfSilentNode believes a node as long as its own Lease holds, or forty seconds where that does not say.
func TestLeaseOfSilentNode(t *testing.T) {
	for name, tc := range map[string]struct {
		seconds *int32
		ago     time.Duration
		alive   bool
	}{
		"it holds":                        {new(int32(40)), 39 * time.Second, true},
		"it has ended":                    {new(int32(40)), 45 * time.Second, false},
		"a short one has ended":           {new(int32(2)), 5 * time.Second, false},
		"a long one holds":                {new(int32(120)), 100 * time.Second, true},
		"one that does not say holds":     {nil, 39 * time.Second, true},
		"one that does not say has ended": {nil, 41 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			lease := &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: "n1", Namespace: corev1.NamespaceNodeLease},
				Spec:       coordinationv1.LeaseSpec{LeaseDurationSeconds: tc.seconds, RenewTime: &metav1.MicroTime{Time: now.Add(-tc.ago)}},
			}
			said := linksOf(diagnosis.Explain(t.Context(), question(t, []runtime.Object{silentNode("n1"), lease}, everything(), &change.Ref{Kind: "Node", Name: "n1"})))
			if alive := strings.Contains(said, "it is alive"); alive != tc.alive || alive == strings.Contains(said, "it is down") {
				t.Errorf("alive: %t, want %t:\n%s", alive, tc.alive, said)
			}
		})
	}
}

// TestDeletedNodeIsKept says who keeps a Node that was deleted.
func TestDeletedNodeIsKept(t *testing.T) {
	n := silentNode("n1")
	n.DeletionTimestamp, n.Finalizers = &metav1.Time{Time: now.Add(-time.Minute)}, []string{"karpenter.sh/termination", "naosu.dev/out-of-service"}
	said := linksOf(diagnosis.Explain(t.Context(), question(t, []runtime.Object{n}, everything(), &change.Ref{Kind: "Node", Name: "n1"})))
	for _, want := range []string{"karpenter.sh/termination", "naosu keeps it until its volumes are detached"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing:\n%s", want, said)
		}
	}
}

// TestDeploymentWithPodOnSilentNode has all of its pods, beside one that cannot end: that is no new version that does not run.
func TestDeploymentWithPodOnSilentNode(t *testing.T) {
	labels := map[string]string{"app": "web"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	revision := map[string]string{"deployment.kubernetes.io/revision": "1"}
	healthy := silentNode("n2")
	healthy.Status.Conditions[0].Status = corev1.ConditionTrue
	objects := []runtime.Object{
		silentNode("n1"), healthy,
		&appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "d", Generation: 1, Annotations: revision},
			Spec:       appsv1.DeploymentSpec{Replicas: new(int32(2)), Selector: selector},
			Status:     appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2},
		},
		&appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "shop", UID: "rs", Annotations: revision, OwnerReferences: []metav1.OwnerReference{
				{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "d", Controller: new(true)},
			}},
			Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Selector: selector},
		},
	}
	for i, node := range []string{"n1", "n2", "n2"} {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("web-1-%d", i), Namespace: "shop", UID: types.UID(fmt.Sprint(i)), Labels: labels,
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-1", UID: "rs", Controller: new(true)}},
			},
			Spec:   corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "web"}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		}
		if node == "n1" {
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: now.Add(-time.Minute)}, new(int64(30))
			pod.Status.Conditions[0].Status = corev1.ConditionFalse
		}
		objects = append(objects, pod)
	}
	subject := &change.Ref{Kind: "Deployment", Namespace: "shop", Name: "web"}
	e := diagnosis.Explain(t.Context(), question(t, objects, everything(), subject))
	if strings.Contains(message.English().Say(e.Summary), "new version") || !strings.Contains(message.English().Say(e.Summary), "2") {
		t.Errorf("the answer is %q", message.English().Say(e.Summary))
	}
	if said := linksOf(e); !strings.Contains(said, "web-1-0") || !strings.Contains(said, "n1") {
		t.Errorf("the pod that hangs is not told of:\n%s", said)
	}
	// With one more that does not run, it says so. There is no other version.
	stuck := objects[len(objects)-1].(*corev1.Pod).DeepCopy()
	stuck.Name, stuck.UID = "web-1-3", "3"
	stuck.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
	}}}
	stuck.Status.Phase = corev1.PodPending
	stuck.Status.Conditions[0].Status = corev1.ConditionFalse
	e = diagnosis.Explain(t.Context(), question(t, slices.Concat(objects, []runtime.Object{stuck}), everything(), subject))
	if said := message.English().Say(e.Summary); strings.Contains(said, "new version") || !strings.Contains(said, "although not all run. pod/web-1-3 does not start") {
		t.Errorf("the answer about a stuck pod is %q", message.English().Say(e.Summary))
	}
}
