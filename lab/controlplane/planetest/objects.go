package planetest

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// MakeNode makes a node that is ready and has room.
func MakeNode(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	room := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("50")}
	Must(client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
	// Controllers write to a new node too.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Status.Capacity, node.Status.Allocatable = room, room
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
		_, err = client.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Spec is the least that a pod needs.
func Spec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}
}

// MakePod makes a pod in the default namespace.
func MakePod(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: Spec()}
	Must(client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}))
}

// MakeDeployment makes one of a single pod in the default namespace.
func MakeDeployment(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: Spec()},
		},
	}
	Must(client.AppsV1().Deployments("default").Create(t.Context(), deployment, metav1.CreateOptions{}))
}

// Bound reports whether the one pod of a deployment is on a node.
func Bound(ctx context.Context, client kubernetes.Interface, deployment, node string) error {
	pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "app=" + deployment})
	if err != nil {
		return err
	}
	if len(pods.Items) != 1 || pods.Items[0].Spec.NodeName != node {
		return fmt.Errorf("%d pods, want 1 on %s", len(pods.Items), node)
	}
	return nil
}

// BoundPod reports whether a pod that was read is on a node.
func BoundPod(pod *corev1.Pod, err error) error {
	if err == nil && pod.Spec.NodeName == "" {
		return fmt.Errorf("pod %s is not bound", pod.Name)
	}
	return err
}

// User has a user read nodes once the group it is in may.
func User(t *testing.T, plane *controlplane.Plane, admin kubernetes.Interface) {
	config := Must(plane.ConfigForUser("jane", "viewers", "others"))
	jane := Connect(config)
	_, err := jane.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	WantForbidden(t, err)
	Bind(t, admin, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "viewers"})
	Eventually(t, "jane may list nodes as a viewer", func(ctx context.Context) error {
		_, err := jane.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	})
	_, err = jane.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	WantForbidden(t, err)
}

// Bind lets a subject read nodes.
func Bind(t *testing.T, admin kubernetes.Interface, subject rbacv1.Subject) {
	t.Helper()
	name := metav1.ObjectMeta{Name: "nodes-for-" + subject.Name}
	role := &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}}}
	Must(admin.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}))
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: name, Subjects: []rbacv1.Subject{subject},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
	}
	Must(admin.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}))
}
