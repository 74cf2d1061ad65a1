package memory

import (
	"context"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// evict is the eviction subresource of pods.
//
// Source: EvictionREST.Create in kubernetes pkg/registry/core/pod/storage/eviction.go.
func evict(ctx context.Context, c client.WithWatch, o, sub client.Object, opts ...client.SubResourceCreateOption) error {
	eviction, ok := sub.(*policyv1.Eviction)
	if !ok {
		return apierrors.NewBadRequest("an Eviction of policy/v1 is needed")
	}
	var pod corev1.Pod
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), &pod); err != nil {
		return err
	}
	var options client.SubResourceCreateOptions
	options.ApplyOptions(opts)
	var how client.DeleteOptions
	if eviction.DeleteOptions != nil {
		how = client.DeleteOptions{Preconditions: eviction.DeleteOptions.Preconditions, GracePeriodSeconds: eviction.DeleteOptions.GracePeriodSeconds, DryRun: eviction.DeleteOptions.DryRun}
	}
	how.DryRun = slices.Concat(how.DryRun, options.DryRun)
	if !unbudgeted(&pod) {
		if err := spend(ctx, c, &pod, len(how.DryRun) > 0); err != nil {
			return err
		}
	}
	return remove(ctx, c, &pod, &how)
}

// unbudgeted are pods that no budget counts: they have ended, are ending, or have not begun.
func unbudgeted(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || slices.Contains([]corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending}, pod.Status.Phase)
}

// spend takes one disruption from the budget of a pod, if it has one.
func spend(ctx context.Context, c client.Client, pod *corev1.Pod, dryRun bool) error {
	budgets, err := budgetsOf(ctx, c, pod)
	switch {
	case err != nil || len(budgets) == 0:
		return err
	case len(budgets) > 1:
		// As there: without a reason.
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "the pod has more than one PodDisruptionBudget"}}
	}
	budget := budgets[0]
	s := &budget.Status
	healthy := s.CurrentHealthy >= s.DesiredHealthy && s.DesiredHealthy > 0
	always := budget.Spec.UnhealthyPodEvictionPolicy != nil && *budget.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
	if !ready(pod) && (always || healthy) {
		return nil
	}
	if s.DisruptionsAllowed <= 0 {
		refusal := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
		refusal.ErrStatus.Details.Causes = append(refusal.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: budget.Name})
		return refusal
	}
	if dryRun {
		return nil
	}
	s.DisruptionsAllowed--
	if s.DisruptedPods == nil {
		s.DisruptedPods = map[string]metav1.Time{}
	}
	s.DisruptedPods[pod.Name] = metav1.Now()
	return c.Status().Update(ctx, &budget)
}

func budgetsOf(ctx context.Context, c client.Client, pod *corev1.Pod) ([]policyv1.PodDisruptionBudget, error) {
	var all policyv1.PodDisruptionBudgetList
	if err := c.List(ctx, &all, client.InNamespace(pod.Namespace)); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all.Items, func(b policyv1.PodDisruptionBudget) bool {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		return err != nil || !selector.Matches(labels.Set(pod.Labels))
	}), nil
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
