package whatif

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/message"
)

// refused is a manifest that can be read and that the API server would not take.
type refused struct{ problem message.Sentence }

func (r refused) Error() string { return message.English().Say(r.problem) }

// acceptable is an error if the API server would not take an object that can be read. Only what is often forgotten is
// looked at.
func acceptable(object runtime.Object) error {
	if one, ok := object.(metav1.Object); ok && one.GetName() == "" {
		return refused{message.Of(message.ErrFieldMissing, message.Args{"field": "metadata.name"})} // kubectl applies no generateName either.
	}
	return selectsItsOwn(object)
}

// selectsItsOwn is an error if a workload's selector is not for the pods of its template, which the API server refuses.
//
// Source: pkg/apis/apps/validation of Kubernetes.
func selectsItsOwn(object runtime.Object) error {
	var selector *metav1.LabelSelector
	var template map[string]string
	switch o := object.(type) {
	case *appsv1.Deployment:
		selector, template = o.Spec.Selector, o.Spec.Template.Labels
	case *appsv1.StatefulSet:
		selector, template = o.Spec.Selector, o.Spec.Template.Labels
	case *appsv1.DaemonSet:
		selector, template = o.Spec.Selector, o.Spec.Template.Labels
	case *appsv1.ReplicaSet:
		selector, template = o.Spec.Selector, o.Spec.Template.Labels
	default:
		return nil
	}
	if selector == nil {
		return refused{message.Of(message.ErrFieldMissing, message.Args{"field": "spec.selector"})}
	}
	chosen, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return fmt.Errorf("spec.selector: %w", err)
	}
	if !chosen.Matches(labels.Set(template)) {
		return refused{message.Of(message.ErrSelectsOthers, nil)}
	}
	return nil
}
