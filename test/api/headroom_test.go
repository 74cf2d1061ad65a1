package api

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

const leastHeadroom = `
apiVersion: naosu.dev/v1alpha1
kind: HeadroomPolicy
metadata: {name: least}
spec:
  survive: {nodes: 1}
  maxRoom: {cpu: "8", memory: 32Gi}
`

// aBurst is one by a number of replicas, and aStep one of some CPU.
var (
	headroomTrials = map[string]trial{
		"mode":                                       {good: list{"Report", "Auto"}, bad: list{"", "auto", "Approve"}},
		"paused":                                     {good: list{true, false}, bad: list{"yes"}},
		"autoscaling":                                {good: list{"Ignore", "AddNodes"}, bad: list{"", "ignore"}},
		"survive.nodes":                              {good: list{1, 2}, bad: list{-1, 3, "1"}},
		"survive.zones":                              {good: list{0, 1}, bad: list{-1, 2, "a"}},
		"survive.bursts[0].kind":                     {beside: aBurst, good: list{"Deployment", "StatefulSet", "ReplicaSet"}, bad: list{"", "DaemonSet"}},
		"survive.bursts[0].namespace":                {beside: aBurst, good: list{"shop"}, bad: list{"", long(64)}},
		"survive.bursts[0].name":                     {beside: aBurst, good: list{"web"}, bad: list{"", long(254)}},
		"survive.bursts[0].replicas":                 {beside: aBurst, good: list{1, 1000}, bad: list{0, 1001}},
		"survive.bursts[0].percent":                  {beside: aBurst, bad: list{0, 1001}},
		"survive.steps[0].namespace":                 {beside: aStep, good: list{"kube-system"}, bad: list{"", long(64)}},
		"survive.steps[0].name":                      {beside: aStep, good: list{"calico-node"}, bad: list{"", long(254)}},
		"survive.steps[0].cpu":                       {beside: aStep, good: list{"250m", 1}, bad: list{"-1", "much", "0"}},
		"survive.steps[0].memory":                    {beside: aStep, good: list{"128Mi", 1}, bad: list{"-1", "much", "0"}},
		"maxRoom.cpu":                                {good: list{"8", 8, "500m"}, bad: list{nil, "-8", "many"}},
		"maxRoom.memory":                             {good: list{"32Gi", 0}, bad: list{nil, "-1Gi", "much"}},
		"maxRoom.placeholders":                       {good: list{0, 200}, bad: list{-1, 201, "20"}},
		"zoneCoverage.maxAddedNodes":                 {good: list{1, 50}, bad: list{0, 51, "3"}},
		"protect.namespaceSelector":                  {beside: aProtection, good: list{map[string]any{}}, bad: list{nil, "x"}},
		"protect.podSelector":                        {beside: aProtection, good: list{map[string]any{}}, bad: list{nil, "x"}},
		"protect.namespaceSelector.matchLabels":      protecting(matchLabels),
		"protect.namespaceSelector.matchExpressions": protecting(matchExpressions),
		"protect.podSelector.matchLabels":            protecting(matchLabels),
		"protect.podSelector.matchExpressions":       protecting(matchExpressions),
		"protect.kinds":                              {beside: aProtection, good: list{list{"Job"}, list{"Deployment", "StatefulSet", "Job"}}, bad: list{list{}, list{"DaemonSet"}, list{"Job", "Job"}, "Job"}},
		"protect.priorityClassName":                  {beside: aProtection, good: list{"naosu-protected", long(253)}, bad: list{"", long(254)}},
		"resize.lackSeconds":                         {good: list{0, 3600}, bad: list{-1, 3601, "1m"}},
		"resize.excessPercent":                       {good: list{0, 1000}, bad: list{-1, 1001, "25%"}},
		"resize.excessMinutes":                       {good: list{0, 1440}, bad: list{-1, 1441}},
	}
	aBurst = map[string]any{
		"spec.survive.bursts[0].kind": "Deployment", "spec.survive.bursts[0].namespace": "shop", "spec.survive.bursts[0].name": "web", "spec.survive.bursts[0].replicas": 3,
	}
	aProtection = map[string]any{"spec.protect.namespaceSelector.matchLabels.a": "b", "spec.protect.podSelector.matchLabels.a": "b"}
	aStep       = map[string]any{"spec.survive.steps[0].namespace": "kube-system", "spec.survive.steps[0].name": "calico-node", "spec.survive.steps[0].cpu": "1"}
)

// leastResize is a proposal of a HeadroomPolicy.
const leastResize = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: resize}
spec:
  policy: {kind: HeadroomPolicy, name: default, rule: zone-coverage}
  evidence: {finding: N101, since: "2026-01-01T00:00:00Z"}
  plan: [{action: ResizeNodeGroup, subject: {kind: NodeGroup, name: general}, parameters: {zone: us-east-1c, desired: "3", min: "3"}}]
`

var resizeTrials = map[string]trial{
	"plan":            {bad: list{list{evict("wave", "1")}, list{change("ResizeNodeGroup")}, list{deletion("eni-1")}}},
	"plan[0].subject": {bad: list{map[string]any{"kind": "Subnet", "name": "general"}, map[string]any{"kind": "NodeGroup", "namespace": "shop", "name": "general"}}},
	"plan[0].parameters": {
		good: list{map[string]any{"zone": "a", "desired": "10", "min": "1"}},
		bad:  list{map[string]any{"zone": "a", "desired": "10"}, map[string]any{"zone": "a", "desired": "0", "min": "1"}, map[string]any{"zone": "a", "desired": "3", "min": "-1"}},
	},
}

// TestHeadroomZoneCoverage takes a policy that only covers zones, and refuses one that states nothing or room without its maximum.
func TestHeadroomZoneCoverage(t *testing.T) {
	resource := install(t).Resource(v1alpha1.GroupVersion.WithResource("headroompolicies"))
	for name, tc := range map[string]struct {
		spec    map[string]any
		refused string
	}{
		"zone coverage alone":    {map[string]any{"zoneCoverage": map[string]any{}}, ""},
		"nothing":                {map[string]any{"mode": "Auto"}, "spec.survive"},
		"room without a maximum": {map[string]any{"survive": map[string]any{"nodes": 1}}, "spec.maxRoom"},
	} {
		o := object(t, leastHeadroom)
		set(o.Object, "spec", tc.spec)
		_, err := resource.Create(t.Context(), o, dryRun)
		if (err != nil) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
			t.Errorf("%s: %v, want one of %q", name, err, tc.refused)
		}
	}
}

// protecting is a trial of a field of a policy that protects Jobs.
func protecting(t trial) trial {
	t.beside = aProtection
	return t
}

func TestHeadroomPolicyFields(t *testing.T) {
	try(t, install(t).Resource(v1alpha1.GroupVersion.WithResource("headroompolicies")), leastHeadroom, headroomTrials)
}

// TestHeadroomStatesFailures refuses a policy without a failure, and a burst that is stated twice or not at all.
func TestHeadroomStatesFailures(t *testing.T) {
	resource := install(t).Resource(v1alpha1.GroupVersion.WithResource("headroompolicies"))
	for name, edit := range map[string]map[string]any{
		"no failure":                   {"spec.survive": map[string]any{}},
		"neither failure nor protect":  {"spec.survive": nil},
		"no number that is not zero":   {"spec.survive.nodes": 0},
		"a burst that is stated twice": {"spec.survive.bursts": list{map[string]any{"kind": "Deployment", "namespace": "shop", "name": "web", "replicas": 1, "percent": 1}}},
		"a burst that is not stated":   {"spec.survive.bursts": list{map[string]any{"kind": "Deployment", "namespace": "shop", "name": "web"}}},
	} {
		o := object(t, leastHeadroom)
		for path, value := range edit {
			set(o.Object, path, value)
		}
		if _, err := resource.Create(t.Context(), o, dryRun); err == nil || !strings.Contains(err.Error(), "spec.survive") {
			t.Errorf("%s is taken, or refused without a word of spec.survive: %v", name, err)
		}
	}
}

// TestHeadroomProtectsOnly takes a policy that protects Jobs and holds no room, and refuses failures without a maximum.
func TestHeadroomProtectsOnly(t *testing.T) {
	resource := install(t).Resource(v1alpha1.GroupVersion.WithResource("headroompolicies"))
	o := object(t, leastHeadroom)
	for path, value := range aProtection {
		set(o.Object, path, value)
	}
	set(o.Object, "spec.survive", nil)
	set(o.Object, "spec.maxRoom", nil)
	made, err := resource.Create(t.Context(), o, dryRun)
	if err != nil {
		t.Fatal(err)
	}
	if class, _, _ := unstructured.NestedString(made.Object, "spec", "protect", "priorityClassName"); class != v1alpha1.HeadroomProtectedClass {
		t.Errorf("the class is %q", class)
	}
	if kinds, _, _ := unstructured.NestedStringSlice(made.Object, "spec", "protect", "kinds"); !slices.Equal(kinds, []string{"Job"}) {
		t.Errorf("the kinds are %q", kinds)
	}
	o = object(t, leastHeadroom)
	set(o.Object, "spec.maxRoom", nil)
	if _, err := resource.Create(t.Context(), o, dryRun); err == nil || !strings.Contains(err.Error(), "spec.maxRoom") {
		t.Errorf("failures without a maximum are taken, or refused without a word of spec.maxRoom: %v", err)
	}
}
