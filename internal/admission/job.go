package admission

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
)

// optionsOfJob are what validation allows a Job.
//
// Source: pkg/registry/batch/job of Kubernetes (validationOptionsForJob).
func optionsOfJob(next, before *batch.Job) batchvalidation.JobValidationOptions {
	if before == nil {
		return batchvalidation.JobValidationOptions{PodValidationOptions: optionsOf(&next.Spec.Template, nil), RequirePrefixedLabels: true}
	}
	options := batchvalidation.JobValidationOptions{PodValidationOptions: optionsOf(&next.Spec.Template, &before.Spec.Template)}
	options.AllowInvalidLabelValueInSelector = options.AllowInvalidLabelValueInSelector || metav1validation.LabelSelectorHasInvalidLabelValue(before.Spec.Selector)
	suspended := before.Spec.Suspend != nil && *before.Spec.Suspend
	stopped := before.Status.StartTime == nil || batchvalidation.IsConditionTrue(before.Status.Conditions, batch.JobSuspended)
	options.AllowMutableSchedulingDirectives = suspended && stopped && before.Status.Active == 0
	options.AllowMutablePodResources = options.AllowMutableSchedulingDirectives
	options.RequirePrefixedLabels = before.Spec.Template.Labels[batch.JobNameLabel] != "" && before.Spec.Template.Labels[batch.ControllerUidLabel] != ""
	return options
}

// generateSelector gives an object that is a Job the selector, and its template the labels, that the API server gives it.
//
// Source: pkg/registry/batch/job of Kubernetes (generateSelector).
func generateSelector(o object) {
	job, is := o.(*batch.Job)
	if !is || job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	job.UID = cmp.Or(job.UID, types.UID("new"))
	label := func(labels *map[string]string, key, value string) {
		if *labels == nil {
			*labels = map[string]string{}
		}
		if _, given := (*labels)[key]; !given {
			(*labels)[key] = value
		}
	}
	for _, key := range []string{batch.LegacyJobNameLabel, batch.JobNameLabel} {
		label(&job.Spec.Template.Labels, key, job.Name)
	}
	for _, key := range []string{batch.LegacyControllerUidLabel, batch.ControllerUidLabel} {
		label(&job.Spec.Template.Labels, key, string(job.UID))
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	label(&job.Spec.Selector.MatchLabels, batch.ControllerUidLabel, string(job.UID))
}
