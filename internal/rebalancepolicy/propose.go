package rebalancepolicy

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
)

const (
	// maxNodes is how many nodes of a pod, and how many nodes of a plan, a forecast holds.
	maxNodes = 64
	// outOfBalance is the reason of the evidence.
	outOfBalance = "OutOfBalance"
	// longestPolicyName is how much of the policy's name is in that of a Remediation, which may have 253 characters.
	longestPolicyName = 200
)

// Propose is the Remediation of a plan that has evictions, and its forecast, which is written to the status. Its name tells the policy, the pods and the time.
func Propose(policy *v1alpha1.RebalancePolicy, plan rebalance.Plan, world *cluster.Snapshot, now time.Time) (*v1alpha1.Remediation, *v1alpha1.Forecast) {
	r, f := propose(plan, world, now)
	r.Spec.Policy = policy.Reference()
	r.Name = fmt.Sprintf("rebalance-%.*s-%s", longestPolicyName, policy.Name, hashOf(r, policy.UID, now))
	return r, f
}

// hashOf tells a Remediation from others of its policy: by its pods and the time.
func hashOf(r *v1alpha1.Remediation, policy types.UID, now time.Time) string {
	hash := fnv.New64a()
	fmt.Fprint(hash, policy, now.UnixNano())
	for _, c := range r.Spec.Changes {
		fmt.Fprint(hash, c.Subject.UID)
	}
	return fmt.Sprintf("%x", hash.Sum64())
}

// propose is the Remediation of a plan, without the name and without what asks for it, and its forecast.
func propose(plan rebalance.Plan, world *cluster.Snapshot, now time.Time) (*v1alpha1.Remediation, *v1alpha1.Forecast) {
	r := &v1alpha1.Remediation{}
	f := &v1alpha1.Forecast{At: metav1.NewTime(now), Futures: rebalance.DefaultFutures}
	for wave, one := range plan.Waves {
		for _, move := range one.Moves {
			pod := world.Pod(move.Pod.Namespace, move.Pod.Name)
			if pod == nil {
				continue
			}
			r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Eviction(pod.Namespace, pod.Name, pod.UID, wave+1))
			f.Pods = append(f.Pods, forecast(world, move, len(r.Spec.Changes)-1))
			if subject := subjectOf(world, move.Workload); !slices.Contains(r.Spec.Subjects, subject) {
				r.Spec.Subjects = append(r.Spec.Subjects, subject)
			}
		}
	}
	for _, w := range plan.Workloads {
		f.Workloads = append(f.Workloads, v1alpha1.WorkloadForecast{Kind: w.Workload.Kind, Namespace: w.Workload.Namespace, Name: w.Workload.Name, Excess: int32(w.Excess)})
	}
	if len(plan.Nodes) > 0 {
		f.Nodes = nodesOf(plan)
	}
	r.Spec.Evidence = v1alpha1.Evidence{
		Finding: string(finding.N203), Reason: outOfBalance, Since: metav1.NewTime(now),
		Message: message.English().Say(evidence(r, plan)),
	}
	return r, f
}

// nodesOf are the forecasts of the nodes that pods of a plan leave, and then of those on which pods in their place may run.
func nodesOf(plan rebalance.Plan) (all []v1alpha1.NodeForecast) {
	var from, to []string
	for _, wave := range plan.Waves {
		for _, move := range wave.Moves {
			from, to = append(from, move.From), append(to, move.To...)
		}
	}
	excess := map[string]int{}
	for _, node := range plan.Nodes {
		excess[node.Node] = node.Excess
	}
	seen := map[string]bool{}
	for _, node := range slices.Concat(slices.Sorted(slices.Values(from)), slices.Sorted(slices.Values(to))) {
		if !seen[node] && len(all) < maxNodes {
			seen[node], all = true, append(all, v1alpha1.NodeForecast{Name: node, Excess: int32(excess[node])})
		}
	}
	return all
}

func evidence(r *v1alpha1.Remediation, plan rebalance.Plan) message.Sentence {
	workloads := message.ListOf(names(r.Spec.Subjects))
	if len(plan.Nodes) == 0 {
		return sentence.RebalanceEvidence(workloads)
	}
	var nodes []string
	for _, node := range plan.Nodes {
		nodes = append(nodes, node.Node)
	}
	return sentence.RebalanceNodesEvidence(message.ListOf(nodes), workloads)
}

func nodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// forecast is what becomes of the pod of a move.
func forecast(world *cluster.Snapshot, move rebalance.Move, index int) v1alpha1.PodForecast {
	f := v1alpha1.PodForecast{
		Namespace: move.Pod.Namespace, Name: move.Pod.Name, Change: int32(index), Fate: "Moved", Node: move.To[0], Nodes: move.To[:min(len(move.To), maxNodes)],
	}
	pod := world.Pod(move.Pod.Namespace, move.Pod.Name)
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		f.Owner = &v1alpha1.OwnerReference{Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
		for _, other := range world.PodsOf(owner.UID) {
			if cluster.Runs(other) {
				f.Owner.Ready++
			}
		}
	}
	return f
}

func subjectOf(world *cluster.Snapshot, ref change.Ref) v1alpha1.Subject {
	s := v1alpha1.Subject{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	if o := world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name); o != nil {
		s.UID = o.GetUID()
	}
	return s
}

func refOf(s v1alpha1.Subject) change.Ref {
	return change.Ref{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
}

// names are workloads as people read them, such as shop/deployment/web.
func names(subjects []v1alpha1.Subject) []string {
	var all []string
	for _, s := range subjects {
		all = append(all, change.NamespacedRef(refOf(s)).String())
	}
	return all
}

// Evicted are the pods that a Remediation evicts from a wave on. false if one is not there any more, or has no forecast.
func Evicted(r *v1alpha1.Remediation, world *cluster.Snapshot, fromWave int) ([]change.Ref, bool) {
	var pods []change.Ref
	if r.Status.Forecast == nil {
		return nil, false
	}
	for i, c := range r.Spec.InOrder() {
		if c.Wave() < fromWave {
			continue
		}
		forecast := slices.ContainsFunc(r.Status.Forecast.Pods, func(p v1alpha1.PodForecast) bool { return p.Change == int32(i) })
		if !forecast || c.Subject == nil {
			return nil, false
		}
		pod := world.Pod(c.Subject.Namespace, c.Subject.Name)
		if pod == nil || pod.UID != c.Subject.UID || pod.DeletionTimestamp != nil {
			return nil, false
		}
		pods = append(pods, change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name})
	}
	return pods, true
}

// Excess is by how much each workload and node of a Remediation may miss its targets after the plan, as forecast.
func Excess(r *v1alpha1.Remediation) map[change.Ref]int {
	excess := map[change.Ref]int{}
	for _, s := range r.Spec.Subjects {
		excess[refOf(s)] = 0
	}
	if r.Status.Forecast == nil {
		return excess
	}
	for _, w := range r.Status.Forecast.Workloads {
		ref := change.Ref{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
		if _, is := excess[ref]; is {
			excess[ref] = int(w.Excess)
		}
	}
	for _, node := range r.Status.Forecast.Nodes {
		excess[nodeRef(node.Name)] = int(node.Excess)
	}
	return excess
}

// IsObsolete says of a Remediation that has evicted nothing whether its plan is not needed any more: a pod is gone, or none of its workloads is out
// of balance, and none of its nodes overutilized.
func IsObsolete(r *v1alpha1.Remediation, world *cluster.Snapshot, unbalanced []change.Ref) bool {
	if _, there := Evicted(r, world, 1); !there {
		return true
	}
	return !slices.ContainsFunc(r.Spec.Subjects, func(s v1alpha1.Subject) bool {
		return slices.Contains(unbalanced, refOf(s))
	}) && !slices.ContainsFunc(r.Status.Forecast.Nodes, func(node v1alpha1.NodeForecast) bool {
		return slices.Contains(unbalanced, nodeRef(node.Name))
	})
}

const (
	// restAfterFailure is for how long workloads rest after a Remediation of theirs that did not turn out as forecast, and restAfterRejection
	// after one that a person rejected, aborted or deleted.
	restAfterFailure   = time.Hour
	restAfterRejection = 24 * time.Hour
)

// Resting says of workloads whether no plan is made for them now, after what came of earlier Remediations.
func Resting(remediations []v1alpha1.Remediation, now time.Time) func(change.Ref) bool {
	rests := map[change.Ref]bool{}
	for i := range remediations {
		r := &remediations[i]
		end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
		if r.Spec.PolicyKind() != v1alpha1.RebalancePolicyKind || end == nil || now.Sub(end.LastTransitionTime.Time) >= restAfter(end.Reason) {
			continue
		}
		for _, s := range r.Spec.Subjects {
			rests[refOf(s)] = true
		}
	}
	return func(ref change.Ref) bool { return rests[ref] }
}

// restAfter is for how long workloads rest after a Remediation that ended with a reason.
func restAfter(reason string) time.Duration {
	switch reason {
	case v1alpha1.RemediationNotAsForecastReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationGaveUpReason:
		return restAfterFailure
	case v1alpha1.RemediationRejectedReason, v1alpha1.RemediationAbortedReason:
		return restAfterRejection
	}
	return 0
}
