package noderepair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// group is a cloud's that makes a new machine in the place of one that it is told to end, at once and with a name of its own.
type group struct {
	machines
	*bench
	t *testing.T
	// fall is how long a new machine is well; zero is always.
	fall time.Duration
	// image is what it makes machines of.
	image string
	// replaced is when; rebooted are the machines that were told to reboot, which does nothing to them.
	replaced []time.Time
	rebooted []string
}

func (g *group) Reboot(_ context.Context, m cloud.Machine) (cloud.Operation, error) {
	g.rebooted = append(g.rebooted, m.Node)
	return cloud.Operation{}, nil
}

func (g *group) Replace(ctx context.Context, m cloud.Machine) (cloud.Operation, error) {
	g.t.Helper()
	g.replaced = append(g.replaced, g.clock.Now())
	must(g.t, g.Client.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.Node}}))
	g.add(node(fmt.Sprint("new-", len(g.replaced)), "1a", link(corev1.ConditionTrue, g.clock.Now())), g.clock.Now())
	return cloud.Operation{}, nil
}

func (g *group) add(n *corev1.Node, at time.Time) {
	g.t.Helper()
	n.CreationTimestamp = metav1.NewTime(at)
	n.Labels["eks.amazonaws.com/nodegroup-image"] = g.image
	must(g.t, g.Client.Create(g.t.Context(), n))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func link(status corev1.ConditionStatus, since time.Time) corev1.NodeCondition {
	return corev1.NodeCondition{Type: "NetworkingReady", Status: status, LastTransitionTime: metav1.NewTime(since.Truncate(time.Second))}
}

// newGroup is ten nodes of a group that were made long ago, of which the first is unhealthy, under a policy that replaces.
func newGroup(t *testing.T, change func(*v1alpha1.NodeRepairPolicySpec)) *group {
	t.Helper()
	p := policy(v1alpha1.ModeAuto)
	p.Spec.Rules[0].Action = v1alpha1.ActionReplace
	if change != nil {
		change(&p.Spec)
	}
	g := &group{machines: machines{may: v1alpha1.MayYes}, t: t, image: "ami-1"}
	g.bench = newBench(t, g, &p)
	g.Records.Events = nil
	for i := range 10 {
		g.add(node(fmt.Sprint("old-", i), "1a", link(corev1.ConditionTrue, now.Add(-90*24*time.Hour))), now.Add(-90*24*time.Hour))
	}
	g.unhealthy(t, "old-0")
	g.World = g.world
	return g
}

// nodes are those that there are.
func (g *group) nodes() []corev1.Node {
	g.t.Helper()
	var all corev1.NodeList
	must(g.t, g.Client.List(g.t.Context(), &all))
	return all.Items
}

// world is the cluster now, in which all agents have just confirmed what they say.
func (g *group) world() *cluster.Snapshot {
	var objects []runtime.Object
	for _, n := range g.nodes() {
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(g.clock.Now())
		}
		objects = append(objects, &n, lease(n.Name, now.Sub(g.clock.Now())))
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: g.clock.Now()})
}

func (g *group) unhealthy(t *testing.T, name string) {
	t.Helper()
	for _, n := range g.nodes() {
		if n.Name == name {
			n.Status.Conditions[1] = link(corev1.ConditionFalse, g.clock.Now())
			must(t, g.Client.Status().Update(t.Context(), &n))
		}
	}
}

// play lets some hours pass, of which each is called at the beginning of each: in small steps while something is done, and
// else hour by hour.
func (g *group) play(t *testing.T, hours int, each func(hour int)) {
	t.Helper()
	began, hour, tick := g.clock.Now(), -1, 5*time.Minute
	for g.clock.Since(began) < time.Duration(hours)*time.Hour {
		g.clock.SetTime(g.clock.Now().Add(tick))
		for _, n := range g.nodes() {
			if well := n.Status.Conditions[1].Status == corev1.ConditionTrue; g.fall > 0 && well && strings.HasPrefix(n.Name, "new") && g.clock.Since(n.CreationTimestamp.Time) >= g.fall {
				g.unhealthy(t, n.Name)
			}
		}
		for ; each != nil && hour < int(g.clock.Since(began)/time.Hour); hour++ {
			each(hour + 1)
		}
		if _, err := g.ReconcileAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.stamp(t)
		g.restart(t)
		tick = time.Hour
		if slices.ContainsFunc(g.remediations(t), func(r v1alpha1.Remediation) bool { return r.Status.Phase == v1alpha1.PhaseRunning }) {
			tick = 5 * time.Minute
		}
	}
}

// stamp is the API server's part: Remediations have the time at which they were made, by which the latest is told.
func (g *group) stamp(t *testing.T) {
	t.Helper()
	for _, r := range g.remediations(t) {
		if r.CreationTimestamp.IsZero() {
			r.CreationTimestamp = metav1.NewTime(g.clock.Now())
			must(t, g.Client.Update(t.Context(), &r))
		}
	}
}

// restart is the agents' part: a service that is to be restarted does not start again.
func (g *group) restart(t *testing.T) {
	t.Helper()
	for _, r := range g.remediations(t) {
		if steps := r.Status.Steps; r.Spec.Action() == v1alpha1.ActionRestartService && r.Status.Agent == nil && len(steps) > 0 && steps[len(steps)-1].Name == v1alpha1.StepAct {
			r.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentFailed, At: metav1.NewMicroTime(g.clock.Now())}
			must(t, g.Client.Status().Update(t.Context(), &r))
		}
	}
}

// held are the findings of repairs that are held back now.
func (g *group) held(t *testing.T) []finding.Finding {
	t.Helper()
	own, err := g.objects(t.Context())
	must(t, err)
	return repaircheck.Held(repaircheck.Facts{Policies: own.policies, Remediations: own.remediations})
}

func many(s *v1alpha1.NodeRepairPolicySpec) { s.Budgets.MaxPerDay = new(int32(5000)) }

// TestReplaceLoop has a group whose image makes machines that are unhealthy, at once or after a while. However often one is
// replaced, the next is no better, and that must come to an end for good.
func TestReplaceLoop(t *testing.T) {
	for name, tc := range map[string]struct {
		fall   time.Duration
		days   int
		policy func(*v1alpha1.NodeRepairPolicySpec)
	}{
		"unhealthy from the beginning": {time.Minute, 2, many},
		"well for an hour":             {time.Hour, 2, many},
		"well for half a day":          {12 * time.Hour, 4, many},
		"as the policy is by default":  {time.Minute, 2, nil},
		"after a restart in vain": {time.Hour, 2, func(s *v1alpha1.NodeRepairPolicySpec) {
			many(s)
			s.Rules[0].Action = v1alpha1.ActionRestartService
			s.Rules[0].Service = "containerd.service"
			s.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionRestartService}, {Action: v1alpha1.ActionReplace}}
		}},
		"one a day": {time.Minute, 5, func(s *v1alpha1.NodeRepairPolicySpec) { s.Budgets.MaxPerDay = new(int32(1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGroup(t, tc.policy)
			g.fall = tc.fall
			g.play(t, tc.days*24, nil)
			if n := len(g.replaced); n != 3 {
				t.Errorf("%d machines were replaced, want 3", n)
			}
			found := g.held(t)
			if len(found) != 1 || found[0].Code != finding.N304 || !strings.Contains(message.English().Say(found[0].Message), "replaced in a row") || !strings.Contains(message.English().Say(found[0].Message), "group/workers") {
				t.Errorf("held: %+v", found)
			}
			g.image = "ami-2" // Somebody mends the image, and ends what is unhealthy.
			for _, n := range g.nodes() {
				if n.Status.Conditions[1].Status == corev1.ConditionFalse {
					_, _ = g.Replace(t.Context(), cloud.Machine{Node: n.Name})
				}
			}
			g.fall = 0
			g.unhealthy(t, "old-5")
			before := len(g.replaced)
			g.play(t, 3, nil)
			if len(g.replaced) != before+1 {
				t.Errorf("%d machines were replaced of one that was there before", len(g.replaced)-before)
			}
		})
	}
}

// TestUnderAnotherName has a node registered anew after a reboot that did not help: under another name as the same machine,
// or under its own as another one.
func TestUnderAnotherName(t *testing.T) {
	for name, tc := range map[string]struct {
		name, providerID string
		want             int
	}{
		"the same machine under another name":  {"renamed", "aws:///1a/i-old-0", 1},
		"the same machine under its own name":  {"old-0", "aws:///1a/i-old-0", 1},
		"another machine under its name":       {"old-0", "aws:///1a/i-another", 2},
		"another machine under a name its own": {"another", "aws:///1a/i-another", 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGroup(t, func(s *v1alpha1.NodeRepairPolicySpec) { s.Rules[0].Action = v1alpha1.ActionReboot })
			g.play(t, 3, nil)
			if diff := cmp.Diff([]string{"old-0"}, g.rebooted); diff != "" {
				t.Fatalf("rebooted (-want +got):\n%s", diff)
			}
			must(t, g.Client.Delete(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "old-0"}}))
			again := node(tc.name, "1a", link(corev1.ConditionFalse, g.clock.Now()))
			again.UID, again.Spec.ProviderID = "registered-anew", tc.providerID
			g.add(again, g.clock.Now())
			g.play(t, 3, nil)
			if len(g.rebooted) != tc.want {
				t.Errorf("rebooted: %v, want %d", g.rebooted, tc.want)
			}
		})
	}
}

// TestReplacedForItself has one old machine fail each two hours, each for itself.
func TestReplacedForItself(t *testing.T) {
	g := newGroup(t, many)
	g.play(t, 20, func(hour int) {
		if hour > 0 && hour%2 == 0 {
			g.unhealthy(t, fmt.Sprint("old-", hour/2))
		}
	})
	if n := len(g.replaced); n != 10 {
		t.Errorf("%d machines were replaced, want all 10 that failed", n)
	}
}

// TestDailyLimit has five machines of ten fail one after the other, for themselves.
func TestDailyLimit(t *testing.T) {
	g := newGroup(t, nil)
	g.play(t, 20, func(hour int) {
		if hour == 1 || hour == 3 || hour == 5 || hour == 7 {
			g.unhealthy(t, fmt.Sprint("old-", hour))
		}
	})
	if n := len(g.replaced); n != 3 {
		t.Errorf("%d machines were replaced on a day, want 3", n)
	}
	found := g.held(t)
	if len(found) != 2 || found[0].Code != finding.N304 || !strings.Contains(message.English().Say(found[0].Message), "within 24 hours; the limit is 3") {
		t.Errorf("held: %+v", found)
	}
	g.play(t, 24, nil)
	if n := len(g.replaced); n != 5 {
		t.Errorf("%d machines were replaced a day later, want all 5", n)
	}
	for i := range g.replaced[:2] {
		if d := g.replaced[i+3].Sub(g.replaced[i]); d < 24*time.Hour || d > 26*time.Hour {
			t.Errorf("replacements %d and %d are %s apart", i, i+3, d)
		}
	}
}
