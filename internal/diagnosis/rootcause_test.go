package diagnosis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestRootCauses tells what waits for a thing that is broken as a part of that, and nothing else.
func TestRootCauses(t *testing.T) {
	pod := func(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "default", Name: name} }
	broken := func(name string, on ...string) finding.Explanation {
		e := finding.Explanation{Subject: pod(name), Severity: finding.Critical, Summary: message.Verbatim(name + " is broken its own way")}
		for _, other := range on {
			e.DependsOn = append(e.DependsOn, pod(other))
		}
		return e
	}
	for name, tc := range map[string]struct {
		all  []finding.Explanation
		want map[string][]string // The dependents of each root cause.
	}{
		"independent":                 {[]finding.Explanation{broken("a"), broken("b")}, map[string][]string{"a": nil, "b": nil}},
		"one waits":                   {[]finding.Explanation{broken("a", "b"), broken("b")}, map[string][]string{"b": {"a"}}},
		"a chain":                     {[]finding.Explanation{broken("a", "b"), broken("b", "c"), broken("c")}, map[string][]string{"c": {"a", "b"}}},
		"on each other":               {[]finding.Explanation{broken("a", "b"), broken("b", "a")}, map[string][]string{"a": nil, "b": nil}},
		"on a ring":                   {[]finding.Explanation{broken("a", "b"), broken("b", "c"), broken("c", "b")}, map[string][]string{"a": nil, "b": nil, "c": nil}},
		"on itself":                   {[]finding.Explanation{broken("a", "a")}, map[string][]string{"a": nil}},
		"on what runs":                {[]finding.Explanation{broken("a", "well")}, map[string][]string{"a": nil}},
		"the nearest of several":      {[]finding.Explanation{broken("a", "c", "b"), broken("b"), broken("c")}, map[string][]string{"b": nil, "c": {"a"}}},
		"not all of a cause":          {alike(broken("a", "c"), broken("b"), broken("c")), map[string][]string{"a": nil, "c": nil}},
		"all of a cause":              {alike(broken("a", "c"), broken("b", "c"), broken("c")), map[string][]string{"c": {"a", "b"}}},
		"words of a finding":          {found(broken("a"), broken("b"), true), map[string][]string{"b": {"a"}}},
		"another finding's words":     {found(broken("a"), broken("b"), false), map[string][]string{"a": nil, "b": nil}},
		"on one that is told by name": {[]finding.Explanation{broken("a", "d"), {Subject: pod("c"), Alike: []change.Ref{pod("d")}, Severity: finding.Critical, Summary: message.Verbatim("c")}}, map[string][]string{"c": {"a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, cause := range diagnosis.RootCauses(clustertest.Big(0, 0), tc.all) {
				var names []string
				for _, e := range cause.Dependents {
					names = append(names, e.Subject.Name)
				}
				slices.Sort(names)
				got[cause.Explanations[0].Subject.Name] = names
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("root causes (-want +got):\n%s", diff)
			}
		})
	}
}

// alike gives the first two one cause.
func alike(all ...finding.Explanation) []finding.Explanation {
	all[0].Summary, all[1].Summary = message.Verbatim("alike"), message.Verbatim("alike")
	return all
}

// found lets a finding say that one depends on another: the finding that the answer is from, or one beside it.
func found(one, other finding.Explanation, answers bool) []finding.Explanation {
	f := finding.Finding{Message: message.Verbatim("beside it"), DependsOn: []change.Ref{other.Subject}}
	if answers {
		f.Message = one.Summary
	}
	one.Findings = []finding.Finding{f}
	return []finding.Explanation{one, other}
}

// TestAuditOfRootCauses has one finding about a webhook's pod that crashes and the Deployment whose pods the webhook keeps away.
func TestAuditOfRootCauses(t *testing.T) {
	q := question(t, clustertest.Load(t, "testdata/upstream/istio-13840.yaml"), everything(), nil)
	var subjects []string
	for _, f := range diagnosis.Audit(t.Context(), q, nil).Findings {
		if f.Code == finding.N601 {
			for _, ref := range f.Subjects {
				subjects = append(subjects, ref.Kind)
			}
			if !strings.HasPrefix(message.English().Say(f.Message), "pod/istiod-") || !strings.HasSuffix(message.English().Say(f.Message), "deployment/my-service.") {
				t.Errorf("the finding says %q, want the pod's trouble and then who waits for it", message.English().Say(f.Message))
			}
		}
	}
	if diff := cmp.Diff([]string{"Pod", "Deployment"}, subjects); diff != "" {
		t.Errorf("subjects of the findings N601 (-want +got):\n%s", diff)
	}
}
