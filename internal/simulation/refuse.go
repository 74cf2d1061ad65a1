package simulation

import (
	"fmt"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// RefusedError is a change that the API server refuses. Its text is the server's, as kubectl prints it.
type RefusedError struct {
	Object change.Ref
	Err    error
}

func (e RefusedError) Error() string { return e.Err.Error() }
func (e RefusedError) Unwrap() error { return e.Err }

// validate is a RefusedError if the API server would not take an object in place of another.
func validate(ref change.Ref, next, before metav1.Object) error {
	if err := admission.Validate(next.(runtime.Object), before.(runtime.Object)); err != nil {
		return RefusedError{ref, err}
	}
	return nil
}

// ask has the API server take a new pod, and the scheduler find it a node. One that the server refuses is not made; where a
// quota does, its owner tries again once other pods have gone.
func (f *future) ask(pod *corev1.Pod) {
	f.count(pod)
	f.admitted(pod, registrationv1.Create)
	err := f.forbidden(pod)
	if err == nil {
		if err = f.exceeded(pod); err != nil {
			f.beyond = append(f.beyond, pod)
		}
	}
	if err != nil {
		f.book.unmade(pod, message.Of(message.FateRefused, message.Args{"why": err.Error()}))
		return
	}
	f.offer(pod)
}

// askAgain asks for the pods again that quotas have refused, if pods have gone since. It says whether any is made.
func (f *future) askAgain() bool {
	if !f.released {
		return false
	}
	f.released = false
	beyond := f.beyond
	f.beyond = nil
	made := false
	for _, pod := range beyond {
		l := f.book.now[nameOf(pod)]
		if l == nil { // Its owner wants it no more.
			continue
		}
		if f.exceeded(pod) != nil {
			f.beyond = append(f.beyond, pod)
			continue
		}
		l.fate.Kind, l.fate.Why = "", message.Sentence{}
		f.offer(pod)
		made = true
	}
	return made
}

// take is a RefusedError if the API server does not take a pod that nobody makes again.
func (f *future) take(pod *corev1.Pod) error {
	err := f.forbidden(pod)
	if err == nil {
		err = f.exceeded(pod)
	}
	if err != nil {
		return RefusedError{podRef(pod), fmt.Errorf("pods %q is forbidden: %w", pod.Name, err)}
	}
	return nil
}

// forbidden is what the API server has against a new pod, quotas left out. What is not known is taken to allow it.
//
// Source: plugin/pkg/admission of Kubernetes (priority, runtimeclass, serviceaccount, limitranger), pod-security-admission.
func (f *future) forbidden(pod *corev1.Pod) error {
	if class := pod.Spec.PriorityClassName; class != "" && pod.Spec.Priority == nil && f.lacks(cluster.PriorityClass, "", class) {
		return fmt.Errorf("no PriorityClass with name %v was found", class)
	}
	if class := pod.Spec.RuntimeClassName; class != nil && *class != "" && f.lacks(cluster.RuntimeClass, "", *class) {
		return fmt.Errorf("pod rejected: RuntimeClass %q not found", *class)
	}
	// Every namespace gets the account "default" from a controller.
	if name := pod.Spec.ServiceAccountName; name != "" && name != "default" && f.lacks(cluster.ServiceAccount, pod.Namespace, name) {
		return fmt.Errorf("error looking up service account %s/%s: serviceaccount %q not found", pod.Namespace, name, name)
	}
	if err := admission.Limits(pod, ofNamespace(f.world().LimitRanges(), pod.Namespace)); err != nil {
		return err
	}
	if namespace, is := f.world().Object(cluster.Namespace, "", pod.Namespace).(*corev1.Namespace); is {
		return admission.Security(pod, namespace.Labels)
	}
	return nil
}

// lacks says whether it is known that an object does not exist.
func (f *future) lacks(kind cluster.Kind, namespace, name string) bool {
	return f.world().Knowledge(kind) == cluster.Complete && f.world().Object(kind, namespace, name) == nil
}

// exceeded is what quotas of its namespace have against a new pod. One that they allow is charged to them.
//
// Source: k8s.io/apiserver/pkg/admission/plugin/resourcequota.
func (f *future) exceeded(pod *corev1.Pod) error {
	quotas := f.quotasOf(pod.Namespace)
	if quotas == nil {
		return nil
	}
	if err := quotas.Forbids(pod); err != nil {
		return err
	}
	quotas.Charge(pod)
	return nil
}

// quotasOf are those of a namespace, nil if it has none.
func (f *future) quotasOf(namespace string) *admission.Quotas {
	quotas, known := f.quotas[namespace]
	if known {
		return quotas
	}
	if list := ofNamespace(f.world().Quotas(), namespace); len(list) > 0 {
		quotas = admission.NewQuotas(list, f.pods.in(namespace), f.moment().Time)
	}
	f.quotas[namespace] = quotas
	return quotas
}

// uncharge takes a pod that has gone from its quotas.
func (f *future) uncharge(pod *corev1.Pod) {
	if quotas := f.quotas[pod.Namespace]; quotas != nil && quotas.Release(pod) {
		f.released = true
	}
}
