package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

// lackingPolicies are HeadroomPolicies in mode Auto that cover neither their failures nor their zones, as the controller leaves their status.
func lackingPolicies() []runtime.Object {
	since := metav1.Date(2026, 11, 2, 3, 4, 5, 0, time.UTC)
	policy := func(name string, kind, reason, said string) *v1alpha1.HeadroomPolicy {
		p := &v1alpha1.HeadroomPolicy{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.HeadroomPolicyKind}}
		p.Name, p.Spec.Mode = name, v1alpha1.ModeAuto
		p.Status.Conditions = []metav1.Condition{{Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: said, LastTransitionTime: since}}
		return p
	}
	room := policy("room", v1alpha1.HeadroomCovered, v1alpha1.HeadroomNeedsNodesReason, "The controller's words.")
	room.Spec.Survive.Nodes = 1
	room.Status.NeededNodes = 2
	room.Status.Failures = []v1alpha1.HeadroomFailureStatus{{
		Name: "zone a", Covered: metav1.ConditionFalse, LackingPods: 3, LackingCPU: resource.MustParse("2100m"), LackingMemory: resource.MustParse("3Gi"),
	}}
	zones := policy("zones", v1alpha1.ZonesCovered, v1alpha1.ZoneMaximumReachedReason, "The controller's words.")
	zones.Spec.ZoneCoverage = &v1alpha1.HeadroomZoneCoverage{}
	zones.Status.Zones = []v1alpha1.HeadroomZoneStatus{{
		Name: "c", Covered: metav1.ConditionFalse, Reason: v1alpha1.ZoneMaximumReachedReason, Message: "group/workers would need 4 nodes.", LackingSince: &since,
	}}
	return []runtime.Object{room, zones}
}

// TestAuditTellsOfHeadroom holds what an audit says of HeadroomPolicies that do not cover what they state, in both languages.
func TestAuditTellsOfHeadroom(t *testing.T) {
	withoutCloud(t)
	host := (&clustertest.API{Objects: append(ofAWS(false), lackingPolicies()...)}).Serve(t)
	for _, language := range []string{"en", "ja"} {
		found := slices.DeleteFunc(tell(t, "audit", "--server", host, "--lang", language).Findings, func(f toldFinding) bool { return f.Code != finding.N503 })
		if len(found) != 2 {
			t.Fatalf("%s: found are %+v", language, found)
		}
		compareAnswers(t, "testdata/headroompolicies."+language+".json", []any{found})
	}
	if page := run(t, "audit", "--server", host); strings.Count(page, "N503") != 2 {
		t.Errorf("the page is:\n%s", page)
	}
}

// TestAuditWithoutHeadroomPolicies says that policies could not be read, and nothing where there are none.
func TestAuditWithoutHeadroomPolicies(t *testing.T) {
	withoutCloud(t)
	no := apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "headroompolicies"}, "", errors.New("eve may not"))
	for name, tc := range map[string]struct {
		api  *clustertest.API
		gaps int
	}{
		"forbidden": {&clustertest.API{Objects: append(ofAWS(false), lackingPolicies()...), Answers: map[string]*apierrors.StatusError{"headroompolicies": no}}, 1},
		"broken":    {&clustertest.API{Objects: ofAWS(false), Answers: map[string]*apierrors.StatusError{"headroompolicies": apierrors.NewInternalError(errors.New("etcd is gone"))}}, 1},
		"absent":    {&clustertest.API{Objects: ofAWS(false)}, 0},
	} {
		answer := tell(t, "audit", "--server", tc.api.Serve(t))
		gaps := slices.DeleteFunc(answer.Unknown, func(g finding.Gap) bool { return g.About != v1alpha1.HeadroomPolicyKind })
		if len(gaps) != tc.gaps || slices.ContainsFunc(answer.Findings, func(f toldFinding) bool { return f.Code == finding.N503 }) {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}
