package headroompolicy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// agentStep is a step of the DaemonSet "agent".
func agentStep(cpu string) v1alpha1.HeadroomStep {
	return v1alpha1.HeadroomStep{Namespace: "default", Name: "agent", CPU: resource.MustParse(cpu)}
}

// rolledOut is a pod of the DaemonSet "agent" from when its template requested so much.
func rolledOut(node, cpu string) *corev1.Pod {
	return w.Placed("agent-"+node, node, w.Template("agent", cpu), w.OwnedBy("apps/v1", "DaemonSet", "agent"))
}

// TestAssess says what a policy wants, and why it does not cover its failures before it holds anything.
func TestAssess(t *testing.T) {
	one := w.CPU("1")
	two := func(pods ...string) w.Objects {
		return w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.Deployment("web", w.Template("web", "600m"), pods...))
	}
	for name, tc := range map[string]struct {
		objects w.Objects
		edit    func(*v1alpha1.HeadroomPolicy)
		covered metav1.ConditionStatus
		reason  string
		plan    string
	}{
		"nothing runs": {two(), func(*v1alpha1.HeadroomPolicy) {}, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, ""},
		"any one node": {two("n1"), func(*v1alpha1.HeadroomPolicy) {}, metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "1 × cpu=0.600 on n2"},
		"any two nodes": {
			append(two("n1"), w.Node("n3", "c", one)), func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive = v1alpha1.HeadroomFailures{Nodes: 2} },
			metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "1 × cpu=0.600 on n2, 1 × cpu=0.600 on n3",
		},
		"any two of too few nodes": {
			two("n1"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive = v1alpha1.HeadroomFailures{Nodes: 2} },
			metav1.ConditionFalse, v1alpha1.HeadroomNeedsNodesReason, "1 × cpu=0.600 on n2",
		},
		"mode Report":     {two("n1"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport }, metav1.ConditionFalse, v1alpha1.HeadroomReportOnlyReason, "1 × cpu=0.600 on n2"},
		"any one zone":    {two("n1"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive = v1alpha1.HeadroomFailures{Zones: 1} }, metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "1 × cpu=0.600 on n2"},
		"today's nodes":   {two("n1", "n2"), func(*v1alpha1.HeadroomPolicy) {}, metav1.ConditionFalse, v1alpha1.HeadroomNeedsNodesReason, ""},
		"nodes are added": {two("n1", "n2"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.Autoscaling = v1alpha1.AutoscalingAddNodes }, metav1.ConditionFalse, v1alpha1.HeadroomNeedsNodesReason, "1 × cpu=0.600 on new node a, 1 × cpu=0.600 on new node b"},
		"a maximum":       {two("n1"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.MaxRoom.CPU = resource.MustParse("500m") }, metav1.ConditionFalse, v1alpha1.HeadroomMaximumReachedReason, ""},
		"a burst": {
			w.Of(w.Node("n1", "a"), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1")),
			func(p *v1alpha1.HeadroomPolicy) {
				p.Spec.Survive = v1alpha1.HeadroomFailures{Bursts: []v1alpha1.HeadroomBurst{{Kind: "Deployment", Namespace: "default", Name: "web", Percent: new(int32(50))}}}
			},
			metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "2 × cpu=0.100 on n1",
		},
		"a workload that is not there": {
			two("n1"), func(p *v1alpha1.HeadroomPolicy) {
				p.Spec.Survive = v1alpha1.HeadroomFailures{Bursts: []v1alpha1.HeadroomBurst{{Kind: "Deployment", Namespace: "default", Name: "gone", Replicas: new(int32(1))}}}
			},
			metav1.ConditionUnknown, v1alpha1.HeadroomNotFoundReason, "",
		},
		"a step": {
			append(two("n1"), w.DaemonSet("agent", w.Template("agent", "100m"), "n1", "n2")...),
			func(p *v1alpha1.HeadroomPolicy) {
				p.Spec.Survive = v1alpha1.HeadroomFailures{Steps: []v1alpha1.HeadroomStep{agentStep("200m")}}
			},
			metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "2 × cpu=0.300 for daemonset/agent",
		},
		"a step while the last is rolled out": {
			append(two("n1"), append(w.DaemonSet("agent", w.Template("agent", "300m")), rolledOut("n1", "100m"), rolledOut("n2", "300m"))...),
			func(p *v1alpha1.HeadroomPolicy) {
				p.Spec.Survive = v1alpha1.HeadroomFailures{Steps: []v1alpha1.HeadroomStep{agentStep("50m")}}
			},
			metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, "2 × cpu=0.150 for daemonset/agent",
		},
		"room for a step is not shared": {
			append(two("n1"), w.DaemonSet("agent", w.Template("agent", "100m"), "n1", "n2")...),
			func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive.Steps = []v1alpha1.HeadroomStep{agentStep("250m")} },
			metav1.ConditionFalse, v1alpha1.HeadroomNeedsNodesReason, "2 × cpu=0.350 for daemonset/agent",
		},
		"others' pods that may be preempted are no room": {
			append(two("n1"), w.Deployment("batch", w.Template("batch", "500m", w.Priority(-5)), "n2")...),
			func(*v1alpha1.HeadroomPolicy) {}, metav1.ConditionFalse, v1alpha1.HeadroomNeedsNodesReason, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			policy := policyOf(tc.edit)
			a := assess(t, tc.objects, policy)
			if a.Covered != tc.covered || a.Reason != tc.reason || a.Plan.String() != tc.plan {
				t.Errorf("it is %s, %s: %s\n%s", a.Covered, a.Reason, a.Plan, a.Why)
			}
			if tc.reason != v1alpha1.HeadroomNotBoundReason {
				return
			}
			room := held(t, tc.objects, policy, a.Plan)
			if after := assess(t, room, policy); after.Covered != metav1.ConditionTrue || after.Plan.String() != tc.plan {
				t.Errorf("with the room, it is %s, %s: %s", after.Covered, after.Reason, after.Plan)
			}
		})
	}
}

// TestExcess: room that costs more than the smallest by more than the policy allows is too much, and so is room beyond its maximum.
func TestExcess(t *testing.T) {
	one := w.CPU("1")
	objects := w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.Node("n3", "c", one), w.Deployment("web", w.Template("web", "400m"), "n1"))
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("400m")}
	on := func(nodes ...string) Plan {
		var p plan
		for _, node := range nodes {
			p.slots = append(p.slots, slot{node: node, requests: size, count: 1})
		}
		return Plan{p}
	}
	percent := func(n int32) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) { p.Spec.Resize.ExcessPercent = &n }
	}
	most := func(cpu string) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) { p.Spec.MaxRoom.CPU = resource.MustParse(cpu) }
	}
	for name, tc := range map[string]struct {
		room         Plan
		edit         func(*v1alpha1.HeadroomPolicy)
		excess, over bool
	}{
		"the smallest":             {on("n2"), percent(0), false, false},
		"twice as much":            {on("n2", "n3"), percent(25), true, false},
		"twice as much is allowed": {on("n2", "n3"), percent(100), false, false},
		"a little too much":        {on("n2", "n3"), percent(99), true, false},
		"the maximum":              {on("n2", "n3"), most("800m"), true, false},
		"more than the maximum":    {on("n2", "n3"), most("799m"), true, true},
		"the most placeholders":    {on("n2", "n3"), func(p *v1alpha1.HeadroomPolicy) { p.Spec.MaxRoom.Placeholders = new(int32(1)) }, true, true},
	} {
		policy := policyOf(tc.edit)
		if a := assess(t, held(t, objects, policy, tc.room), policy); a.Excess != tc.excess || a.OverMaximum != tc.over || a.Covered != metav1.ConditionTrue {
			t.Errorf("%s: excess %t, beyond the maximum %t, covered %s", name, a.Excess, a.OverMaximum, a.Covered)
		}
	}
}

// TestPlaceholders looks at what holds the room.
func TestPlaceholders(t *testing.T) {
	taint := corev1.Taint{Key: "team", Value: "web", Effect: corev1.TaintEffectNoSchedule}
	drained := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	tainted := w.Node("n2", "a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{taint, drained} })
	objects := w.Of(w.Node("n1", "a"), tainted, w.Deployment("web", w.Template("web", "600m", func(s *corev1.PodSpec) {
		s.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	}), "n1"))
	policy := policyOf()
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("600m")}
	made := maker.Make(worldOf(objects), policy, Plan{plan{slots: []slot{{node: "n2", requests: size, count: 2}, {zone: "a", requests: size, count: 1}}}})
	pinned, added := made.Deployments[0].Spec, made.Deployments[1].Spec
	if *pinned.Replicas != 2 || len(pinned.Template.Spec.Tolerations) != 1 || pinned.Template.Spec.Tolerations[0].Key != "team" {
		t.Errorf("pinned placeholder pods tolerate %+v", pinned.Template.Spec.Tolerations)
	}
	if len(added.Template.Spec.Tolerations) != 1 || len(added.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions) != 2 {
		t.Errorf("placeholder pods for a new node are %+v", added.Template.Spec)
	}
	for _, d := range made.Deployments {
		spec := d.Spec.Template.Spec
		if spec.PriorityClassName != v1alpha1.HeadroomIgnoreClass || *spec.TerminationGracePeriodSeconds != 0 || d.Spec.Template.Annotations[safeToEvict] != "true" || d.OwnerReferences[0].UID != "lease-1" {
			t.Errorf("%s is %+v", d.Name, spec)
		}
	}
}

// TestDiff changes only what differs, and leaves what is not the policy's alone.
func TestDiff(t *testing.T) {
	objects := w.Of(w.Node("n1", "a"), w.Node("n2", "a"))
	policy := policyOf()
	cpu := func(amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
	}
	room := func(slots ...slot) Objects { return maker.Make(worldOf(objects), policy, Plan{plan{slots: slots}}) }
	a, b, c := slot{node: "n1", requests: cpu("1"), count: 1}, slot{node: "n1", requests: cpu("500m"), count: 2}, slot{node: "n2", requests: cpu("1"), count: 1}
	more := b
	more.count = 3
	existing := room(a, b)
	foreign := existing.Deployments[0].DeepCopy()
	foreign.Name, foreign.Labels = "foreign", nil
	unowned := existing.Deployments[0].DeepCopy()
	unowned.Name, unowned.OwnerReferences = "unowned", nil
	existing.Deployments = append(existing.Deployments, foreign, unowned)
	if got := maker.Diff(policy, existing, room(a, b)); !got.None() {
		t.Errorf("the same room has changes: %+v", got)
	}
	got := maker.Diff(policy, existing, room(more, c))
	if len(got.Delete.Deployments) != 1 || got.Delete.Deployments[0].Name != existing.Deployments[0].Name ||
		len(got.Update.Deployments) != 1 || *got.Update.Deployments[0].Spec.Replicas != 3 || len(got.Create.Deployments) != 1 {
		t.Errorf("changes are %+v", got)
	}
	if got := maker.Diff(policy, existing, Objects{}); len(got.Delete.Deployments) != 2 {
		t.Errorf("given back are %+v", got.Delete)
	}
	other := policyOf(func(p *v1alpha1.HeadroomPolicy) { p.UID = "policy-2" })
	if got := maker.Orphans(existing, []v1alpha1.HeadroomPolicy{*other}); len(got.Deployments) != 2 {
		t.Errorf("orphans are %+v", got)
	}
	if got := maker.Orphans(existing, []v1alpha1.HeadroomPolicy{*policy}); !got.none() {
		t.Errorf("orphans are %+v", got)
	}
	recreated := maker
	recreated.Owner.UID = "lease-2"
	if got := recreated.Diff(policy, existing, recreated.Make(worldOf(objects), policy, Plan{plan{slots: []slot{a, b}}})); len(got.Update.Deployments) != 2 {
		t.Errorf("with another owner, changes are %+v", got)
	}
}

// TestMaximum holds the largest placeholder pods that fit.
func TestMaximum(t *testing.T) {
	cpu := func(amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
	}
	p := plan{
		slots: []slot{{node: "n1", requests: cpu("1"), count: 2}, {node: "n2", requests: cpu("200m"), count: 3}},
		steps: []stepRoom{{requests: cpu("300m"), nodes: []string{"n1", "n2"}}},
	}
	for name, tc := range map[string]struct {
		cpu  string
		pods int32
		want string
	}{
		"all":               {"10", 100, "2 × cpu=1 on n1, 3 × cpu=0.200 on n2, 2 × cpu=0.300 for /"},
		"some CPU":          {"2", 100, "1 × cpu=1 on n1, 2 × cpu=0.200 on n2, 2 × cpu=0.300 for /"},
		"a number":          {"10", 3, "1 × cpu=1 on n1, 2 × cpu=0.300 for /"},
		"no half of a step": {"500m", 100, "2 × cpu=0.200 on n2"},
		"nothing":           {"0", 100, ""},
	} {
		most := v1alpha1.HeadroomAmount{CPU: resource.MustParse(tc.cpu), Memory: resource.MustParse("1Ti"), Placeholders: &tc.pods}
		if got := p.limited(most).String(); got != tc.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
