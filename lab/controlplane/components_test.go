package controlplane_test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// components takes each component away while the others run, sees its work undone, and brings it back.
func (b bed) components(t *testing.T) {
	p, client := b.plane, b.client
	stop := func(c controlplane.Component) {
		t.Helper()
		if err := p.StopComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantError(t, p.StopComponent(t.Context(), c), string(c), "is not running")
	}
	restart := func(c controlplane.Component) {
		t.Helper()
		if err := p.StartComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantError(t, p.StartComponent(t.Context(), c), string(c), "is running already")
	}

	stop(controlplane.Scheduler)
	stop(controlplane.ControllerManager)
	makeDeployment(t, client, "later")
	makePod(t, client, "lone")
	restart(controlplane.Scheduler)
	eventually(t, "the pod is bound by the restarted scheduler", func(ctx context.Context) error {
		return boundPod(client.CoreV1().Pods("default").Get(ctx, "lone", metav1.GetOptions{}))
	})
	if deployment := must(client.AppsV1().Deployments("default").Get(t.Context(), "later", metav1.GetOptions{})); deployment.Status.ObservedGeneration != 0 {
		t.Error("a stopped controller manager has seen a deployment")
	}
	restart(controlplane.ControllerManager)
	eventually(t, "the restarted controller manager acts", func(ctx context.Context) error { return bound(ctx, client, "later", "node-1") })

	stop(controlplane.Etcd)
	restart(controlplane.Etcd)
	eventually(t, "the API server has its data again", func(ctx context.Context) error { return bound(ctx, client, "later", "node-1") })

	stop(controlplane.Etcd)
	stop(controlplane.APIServer) // which would wait for etcd
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a stopped API server answers")
	}
	wantError(t, p.StartComponent(t.Context(), controlplane.APIServer), "needs a running etcd")
	restart(controlplane.Etcd)
	restart(controlplane.APIServer)
	makeDeployment(t, client, "after")
	eventually(t, "everything works again", func(ctx context.Context) error { return bound(ctx, client, "after", "node-1") })
}

func makeNode(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	room := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("50")}
	must(client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
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

// spec is the least that a pod needs.
func spec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}
}

func makePod(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec()}
	must(client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}))
}

func makeDeployment(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec()},
		},
	}
	must(client.AppsV1().Deployments("default").Create(t.Context(), deployment, metav1.CreateOptions{}))
}

// bound reports whether the one pod of a deployment is on a node.
func bound(ctx context.Context, client kubernetes.Interface, deployment, node string) error {
	pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "app=" + deployment})
	if err != nil {
		return err
	}
	if len(pods.Items) != 1 || pods.Items[0].Spec.NodeName != node {
		return fmt.Errorf("%d pods, want 1 on %s", len(pods.Items), node)
	}
	return nil
}

func boundPod(pod *corev1.Pod, err error) error {
	if err == nil && pod.Spec.NodeName == "" {
		return fmt.Errorf("pod %s is not bound", pod.Name)
	}
	return err
}
