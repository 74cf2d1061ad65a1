package controlplane_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

func TestReady(t *testing.T) {
	p, err := controlplane.Start(t.Context(), controlplane.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(p.AdminConfig())
	list, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(list.Items), p.DataDir())
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
}
