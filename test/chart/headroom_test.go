package chart

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// holdsRoom has naosu hold room for a burst and for the step of a DaemonSet, and give it back once the policy is deleted.
func (c *cluster) holdsRoom(t *testing.T) {
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
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(made, "status")
	create(t, c, headroomPolicies, &unstructured.Unstructured{Object: made})
	holds := func(want bool) func() error {
		return func() error {
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
			for _, d := range deployments.Items {
				if d.Status.ReadyReplicas != *d.Spec.Replicas {
					return fmt.Errorf("%d of %d placeholder pods run", d.Status.ReadyReplicas, *d.Spec.Replicas)
				}
			}
			return nil
		}
	}
	testbed.Eventually(t, holds(true))
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Resource(headroomPolicies).Delete(t.Context(), "room", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, holds(false))
}
