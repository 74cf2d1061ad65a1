package kube

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// LabelSelector is metav1.LabelSelectorAsSelector, but does not validate matchLabels again, which the API server has done and which takes most of the
// time. nil selects nothing, an empty selector everything.
func LabelSelector(s *metav1.LabelSelector) (labels.Selector, error) {
	if s == nil || len(s.MatchLabels) == 0 || len(s.MatchExpressions) > 0 {
		return metav1.LabelSelectorAsSelector(s)
	}
	return labels.SelectorFromValidatedSet(s.MatchLabels), nil
}
