package repair

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// What must not be so when a repair begins, or its machine is acted on. Each is stated as docs/en/policy.md states it, and judged by
// the machines and objects that there are.
const (
	whilePaused     violation = "began while the policy was paused"
	unexplained     violation = "waits and does not say why"
	leaderless      violation = "began without the lease"
	oldEvidence     violation = "began on evidence that nobody has confirmed for long"
	unapproved      violation = "did what nobody had approved"
	atOnce          violation = "repaired a machine twice at once"
	onItsWay        violation = "began on a node that others remove, or that is to leave"
	serverUnhealthy violation = "repaired while the API server was unhealthy, or most kubelets did not respond"
	throughShift    violation = "repaired during a zonal shift"
	tooYoung        violation = "began on a node that was still starting"
	claimedTwice    violation = "repaired a machine that two nodes claim"
	secondControl   violation = "repaired a node of a control plane while another was out"
	noRoom          violation = "began where pods have no other place"
	lostData        violation = "began where pods would lose data"
	refusedAgain    violation = "began what was refused lately"
	tooSoon         violation = "began on a machine that was repaired just before"
	looped          violation = "replaced the fourth machine in a row"
	closed          violation = "began outside of the maintenance window"
	disrupted       violation = "disrupted what is not to be disrupted"
	repairedByOther violation = "repaired what something else repairs"
)

// conditionTimes has since when each condition, by its name, has been true.
type conditionTimes map[string]time.Time

// set records whether a condition is true.
func (s conditionTimes) set(now time.Time, name string, is bool) {
	_, was := s[name]
	switch {
	case !is:
		delete(s, name)
	case !was:
		s[name] = now
	}
}

// lasted reports whether a condition has been true for longer than detectionDelay.
func (s conditionTimes) lasted(now time.Time, name string) bool {
	since, is := s[name]
	return is && now.Sub(since) > detectionDelay
}

// deleteGone deletes the conditions whose names have a prefix and that are not in noted.
func (s conditionTimes) deleteGone(prefix string, noted map[string]bool) {
	for name := range s {
		if strings.HasPrefix(name, prefix) && !noted[name] {
			delete(s, name)
		}
	}
}

// observeConditions records the conditions of nodes, pods and machines.
func (w *checker) observeConditions(nodes []corev1.Node, pods []corev1.Pod, running []v1alpha1.Remediation) {
	now := w.c.now()
	note := func(name string, is bool) { w.since.set(now, name, is) }
	note("server", w.serverDown)
	note("rival", w.otherRepairer())
	machines, lost := map[string]int{}, 0
	known := map[string]bool{}
	for _, node := range nodes {
		machines[node.Spec.ProviderID]++
		m := w.c.machines[node.Name]
		if m == nil {
			continue
		}
		known[node.Name] = true
		silent := m.silentFor(now, silence)
		if silent {
			lost++
		}
		note("silent "+node.Name, silent)
		note("leaves "+node.Name, m.leaving != "" || m.replacementLost && node.Spec.Unschedulable)
		note("kept "+node.Name, node.Annotations[keepOut] == "true")
	}
	for _, node := range nodes {
		note("claimed "+node.Name, machines[node.Spec.ProviderID] > 1)
	}
	note("kubelets", lost*2 > len(known))
	note("shift", shiftIn(nodes))
	w.observePods(nodes, pods, running)
}

// shiftIn says whether all nodes of a zone that has several are cordoned, by others than naosu, and one elsewhere is not.
func shiftIn(nodes []corev1.Node) bool {
	total, cordoned, open := map[string]int{}, map[string]int{}, false
	for _, node := range nodes {
		zone := node.Labels[zoneLabel]
		total[zone]++
		if node.Spec.Unschedulable && node.Annotations["naosu.dev/cordoned-by"] == "" {
			cordoned[zone]++
		} else {
			open = true
		}
	}
	for zone, n := range total {
		if open && n > 1 && cordoned[zone] == n {
			return true
		}
	}
	return false
}

// observePods records of each node what its pods have there, and whether there is another place for them. What ends takes no room,
// and what waits needs none: either may be so by the time.
func (w *checker) observePods(nodes []corev1.Node, pods []corev1.Pod, running []v1alpha1.Remediation) {
	now := w.c.now()
	ready, there := map[string]int{}, map[string]int{}
	noted := map[string]bool{}
	for i := range pods {
		pod := &pods[i]
		if pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" {
			continue
		}
		there[pod.Spec.NodeName]++
		if isReady(pod) {
			ready[pod.Spec.NodeName]++
		}
		for name, is := range map[string]bool{"kept pod ": pod.Annotations[keepOut] == "true", "data ": len(pod.Spec.Volumes) > 0} {
			key := name + pod.Spec.NodeName + "/" + pod.Name
			w.since.set(now, key, is)
			noted[key] = true
		}
	}
	w.since.deleteGone("kept pod ", noted)
	w.since.deleteGone("data ", noted)
	for _, node := range nodes {
		free := 0
		for _, other := range nodes {
			m := w.c.machines[other.Name]
			takes := m != nil && !other.Spec.Unschedulable && len(other.Spec.Taints) == 0 && m.silentSince.IsZero() && !underRepair(running, other.Name)
			if takes && other.Name != node.Name {
				free += max(0, w.c.room-there[other.Name])
			}
		}
		w.since.set(now, "no room "+node.Name, ready[node.Name] > free)
	}
}

func underRepair(running []v1alpha1.Remediation, node string) bool {
	return slices.ContainsFunc(running, func(r v1alpha1.Remediation) bool {
		return r.Spec.Node.Name == node && meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded) == nil
	})
}

// checkBegins checks each repair that begins.
func (w *checker) checkBegins(ctx context.Context) {
	running := w.running(ctx)
	w.recordEnds(running)
	w.checkReplicas(running)
	for _, r := range running {
		if !w.began[r.UID].IsZero() {
			continue
		}
		w.began[r.UID] = w.c.now()
		var node corev1.Node
		if err := w.c.api.Direct.Get(ctx, client.ObjectKey{Name: r.Spec.Node.Name}, &node); client.IgnoreNotFound(err) != nil {
			panic(err)
		}
		w.checkBegin(r, &node, running)
		w.checkNode(r, running)
	}
}

// recordEnds records when repairs end, by machine.
func (w *checker) recordEnds(running []v1alpha1.Remediation) {
	for uid, machine := range w.runs {
		if !slices.ContainsFunc(running, func(r v1alpha1.Remediation) bool { return r.UID == uid }) {
			w.ended[machine] = w.c.now()
			delete(w.runs, uid)
		}
	}
	for _, r := range running {
		w.runs[r.UID] = r.Spec.Node.ProviderID
	}
}

// checkBegin looks for what must not be so when a repair begins, and may be later.
func (w *checker) checkBegin(r v1alpha1.Remediation, node *corev1.Node, running []v1alpha1.Remediation) {
	now, name := w.c.now(), r.Spec.Node.Name
	spec := &w.policy.Spec
	report := func(what violation, is bool) {
		if is {
			w.report(what, "%s of %s", r.Name, name)
		}
	}
	report(whilePaused, w.paused)
	report(leaderless, w.leaderless)
	report(unapproved, r.Spec.Approval != v1alpha1.Approved && spec.EarnAuto != nil && w.asForecast[r.Spec.Action()] < int(*spec.EarnAuto))
	report(onItsWay, w.since.lasted(now, "leaves "+name))
	report(atOnce, slices.ContainsFunc(running, func(o v1alpha1.Remediation) bool {
		return o.UID != r.UID && (o.Spec.Node.Name == name || o.Spec.Node.ProviderID == r.Spec.Node.ProviderID) &&
			meta.FindStatusCondition(o.Status.Conditions, v1alpha1.RemediationSucceeded) == nil
	}))
	report(tooYoung, now.Sub(node.CreationTimestamp.Time) < spec.NodeStartupGracePeriod.Duration)
	// A person who approves overrides that another scheduler's decisions are unknown.
	unknown := r.Spec.Approval == v1alpha1.Approved && slices.ContainsFunc(w.workloads, func(load workload) bool { return load.foreign })
	report(noRoom, w.since.lasted(now, "no room "+name) && !unknown)
	report(lostData, spec.Drain.LocalData == v1alpha1.LocalDataKeep && w.anyLasted("data "+name+"/"))
	report(disrupted, w.anyLasted("kept pod "+name+"/"))
	ended, before := w.ended[r.Spec.Node.ProviderID]
	report(tooSoon, before && now.Sub(ended) < spec.CoolDown.Duration)
	if opens, ok := w.opens(); ok {
		report(closed, now.Before(opens) || !now.Before(opens.Add(time.Duration(spec.MaintenanceWindow.OpenForMinutes)*time.Minute)))
	}
	m := w.c.machines[name]
	if m == nil {
		return
	}
	report(oldEvidence, m.agentStopped && m.silentSince.IsZero() && now.Sub(m.reportedAt) > evidenceAge+detectionDelay)
	refused, was := w.refused[m.id+"/"+string(r.Spec.Action())]
	report(refusedAgain, was && now.Sub(refused) < restOfRefused)
	report(looped, r.Spec.Action() == v1alpha1.ActionReplace && m.replaced > 2)
}

const (
	// evidenceAge is for how long a repair may rest on what an agent has said once.
	evidenceAge = 11 * time.Minute
	// restOfRefused is how long what was refused rests at least.
	restOfRefused = 10 * time.Minute
)

// opens is when the maintenance window opens; false if the policy has none.
func (w *checker) opens() (time.Time, bool) {
	window := w.policy.Spec.MaintenanceWindow
	if window == nil {
		return time.Time{}, false
	}
	at, err := time.Parse("15:04", window.Start)
	if err != nil {
		panic(err)
	}
	midnight := w.c.now().UTC().Truncate(24 * time.Hour)
	return midnight.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute), true
}

// checkNode looks for what must not be so when a repair begins nor when its machine is acted on.
func (w *checker) checkNode(r v1alpha1.Remediation, running []v1alpha1.Remediation) {
	now, name := w.c.now(), r.Spec.Node.Name
	for violation, state := range map[violation]string{
		claimedTwice: "claimed " + name, disrupted: "kept " + name, repairedByOther: "rival", serverUnhealthy: "server", throughShift: "shift",
	} {
		if w.since.lasted(now, state) {
			w.report(violation, "%s of %s", r.Name, name)
		}
	}
	if w.since.lasted(now, "kubelets") {
		w.report(serverUnhealthy, "%s of %s", r.Name, name)
	}
	m := w.c.machines[name]
	if m == nil || !m.controlPlane {
		return
	}
	for _, other := range w.c.sorted() {
		if other.controlPlane && other != m && (w.since.lasted(now, "silent "+other.node) || underRepair(running, other.node)) {
			w.report(secondControl, "%s beside %s", name, other.node)
		}
	}
}

// anyLasted reports whether a condition whose name has the prefix has lasted.
func (w *checker) anyLasted(prefix string) bool {
	for name := range w.since {
		if strings.HasPrefix(name, prefix) && w.since.lasted(w.c.now(), name) {
			return true
		}
	}
	return false
}

// maxSilentReconciles is for how many successful reconciliations in a row a Remediation may wait without giving a reason.
const maxSilentReconciles = 4

// onReconcile checks the cluster after a successful reconciliation. A controller that does not lead reports nothing.
func (w *checker) onReconcile(ctx context.Context) {
	if w.leaderless {
		return
	}
	var all v1alpha1.RemediationList
	if err := w.c.api.Direct.List(ctx, &all); err != nil {
		panic(err)
	}
	silent := map[types.UID]int{}
	for _, r := range all.Items {
		if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil && end.Reason == v1alpha1.RemediationAsForecastReason && !w.credited[r.UID] {
			w.credited[r.UID] = true
			w.asForecast[r.Spec.Action()]++
		}
		if (r.Status.Phase == "" || r.Status.Phase == v1alpha1.PhaseProposed || r.Status.Phase == v1alpha1.PhaseWaiting) && meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed) == nil {
			silent[r.UID] = w.silentFor[r.UID] + 1
		}
		if silent[r.UID] == maxSilentReconciles {
			w.report(unexplained, "%s of %s", r.Name, r.Spec.Node.Name)
		}
	}
	w.silentFor = silent
}
