package kube

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"
)

func TestLabelSelector(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "example.com/c"})
	set := rapid.MapOf(word, rapid.SampledFrom([]string{"", "x", "y"}))
	expression := rapid.Custom(func(t *rapid.T) metav1.LabelSelectorRequirement {
		r := metav1.LabelSelectorRequirement{Key: word.Draw(t, "key"), Operator: rapid.SampledFrom([]metav1.LabelSelectorOperator{
			metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist,
		}).Draw(t, "operator")}
		if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
			r.Values = rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 1, 2).Draw(t, "values")
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		var s *metav1.LabelSelector
		if rapid.Bool().Draw(t, "given") {
			s = &metav1.LabelSelector{MatchLabels: set.Draw(t, "matchLabels"), MatchExpressions: rapid.SliceOfN(expression, 0, 2).Draw(t, "matchExpressions")}
		}
		want, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := LabelSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || got.Empty() != want.Empty() {
			t.Errorf("%q, want %q", got, want)
		}
		of := labels.Set(set.Draw(t, "labels"))
		if got.Matches(of) != want.Matches(of) {
			t.Errorf("%q matches %v: %t", got, of, got.Matches(of))
		}
	})
}
