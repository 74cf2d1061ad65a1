package kube

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPodSelector(t *testing.T) {
	namespaces := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "shop"}}
	pods := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"web", "api"}}}}
	s, err := NewPodSelector(namespaces, pods)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		namespace, pod map[string]string
		want           bool
	}{
		"both match":            {map[string]string{"team": "shop"}, map[string]string{"app": "web"}, true},
		"another namespace":     {map[string]string{"team": "bank"}, map[string]string{"app": "web"}, false},
		"another pod":           {map[string]string{"team": "shop"}, map[string]string{"app": "db"}, false},
		"nothing has any label": {nil, nil, false},
	} {
		if got := s.Selects(tc.namespace, tc.pod); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestInvalidPodSelector(t *testing.T) {
	pods, namespaces := &metav1.LabelSelector{}, &metav1.LabelSelector{}
	if got := InvalidPodSelector(namespaces, pods); got != nil {
		t.Errorf("valid selectors: %v", got)
	}
	pods.MatchLabels = map[string]string{"a role": "x"}
	namespaces.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: metav1.LabelSelectorOpIn}}
	if got := InvalidPodSelector(namespaces, pods); len(got) != 2 {
		t.Errorf("two invalid selectors: %v", got)
	}
	if _, err := NewPodSelector(namespaces, pods); err == nil {
		t.Error("made of invalid selectors")
	}
}
