package engine

import (
	"fmt"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// SubmitPod creates a pod through the API server and queues it for the scheduler. A pod that the server refuses is not created; if
// a quota does, its owner tries again once other pods are removed.
func (e *Engine) SubmitPod(pod *corev1.Pod) {
	e.incrementActive(pod)
	e.RecordAdmission(pod, registrationv1.Create)
	e.setRecommendedRequests(pod)
	err := e.Forbidden(pod)
	if err == nil {
		if err = e.chargeQuota(pod); err != nil {
			e.quotas.refused = append(e.quotas.refused, pod)
		}
	}
	if err != nil {
		e.Fates.MarkNotCreated(pod, sentence.FateRefused(err.Error()))
		return
	}
	e.enqueue(pod)
}

// AdmitBarePod is a RefusedError if the API server refuses a pod without owner.
func (e *Engine) AdmitBarePod(pod *corev1.Pod) error {
	err := e.Forbidden(pod)
	if err == nil {
		err = e.chargeQuota(pod)
	}
	if err != nil {
		return outcome.RefusedError{Object: names.PodRef(pod), Err: fmt.Errorf("pods %q is forbidden: %w", pod.Name, err)}
	}
	return nil
}

// Forbidden is the error by which the API server refuses a new pod, quotas left out. What is not known is taken to allow it.
//
// Source: plugin/pkg/admission of Kubernetes (priority, runtimeclass, serviceaccount, limitranger), pod-security-admission.
func (e *Engine) Forbidden(pod *corev1.Pod) error {
	if class := pod.Spec.PriorityClassName; class != "" && pod.Spec.Priority == nil && e.lacks(cluster.PriorityClass, "", class) {
		return fmt.Errorf("no PriorityClass with name %v was found", class)
	}
	if name := ptr.Deref(pod.Spec.RuntimeClassName, ""); name != "" {
		if e.lacks(cluster.RuntimeClass, "", name) {
			return fmt.Errorf("pod rejected: RuntimeClass %q not found", name)
		}
		if class := e.World().RuntimeClass(name); class != nil {
			if err := selectorConflict(class, &pod.Spec); err != nil {
				return err
			}
		}
	}
	// Every namespace gets the account "default" from a controller.
	if name := pod.Spec.ServiceAccountName; name != "" && name != "default" && e.lacks(cluster.ServiceAccount, pod.Namespace, name) {
		return fmt.Errorf("error looking up service account %s/%s: serviceaccount %q not found", pod.Namespace, name, name)
	}
	if err := admission.Limits(pod, names.InNamespace(e.World().LimitRanges(), pod.Namespace)); err != nil {
		return err
	}
	if namespace, is := e.World().Object(cluster.Namespace, "", pod.Namespace).(*corev1.Namespace); is {
		return admission.Security(pod, namespace.Labels)
	}
	return nil
}

// lacks reports whether it is known that an object does not exist.
func (e *Engine) lacks(kind cluster.Kind, namespace, name string) bool {
	return e.World().Knowledge(kind) == cluster.Complete && e.World().Object(kind, namespace, name) == nil
}
