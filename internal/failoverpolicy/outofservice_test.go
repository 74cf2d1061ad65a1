package failoverpolicy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
)

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func ready(is corev1.ConditionStatus) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Conditions[0].Status = is }
}

func whenOff(p *v1alpha1.FailoverPolicy) { p.Spec.OutOfService = v1alpha1.OutOfServiceWhenOff }

func TestCandidates(t *testing.T) {
	unknown := ready(corev1.ConditionUnknown)
	for name, tc := range map[string]struct {
		node   func(*corev1.Node)
		pod    func(*corev1.Pod)
		policy []func(*v1alpha1.FailoverPolicy)
		want   bool
	}{
		"unreachable":   {node: unknown, want: true},
		"not ready":     {node: ready(corev1.ConditionFalse), want: true},
		"ready":         {node: ready(corev1.ConditionTrue)},
		"being deleted": {node: func(n *corev1.Node) { unknown(n); n.DeletionTimestamp = new(metav1.Now()) }, want: true},
		"declared before": {node: func(n *corev1.Node) {
			unknown(n)
			tainted(corev1.TaintNodeOutOfService, corev1.TaintEffectNoSchedule)(n)
		}},
		"a pod being deleted":        {node: unknown, pod: func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }, want: true},
		"a pod that has ended":       {node: unknown, pod: func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }},
		"a DaemonSet's pod":          {node: unknown, pod: ownedBy("DaemonSet", "web")},
		"a static pod":               {node: unknown, pod: func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }},
		"a bare pod":                 {node: unknown, pod: func(p *corev1.Pod) { p.OwnerReferences = nil }, want: true},
		"a pod of another app":       {node: unknown, pod: func(p *corev1.Pod) { p.Labels = map[string]string{"app": "db"} }},
		"a pod on another node":      {node: unknown, pod: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }},
		"a policy that reports":      {node: unknown, policy: []func(*v1alpha1.FailoverPolicy){func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }}},
		"a policy that is paused":    {node: unknown, policy: []func(*v1alpha1.FailoverPolicy){func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }}},
		"never":                      {node: unknown, policy: []func(*v1alpha1.FailoverPolicy){func(p *v1alpha1.FailoverPolicy) { p.Spec.OutOfService = v1alpha1.OutOfServiceNever }}},
		"stored by an older version": {node: unknown, policy: []func(*v1alpha1.FailoverPolicy){func(p *v1alpha1.FailoverPolicy) { p.Spec.OutOfService = "" }}},
	} {
		t.Run(name, func(t *testing.T) {
			only := func(p *v1alpha1.FailoverPolicy) { p.Spec.PodSelector.MatchLabels = map[string]string{"app": "web"} }
			edit := tc.pod
			if edit == nil {
				edit = func(*corev1.Pod) {}
			}
			world := worldOf(node("n1", tc.node), node("n2"), pod(edit), replicaSet())
			got := Candidates(world, []v1alpha1.FailoverPolicy{policy("web", append([]func(*v1alpha1.FailoverPolicy){only, whenOff}, tc.policy...)...)})
			if is := len(got) == 1 && got[0].Node.Name == "n1" && got[0].Policy.Name == "web"; is != tc.want || len(got) > 1 {
				t.Errorf("candidates %v, want one: %t", got, tc.want)
			}
		})
	}
}

// The policy that decides for a pod decides for its node too: one that comes later by name does not.
func TestCandidatesOfOtherPolicies(t *testing.T) {
	world := worldOf(node("n1", ready(corev1.ConditionUnknown)), pod(), replicaSet())
	if got := Candidates(world, []v1alpha1.FailoverPolicy{policy("b", whenOff), policy("a")}); len(got) > 0 {
		t.Errorf("candidates %v although the policy a decides", got)
	}
	reports := policy("a", func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport })
	if got := Candidates(world, []v1alpha1.FailoverPolicy{policy("b", whenOff), reports}); len(got) != 1 || got[0].Policy.Name != "b" {
		t.Errorf("candidates %v, want that of b", got)
	}
}

func lease(renewed time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: new(metav1.NewMicroTime(renewed))}}
}

func TestProveOff(t *testing.T) {
	machine := node("n1", ready(corev1.ConditionUnknown))
	machine.UID, machine.Spec.ProviderID, machine.Status.NodeInfo.BootID = "u1", "aws:///a/i-1", "b1"
	other := func(edit func(*corev1.Node)) *corev1.Node {
		n := machine.DeepCopy()
		edit(n)
		return n
	}
	read := func(after time.Duration, is cloud.Running) Reading {
		return NewReading(start.Add(after), cloud.State{Running: is}, machine, lease(start))
	}
	off := func(after time.Duration, n *corev1.Node, l *coordinationv1.Lease) Reading {
		return NewReading(start.Add(after), cloud.State{Running: cloud.Off}, n, l)
	}
	first := read(0, cloud.Off)
	for name, tc := range map[string]struct {
		first, second Reading
		want          bool
	}{
		"stopped twice":            {first, read(5*time.Second, cloud.Off), true},
		"stopped, then terminated": {first, read(5*time.Second, cloud.Gone), true},
		"terminated twice":         {read(0, cloud.Gone), read(time.Minute, cloud.Gone), true},
		"once":                     {Reading{}, first, false},
		"too soon":                 {first, read(4999*time.Millisecond, cloud.Off), false},
		"too late":                 {first, read(61*time.Second, cloud.Off), false},
		"the same reading":         {first, first, false},
		"the clock was set back":   {first, read(-10*time.Second, cloud.Off), false},
		"stopping, then stopped":   {read(0, cloud.Changes), read(10*time.Second, cloud.Off), false},
		"stopped, then starting":   {first, read(10*time.Second, cloud.Changes), false},
		"running":                  {read(0, cloud.On), read(10*time.Second, cloud.On), false},
		"no record of it":          {read(0, cloud.NotFound), read(10*time.Second, cloud.NotFound), false},
		"stopped, then no record":  {first, read(10*time.Second, cloud.NotFound), false},
		"not reported":             {read(0, ""), read(10*time.Second, ""), false},
		"another node of the name": {first, off(10*time.Second, other(func(n *corev1.Node) { n.UID = "u2" }), lease(start)), false},
		"another machine":          {first, off(10*time.Second, other(func(n *corev1.Node) { n.Spec.ProviderID = "aws:///a/i-2" }), lease(start)), false},
		"booted in between":        {first, off(10*time.Second, other(func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b2" }), lease(start)), false},
		"renewed in between":       {first, off(10*time.Second, machine, lease(start.Add(time.Second))), false},
		"its first Lease":          {off(0, machine, nil), off(10*time.Second, machine, lease(start)), false},
		"without a Lease":          {off(0, machine, nil), off(10*time.Second, machine, nil), true},
	} {
		if got := ProveOff(tc.first, tc.second); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

func TestReturned(t *testing.T) {
	declared := Declaration{By: "failoverpolicy/web", BootID: "b1", RenewTime: new(metav1.NewMicroTime(start))}
	for name, tc := range map[string]struct {
		declared Declaration
		node     func(*corev1.Node)
		lease    *coordinationv1.Lease
		want     bool
	}{
		"still off":                   {declared, nil, lease(start), false},
		"booted":                      {declared, func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b2" }, lease(start), true},
		"ready":                       {declared, ready(corev1.ConditionTrue), lease(start), true},
		"renewed":                     {declared, nil, lease(start.Add(time.Microsecond)), true},
		"renewed, its clock set back": {declared, nil, lease(start.Add(-time.Hour)), true},
		"its Lease is gone":           {declared, nil, nil, false},
		"had no Lease, and has none":  {Declaration{By: "x", BootID: "b1"}, nil, nil, false},
		"had no Lease, and has one":   {Declaration{By: "x", BootID: "b1"}, nil, lease(start), true},
		"it cannot be read":           {Declaration{}, nil, lease(start), false},
		"it cannot be read, and the node is ready": {Declaration{}, ready(corev1.ConditionTrue), lease(start), true},
	} {
		n := node("n1", ready(corev1.ConditionUnknown), func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b1" })
		if tc.node != nil {
			tc.node(n)
		}
		if got := tc.declared.Returned(n, tc.lease); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// An annotation that somebody else has written over does not take the node for one that naosu has not declared.
func TestDeclarationOf(t *testing.T) {
	for text, want := range map[string]Declaration{
		`{"by":"failoverpolicy/web","proof":"stopped","bootID":"b1","renewTime":"2026-03-04T12:00:00.000000Z"}`: {
			By: "failoverpolicy/web", Proof: "stopped", BootID: "b1", RenewTime: new(metav1.NewMicroTime(start)),
		},
		``: {}, `null`: {}, `[]`: {}, `{"bootID":7}`: {}, `{"renewTime":"yesterday","bootID":"b1"}`: {},
	} {
		n := node("n1", func(n *corev1.Node) { n.Annotations = map[string]string{OutOfServiceAnnotation: text} })
		got, declared := DeclarationOf(n)
		if diff := cmp.Diff(want, got); diff != "" || !declared {
			t.Errorf("%s: declared %t, %s", text, declared, diff)
		}
	}
	if _, declared := DeclarationOf(node("n1")); declared {
		t.Error("a node without the annotation counts as declared")
	}
}
