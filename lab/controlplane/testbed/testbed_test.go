package testbed_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{}) }

func TestShared(t *testing.T) {
	testbed.Need(t)
	var hosts, namespaces []string
	for _, name := range []string{"One", "other/with,odd.Characters"} {
		t.Run(name, func(t *testing.T) {
			newEnvironment := testbed.Shared(t)
			hosts = append(hosts, newEnvironment.AdminConfig().Host)
			namespaces = append(namespaces, newEnvironment.Namespace)
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "same"},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			}
			if _, err := newEnvironment.Client.CoreV1().Pods(newEnvironment.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
				t.Errorf("create a pod at once: %v", err)
			}
		})
	}
	if hosts[0] != hosts[1] {
		t.Errorf("two planes, at %v, in one test binary", hosts)
	}
	if namespaces[0] == namespaces[1] {
		t.Errorf("two tests share namespace %s", namespaces[0])
	}
	client := testbed.Shared(t).Client
	for _, name := range namespaces {
		left, err := client.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if err == nil && left.DeletionTimestamp == nil {
			t.Errorf("namespace %s is not deleted after its test", name)
		}
	}
}

func TestFreshBesideShared(t *testing.T) {
	shared := testbed.Shared(t)
	fresh := testbed.Fresh(t, controlplane.Options{})
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "only-here"}}
	if _, err := fresh.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Client.CoreV1().Nodes().Get(t.Context(), node.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the fresh plane's node on the shared plane: got %v, want not found", err)
	}
}
