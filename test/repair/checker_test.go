package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// violation is a violated invariant: something that repair must never do.
type violation string

const (
	overBudget         violation = "over budget"
	duringOutage       violation = "repaired through a zone's outage"
	despiteBrake       violation = "repaired what many have in common"
	overPDB            violation = "violated a PodDisruptionBudget"
	actedTwice         violation = "acted twice"
	notEnded           violation = "never ended"
	notInPolicy        violation = "did what no policy asks for"
	overRate           violation = "over a day's limit"
	ignoredUncordon    violation = "acted although a person uncordoned the node"
	escalatedEarly     violation = "took a harsher step before a milder one was tried"
	uncordonedReplaced violation = "uncordoned a node that is being replaced"
)

// checker checks the invariants of repair by the state of the cluster itself, not by what the controller reports.
type checker struct {
	c          *testCluster
	policy     *v1alpha1.NodeRepairPolicy
	violations []string
	// acted is how often each Remediation has acted, and last what was done to each node.
	acted map[types.UID]int
	last  map[string]performed
	// rebooted are nodes of which the cloud took a request to reboot.
	rebooted map[string]bool
	// tightSince is since when a budget could not do without the pods of a node, by both names.
	tightSince map[string]time.Time
	// forged are Remediations that never began.
	forged map[types.UID]bool
	// uncordoned are Remediations whose node a person has uncordoned before its machine was acted on.
	uncordoned map[types.UID]bool
	// policyEmpty is whether the policy asks for nothing now.
	policyEmpty bool
	// workloads are what runs, readyNodes where pods of each are ready, began when the Remediations were seen to begin.
	workloads  []workload
	readyNodes map[string]readyNodes
	began      map[types.UID]time.Time
	// since has, for each condition under which no repair may begin, since when it has been true.
	since conditionTimes
	// paused, serverDown, leaderless and otherRepairer are whether the policy is paused, the API server says that it is not ready, the
	// controller has lost its lease, and something else repairs nodes.
	paused, serverDown, leaderless bool
	otherRepairer                  func() bool
	// runs are the machines of the Remediations that run, ended when the last of each machine has ended, by the cloud's names.
	runs  map[types.UID]string
	ended map[string]time.Time
	// refused is when an action was last refused for a machine, by both.
	refused map[string]time.Time
	// asForecast is how many turned out as forecast, and credited which.
	asForecast map[v1alpha1.Action]int
	credited   map[types.UID]bool
	// silentFor is for how many looks at everything a Remediation has waited without a word.
	silentFor map[types.UID]int
	// repairs counts, so that runs without a repair are noticed.
	repairs int
}

// performed is what was done to a node, and by which Remediation.
type performed struct {
	action v1alpha1.Action
	at     time.Time
	by     string
}

func newChecker(c *testCluster, policy *v1alpha1.NodeRepairPolicy, workloads []workload) *checker {
	return &checker{
		c: c, policy: policy, acted: map[types.UID]int{}, forged: map[types.UID]bool{}, uncordoned: map[types.UID]bool{}, last: map[string]performed{},
		rebooted: map[string]bool{}, tightSince: map[string]time.Time{},
		workloads: workloads, readyNodes: map[string]readyNodes{}, began: map[types.UID]time.Time{},
		since: conditionTimes{}, otherRepairer: func() bool { return false }, runs: map[types.UID]string{}, ended: map[string]time.Time{}, refused: map[string]time.Time{},
		asForecast: map[v1alpha1.Action]int{}, credited: map[types.UID]bool{},
	}
}

func (w *checker) report(what violation, format string, args ...any) {
	w.violations = append(w.violations, string(what)+": "+fmt.Sprintf(format, args...)+" at "+w.c.now().Format(time.TimeOnly))
}

// has reports whether an invariant was violated.
func (w *checker) has(what violation) bool {
	return slices.ContainsFunc(w.violations, func(c string) bool { return strings.HasPrefix(c, string(what)+":") })
}

// onAct checks a request to act on a machine that has come to the cloud; took is whether the cloud accepted it, which it may not answer.
func (w *checker) onAct(ctx context.Context, action v1alpha1.Action, m *machine, took bool) {
	w.repairs++
	running := w.running(ctx)
	at := slices.IndexFunc(running, func(r v1alpha1.Remediation) bool { return r.Spec.Node.Name == m.node })
	if at < 0 {
		w.report(actedTwice, "%s of %s, which no Remediation is at work on", action, m.node)
		return
	}
	name := running[at].Name
	uid := running[at].UID
	if w.acted[uid]++; w.acted[uid] > 1 && action == v1alpha1.ActionReboot {
		w.report(actedTwice, "%s for %s, time %d", action, name, w.acted[uid])
	}
	if w.uncordoned[uid] {
		w.report(ignoredUncordon, "%s of %s", action, m.node)
	}
	if w.policyEmpty {
		w.report(notInPolicy, "%s of %s", action, m.node)
	}
	if most := int(*w.policy.Spec.Budgets.MaxPerDay); len(w.acted) > most { // A run has one group, and is shorter than a day.
		w.report(overRate, "%d Remediations have acted, of %d", len(w.acted), most)
	}
	// A repeated request to replace a machine, after one without an answer, is about the same machine and does nothing twice.
	again := w.last[m.node].by == name && action == v1alpha1.ActionReplace
	if last, ok := w.last[m.node]; ok && !again && last.action == action && w.c.now().Sub(last.at) < w.policy.Spec.RememberFailure.Duration && !m.healthyAt.After(last.at) {
		w.report(actedTwice, "%s of %s, which has not helped at %s", action, m.node, last.at.Format(time.TimeOnly))
	}
	delete(w.refused, m.id+"/"+string(action))
	w.checkNode(running[at], slices.Delete(slices.Clone(running), at, at+1))
	if action == v1alpha1.ActionReplace && w.policy.Spec.Rules[0].Action == v1alpha1.ActionReboot && !w.rebooted[m.node] {
		w.report(escalatedEarly, "%s of %s, which nobody has rebooted", action, m.node)
	}
	w.last[m.node] = performed{action, w.c.now(), name}
	w.rebooted[m.node] = w.rebooted[m.node] || took && action == v1alpha1.ActionReboot
	if since, many := w.pattern(m.zone); many && w.c.now().Sub(since) > detectionDelay {
		w.report(despiteBrake, "%s of %s, in %s, where most are unhealthy since %s", action, m.node, m.zone, since.Format(time.TimeOnly))
	}
	if since, out := w.outage(m.zone); out && w.c.now().Sub(since) > silence+detectionDelay {
		w.report(duringOutage, "%s of %s, in %s, which is out since %s", action, m.node, m.zone, since.Format(time.TimeOnly))
	}
	if m.up {
		w.checkPods(ctx, m, running[at])
	}
}

// onRefusal records a request that the cloud has refused.
func (w *checker) onRefusal(action v1alpha1.Action, m *machine) {
	w.refused[m.id+"/"+string(action)] = w.c.now()
}

// detectionDelay is how much later than Kubernetes the controller may notice an outage: the age that the guard lets
// facts have, and two steps.
const detectionDelay = time.Minute + 2*tick

// outage is since when most of a zone is silent: all of it, or more than two and 55 in a hundred.
func (w *checker) outage(zone string) (since time.Time, out bool) {
	var lost []time.Time
	total := 0
	for _, m := range w.c.machines {
		if m.zone == zone {
			total++
			if !m.silentSince.IsZero() {
				lost = append(lost, m.silentSince)
			}
		}
	}
	if len(lost) == 0 || len(lost) < total && (len(lost) <= 2 || len(lost)*100 < total*55) || total == 1 {
		return time.Time{}, false
	}
	return slices.MaxFunc(lost, time.Time.Compare), true
}

// pattern is since when so many machines of a zone are unhealthy that the policy's brake is to hold.
func (w *checker) pattern(zone string) (since time.Time, many bool) {
	n, total := 0, 0
	for _, m := range w.c.machines {
		if m.zone != zone {
			continue
		}
		total++
		if m.unhealthy && m.up && !m.unhealthySince.IsZero() {
			n++
			if m.unhealthySince.After(since) {
				since = m.unhealthySince
			}
		}
	}
	return since, n >= int(w.policy.Spec.Brake.Nodes) && n*100 >= total*int(w.policy.Spec.Brake.Percent)
}

// checkPods looks for budgets that cannot do without the pods of a machine, which are cut off now. A drain that gives up
// must leave none; one that proceeds may, but not where this was to be seen before it began.
func (w *checker) checkPods(ctx context.Context, m *machine, r v1alpha1.Remediation) {
	began := r.Status.Steps[slices.IndexFunc(r.Status.Steps, func(s v1alpha1.Step) bool { return s.Name == v1alpha1.StepCordon })].StartedAt.Time
	for budget := range w.needs(w.budgets(ctx), w.pods(ctx), m) {
		since, known := w.tightSince[budget+" "+m.node]
		if w.policy.Spec.Drain.Fallback == v1alpha1.DrainGiveUp || known && began.Sub(since) > detectionDelay {
			w.report(overPDB, "%s cannot do without the pods on %s, since %s", budget, m.node, since.Format(time.TimeOnly))
		}
	}
}

// needs are the budgets that cannot do without the ready pods of a machine.
func (w *checker) needs(budgets []policyv1.PodDisruptionBudget, pods []corev1.Pod, m *machine) map[string]bool {
	needed := map[string]bool{}
	for _, b := range budgets {
		here, elsewhere := 0, 0
		for i := range pods {
			switch {
			case pods[i].Labels["app"] != b.Name || !isReady(&pods[i]):
			case pods[i].Spec.NodeName == m.node:
				here++
			default:
				elsewhere++
			}
		}
		if here > 0 && elsewhere < b.Spec.MinAvailable.IntValue() {
			needed[b.Name] = true
		}
	}
	return needed
}

// observe records where pods are, and since when budgets allow no disruption. A drain evicts one pod after the other, so that those with room
// for one are not.
func (w *checker) observe(ctx context.Context) {
	nodes, pods, budgets := w.c.nodes(ctx), w.pods(ctx), w.budgets(ctx)
	w.observeReplicas(pods)
	w.observeConditions(nodes, pods, w.running(ctx))
	for _, m := range w.c.sorted() {
		if m.replacementLost && !slices.ContainsFunc(nodes, func(n corev1.Node) bool { return n.Name == m.node && n.Spec.Unschedulable }) {
			w.report(uncordonedReplaced, "%s", m.node)
		}
		needed := w.needs(budgets, pods, m)
		for _, b := range budgets {
			key := b.Name + " " + m.node
			switch _, known := w.tightSince[key]; {
			case !needed[b.Name] || b.Status.DisruptionsAllowed > 0:
				delete(w.tightSince, key)
			case !known:
				w.tightSince[key] = w.c.now()
			}
		}
	}
}

func (w *checker) pods(ctx context.Context) []corev1.Pod {
	pods, err := w.c.pods(ctx)
	if err != nil {
		panic(err)
	}
	return pods
}

func (w *checker) budgets(ctx context.Context) []policyv1.PodDisruptionBudget {
	var all policyv1.PodDisruptionBudgetList
	if err := w.c.api.Direct.List(ctx, &all); err != nil {
		panic(err)
	}
	return all.Items
}

func (w *checker) running(ctx context.Context) []v1alpha1.Remediation {
	var all v1alpha1.RemediationList
	if err := w.c.api.Direct.List(ctx, &all); err != nil {
		panic(err)
	}
	return slices.DeleteFunc(all.Items, func(r v1alpha1.Remediation) bool {
		return r.Status.Phase != v1alpha1.PhaseRunning || w.forged[r.UID]
	})
}

// onCall checks the cluster after a call of the controller.
func (w *checker) onCall(ctx context.Context, call memory.Call) {
	if call.Kind == "Remediation" && call.Writes() {
		w.checkBudgets(ctx)
		w.checkBegins(ctx)
	}
}

// checkBudgets counts the nodes that are being repaired. One whose repair is concluded and that takes pods again is not: all
// that is left is to write that down.
func (w *checker) checkBudgets(ctx context.Context) {
	zones, total := map[string]int{}, 0
	running := w.running(ctx)
	for _, m := range w.c.sorted() {
		if m.replacementLost && !slices.ContainsFunc(running, func(r v1alpha1.Remediation) bool { return r.Spec.Node.Name == m.node }) {
			zones[m.zone]++
			total++
		}
	}
	for _, r := range running {
		if meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded) != nil && !w.cordoned(ctx, r.Spec.Node.Name) {
			continue
		}
		if m := w.c.machines[r.Spec.Node.Name]; m != nil {
			zones[m.zone]++
		}
		total++
	}
	budgets := w.policy.Spec.Budgets
	if total > budgets.Cluster.IntValue() {
		w.report(overBudget, "%d nodes at once, of %d", total, budgets.Cluster.IntValue())
	}
	for zone, n := range zones {
		if n > budgets.Zone.IntValue() {
			w.report(overBudget, "%d nodes at once in %s, of %d", n, zone, budgets.Zone.IntValue())
		}
	}
}

// cordoned says whether a node is there and takes no pods.
func (w *checker) cordoned(ctx context.Context, name string) bool {
	var node corev1.Node
	if err := w.c.api.Direct.Get(ctx, client.ObjectKey{Name: name}, &node); client.IgnoreNotFound(err) != nil {
		panic(err)
	}
	return node.Spec.Unschedulable
}

// maxRepairTime is more than a repair takes by the policy of a run.
const maxRepairTime = 15 * time.Minute

// checkEnd checks that nothing is left to do at the end of a run.
func (w *checker) checkEnd(ctx context.Context) {
	young := map[string]bool{}
	for _, r := range w.running(ctx) {
		if w.c.now().Sub(w.began[r.UID]) < maxRepairTime {
			young[r.Spec.Node.Name] = true
			continue
		}
		w.report(notEnded, "%s still runs: %+v", r.Name, r.Status.Steps)
	}
	var all v1alpha1.RemediationList
	if err := w.c.api.Direct.List(ctx, &all); err != nil {
		panic(err)
	}
	for _, r := range all.Items {
		if r.DeletionTimestamp != nil || w.forged[r.UID] && r.Status.Phase != v1alpha1.PhaseEnded {
			w.report(notEnded, "%s is still there: phase %s, finalizers %v", r.Name, r.Status.Phase, r.Finalizers)
		}
	}
	var nodes corev1.NodeList
	if err := w.c.api.Direct.List(ctx, &nodes, &client.ListOptions{}); err != nil {
		panic(err)
	}
	for _, node := range nodes.Items {
		if node.Spec.Unschedulable && !young[node.Name] && !w.isReplacing(ctx, &node) {
			w.report(notEnded, "%s is still cordoned: %v", node.Name, node.Annotations)
		}
	}
}

// isReplacing says whether a provider was called to replace the machine of a node, or may have been: that is in the ledger before.
func (w *checker) isReplacing(ctx context.Context, node *corev1.Node) bool {
	ledger, err := (&record.Records{Reader: w.c.api.Direct}).ReadLedger(ctx)
	if err != nil {
		panic(err)
	}
	return ledger.IsReplacing(node.UID)
}
