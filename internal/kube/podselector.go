package kube

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PodSelector selects pods by the labels of their namespace and their own.
type PodSelector struct {
	namespaces, pods labels.Selector
}

// NewPodSelector is the PodSelector of the fields namespaceSelector and podSelector of a policy.
func NewPodSelector(namespaces, pods *metav1.LabelSelector) (PodSelector, error) {
	var s PodSelector
	var err error
	if s.namespaces, err = metav1.LabelSelectorAsSelector(namespaces); err != nil {
		return s, fmt.Errorf("read the namespaceSelector: %w", err)
	}
	if s.pods, err = metav1.LabelSelectorAsSelector(pods); err != nil {
		return s, fmt.Errorf("read the podSelector: %w", err)
	}
	return s, nil
}

// Selects says whether pods with such labels, in a namespace with such labels, are selected.
func (s PodSelector) Selects(namespace, pod map[string]string) bool {
	return s.pods.Matches(labels.Set(pod)) && s.namespaces.Matches(labels.Set(namespace))
}

// InvalidPodSelector are the errors of a policy's namespaceSelector and podSelector, each with its field. The API server validates most of
// them, but not keys, nor what it stored before it did.
func InvalidPodSelector(namespaces, pods *metav1.LabelSelector) []string {
	var invalid []string
	for name, one := range map[string]*metav1.LabelSelector{"namespaceSelector": namespaces, "podSelector": pods} {
		for _, err := range validation.ValidateLabelSelector(one, validation.LabelSelectorValidationOptions{}, field.NewPath("spec", name)) {
			invalid = append(invalid, err.Error())
		}
	}
	slices.Sort(invalid)
	return invalid
}
