package headroompolicy

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Assessment is what a policy wants, what it has, and what that covers.
type Assessment struct {
	// Covered says whether the bound room survives every failure, Reason and Why say why it does not, or that it does.
	Covered metav1.ConditionStatus
	Reason  string
	Why     message.Sentence
	// Failures are those of the policy.
	Failures []v1alpha1.HeadroomFailureStatus
	// NeededNodes is how many more nodes the room needs. Unread are the kinds without which a failure is not known, Missing the workloads that the policy names and
	// that do not exist.
	NeededNodes     int32
	Unread, Missing []string
	// Wanted is the smallest room that is known; nil if it is not known. Bound counts placeholder pods on ready nodes, and Pending those without a node.
	Wanted, Bound, Pending *v1alpha1.HeadroomHeld
	// Excess is whether the placeholder pods cost more than the policy allows beyond the smallest room, OverMaximum whether they exceed maxRoom.
	Excess, OverMaximum bool
	// Plan is the room to hold, within maxRoom; Known is whether there is one.
	Plan  Plan
	Known bool
}

// Plan is the room that a policy is to hold.
type Plan struct{ plan }

// Read are the kinds without which nothing is assessed.
var Read = []cluster.Kind{cluster.Node, cluster.Pod, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet, cluster.DaemonSet, cluster.PriorityClass}

// Assess computes what a policy wants and whether its bound placeholder pods survive its failures. It changes nothing. An error is of the context or of
// the scheduler's configuration.
func Assess(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, prices headroom.Prices) (Assessment, error) {
	a := assessment{world: world, policy: policy, prices: prices, steps: stepsOf(world, policy)}
	for _, kind := range Read {
		if world.Knowledge(kind) != cluster.Complete {
			a.Unread = append(a.Unread, string(kind))
		}
	}
	if len(a.Unread) > 0 {
		a.unknown = message.ListOf([]string{policy.Name})
		return a.conclude(), nil
	}
	a.count()
	a.coverSteps()
	if err := a.coverFailures(ctx); err != nil {
		return Assessment{}, err
	}
	return a.conclude(), nil
}

// assessment is one Assess.
type assessment struct {
	Assessment
	world  *cluster.Snapshot
	policy *v1alpha1.HeadroomPolicy
	prices headroom.Prices
	steps  []stepRoom
	// relocating and stepping are the bound placeholder pods for failures that displace pods, and for steps by step and node.
	relocating     []headroom.Placeholder
	stepping       []map[string]bool
	bound, pending amount
	// lacks and unknown are failures that are not covered, or not known to be, in words.
	lacks, unknown message.List
	wanted         plan
}

// count counts the policy's placeholder pods.
func (a *assessment) count() {
	a.stepping = make([]map[string]bool, len(a.steps))
	for i := range a.steps {
		a.stepping[i] = map[string]bool{}
	}
	for _, pod := range placeholders(a.world, a.policy) {
		requests := requestsOf(pod)
		if pod.Spec.NodeName == "" {
			a.pending.add(requests, 1)
			continue
		}
		if !takesPods(a.world.Node(pod.Spec.NodeName)) {
			continue
		}
		a.bound.add(requests, 1)
		if i := slices.IndexFunc(a.steps, func(s stepRoom) bool { return s.holder(a.policy) == pod.Labels[holderLabel] }); i >= 0 {
			a.stepping[i][pod.Spec.NodeName] = true
		} else {
			a.relocating = append(a.relocating, headroom.Placeholder{Node: pod.Spec.NodeName, Requests: requests})
		}
	}
}

// coverSteps says of each step whether a placeholder pod is on each node of its DaemonSet.
func (a *assessment) coverSteps() {
	for i, s := range a.steps {
		name := sentence.HeadroomPolicyGrowth(change.NamespacedRef(s.daemonSet), sizeText(s.growth))
		if a.world.DaemonSet(s.daemonSet.Namespace, s.daemonSet.Name) == nil {
			a.Missing = append(a.Missing, change.NamespacedRef(s.daemonSet).String())
			a.note(headroomFailure{name: name, covered: metav1.ConditionUnknown})
			continue
		}
		a.wanted.steps = append(a.wanted.steps, s)
		f := headroomFailure{name: name, covered: metav1.ConditionTrue}
		for _, node := range s.nodes {
			if !a.stepping[i][node] {
				f.covered = metav1.ConditionFalse
				f.nodes = append(f.nodes, node)
				f.lacking.add(s.requests, 1)
			}
		}
		a.note(f)
	}
}

// coverFailures sizes the room of the other failures, and says which of them the bound placeholder pods survive.
func (a *assessment) coverFailures(ctx context.Context) error {
	asked := a.asked()
	a.Known = true
	if len(asked.Kinds) > 0 {
		judge, err := scheduling.New(ctx, withoutRoom(a.world, a.policy, a.steps), scheduling.Options{})
		if err != nil {
			return fmt.Errorf("sizing the room of the HeadroomPolicy %s: %w", a.policy.Name, err)
		}
		report, err := headroom.Compute(ctx, judge, asked)
		if err != nil {
			return fmt.Errorf("sizing the room of the HeadroomPolicy %s: %w", a.policy.Name, err)
		}
		coverage, err := headroom.Cover(ctx, judge, asked, a.relocating)
		if err != nil {
			return fmt.Errorf("simulating the failures of the HeadroomPolicy %s: %w", a.policy.Name, err)
		}
		for _, c := range coverage {
			a.note(a.failureOf(c, report.Answers))
			for _, kind := range c.Unread {
				a.Unread = append(a.Unread, string(kind))
			}
		}
		a.wanted.slots, a.Known = slotsOf(a.world, report, a.policy.AddsNodes())
	}
	return nil
}

// asked are the failures of the policy that displace pods or add them.
func (a *assessment) asked() headroom.Options {
	survive := a.policy.Spec.Survive
	o := headroom.Options{Sized: true, Prices: a.prices}
	if survive.Nodes >= 1 {
		o.Kinds = append(o.Kinds, headroom.Node)
	}
	if survive.Nodes >= 2 {
		o.Kinds = append(o.Kinds, headroom.TwoNodes)
	}
	if survive.Zones >= 1 {
		o.Kinds = append(o.Kinds, headroom.Zone)
	}
	for _, b := range survive.Bursts {
		ref := change.Ref{Kind: b.Kind, Namespace: b.Namespace, Name: b.Name}
		now, ok := headroom.ReplicasOf(a.world, ref)
		if !ok {
			a.Missing = append(a.Missing, change.NamespacedRef(ref).String())
			a.note(headroomFailure{name: sentence.HeadroomPolicyBurst(change.NamespacedRef(ref)), covered: metav1.ConditionUnknown})
			continue
		}
		more := int(ptr.Deref(b.Replicas, 0))
		if b.Percent != nil {
			more = (now*int(*b.Percent) + 99) / 100
		}
		if more > 0 {
			o.Bursts = append(o.Bursts, headroom.BurstOf{Workload: ref, More: more})
		}
	}
	if len(o.Bursts) > 0 {
		o.Kinds = append(o.Kinds, headroom.Burst)
	}
	return o
}

// headroomFailure is a failure and whether it is covered.
type headroomFailure struct {
	name    message.Sentence
	covered metav1.ConditionStatus
	nodes   []string
	lacking amount
}

// failureOf is a failure as the status has it. One that harms pods although all of today's nodes are free for them is not covered if more nodes would help.
func (a *assessment) failureOf(c headroom.Coverage, answers []headroom.Answer) headroomFailure {
	f := headroomFailure{name: headroom.NameOf(c.Failure), covered: metav1.ConditionUnknown, nodes: c.Lost}
	if c.Status == headroom.Known {
		f.covered = metav1.ConditionFalse
		if c.Covered {
			f.covered = metav1.ConditionTrue
		}
	}
	f.lacking.add(c.Requests, 1)
	f.lacking.pods = int32(len(c.Lacking))
	at := slices.IndexFunc(answers, func(answer headroom.Answer) bool { return headroom.NameOf(answer.Failure).Equal(f.name) })
	if at < 0 || answers[at].Room == nil || answers[at].Room.Needs == nil {
		return f
	}
	worst := answers[at].Worst
	a.NeededNodes = max(a.NeededNodes, int32(answers[at].Room.Needs.Count))
	if f.covered != metav1.ConditionTrue {
		return f
	}
	f.covered, f.nodes, f.lacking = metav1.ConditionFalse, worst.Nodes, amount{}
	for _, one := range slices.Concat(worst.Waiting, worst.Preempted) {
		if pod := a.world.Pod(one.Pod.Namespace, one.Pod.Name); pod != nil {
			f.lacking.add(requestsOf(pod), 1)
		} else {
			f.lacking.pods++ // It does not exist yet.
		}
	}
	return f
}

const (
	// mostFailures and mostNodes are what the status holds at most, mostNamed how many failures are named in a message.
	mostFailures, mostNodes, mostNamed = 200, 1000, 5
)

// note adds a failure to the status, and to what is not covered.
func (a *assessment) note(f headroomFailure) {
	words := message.English().Say(f.name)
	if len(a.Failures) < mostFailures {
		a.Failures = append(a.Failures, v1alpha1.HeadroomFailureStatus{
			Name: words, Covered: f.covered, Nodes: f.nodes[:min(len(f.nodes), mostNodes)],
			LackingPods: f.lacking.pods, LackingCPU: f.lacking.cpu, LackingMemory: f.lacking.memory,
		})
	}
	switch f.covered {
	case metav1.ConditionFalse:
		a.lacks = append(a.lacks, sentence.HeadroomPolicyLack(f.name, int(f.lacking.pods), f.lacking.text()))
	case metav1.ConditionUnknown:
		a.unknown = append(a.unknown, f.name)
	}
}

// firstOf are the first failures of a list, and how many more it has.
func firstOf(failures message.List) message.List {
	more := len(failures) - mostNamed
	if more <= 0 {
		return failures
	}
	return append(slices.Clone(failures[:mostNamed]), sentence.HeadroomPolicyMoreFailures(more))
}

// conclude is the Assessment of what was found.
func (a *assessment) conclude() Assessment {
	a.Bound, a.Pending = a.bound.held(), a.pending.held()
	slices.Sort(a.Unread)
	a.Unread = slices.Compact(a.Unread)
	wanted, limited := a.wanted.amount(), a.wanted.limited(a.policy.Spec.MaxRoom)
	total := amount{a.bound.cpu.DeepCopy(), a.bound.memory.DeepCopy(), a.bound.pods + a.pending.pods}
	total.cpu.Add(a.pending.cpu)
	total.memory.Add(a.pending.memory)
	a.OverMaximum = !total.within(a.policy.Spec.MaxRoom)
	if a.Known {
		a.Wanted, a.Plan = wanted.held(), Plan{limited}
		excess := float64(ptr.Deref(a.policy.Spec.Resize.ExcessPercent, v1alpha1.DefaultExcessPercent)) / 100
		held := limited.amount()
		const epsilon = 1e-9
		a.Excess = total.cost(a.world) > held.cost(a.world)*(1+excess)+epsilon
	}
	kept := limited.amount()
	switch {
	case len(a.lacks) > 0:
		reason, because := a.whyLacking(wanted, kept)
		a.Covered, a.Reason, a.Why = metav1.ConditionFalse, reason, sentence.HeadroomPolicyLacks(firstOf(a.lacks), because)
	case len(a.unknown) > 0:
		reason, because := a.whyUnknown()
		a.Covered, a.Reason, a.Why = metav1.ConditionUnknown, reason, sentence.HeadroomPolicyUnknown(firstOf(a.unknown), because)
	default:
		a.Covered, a.Reason, a.Why = metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, sentence.HeadroomPolicyCovered()
	}
	return a.Assessment
}

// whyLacking is why the bound placeholder pods do not survive a failure.
func (a *assessment) whyLacking(wanted, kept amount) (string, message.Sentence) {
	switch {
	case !a.policy.Holds():
		var would any
		if a.Known && kept.pods > 0 {
			would = kept.sentence()
		}
		return v1alpha1.HeadroomReportOnlyReason, sentence.HeadroomPolicyReportOnly(would)
	case !a.Known:
		return v1alpha1.HeadroomNotSizedReason, sentence.HeadroomPolicyNotSized()
	case kept.pods < wanted.pods:
		return v1alpha1.HeadroomMaximumReachedReason, sentence.HeadroomPolicyMaximum(wanted.sentence(), maximumOf(a.policy))
	case a.NeededNodes > 0:
		return v1alpha1.HeadroomNeedsNodesReason, sentence.HeadroomPolicyNeedsNodes(int(a.NeededNodes))
	case a.bound.pods < kept.pods:
		return v1alpha1.HeadroomNotBoundReason, sentence.HeadroomPolicyNotBound(int(kept.pods - a.bound.pods))
	default:
		return v1alpha1.HeadroomNotBoundReason, sentence.HeadroomPolicyNotHeld()
	}
}

func (a *assessment) whyUnknown() (string, message.Sentence) {
	switch {
	case len(a.Unread) > 0:
		return v1alpha1.HeadroomUnreadReason, sentence.HeadroomPolicyUnread(message.ListOf(a.Unread))
	case len(a.Missing) > 0:
		return v1alpha1.HeadroomNotFoundReason, sentence.HeadroomPolicyNotFound(message.ListOf(a.Missing))
	default:
		return v1alpha1.HeadroomNotSizedReason, sentence.HeadroomPolicyNotSized()
	}
}

// Sentence is the room of a plan in words.
func (p Plan) Sentence() message.Sentence {
	sum := p.amount()
	return sum.sentence()
}

// sentence is an amount in words.
func (a *amount) sentence() message.Sentence {
	return sentence.HeadroomPolicyAmount(int(a.pods), a.text())
}

// text is an amount as in "700m/2Gi".
func (a *amount) text() string { return a.cpu.String() + "/" + a.memory.String() }

func maximumOf(policy *v1alpha1.HeadroomPolicy) message.Sentence {
	most := policy.Spec.MaxRoom
	a := amount{most.CPU, most.Memory, ptr.Deref(most.Placeholders, v1alpha1.DefaultPlaceholders)}
	return a.sentence()
}

// sizeText is as much of a size as is stated.
func sizeText(list corev1.ResourceList) string {
	var a amount
	a.add(list, 1)
	return a.text()
}
