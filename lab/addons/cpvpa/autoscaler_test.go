package cpvpa

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/pace"
)

const vpaConfig = `{"calico-node":{"requests":{"cpu":{"base":"80m","step":"100m","nodesPerStep":2}}}}`

// cacheSyncTime is longer than client-go takes to see that a cache is filled: it looks every 100 ms.
const cacheSyncTime = 200 * time.Millisecond

// A poll's worth of virtual time passes between each change and the look at its effect.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		first, second, third := sizedNode("a", "4"), sizedNode("b", "4"), sizedNode("c", "4")
		client := fake.NewClientset(daemonSet(), autoscalerDeployment(1, vpaConfig), &first)
		var running sync.WaitGroup
		running.Go(func() { run(ctx, client, pace.New(10), clock.RealClock{}) })
		defer running.Wait()
		defer cancel()
		request := func() string {
			t.Helper()
			synctest.Wait()
			ds, err := client.AppsV1().DaemonSets("kube-system").Get(ctx, "calico-node", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			cpu := ds.Spec.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
			return cpu.String()
		}
		<-time.After(cacheSyncTime)
		if got := request(); got != "180m" {
			t.Fatalf("one node: %s, want 180m at once", got)
		}

		must(t)(client.CoreV1().Nodes().Create(ctx, &second, metav1.CreateOptions{}))
		must(t)(client.CoreV1().Nodes().Create(ctx, &third, metav1.CreateOptions{}))
		<-time.After(700 * time.Millisecond) // of the second that its period takes ten times as fast
		if got := request(); got != "180m" {
			t.Errorf("three nodes: %s before the next poll", got)
		}
		<-time.After(500 * time.Millisecond)
		if got := request(); got != "280m" {
			t.Errorf("three nodes: %s, want 280m", got)
		}

		stopped := autoscalerDeployment(0, vpaConfig)
		must(t)(client.AppsV1().Deployments("kube-system").Update(ctx, stopped, metav1.UpdateOptions{}))
		if err := client.CoreV1().Nodes().Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Second)
		if got := request(); got != "280m" {
			t.Errorf("a program that does not run wrote %s", got)
		}
		must(t)(client.AppsV1().Deployments("kube-system").Update(ctx, autoscalerDeployment(1, vpaConfig), metav1.UpdateOptions{}))
		<-time.After(200 * time.Millisecond)
		if got := request(); got != "180m" {
			t.Errorf("two nodes after a restart: %s, want 180m", got)
		}
	})
}

func TestEditedTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		first := sizedNode("a", "4")
		client := fake.NewClientset(daemonSet(), autoscalerDeployment(1, vpaConfig), &first)
		var running sync.WaitGroup
		running.Go(func() { run(ctx, client, nil, clock.RealClock{}) })
		defer running.Wait()
		defer cancel()
		<-time.After(cacheSyncTime)
		synctest.Wait()
		must(t)(client.AppsV1().DaemonSets("kube-system").Update(ctx, daemonSet(), metav1.UpdateOptions{}))
		<-time.After(time.Minute)
		ds, err := client.AppsV1().DaemonSets("kube-system").Get(ctx, "calico-node", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r := ds.Spec.Template.Spec.Containers[0].Resources.Requests; len(r) > 0 {
			t.Errorf("the edit was written over with %v", r)
		}
	})
}

func must(t *testing.T) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func daemonSet() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "calico-node"},
		Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "calico-node", Image: "calico"}},
		}}},
	}
}

func autoscalerDeployment(ready int32, config string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "calico-node-vertical-autoscaler", UID: "1"},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "autoscaler", Image: "registry.k8s.io/cpvpa-amd64:v0.8.4",
				Command: []string{"/cpvpa", "--target=daemonset/calico-node", "--namespace=kube-system", "--default-config=" + config},
			}},
		}}},
		Status: appsv1.DeploymentStatus{ReadyReplicas: ready},
	}
}
