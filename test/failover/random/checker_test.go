package random

import (
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// violation is a violated invariant: something that failover must never do.
type violation string

const (
	deletedReached  violation = "deleted a pod, or set it not ready, of a node that a witness has reached"
	deletedAlive    violation = "deleted a pod, or set it not ready, of a node that gives signs of life"
	unwitnessed     violation = "deleted a pod, or set it not ready, of a node that too few witnesses did not reach"
	correlated      violation = "deleted a pod, or set it not ready, of a node that fell silent together with another"
	returnedLately  violation = "deleted a pod, or set it not ready, of a node that fell silent together with another that has just come back"
	notMovable      violation = "deleted a pod that may not run twice"
	unasked         violation = "did what no policy asks for"
	unread          violation = "did what no policy asked for as it was read past the cache"
	leaderless      violation = "acted without the lead"
	unproven        violation = "declared a node out of service without proof"
	declaredRunning violation = "declared a node out of service whose machine ran"
	declaredReady   violation = "declared a node out of service that is ready"
	declaredAlive   violation = "declared a node silent whose Lease was renewed"
	overBudget      violation = "declared too many nodes silent"
	inOutage        violation = "declared a node silent in a zone that is out"
	twice           violation = "did a thing twice"
	withdrewEarly   violation = "took back what it had declared of a machine that is not back"
	changedOthers   violation = "changed what is others'"
	onSickNode      violation = "changed the seconds of a pod whose node is not healthy"
	badSeconds      violation = "set seconds that no policy may set"
	tooFast         violation = "changed pods too fast"
	notSettled      violation = "left something undone"
)

// The times within which what the controller knows may be old: the lead and the policies of a node's failover are read for that, and those of
// changes of pods come from caches.
const (
	freshWindow = 17 * time.Second
	staleWindow = 80 * time.Second
	// readLasts is how long before a change of a pod its node may have been read, while the API server is slow.
	readLasts = 20 * time.Second
	// lag is how much later than its receipt the watcher may act on what is received.
	lag = 300 * time.Millisecond
)

// checker checks the invariants of failover, by what is really so and by each write at the API server.
type checker struct {
	n          *run
	violations []string
	// leaders are who has held the lead since when.
	leaders []leader
	// deleted are the pods that were deleted on silence.
	deleted map[types.UID]bool
	// leaseRead are the Leases that each process was told last.
	leaseRead map[*process]map[string]*coordinationv1.Lease
	last      lastFailure
	// counts are what was done, so that runs in which nothing is are noticed.
	counts counts
}

type counts struct{ replaced, notReady, silent, outOfService, withdrawn, patched, confirmed, kept, released int }

func (c *counts) add(other counts) {
	c.notReady, c.kept, c.released = c.notReady+other.notReady, c.kept+other.kept, c.released+other.released
	c.replaced, c.silent, c.outOfService = c.replaced+other.replaced, c.silent+other.silent, c.outOfService+other.outOfService
	c.withdrawn, c.patched, c.confirmed = c.withdrawn+other.withdrawn, c.patched+other.patched, c.confirmed+other.confirmed
}

type leader struct {
	since time.Time
	name  string
}

func newChecker(n *run) *checker {
	return &checker{
		n: n, deleted: map[types.UID]bool{}, leaseRead: map[*process]map[string]*coordinationv1.Lease{},
	}
}

func (c *checker) report(what violation, format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf("%s: %s at %s", what, fmt.Sprintf(format, args...), time.Since(c.n.began).Round(time.Millisecond)))
}

// has says whether an invariant was violated.
func (c *checker) has(what violation) bool {
	return slices.ContainsFunc(c.violations, func(v string) bool { return strings.HasPrefix(v, string(what)+":") })
}

// observe notes who leads.
func (c *checker) observe() {
	lease, err := (&record.Records{Reader: c.n.api.Direct}).Lease(c.n.ctx)
	must(err)
	holder := record.Holder(lease, time.Now())
	if len(c.leaders) == 0 || c.leaders[len(c.leaders)-1].name != holder {
		c.leaders = append(c.leaders, leader{time.Now(), holder})
	}
}

// led says whether a process held the lead at some time within a window, longer by the time for which the process stood still.
func (c *checker) led(p *process, window time.Duration) bool {
	from := time.Now().Add(-window - p.stood)
	for i, one := range c.leaders {
		ended := i+1 < len(c.leaders) && c.leaders[i+1].since.Before(from)
		if one.name == p.name && !ended {
			return true
		}
	}
	return false
}

// leadWindow is how long before a step of a node's replacement the lead is read at most.
func (c *checker) leadWindow(p *process) time.Duration {
	if time.Since(c.n.slowUntil) < freshWindow || p.stood > 0 {
		return freshWindow
	}
	return 500 * time.Millisecond
}

// during says whether what people asked for was so at some time within a window.
func (c *checker) during(window time.Duration, is func(*asked) bool) bool {
	from := time.Now().Add(-window)
	for i := range c.n.history {
		if i+1 < len(c.n.history) && c.n.history[i+1].since.Before(from) {
			continue
		}
		if is(&c.n.history[i]) {
			return true
		}
	}
	return false
}

// decides is the policy that decides for a pod; nil if none does.
func (a *asked) decides(pod *corev1.Pod) *v1alpha1.FailoverPolicy {
	var best *v1alpha1.FailoverPolicy
	for i := range a.policies {
		p := &a.policies[i]
		if of, some := p.Spec.NamespaceSelector.MatchLabels[corev1.LabelMetadataName]; some && of != pod.Namespace {
			continue
		}
		acts := p.Spec.Mode == v1alpha1.ModeAuto && !p.Spec.Paused
		if best == nil || acts && (best.Spec.Mode != v1alpha1.ModeAuto || best.Spec.Paused) {
			best = p
		}
	}
	return best
}

func acts(p *v1alpha1.FailoverPolicy) bool {
	return p != nil && p.Spec.Mode == v1alpha1.ModeAuto && !p.Spec.Paused
}

func replaces(p *v1alpha1.FailoverPolicy) bool {
	return acts(p) && p.Spec.ReplaceOnSilence == v1alpha1.ReplaceReplicated
}

func unreadies(p *v1alpha1.FailoverPolicy) bool {
	return acts(p) && p.Spec.NotReadyOnSilence == v1alpha1.NotReadyUnreplaced
}

func asksOnSilence(p *v1alpha1.FailoverPolicy) bool { return replaces(p) || unreadies(p) }

func releases(p *v1alpha1.FailoverPolicy) bool {
	return acts(p) && p.Spec.OutOfService == v1alpha1.OutOfServiceWhenOff
}

// before is the object of a write as it is before; nil if it is not of a kind that failover writes.
func (c *checker) before(call memory.Call) client.Object {
	var o client.Object
	switch {
	case !call.Writes():
		return nil
	case call.Kind == "Node":
		o = &corev1.Node{}
	case call.Kind == "Pod":
		o = &corev1.Pod{}
	default:
		return nil
	}
	if err := c.n.api.Direct.Get(c.n.ctx, call.Key, o); err != nil {
		must(client.IgnoreNotFound(err))
		return nil
	}
	return o
}

// onWrite checks a write of a process that was done.
func (c *checker) onWrite(p *process, call memory.Call, before client.Object) {
	switch {
	case call.Kind == "Lease" && call.Key.Namespace == system:
		c.observe()
	case call.Kind == v1alpha1.FailoverPolicyKind && call.Verb == "patch/status":
	case call.Kind == "Node" && call.Verb == "patch":
		after := &corev1.Node{}
		err := c.n.api.Direct.Get(c.n.ctx, call.Key, after)
		if apierrors.IsNotFound(err) { // It was kept from being deleted until now.
			c.onReleased(p, before.(*corev1.Node))
			return
		}
		must(err)
		c.onNode(p, before.(*corev1.Node), after)
	case call.Kind == "Pod" && call.Verb == "patch":
		after := &corev1.Pod{}
		must(c.n.api.Direct.Get(c.n.ctx, call.Key, after))
		c.onPatch(p, before.(*corev1.Pod), after)
	case call.Kind == "Pod" && call.Verb == "patch/status":
		after := &corev1.Pod{}
		must(c.n.api.Direct.Get(c.n.ctx, call.Key, after))
		c.onNotReady(p, before.(*corev1.Pod), after)
	case call.Kind == "Pod" && call.Verb == "delete":
		c.onDelete(p, before.(*corev1.Pod))
	default:
		c.report(changedOthers, "%s", call)
	}
}

// onDelete checks the deletion of a pod on silence.
func (c *checker) onDelete(p *process, pod *corev1.Pod) {
	name := pod.Namespace + "/" + pod.Name + " on " + pod.Spec.NodeName
	if c.deleted[pod.UID] || pod.DeletionTimestamp != nil {
		c.report(twice, "%s is deleted", name)
	}
	c.deleted[pod.UID] = true
	c.counts.replaced++
	if !c.movable(pod) {
		c.report(notMovable, "%s", name)
	}
	c.onSilence(p, pod, replaces, name+", deleted")
}

// onNotReady checks that a pod is set not ready on silence.
func (c *checker) onNotReady(p *process, before, after *corev1.Pod) {
	name := after.Namespace + "/" + after.Name + " on " + after.Spec.NodeName
	if !kube.IsPodReady(before) {
		c.report(twice, "%s is set not ready", name)
	}
	same := after.DeepCopy()
	same.ResourceVersion = before.ResourceVersion
	for i := range same.Status.Conditions {
		same.Status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	setPodReady(same, corev1.ConditionTrue)
	if kube.IsPodReady(after) || !equality.Semantic.DeepEqual(same, before) {
		c.report(changedOthers, "%s: status %+v, before %+v", name, after.Status, before.Status)
	}
	c.counts.notReady++
	c.onSilence(p, before, unreadies, name+", set not ready")
}

// onSilence checks what is done about a pod on silence, which its policy must want.
func (c *checker) onSilence(p *process, pod *corev1.Pod, wants func(*v1alpha1.FailoverPolicy) bool, name string) {
	if !c.led(p, c.leadWindow(p)) {
		c.report(leaderless, "%s does it: %s", p.name, name)
	}
	if !p.wasTold(freshWindow, wants) {
		c.report(unread, "%s", name)
	}
	// The verdict was asked for before the pod was read. Since then, the name of its node may have become another's.
	read, there := p.readPod[client.ObjectKeyFromObject(pod)]
	if !there || read.world.Node(pod.Spec.NodeName) == nil {
		c.report(deletedAlive, "%s, which was not read, or whose node is not known", name)
		return
	}
	node, verdict := read.world.Node(pod.Spec.NodeName), read.at.Add(-lag)
	c.checkSilence(p, node.UID, verdict, name)
	quiet := verdict.Sub(p.of(node.UID).lastSign(verdict)) + 2*lag
	longEnough := func(p *v1alpha1.FailoverPolicy) bool {
		return quiet >= time.Duration(p.Spec.SilentAfterSeconds)*time.Second
	}
	switch {
	case !c.during(freshWindow, func(a *asked) bool {
		return slices.ContainsFunc(a.policies, func(one v1alpha1.FailoverPolicy) bool { return wants(&one) })
	}),
		!c.during(staleWindow, func(a *asked) bool { return wants(a.decides(pod)) }):
		c.report(unasked, "%s", name)
	case !c.during(staleWindow, func(a *asked) bool { p := a.decides(pod); return wants(p) && longEnough(p) }):
		c.report(deletedAlive, "%s, %s after the last sign of life", name, quiet)
	}
}

// checkSilence checks what a process knew of a node at a time at which it took it for silent.
func (c *checker) checkSilence(p *process, node types.UID, at time.Time, what string) {
	r := p.of(node)
	sign := r.lastSign(at)
	if quiet := at.Sub(sign); quiet < 3*time.Second-2*lag {
		c.report(deletedAlive, "%s, last sign of life %s before", what, quiet)
	}
	for _, one := range r.reached {
		if one.began.After(sign.Add(2500*time.Millisecond)) && one.answered.Before(at) {
			c.report(deletedReached, "%s, reached by %s %s before", what, one.witness, at.Sub(one.answered))
		}
	}
	witnesses, zones := map[types.UID]bool{}, map[string]bool{}
	for _, one := range r.unreached {
		if one.answered.Before(at.Add(lag)) && at.Sub(one.answered) < 8*time.Second {
			witnesses[one.witness] = true
			zones[c.n.zoneOf(one.witness)] = true
		}
	}
	if len(witnesses) < 2 || len(zones) < min(2, c.beatingZones(p, node, at)) {
		c.report(unwitnessed, "%s, not reached by %d in %d zones", what, len(witnesses), len(zones))
	}
	c.checkReturned(p, node, at, what)
	for uid, s := range p.streams {
		last := p.of(uid).lastSign(at.Add(lag))                                   // One that has just come rules it out.
		if there := p.seen.world.Node(s.Node); there == nil || there.UID != uid { // Its end is known.
			continue
		}
		if uid == node || s.Ended == heartbeat.Goodbye || last.IsZero() || last.Sub(sign).Abs() > 30*time.Second {
			continue
		}
		if s.Ended == heartbeat.Closed {
			if lastBy(p.of(uid).beats, at).Sub(lastBy(r.beats, at)).Abs() < 30*time.Second-lag && last.Before(sign.Add(3*time.Second)) {
				c.report(correlated, "%s, with %s, whose stream was closed", what, s.Node)
			}
			continue
		}
		if since := maxTime(maxTime(last, p.resumed), s.Opened); at.Sub(since) > 3*time.Second {
			c.report(correlated, "%s, with %s", what, s.Node)
		}
	}
}

// checkReturned checks that no other node that a process knows fell silent together with one and has come back for less than 30 s. It is not known what a process
// makes of that which has stood still, or whose policies have changed since: then it may have begun anew.
func (c *checker) checkReturned(p *process, node types.UID, at time.Time, what string) {
	beat, asked := lastBy(p.of(node).beats, at), c.n.history[len(c.n.history)-1].since
	for uid, s := range p.streams {
		if there := p.seen.world.Node(s.Node); uid == node || s.Ended != "" || there == nil || there.UID != uid {
			continue
		}
		for _, one := range p.of(uid).silences {
			lately := !one.to.After(at.Add(-2*lag)) && at.Sub(one.to) < 30*time.Second-2*lag
			if lately && one.from.Sub(beat).Abs() < 30*time.Second-lag && one.from.After(p.resumed) && one.from.After(asked) {
				c.report(returnedLately, "%s, with %s, back for %s", what, s.Node, at.Sub(one.to))
			}
		}
	}
}

func (n *run) zoneOf(node types.UID) string {
	for _, m := range n.machines {
		if m.uid == node {
			return m.zone
		}
	}
	return ""
}

// beatingZones is in how many zones other nodes than one have sent heartbeats at a time and all the while before.
func (c *checker) beatingZones(p *process, but types.UID, at time.Time) int {
	zones := map[string]bool{}
	for uid, s := range p.streams {
		steady := true
		for before := time.Duration(0); before <= 8*time.Second; before += time.Second {
			then := at.Add(-before)
			steady = steady && then.Sub(p.of(uid).lastSign(then)) < 2*time.Second
		}
		if uid != but && s.Ended == "" && steady {
			zones[s.machine.zone] = true
		}
	}
	return len(zones)
}

// movable says whether a pod may run twice for a while.
func (c *checker) movable(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOf(pod)
	if ref == nil || ref.Kind != "ReplicaSet" || kube.Tolerates(pod.Spec.Tolerations, &failoverpolicy.SilentTaint) || mountsClaim(pod) {
		return false
	}
	return c.during(staleWindow, func(a *asked) bool { return a.replicas[ref.UID] >= 2 })
}

// onPatch checks a change of a pod.
func (c *checker) onPatch(p *process, before, after *corev1.Pod) {
	name := after.Namespace + "/" + after.Name
	c.counts.patched++
	p.patches = append(p.patches, time.Now())
	for i := range p.patches {
		if n := len(p.patches) - i; float64(n) > 11+5*time.Since(p.patches[i]).Seconds() {
			c.report(tooFast, "%d in %s", n, time.Since(p.patches[i]))
			break
		}
	}
	if !c.led(p, staleWindow) {
		c.report(leaderless, "%s changes %s", p.name, name)
	}
	if read := p.readNode[before.Spec.NodeName]; read.node == nil || !failoverpolicy.Healthy(read.node) || read.at.Before(p.readPod[client.ObjectKeyFromObject(before)].at) ||
		time.Since(read.at) > readLasts+p.stood {
		c.report(onSickNode, "%s on %s", name, before.Spec.NodeName)
	}
	same := after.DeepCopy()
	same.ResourceVersion, same.Spec.Tolerations = before.ResourceVersion, before.Spec.Tolerations
	if !equality.Semantic.DeepEqual(same, before) || len(before.Spec.Tolerations) != len(after.Spec.Tolerations) {
		c.report(changedOthers, "%s: more than its seconds", name)
		return
	}
	for i := range before.Spec.Tolerations {
		c.checkSeconds(name, before, before.Spec.Tolerations[i], after.Spec.Tolerations[i])
	}
}

func (c *checker) checkSeconds(name string, pod *corev1.Pod, was, is corev1.Toleration) {
	if equality.Semantic.DeepEqual(was, is) {
		return
	}
	want := func(p *v1alpha1.FailoverPolicy) int32 {
		if was.Key == corev1.TaintNodeNotReady {
			return p.Spec.NotReadySeconds
		}
		return p.Spec.UnreachableSeconds
	}
	changed := is.DeepCopy()
	changed.TolerationSeconds = was.TolerationSeconds
	switch {
	case !equality.Semantic.DeepEqual(was, *changed) || was.Key != corev1.TaintNodeNotReady && was.Key != corev1.TaintNodeUnreachable:
		c.report(changedOthers, "%s: a toleration of %q", name, was.Key)
	case is.TolerationSeconds == nil || *is.TolerationSeconds < 30 || *is.TolerationSeconds > 300:
		c.report(badSeconds, "%s: %v", name, is.TolerationSeconds)
	case c.explicit(pod) || !c.during(staleWindow, func(a *asked) bool { p := a.decides(pod); return acts(p) && int64(want(p)) == *is.TolerationSeconds }):
		c.report(unasked, "%s: %s is %d", name, is.Key, *is.TolerationSeconds)
	}
}

// explicit says whether nobody may change the seconds of a pod: its template specifies them, or nothing would replace it.
func (c *checker) explicit(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOf(pod)
	if ref == nil || ref.Kind == "DaemonSet" {
		return true
	}
	for _, w := range c.n.owners {
		if w.owner.GetUID() == ref.UID {
			return len(w.template.Spec.Tolerations) > 0
		}
	}
	return true
}

// onNode checks a change of a Node.
func (c *checker) onNode(p *process, before, after *corev1.Node) {
	same := after.DeepCopy()
	same.ResourceVersion = before.ResourceVersion
	if kept := failoverpolicy.HasFinalizer(after); kept != failoverpolicy.HasFinalizer(before) {
		same.Finalizers = before.Finalizers
		if kept {
			c.onKept(p, before)
		} else {
			c.onReleased(p, before)
		}
	}
	for _, own := range []struct {
		annotation, taint string
		set, removed      func(*process, *corev1.Node, *corev1.Node)
	}{
		{failoverpolicy.SilentAnnotation, failoverpolicy.SilentTaint.Key, c.onSilent, c.onSpoke},
		{failoverpolicy.OutOfServiceAnnotation, corev1.TaintNodeOutOfService, c.onOff, c.onBack},
	} {
		was, noted := before.Annotations[own.annotation]
		is, notes := after.Annotations[own.annotation]
		tainted, taints := countTaint(before, own.taint), countTaint(after, own.taint)
		if was == is && noted == notes && tainted == taints {
			continue
		}
		switch {
		case notes && (noted || taints != 1):
			c.report(twice, "%s has the taint %s %d times, before %d", after.Name, own.taint, taints, tainted)
		case notes:
			own.set(p, before, after)
		case !noted || taints > 0:
			c.report(changedOthers, "%s: the taint %s", after.Name, own.taint)
		default:
			c.counts.withdrawn++
			own.removed(p, before, after)
		}
		restore(same, before, own.annotation, own.taint)
	}
	if !equality.Semantic.DeepEqual(same, before) {
		c.report(changedOthers, "%s: taints %v, before %v", after.Name, after.Spec.Taints, before.Spec.Taints)
	}
}

func countTaint(node *corev1.Node, key string) (n int) {
	for _, t := range node.Spec.Taints {
		if t.Key == key {
			n++
		}
	}
	return n
}

// restore gives a Node the annotation and the taint that another has.
func restore(node, from *corev1.Node, annotation, taint string) {
	delete(node.Annotations, annotation)
	if text, there := from.Annotations[annotation]; there {
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, annotation, text)
	}
	if countTaint(node, taint) != countTaint(from, taint) {
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == taint })
		for i, t := range from.Spec.Taints {
			if t.Key == taint {
				node.Spec.Taints = slices.Insert(node.Spec.Taints, min(i, len(node.Spec.Taints)), t)
			}
		}
	}
	if len(node.Annotations) == 0 {
		node.Annotations = from.Annotations
	}
}
