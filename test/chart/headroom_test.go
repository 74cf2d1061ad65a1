package chart

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// wantsRoom creates a policy that has naosu hold room for a burst and for the step of a DaemonSet.
func (c *cluster) wantsRoom(t *testing.T) {
	t.Helper()
	made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.HeadroomPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.HeadroomPolicyKind},
		ObjectMeta: metav1.ObjectMeta{Name: "room"},
		Spec: v1alpha1.HeadroomPolicySpec{
			Mode: v1alpha1.ModeAuto,
			Survive: v1alpha1.HeadroomFailures{
				Bursts: []v1alpha1.HeadroomBurst{{Kind: "Deployment", Namespace: namespace, Name: "naosu-controller", Replicas: new(int32(1))}},
				Steps:  []v1alpha1.HeadroomStep{{Namespace: namespace, Name: "naosu-agent", CPU: resource.MustParse("1m"), Memory: resource.MustParse("1Mi")}},
			},
			MaxRoom: v1alpha1.HeadroomAmount{CPU: resource.MustParse("10"), Memory: resource.MustParse("10Gi")},
			Resize:  v1alpha1.HeadroomResize{LackSeconds: new(int32(1))},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(made, "status")
	create(t, c, headroomPolicies, &unstructured.Unstructured{Object: made})
}

// heldRoom waits until room is held by Deployments whose pods run and by DaemonSets, or until neither are there. It returns their UIDs.
func (c *cluster) heldRoom(t *testing.T, want bool) []types.UID {
	t.Helper()
	var held []types.UID
	testbed.Eventually(t, func() error {
		selected := metav1.ListOptions{LabelSelector: v1alpha1.HeadroomPolicyLabel}
		deployments, err := c.client.AppsV1().Deployments(namespace).List(t.Context(), selected)
		if err != nil {
			return err
		}
		sets, err := c.client.AppsV1().DaemonSets(namespace).List(t.Context(), selected)
		if err != nil {
			return err
		}
		if (len(deployments.Items) > 0) != want || (len(sets.Items) > 0) != want {
			return fmt.Errorf("%d Deployments and %d DaemonSets hold room", len(deployments.Items), len(sets.Items))
		}
		held = nil
		for _, d := range deployments.Items {
			if d.Status.ReadyReplicas != *d.Spec.Replicas {
				return fmt.Errorf("%d of %d placeholder pods run", d.Status.ReadyReplicas, *d.Spec.Replicas)
			}
			held = append(held, d.UID)
		}
		for _, s := range sets.Items {
			held = append(held, s.UID)
		}
		return nil
	})
	slices.Sort(held)
	return held
}

// holdsRoom has naosu hold room, and give it back once the policy is deleted.
func (c *cluster) holdsRoom(t *testing.T) {
	t.Helper()
	c.wantsRoom(t)
	c.heldRoom(t, true)
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Resource(headroomPolicies).Delete(t.Context(), "room", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.heldRoom(t, false)
}

// TestLifecycleWithRoom upgrades and uninstalls naosu while it holds room: an upgrade leaves the room as it is, the upgraded controller holds it on, and after
// the uninstallation, nothing of it is there.
func TestLifecycleWithRoom(t *testing.T) {
	bins := programs(t)
	env := newFixture(t)
	before := everything(t, env.config)
	h := helm{t, env.config}
	if _, err := h.install(values()); err != nil {
		t.Fatal(err)
	}
	var held []types.UID
	t.Run("installed", func(t *testing.T) {
		env.runsController(t, bins)
		env.wantsRoom(t)
		held = env.heldRoom(t, true)
	})
	if err := h.upgrade(values(object{"controller": object{"podAnnotations": object{"upgraded": "true"}}})); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error { // The pod of before, and its token, go.
		pods, err := env.client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=naosu-controller"})
		if err == nil && slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return p.Annotations["upgraded"] == "" }) {
			err = errors.New("pods of before are there")
		}
		return err
	})
	if diff := cmp.Diff(held, env.heldRoom(t, true)); diff != "" {
		t.Errorf("what holds room after the upgrade (-before +after):\n%s", diff)
	}
	t.Run("upgraded", func(t *testing.T) {
		env.runsController(t, bins)
		client := env.client.AppsV1().DaemonSets(namespace)
		if err := client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: v1alpha1.HeadroomPolicyLabel}); err != nil {
			t.Fatal(err)
		}
		testbed.Eventually(t, func() error {
			now := env.heldRoom(t, true)
			if made := slices.ContainsFunc(now, func(uid types.UID) bool { return !slices.Contains(held, uid) }); !made || len(now) != len(held) {
				return fmt.Errorf("%d hold room in place of %d", len(now), len(held))
			}
			return nil
		})
	})
	if err := h.uninstall(); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		for _, left := range addedObjects(before, everything(t, env.config)) {
			if kind, _, _ := strings.Cut(left, " "); slices.Contains([]string{"Deployment", "ReplicaSet", "DaemonSet", "ControllerRevision", "Pod", "Lease"}, kind) {
				return fmt.Errorf("%s is still there", left)
			}
		}
		return nil
	})
	clear(t, env)
}

// runsController runs the controller as the chart installs it, with the token of one of its pods, until the test ends.
func (c *cluster) runsController(t *testing.T, bins string) {
	t.Helper()
	pod := c.pod(t, "naosu-controller", "")
	args := append(onPorts(pod.Spec.Containers[0].Args, agenttest.Port(t), agenttest.Port(t), agenttest.Port(t)), "--kubeconfig="+c.kubeconfig(t, pod))
	log := begin(t, filepath.Join(bins, "naosu"), args, c.AWS.Environment())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the controller says:\n%s", log)
		}
	})
}

// TestHeadroomClasses holds the PriorityClasses of placeholder pods to what the controller and cluster-autoscaler go by: below every other priority, above and
// below the priority from which on it adds nodes, and without preemption.
func TestHeadroomClasses(t *testing.T) {
	all := rendered(t, values())
	for autoscaling, want := range map[v1alpha1.HeadroomAutoscaling]int32{v1alpha1.AutoscalingAddNodes: -10, v1alpha1.AutoscalingIgnore: -11} {
		name, priority := headroompolicy.Class(&v1alpha1.HeadroomPolicy{Spec: v1alpha1.HeadroomPolicySpec{Autoscaling: autoscaling}})
		class := typed[schedulingv1.PriorityClass](t, all, "PriorityClass/"+name)
		if class.Value != want || priority != want || class.GlobalDefault {
			t.Errorf("%s has the value %d, the controller takes it for %d, want %d", name, class.Value, priority, want)
		}
		if class.PreemptionPolicy == nil || *class.PreemptionPolicy != corev1.PreemptNever {
			t.Errorf("%s has the preemption policy %v", name, class.PreemptionPolicy)
		}
	}
	protected := typed[schedulingv1.PriorityClass](t, all, "PriorityClass/"+v1alpha1.HeadroomProtectedClass)
	if protected.Value != 100000 || protected.PreemptionPolicy == nil || *protected.PreemptionPolicy != corev1.PreemptNever || protected.Annotations["helm.sh/resource-policy"] != "keep" {
		t.Errorf("%s is %+v", protected.Name, protected)
	}
}
