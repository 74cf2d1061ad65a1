package nodes

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func testMachine(name string) Machine {
	return Machine{NodeName: name, InternalIP: "10.0.1.1", CPU: resource.MustParse("4"), Memory: resource.MustParse("16Gi")}
}

// play runs a fleet on a fake API inside a bubble of fake time.
func play(t *testing.T, client *fake.Clientset, o Options, test func(ctx context.Context, f *Fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFleet(client, o)
		done := make(chan error, 1)
		go func() { done <- f.Run(ctx) }()
		synctest.Wait()
		test(ctx, f)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("running the fleet: %v", err)
		}
	})
}

func TestNodeRegistersAndRunsPods(t *testing.T) {
	client := fake.NewClientset()
	play(t, client, Options{}, func(ctx context.Context, f *Fleet) {
		f.Boot(testMachine("a"))
		time.Sleep(time.Second)
		node, err := client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s := nodeCondition(&node.Status, corev1.NodeReady); s != corev1.ConditionTrue {
			t.Errorf("Ready is %s", s)
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "u"},
			Spec:       corev1.PodSpec{NodeName: "a", RestartPolicy: corev1.RestartPolicyAlways, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		if _, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		got, _ := client.CoreV1().Pods("default").Get(ctx, "p", metav1.GetOptions{})
		if got.Status.Phase != corev1.PodRunning || got.Status.PodIP == "" {
			t.Errorf("status is %+v", got.Status)
		}
	})
}
