package chart

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// job is one of the namespace default, whose pods have a class.
func job(class string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, GenerateName: "report-"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "report"}},
			Spec: corev1.PodSpec{
				PriorityClassName: class, RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "x"}},
			},
		}},
	}
}

// createsPods creates a Job whose pods have a class, waits for its pod, and deletes it: a Job can create no pods if its class does not exist.
func (c *cluster) createsPods(t *testing.T, class string) {
	t.Helper()
	jobs := c.client.BatchV1().Jobs(metav1.NamespaceDefault)
	made, err := jobs.Create(t.Context(), job(class), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var pods *corev1.PodList
	selected := metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + made.Name}
	testbed.Eventually(t, func() error {
		if pods, err = c.client.CoreV1().Pods(metav1.NamespaceDefault).List(t.Context(), selected); err == nil && len(pods.Items) != 1 {
			err = fmt.Errorf("the Job has %d pods", len(pods.Items))
		}
		return err
	})
	if got := *pods.Items[0].Spec.Priority; got != v1alpha1.HeadroomProtectedPriority {
		t.Errorf("the pod has the priority %d", got)
	}
	if err := jobs.Delete(t.Context(), made.Name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		left, err := c.client.CoreV1().Pods(metav1.NamespaceDefault).List(t.Context(), selected)
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("%d pods are left", len(left.Items))
		}
		return err
	})
}

// protectsJobs has naosu give new Jobs its PriorityClass, until the class or the policy is gone.
func (c *cluster) protectsJobs(t *testing.T) {
	t.Helper()
	all := map[string]any{}
	create(t, c, headroomPolicies, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.HeadroomPolicyKind, "metadata": map[string]any{"name": "jobs"},
		"spec": map[string]any{"mode": "Auto", "protect": map[string]any{"namespaceSelector": all, "podSelector": all}},
	}})
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	given := func(class, reason string) {
		t.Helper()
		testbed.Eventually(t, func() error {
			made, err := c.client.BatchV1().Jobs(metav1.NamespaceDefault).Create(t.Context(), job(""), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err != nil {
				return err
			}
			if got := made.Spec.Template.Spec.PriorityClassName; got != class {
				return fmt.Errorf("a new Job has the class %q, want %q", got, class)
			}
			return c.hasReason(t.Context(), client, reason)
		})
	}
	given(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedReason)
	c.createsPods(t, "")

	classes := c.client.SchedulingV1().PriorityClasses()
	ours, err := classes.Get(t.Context(), v1alpha1.HeadroomProtectedClass, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := classes.Delete(t.Context(), ours.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	given("", v1alpha1.HeadroomNoPriorityClassReason)
	ours.ResourceVersion, ours.UID = "", ""
	if _, err := classes.Create(t.Context(), ours, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	given(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedReason)
	if err := client.Resource(headroomPolicies).Delete(t.Context(), "jobs", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	given("", "")
}

// hasReason is an error unless the condition Protected of the policy has a reason; none is asked of a policy that is gone.
func (c *cluster) hasReason(ctx context.Context, client dynamic.Interface, reason string) error {
	if reason == "" {
		return nil
	}
	policy, err := client.Resource(headroomPolicies).Get(ctx, "jobs", metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(policy.Object, "status", "conditions")
	for _, one := range conditions {
		if condition := one.(map[string]any); condition["type"] == v1alpha1.HeadroomProtected && condition["reason"] == reason {
			return nil
		}
	}
	return fmt.Errorf("the conditions are %v, want the reason %s", conditions, reason)
}
