package noderepair

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// sized is a node with so many CPUs.
func sized(n *corev1.Node, cpu string) *corev1.Node {
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Capacity = n.Status.Allocatable
	return n
}

// silent is a node that nobody answers for.
func silent(n *corev1.Node) *corev1.Node {
	n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, ago(20*time.Minute)
	return n
}

// notReady is a node whose kubelet says that it is not Ready.
func notReady(n *corev1.Node) *corev1.Node {
	n.Status.Conditions[0].Status = corev1.ConditionFalse
	return n
}

func urgent(p *corev1.Pod) { p.Spec.Priority = new(int32(10)) }

// cordoned is a node that naosu has cordoned.
func cordoned(n *corev1.Node) *corev1.Node {
	n.Spec.Unschedulable, n.Annotations = true, map[string]string{action.CordonedByAnnotation: "r1"}
	return n
}

func needing(cpu string, more ...func(*corev1.Pod)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Labels = map[string]string{"app": strings.Split(p.Name, "-")[0]}
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
		for _, change := range more {
			change(p)
		}
	}
}

func scheduledBy(scheduler string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.SchedulerName = scheduler }
}

func pending(p *corev1.Pod) {
	p.Spec.NodeName, p.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
}

func ending(p *corev1.Pod) { p.DeletionTimestamp = new(ago(10 * time.Minute)) }

// replicas is a ReplicaSet with a pod on each of the nodes, and wants as many.
func replicas(name, cpu string, nodes ...string) []runtime.Object {
	return replicasThat(name, cpu, nil, nodes...)
}

func replicasThat(name, cpu string, change func(*corev1.Pod), nodes ...string) []runtime.Object {
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(len(nodes)))},
	}
	all := []runtime.Object{set}
	for i, node := range nodes {
		edit := needing(cpu)
		if change != nil {
			edit = needing(cpu, change)
		}
		all = append(all, pod(fmt.Sprintf("%s-%d", name, i), node, set, "ReplicaSet", edit))
	}
	return all
}

func atLeast(app string, pods int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: app, UID: types.UID("pdb-" + app)},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(pods)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}
}

func all(parts ...any) []runtime.Object {
	var objects []runtime.Object
	for _, part := range parts {
		switch part := part.(type) {
		case []runtime.Object:
			objects = append(objects, part...)
		case runtime.Object:
			objects = append(objects, part)
		default:
			panic(fmt.Sprintf("%T is no object", part))
		}
	}
	return objects
}

// repairOf is a Remediation of a node, for which the policy of these tests asks.
func repairOf(node string, action v1alpha1.Action) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "r2"}, Spec: v1alpha1.RemediationSpec{
		Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "links", Rule: "link"}, Node: v1alpha1.NodeReference{Name: node, UID: types.UID("uid-" + node)},
		Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False"}, Plan: v1alpha1.NodePlan(action, ""),
	}}
}

// ruled is what the guard says of a Remediation by the future that is played for it.
func (b *bench) ruled(t *testing.T, r *v1alpha1.Remediation, entries ...ledger.Entry) guard.Ruling {
	t.Helper()
	ledger := guard.Known(ledger.Ledger{Entries: entries}, now)
	result, err := b.Assess(t.Context(), r, ledger)
	if err != nil {
		t.Fatal(err)
	}
	var p v1alpha1.NodeRepairPolicy
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: r.Spec.Policy.Name}, &p); err != nil {
		t.Fatal(err)
	}
	ruling, err := b.CheckGuard(t.Context(), r, &p, result, ledger)
	if err != nil {
		t.Fatal(err)
	}
	return ruling
}

// about is the first verdict that does not allow of those checks that look at pods.
func about(ruling guard.Ruling) string {
	for _, v := range ruling.All {
		switch v.Check {
		case "capacity", "disruption-budgets", "last-replica":
			if v.Decision != guard.Allow {
				return v.Check + "/" + string(v.Reason)
			}
		}
	}
	return ""
}

// TestEveryFuture plays worlds in which it is chance whether all pods of the node find a place: one of them fits on one node
// only, on which any of the others may land first.
func TestEveryFuture(t *testing.T) {
	mixed := 0
	for i := range 60 {
		objects := all(sized(node("n1", "1a", down(time.Hour)), "8"))
		for k := range 3 + i%4 {
			objects = append(objects, sized(node(fmt.Sprint("p", k), "1b"), "1"))
			if k > 0 {
				objects = all(objects, replicas(fmt.Sprintf("x%d.%d", i, k), "1", "n1"))
			}
		}
		pinned := func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "p0"} }
		p := policy(v1alpha1.ModeAuto)
		objects = all(objects, replicasThat("y", "1", pinned, "n1"), &p)
		b := newBench(t, &machines{}, objects...)
		judge, err := scheduling.New(t.Context(), b.World(), scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		bad, first := 0, false
		err = simulation.EachFuture(t.Context(), judge, []change.Change{change.RebootNode{Node: "n1"}}, simulation.Options{Seeds: seeds}, func(o outcome.Outcome) error {
			first = false // It is the last that is seen.
			for _, fate := range o.Fates {
				first = first || fate.Kind == outcome.Waiting
			}
			if first {
				bad++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if bad > 0 {
			want = "capacity/PodsWouldWait"
		}
		ruling := b.ruled(t, repairOf("n1", v1alpha1.ActionReboot))
		if got := about(ruling); got != want {
			t.Errorf("world %d: a pod waits in %d of %d futures, and the guard says %q", i, bad, seeds, got)
		}
		if bad > 0 && !first {
			mixed++
		}
	}
	if mixed == 0 {
		t.Error("in no world the first future is well and another is not: nothing was tested")
	}
}

// TestBesideOthers decides about one node while others are out.
func TestBesideOthers(t *testing.T) {
	going := func(node string) ledger.Entry {
		return ledger.Entry{Remediation: "r1", Node: node, Zone: "1a", Group: "workers", Action: v1alpha1.ActionReboot, Began: now}
	}
	is := func(e ledger.Entry, change func(*ledger.Entry)) ledger.Entry {
		change(&e)
		return e
	}
	ended := func(e *ledger.Entry) { e.Ended = now.Add(-time.Second) }
	restart := func(e *ledger.Entry) { e.Action = v1alpha1.ActionRestartService }
	unhealthy := func(name, cpu string) *corev1.Node { return sized(node(name, "1a", down(time.Hour)), cpu) }
	works := func(name, cpu string) *corev1.Node { return sized(node(name, "1b"), cpu) }
	twoOf := replicas("web", "1", "n1", "n2")
	oneEach := all(replicas("a", "2", "n1"), replicas("c", "2", "n2"))
	for name, tc := range map[string]struct {
		world  []runtime.Object
		ledger []ledger.Entry
		want   string
	}{
		// Of two replicas one is on each node.
		"the other replica's node is drained": {all(cordoned(unhealthy("n1", "4")), unhealthy("n2", "4"), works("n3", "4"), twoOf), []ledger.Entry{going("n1")}, "last-replica/LastReplica"},
		"its drain has only been reserved":    {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), twoOf), []ledger.Entry{going("n1")}, "last-replica/LastReplica"},
		"only its cordon tells of it":         {all(cordoned(unhealthy("n1", "4")), unhealthy("n2", "4"), works("n3", "4"), twoOf), nil, "last-replica/LastReplica"},
		"it has ended":                        {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), twoOf), []ledger.Entry{is(going("n1"), ended)}, ""},
		"a service of it is restarted":        {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), twoOf), []ledger.Entry{is(going("n1"), restart)}, ""},
		"a third replica is elsewhere":        {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), replicas("web", "1", "n1", "n2", "n3")), []ledger.Entry{going("n1")}, ""},
		"the ledger's entry is its own":       {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), twoOf), []ledger.Entry{{Remediation: "r2", Node: "n2", Began: now}}, ""},
		"the other replica is on a dead node, and says that it is ready": {
			all(silent(unhealthy("n1", "4")), unhealthy("n2", "4"), works("n3", "4"), twoOf), nil, "last-replica/LastReplica",
		},
		"the replica itself is on a dead node": {all(unhealthy("n1", "4"), silent(unhealthy("n2", "4")), works("n3", "4"), twoOf), []ledger.Entry{going("n1")}, ""},

		// There is room for the pod of one of two nodes.
		"room is promised to the other":            {all(cordoned(unhealthy("n1", "2")), unhealthy("n2", "2"), works("n3", "2"), oneEach), []ledger.Entry{going("n1")}, "capacity/PodsWouldWait"},
		"room is promised before its cordon":       {all(unhealthy("n1", "2"), unhealthy("n2", "2"), works("n3", "2"), oneEach), []ledger.Entry{going("n1")}, "capacity/PodsWouldWait"},
		"there is room for both":                   {all(cordoned(unhealthy("n1", "2")), unhealthy("n2", "2"), works("n3", "4"), oneEach), []ledger.Entry{going("n1")}, ""},
		"the other's pods have moved already":      {all(cordoned(unhealthy("n1", "2")), unhealthy("n2", "2"), works("n3", "4"), replicas("a", "2", "n3"), replicas("c", "2", "n2")), []ledger.Entry{going("n1")}, ""},
		"a working node, beside a dead one":        {all(silent(unhealthy("n1", "2")), unhealthy("n2", "2"), works("n3", "2"), oneEach), nil, "capacity/PodsWouldWait"},
		"a dead node, beside a dead one":           {all(silent(unhealthy("n1", "2")), silent(unhealthy("n2", "2")), works("n3", "2"), oneEach), nil, ""},
		"a node that is not Ready, beside another": {all(notReady(unhealthy("n1", "2")), notReady(unhealthy("n2", "2")), works("n3", "2"), oneEach), nil, ""},
		"a dead node, a dead one under way, and one place": {
			all(cordoned(silent(unhealthy("n1", "2"))), silent(unhealthy("n2", "2")), works("n3", "2"), replicas("a", "2", "n1"), replicasThat("c", "2", urgent, "n2")),
			[]ledger.Entry{going("n1")},
			"",
		},
		"a dead node, a dead one under way": {all(cordoned(silent(unhealthy("n1", "2"))), silent(unhealthy("n2", "2")), works("n3", "2"), oneEach), []ledger.Entry{going("n1")}, ""},
		"the other's pods need a place, of which some have none at all": {
			all(cordoned(unhealthy("n1", "8")), unhealthy("n2", "1"), works("n3", "1"), replicas("a", "8", "n1"), replicas("c", "1", "n2")), []ledger.Entry{going("n1")}, "",
		},

		// A PodDisruptionBudget of two of three.
		"its budget is spent on the other": {
			all(cordoned(unhealthy("n1", "4")), unhealthy("n2", "4"), works("n3", "4"), replicas("web", "1", "n1", "n2", "n3"), atLeast("web", 2)),
			[]ledger.Entry{going("n1")},
			"disruption-budgets/DisruptionBudget",
		},
		"its budget bears one": {all(unhealthy("n1", "4"), unhealthy("n2", "4"), works("n3", "4"), replicas("web", "1", "n1", "n2", "n3"), atLeast("web", 2)), nil, ""},
		"its budget is spent on a dead node": {
			all(silent(unhealthy("n1", "4")), unhealthy("n2", "4"), works("n3", "4"), replicas("web", "1", "n1", "n2", "n3"), atLeast("web", 2)), nil,
			"disruption-budgets/DisruptionBudget",
		},
		"a dead node takes nothing from its budget": {
			all(unhealthy("n1", "4"), silent(unhealthy("n2", "4")), works("n3", "4"), replicas("web", "1", "n2", "n3"), atLeast("web", 2)), nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeAuto)
			b := newBench(t, &machines{}, append(tc.world, &p)...)
			for _, action := range []v1alpha1.Action{v1alpha1.ActionReboot, v1alpha1.ActionReplace} {
				if got := about(b.ruled(t, repairOf("n2", action), tc.ledger...)); got != tc.want {
					t.Errorf("%s: got %q, want %q", action, got, tc.want)
				}
			}
			if got := about(b.ruled(t, repairOf("n2", v1alpha1.ActionRestartService), tc.ledger...)); got != "" {
				t.Errorf("a restart of a service: got %q", got)
			}
		})
	}
}

// TestNoWorseThanWithout decides about n1 in clusters in which pods wait, are lost or are unknown whatever is done.
func TestNoWorseThanWithout(t *testing.T) {
	dead := func() *corev1.Node { return silent(sized(node("n1", "1a", down(time.Hour)), "4")) }
	unhealthy := func() *corev1.Node { return sized(node("n1", "1a", down(time.Hour)), "4") }
	other := sized(node("n2", "1b"), "4")
	foreign := scheduledBy("theirs")
	set := replicas("web", "3", "n1", "n2")
	for name, tc := range map[string]struct {
		world []runtime.Object
		want  string
		// approved is what is left to say once a person has approved.
		approved string
	}{
		"a dead node whose pod fits nowhere":       {all(dead(), other, set), "", ""},
		"a working node whose pod fits nowhere":    {all(unhealthy(), other, set), "capacity/PodsWouldWait", "capacity/PodsWouldWait"},
		"its pod does not run":                     {all(unhealthy(), other, replicasThat("web", "3", unready, "n1"), replicas("api", "3", "n2")), "", ""},
		"a dead node whose pod has been replaced":  {all(dead(), other, replicasThat("web", "3", ending, "n1"), replicas("api", "3", "n2"), pod("web-new", "", set[0].(*appsv1.ReplicaSet), "ReplicaSet", needing("3", pending))), "", ""},
		"a bare pod on a dead node":                {all(dead(), other, pod("bare", "n1", nil, "", needing("1"))), "", ""},
		"a bare pod on a working node":             {all(unhealthy(), other, pod("bare", "n1", nil, "", needing("1"))), "capacity/PodsWouldBeLost", "capacity/PodsWouldBeLost"},
		"a static pod on a dead node":              {all(dead(), other, pod("static", "n1", nil, "", needing("1", func(p *corev1.Pod) { p.Annotations[corev1.MirrorPodAnnotationKey] = "x" }))), "", ""},
		"something else waits anyway":              {all(unhealthy(), other, replicas("web", "1", "n1"), pod("huge", "", nil, "", needing("40", pending))), "", ""},
		"the last room goes to one that waits now": {all(unhealthy(), other, replicas("web", "3", "n1"), pod("waits", "", nil, "", needing("3", pending))), "capacity/PodsWouldWait", "capacity/PodsWouldWait"},
		"another scheduler's pod would move":       {all(unhealthy(), other, replicasThat("web", "1", foreign, "n1")), "capacity/Unknown", ""},
		"another scheduler's pod, and no room":     {all(unhealthy(), other, replicasThat("web", "3", foreign, "n1"), replicas("api", "3", "n2")), "capacity/Unknown", ""},
		"another scheduler's pod stays":            {all(unhealthy(), other, replicas("web", "1", "n1"), replicasThat("api", "1", foreign, "n2")), "", ""},
		"another scheduler's pod waits":            {all(unhealthy(), other, replicas("web", "1", "n1"), pod("theirs", "", nil, "", needing("1", pending, foreign))), "", ""},
		"another scheduler's pod is down":          {all(dead(), other, replicasThat("web", "1", foreign, "n1")), "", ""},
		"unknown is not all that is wrong": {
			all(unhealthy(), other, replicasThat("web", "1", foreign, "n1"), replicas("api", "5", "n1")), "capacity/PodsWouldWait", "capacity/PodsWouldWait",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeAuto)
			b := newBench(t, &machines{}, append(tc.world, &p)...)
			for _, action := range []v1alpha1.Action{v1alpha1.ActionReboot, v1alpha1.ActionReplace} {
				r := repairOf("n1", action)
				if got := about(b.ruled(t, r)); got != tc.want {
					t.Errorf("%s: got %q, want %q", action, got, tc.want)
				}
				r.Spec.Approval = v1alpha1.Approved
				if got := about(b.ruled(t, r)); got != tc.approved {
					t.Errorf("%s, approved: got %q, want %q", action, got, tc.approved)
				}
			}
		})
	}
}

// TestOutage decides about a node beside so many that are out that no future is played.
func TestOutage(t *testing.T) {
	for n, want := range map[int]string{maxNodesOut: "", maxNodesOut + 1: "disruption-budgets/Unknown"} {
		p := policy(v1alpha1.ModeAuto)
		objects := all(sized(node("n1", "1a", down(time.Hour)), "4"), sized(node("n2", "1b"), "4"), replicas("web", "1", "n1"), &p)
		for i := range n {
			objects = append(objects, silent(sized(node(fmt.Sprint("dead-", i), "1c"), "4")))
		}
		b := newBench(t, &machines{}, objects...)
		if got := about(b.ruled(t, repairOf("n1", v1alpha1.ActionReboot))); got != want {
			t.Errorf("%d nodes are out: got %q, want %q", n, got, want)
		}
	}
}
