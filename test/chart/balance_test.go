package chart

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// balances has naosu spread pods that were all placed on one node, since the others were cordoned.
func (c *cluster) balances(t *testing.T, node string) {
	t.Helper()
	labels := map[string]string{"app": "uneven"}
	c.cordonAllBut(t, node, true)
	uneven := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "uneven", Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "uneven", Image: "uneven"}}}},
		},
	}
	if _, err := c.client.AppsV1().Deployments("default").Create(t.Context(), uneven, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	onNodes := func(want int) func() error {
		return func() error {
			list, err := c.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=uneven"})
			if err != nil {
				return err
			}
			nodes := map[string]bool{}
			for _, pod := range list.Items {
				if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
					return fmt.Errorf("%s is %s", pod.Name, pod.Status.Phase)
				}
				nodes[pod.Spec.NodeName] = true
			}
			if len(list.Items) != 3 || len(nodes) != want {
				return fmt.Errorf("%d pods on %d nodes", len(list.Items), len(nodes))
			}
			return nil
		}
	}
	testbed.Eventually(t, onNodes(1))
	c.cordonAllBut(t, node, false)
	made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.RebalancePolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.RebalancePolicyKind},
		ObjectMeta: metav1.ObjectMeta{Name: "uneven"},
		Spec: v1alpha1.RebalancePolicySpec{
			Mode: v1alpha1.ModeAuto, PodSelector: *metav1.SetAsLabelSelector(labels), MaxSharePercent: 33, DwellSeconds: 5, MaxEvictions: 10,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	create(t, c, rebalancePolicies, &unstructured.Unstructured{Object: made})
	testbed.Eventually(t, onNodes(3))
	if err := c.client.AppsV1().Deployments("default").Delete(t.Context(), "uneven", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// looksAtAddresses has naosu say that nothing is known of the addresses of a cluster without the VPC CNI.
func (c *cluster) looksAtAddresses(t *testing.T) {
	t.Helper()
	policy := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.AddressPolicyKind, "metadata": map[string]any{"name": "all"}, "spec": map[string]any{"mode": "Auto"},
	}}
	create(t, c, addressPolicies, policy)
	testbed.Eventually(t, func() error {
		client, err := dynamic.NewForConfig(c.config)
		if err != nil {
			return err
		}
		read, err := client.Resource(addressPolicies).Get(t.Context(), "all", metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(read.Object, "status", "conditions")
		if !slices.ContainsFunc(conditions, func(one any) bool { return one.(map[string]any)["reason"] == v1alpha1.PolicyNoVPCCNIReason }) {
			return fmt.Errorf("its conditions are %v", conditions)
		}
		return nil
	})
}

// cordonAllBut cordons all nodes but one, or uncordons them.
func (c *cluster) cordonAllBut(t *testing.T, node string, cordon bool) {
	t.Helper()
	nodes, err := c.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		if n.Name == node {
			continue
		}
		patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, cordon)
		if _, err := c.client.CoreV1().Nodes().Patch(t.Context(), n.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
