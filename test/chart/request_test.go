package chart

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

const (
	// lopsided is a label of the second incident's pods.
	lopsided = "story=lopsided"
	jane     = "jane"
)

// balancesOnRequest has the second incident's pods, 2 + 4 + 0, spread as 2 + 2 + 2 without a policy: a person requests it with naosu rebalance apply.
func (c *cluster) balancesOnRequest(t *testing.T, naosu string) {
	t.Helper()
	c.bind(t, jane, "naosu-viewer", "naosu-rebalancer", "naosu-approver")
	c.leaveEmpty(t)
	apply := func(code int, said string, more ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), naosu, append([]string{"rebalance", "apply", "--kubeconfig", c.Plane.KubeconfigPath(), "--as", jane, "-l", lopsided}, more...)...)
		cmd.Env = append(os.Environ(), c.AWS.Environment()...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != code || !strings.Contains(string(out), said) {
			t.Fatalf("naosu rebalance apply %v: %v, want exit code %d and %q:\n%s", more, err, code, said, out)
		}
	}
	apply(1, "2 evictions in 1 wave. No plan with the same effect needs fewer.")
	if made := c.requested(t); len(made) > 0 {
		t.Fatalf("without --yes it created %s", made[0].Name)
	}
	apply(0, "was created and approved", "--yes")
	testbed.Eventually(t, func() error {
		if on, err := c.lopsidedPods(t); err != nil || !slices.Equal(on, []int{2, 2, 2}) {
			return fmt.Errorf("the pods are on the nodes as %v (%w)", on, err)
		}
		made := c.requested(t)
		if len(made) != 1 {
			return fmt.Errorf("%d Remediations were requested", len(made))
		}
		end := meta.FindStatusCondition(made[0].Status.Conditions, v1alpha1.RemediationSucceeded)
		if end == nil || end.Reason != v1alpha1.RemediationAsForecastReason || len(made[0].Spec.Changes) != 2 || made[0].Spec.Request.By != jane || made[0].Spec.ApprovedBy != jane {
			return fmt.Errorf("the Remediation is %+v", made[0])
		}
		return nil
	})
	apply(0, "All workloads are balanced", "--yes")
	if made := c.requested(t); len(made) != 1 {
		t.Errorf("%d Remediations were requested", len(made))
	}
	for _, name := range []string{"httpd", "nginx"} {
		if err := c.client.AppsV1().Deployments("default").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// bind gives a user ClusterRoles until the test ends.
func (c *cluster) bind(t *testing.T, user string, roles ...string) {
	t.Helper()
	bindings := c.client.RbacV1().ClusterRoleBindings()
	for _, role := range roles {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: user + "-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}
		if _, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := bindings.Delete(context.WithoutCancel(t.Context()), binding.Name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// leaveEmpty runs two Deployments of three pods, of each one on the first node, two on the second and none on the third.
func (c *cluster) leaveEmpty(t *testing.T) {
	t.Helper()
	nodes := c.nodeNames(t)
	c.cordonAllBut(t, nodes[0], true)
	for _, name := range []string{"httpd", "nginx"} {
		labels := map[string]string{"app": name, "story": "lopsided"}
		deployment := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: appsv1.DeploymentSpec{
				Replicas: new(int32(1)), Selector: metav1.SetAsLabelSelector(labels),
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: name, Image: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
				}}}},
			},
		}
		if _, err := c.client.AppsV1().Deployments("default").Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.arePlaced(t, 2, 0, 0)
	c.cordonAllBut(t, nodes[0], false)
	c.cordonAllBut(t, nodes[1], true)
	for _, name := range []string{"httpd", "nginx"} {
		if _, err := c.client.AppsV1().Deployments("default").Patch(t.Context(), name, types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.arePlaced(t, 2, 4, 0)
	c.cordonAllBut(t, nodes[1], false)
}

// arePlaced waits until so many pods of the second incident run on each node.
func (c *cluster) arePlaced(t *testing.T, want ...int) {
	t.Helper()
	testbed.Eventually(t, func() error {
		if on, err := c.lopsidedPods(t); err != nil || !slices.Equal(on, want) {
			return fmt.Errorf("the pods are on the nodes as %v (%w)", on, err)
		}
		return nil
	})
}

// lopsidedPods are the numbers of pods on each node, all of which must be Ready.
func (c *cluster) lopsidedPods(t *testing.T) ([]int, error) {
	list, err := c.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: lopsided})
	if err != nil {
		return nil, err
	}
	on := map[string]int{}
	for _, node := range c.nodeNames(t) {
		on[node] = 0
	}
	for _, pod := range list.Items {
		if !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue }) {
			return nil, fmt.Errorf("%s is not Ready", pod.Name)
		}
		on[pod.Spec.NodeName]++
	}
	var all []int
	for _, node := range slices.Sorted(maps.Keys(on)) {
		all = append(all, on[node])
	}
	return all, nil
}

func (c *cluster) nodeNames(t *testing.T) (names []string) {
	t.Helper()
	nodes, err := c.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// requested are the Remediations that people requested.
func (c *cluster) requested(t *testing.T) (all []v1alpha1.Remediation) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.Resource(v1alpha1.GroupVersion.WithResource("remediations")).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Items {
		var r v1alpha1.Remediation
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.Object, &r); err != nil {
			t.Fatal(err)
		}
		if r.Spec.Request != nil {
			all = append(all, r)
		}
	}
	return all
}
