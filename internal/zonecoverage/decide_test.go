package zonecoverage

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// stranded is a zone c whose pod fits no node, with a group that spans three zones.
func stranded() (Zone, Group, Facts) {
	z := Zone{Name: "c", Covered: metav1.ConditionFalse, Unfit: []change.Ref{{Kind: "Deployment", Namespace: "shop", Name: "redis"}}}
	g := Group{
		Candidate: Candidate{Name: "general", Provider: change.EKS, Nodes: []*corev1.Node{w.Node("n1", "a"), w.Node("n2", "b")}},
		Found:     &cloud.NodeGroup{NodeGroupRef: cloud.NodeGroupRef{Name: "general", Cluster: "shop"}, Min: 2, Desired: 2, Max: 6, Zones: map[string]int{"a": 1, "b": 1, "c": 0}},
	}
	f := Facts{
		Policy:     &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "zones", UID: "u", Generation: 3}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto, ZoneCoverage: &v1alpha1.HeadroomZoneCoverage{}}},
		Before:     &v1alpha1.HeadroomZoneStatus{Name: "c", LackingSince: new(metav1.NewTime(noon.Add(-2 * time.Minute)))},
		Autoscaler: metav1.ConditionFalse, Now: noon,
	}
	return z, g, f
}

func ended(reason string, ago time.Duration, generation int64) *v1alpha1.HeadroomZoneResize {
	return &v1alpha1.HeadroomZoneResize{Remediation: "zone-zones-1", Reason: reason, Message: "No node came.", EndedAt: metav1.NewTime(noon.Add(-ago)), Generation: generation}
}

// TestDecide says when a group is resized for a zone, to what size, and why not otherwise.
func TestDecide(t *testing.T) {
	denied := &cloud.RefusedError{Permission: "eks:DescribeNodegroup", Err: errors.New("denied")}
	for name, tc := range map[string]struct {
		edit   func(*Zone, *Group, *Facts)
		reason string
		to     int
		due    bool
		says   string
	}{
		"a node in the emptiest zone":      {func(*Zone, *Group, *Facts) {}, v1alpha1.ZoneLackingReason, 3, true, ""},
		"covered":                          {func(z *Zone, _ *Group, _ *Facts) { z.Covered = metav1.ConditionTrue }, v1alpha1.ZonesCoveredReason, 0, false, ""},
		"a scheduler that is not modelled": {func(z *Zone, _ *Group, _ *Facts) { z.Covered = metav1.ConditionUnknown }, v1alpha1.ZoneUnreadReason, 0, false, "shop/deployment/redis"},
		"every zone has as many": {func(_ *Zone, g *Group, _ *Facts) {
			g.Found.Zones["c"], g.Found.Desired = 1, 3
			g.Nodes = append(g.Nodes, w.Node("n3", "c"))
		}, v1alpha1.ZoneLackingReason, 6, true, ""},
		"an instance that begins to run": {func(_ *Zone, g *Group, _ *Facts) { g.Found.Zones["c"], g.Found.Desired = 1, 3 }, v1alpha1.ZoneNodeStartingReason, 0, false, ""},
		"an instance that never runs": {func(_ *Zone, g *Group, f *Facts) {
			g.Found.Zones["c"], g.Found.Desired = 1, 3
			f.Before.LackingSince = new(metav1.NewTime(noon.Add(-time.Hour)))
		}, v1alpha1.ZoneLackingReason, 6, true, ""},
		"an instance is being launched": {func(_ *Zone, g *Group, _ *Facts) { g.Found.Desired = 3 }, v1alpha1.ZoneResizingReason, 0, false, ""},
		"an update is in progress":      {func(_ *Zone, g *Group, _ *Facts) { g.Found.Updating = true }, v1alpha1.ZoneResizingReason, 0, false, ""},
		"a Remediation is open":         {func(_ *Zone, _ *Group, f *Facts) { f.Open = "zone-1" }, v1alpha1.ZoneResizingReason, 0, false, "remediation/zone-1"},
		"at its maximum":                {func(_ *Zone, g *Group, _ *Facts) { g.Found.Max = 2 }, v1alpha1.ZoneMaximumReachedReason, 0, false, "would need 3 nodes"},
		"more nodes than the policy allows": {func(_ *Zone, g *Group, _ *Facts) {
			g.Found.Zones["a"], g.Found.Zones["c"], g.Found.Max = 1, 0, 9
			g.Found.Desired = 2
			g.Found.Zones = map[string]int{"a": 2, "b": 0, "c": 2, "d": 0, "e": 0}
			g.Found.Desired = 4
			g.Nodes = append(g.Nodes, w.Node("n3", "c"), w.Node("n4", "c"))
			g.Found.Max = 20
		}, v1alpha1.ZoneMaximumReachedReason, 0, false, "maxAddedNodes is 3"},
		"two nodes for the pods": {func(_ *Zone, g *Group, f *Facts) {
			g.Needed, f.Policy.Spec.ZoneCoverage.MaxAddedNodes = 2, new(int32(4))
		}, v1alpha1.ZoneLackingReason, 6, true, ""},
		"two nodes, which the policy does not allow": {func(_ *Zone, g *Group, _ *Facts) { g.Needed = 2 }, v1alpha1.ZoneMaximumReachedReason, 0, false, "4 more nodes to be certain of 2 more in the zone"},
		"two nodes, which the group does not allow": {func(_ *Zone, g *Group, f *Facts) {
			g.Needed, g.Found.Max, f.Policy.Spec.ZoneCoverage.MaxAddedNodes = 2, 5, new(int32(4))
		}, v1alpha1.ZoneMaximumReachedReason, 0, false, "would need 6 nodes to be certain of 2 more in the zone"},
		"two nodes, one of which an emptier zone has": {func(_ *Zone, g *Group, _ *Facts) {
			g.Needed, g.Found.Zones, g.Found.Desired, g.Found.Max = 2, map[string]int{"a": 2, "b": 3, "c": 0}, 5, 9
		}, v1alpha1.ZoneLackingReason, 7, true, ""},
		"a group elsewhere":               {func(_ *Zone, g *Group, _ *Facts) { delete(g.Found.Zones, "c") }, v1alpha1.ZoneNoNodeGroupReason, 0, false, "only in a and b"},
		"a group that launches nothing":   {func(_ *Zone, g *Group, _ *Facts) { g.Found.LaunchSuspended = true }, v1alpha1.ZoneNoNodeGroupReason, 0, false, "Launch"},
		"cluster-autoscaler runs":         {func(_ *Zone, _ *Group, f *Facts) { f.Autoscaler = metav1.ConditionTrue }, v1alpha1.ZoneAutoscalerReason, 0, false, "a node group for each zone"},
		"it is not known whether it runs": {func(_ *Zone, _ *Group, f *Facts) { f.Autoscaler = metav1.ConditionUnknown }, v1alpha1.ZoneUnreadReason, 0, false, "Deployments"},
		"a group tagged for it":           {func(_ *Zone, g *Group, _ *Facts) { g.Found.Autoscaled = true }, v1alpha1.ZoneAutoscalerReason, 0, false, "group/general"},
		"a node pool of Karpenter":        {func(_ *Zone, g *Group, _ *Facts) { g.Provider = change.Karpenter }, v1alpha1.ZoneAutoscalerReason, 0, false, "Karpenter"},
		"a group that cannot be read":     {func(_ *Zone, g *Group, _ *Facts) { g.Found, g.Err = nil, denied }, v1alpha1.ZoneUnreadReason, 0, false, "permission eks:DescribeNodegroup"},
		"no access to the provider":       {func(_ *Zone, g *Group, _ *Facts) { g.Found = nil }, v1alpha1.ZoneUnreadReason, 0, false, "no access"},
		"mode Report":                     {func(_ *Zone, _ *Group, f *Facts) { f.Policy.Spec.Mode = v1alpha1.ModeReport }, v1alpha1.ZoneReportOnlyReason, 3, false, "from 2 to 3"},
		"no mode":                         {func(_ *Zone, _ *Group, f *Facts) { f.Policy.Spec.Mode = "" }, v1alpha1.ZoneReportOnlyReason, 3, false, ""},
		"paused":                          {func(_ *Zone, _ *Group, f *Facts) { f.Policy.Spec.Paused = true }, v1alpha1.PolicyPausedReason, 3, false, ""},
		"not for long enough":             {func(_ *Zone, _ *Group, f *Facts) { f.Before.LackingSince = new(metav1.NewTime(noon.Add(-time.Second))) }, v1alpha1.ZoneLackingReason, 3, false, "for 60 s"},
		"just noticed":                    {func(_ *Zone, _ *Group, f *Facts) { f.Before = nil }, v1alpha1.ZoneLackingReason, 3, false, ""},
		"a resize that landed elsewhere": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationNotAsForecastReason, time.Hour, 3)
		}, v1alpha1.ZoneResizeFailedReason, 0, false, "until the policy is changed"},
		"a resize that did not help": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationDidNotHelpReason, time.Hour, 3)
		}, v1alpha1.ZoneResizeFailedReason, 0, false, ""},
		"a resize that a person has aborted": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationAbortedReason, time.Hour, 3)
		}, v1alpha1.ZoneResizeFailedReason, 0, false, ""},
		"the policy was changed since": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationDidNotHelpReason, time.Hour, 2)
		}, v1alpha1.ZoneLackingReason, 3, true, ""},
		"a resize that helped": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationAsForecastReason, time.Minute, 3)
		}, v1alpha1.ZoneLackingReason, 3, true, ""},
		"a permission is missing": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationRefusedReason, time.Minute, 3)
		}, v1alpha1.PolicyNotPermittedReason, 3, false, "after 15 minutes"},
		"it was not needed a moment ago": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationNotNeededReason, time.Second, 3)
		}, v1alpha1.ZoneLackingReason, 3, false, ""},
		"it is tried again": {func(_ *Zone, _ *Group, f *Facts) {
			f.Before.Resize = ended(v1alpha1.RemediationRefusedReason, time.Hour, 3)
		}, v1alpha1.ZoneLackingReason, 3, true, ""},
	} {
		z, g, f := stranded()
		tc.edit(&z, &g, &f)
		d := Decide(z, []Group{g}, f)
		to := 0
		if d.Resize != nil {
			to = d.Resize.Desired
		}
		said := ""
		if d.Why.ID != "" {
			said = message.English().Say(d.Why)
		}
		if d.Reason != tc.reason || to != tc.to || d.Due != tc.due || !strings.Contains(said, tc.says) {
			t.Errorf("%s: %s to %d, due %t: %s", name, d.Reason, to, d.Due, said)
		}
	}
}

// TestChoose takes the group that adds the fewest nodes, and says why the first cannot where none can.
func TestChoose(t *testing.T) {
	z, many, f := stranded()
	many.Found.Zones, many.Found.Desired, many.Found.Max = map[string]int{"a": 1, "b": 0, "c": 0, "d": 0}, 1, 9
	_, few, _ := stranded()
	few.Found.Name = "few"
	if d := Decide(z, []Group{many, few}, f); d.Resize == nil || d.Resize.Group != "few" || d.Resize.Desired != 3 || d.Resize.Min != 3 {
		t.Errorf("%+v", d.Resize)
	}
	many.Placed = 1
	if d := Decide(z, []Group{few, many}, f); d.Resize == nil || d.Resize.Group != "general" {
		t.Errorf("the group that places more pods is not taken: %+v", d.Resize)
	}
	few.Found.Max, many.Found.Updating = 2, true
	if d := Decide(z, []Group{many, few}, f); d.Reason != v1alpha1.ZoneResizingReason {
		t.Errorf("%+v", d)
	}
	if d := Decide(z, nil, f); d.Reason != v1alpha1.ZoneNoNodeGroupReason {
		t.Errorf("%+v", d)
	}
}
