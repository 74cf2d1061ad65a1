package rules

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// SlowFailover finds N202: workloads whose pods stay on a failed node for the default toleration time although nothing requires that.
type SlowFailover struct{}

var _ query.Rule = SlowFailover{}

// Codes of SlowFailover.
func (SlowFailover) Codes() []finding.Code { return []finding.Code{finding.N202} }

// RequiredKinds of SlowFailover.
func (SlowFailover) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Applies to everything but pods that do not run.
func (SlowFailover) Applies(q query.Query) bool { return query.IncludesRisks(q) }

const (
	// defaultToleration is the toleration time that naosu reports as slow.
	defaultToleration = time.Minute
	// shortToleration is the time that naosu proposes instead; it is longer than a restart of a kubelet.
	shortToleration = 30 * time.Second
	// nodeMonitorGracePeriod is how long a kubelet may not respond before its node is not Ready: the default of
	// --node-monitor-grace-period since Kubernetes 1.32.
	nodeMonitorGracePeriod = 50 * time.Second
)

// failureTaints are the taints that the default tolerations are for (plugin/pkg/admission/defaulttolerationseconds).
var failureTaints = []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable}

// Find combines workloads with the same toleration time, severity, and reason to wait for longer than that.
func (rule SlowFailover) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	groups := map[failoverClass][]facts.Workload{}
	for _, w := range facts.Workloads(q.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		w.Pods = slices.DeleteFunc(slices.Clone(w.Pods), func(pod *corev1.Pod) bool { return !cluster.Runs(pod) }) // Others are down already.
		wait, slow := slowFailover(w)
		if !slow || q.Excludes(finding.N202, w.Ref) {
			continue
		}
		key := failoverClass{wait: wait, severity: finding.Info, single: len(w.Pods) == 1, held: holdOf(q.World, w)}
		if most := facts.MaxPerDomain(w.Pods, facts.NodeName); 2*most >= len(w.Pods) {
			key.severity = finding.Warning
		}
		groups[key] = append(groups[key], w)
	}
	var found []finding.Finding
	for key, all := range groups {
		found = append(found, key.describe(ctx, q, all))
	}
	slices.SortFunc(found, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), a.Message.Compare(b.Message))
	})
	return q.AboutSubject(found)
}

type failoverClass struct {
	wait     time.Duration
	severity finding.Severity
	// single says that each of the workloads has one pod.
	single bool
	held   hold
}

// hold is what keeps a replacement from running once the pod on the failed node is deleted.
type hold int

const (
	// notHeld: it runs at once.
	notHeld hold = iota
	// byIdentity: a StatefulSet creates no second pod of the same name.
	byIdentity
	// byVolume: a volume that only one node at a time can attach is still attached.
	byVolume
)

func holdOf(world *cluster.Snapshot, w facts.Workload) hold {
	switch {
	case w.Ref.Kind == string(cluster.StatefulSet):
		return byIdentity
	case slices.ContainsFunc(w.Pods, func(pod *corev1.Pod) bool { return len(facts.SingleNodeMounts(world, pod)) > 0 }):
		return byVolume
	default:
		return notHeld
	}
}

// slowFailover is the longest limited time that the workload's pods tolerate a failed node, and whether it is a default and slow.
func slowFailover(w facts.Workload) (time.Duration, bool) {
	template := w.Template()
	chosen := slices.ContainsFunc(failureTaints, func(key string) bool {
		one := corev1.Pod{Spec: corev1.PodSpec{Tolerations: template.Spec.Tolerations}}
		return kube.Tolerates(one.Spec.Tolerations, &corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
	})
	if chosen {
		return 0, false
	}
	var longest time.Duration
	for _, pod := range w.Pods {
		longest = max(longest, tolerationOf(pod))
	}
	return longest, longest > defaultToleration
}

// tolerationOf is how long a pod tolerates a failed node; none if without a limit, which must have been set on purpose.
func tolerationOf(pod *corev1.Pod) time.Duration {
	var longest time.Duration
	for _, key := range failureTaints {
		wait, forever := toleratedFor(pod, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		if forever {
			return 0
		}
		longest = max(longest, wait)
	}
	return longest
}

func (k failoverClass) describe(ctx context.Context, q query.Query, all []facts.Workload) finding.Finding {
	f := finding.Finding{Code: finding.N202, Severity: k.severity}
	tolerated := finding.Link{Message: sentence.CauseDefaultToleration(duration.HumanDuration(k.wait))}
	for i, w := range all {
		f.Subjects = append(f.Subjects, w.Ref)
		if i < query.MaxListed {
			pod := w.Pods[slices.IndexFunc(w.Pods, func(pod *corev1.Pod) bool { return tolerationOf(pod) == k.wait })]
			tolerated.Evidence = append(tolerated.Evidence,
				facts.TolerationEvidence(pod, corev1.TaintNodeUnreachable))
		}
	}
	f.Remedies = k.remedies(ctx, q, all[:min(len(all), query.MaxRemedies)])
	workloads, total := q.Enumerate(f.Subjects), duration.HumanDuration(k.wait+nodeMonitorGracePeriod)
	f.Causes = []finding.Link{{Message: sentence.CauseSilence(duration.HumanDuration(nodeMonitorGracePeriod))}, tolerated}
	switch k.held {
	case byIdentity:
		f.Message = sentence.SlowFailoverIdentity(workloads, total, k.single, len(f.Subjects), k.severity == finding.Warning)
		f.Causes = append(f.Causes, finding.Link{Message: sentence.CauseStatefulBlocked(workloads)})
	case byVolume:
		f.Message = sentence.SlowFailoverVolume(workloads, total, k.single, len(f.Subjects), k.severity == finding.Warning)
		f.Causes = append(f.Causes, attachedLink(q.World, all))
	default:
		f.Message = sentence.SlowFailover(workloads, total, k.single, len(f.Subjects), k.severity == finding.Warning)
		f.RuledOut = []finding.Link{{Message: sentence.NotTied(len(f.Subjects))}}
	}
	if k.severity == finding.Warning {
		f.Causes = append(f.Causes, singleReplicaLink(all, k.single))
	}
	return f
}

// attachedLink shows a volume of each workload that only one node at a time can attach.
func attachedLink(world *cluster.Snapshot, all []facts.Workload) finding.Link {
	link := finding.Link{Message: sentence.CauseSingleAttach()}
	for _, w := range all[:min(len(all), query.MaxListed)] {
		for _, pod := range w.Pods {
			if mounts := facts.SingleNodeMounts(world, pod); len(mounts) > 0 {
				link.Evidence = append(link.Evidence, facts.MountEvidence(pod, mounts[0].Source))
				break
			}
		}
	}
	return link
}

// remedies shorten the time. What holds a replacement for longer ends only with proof that the machine is off, which a shorter
// toleration alone does not give.
func (k failoverClass) remedies(ctx context.Context, q query.Query, all []facts.Workload) []finding.Remedy {
	var proposals []finding.Remedy
	if k.held == notHeld {
		for _, w := range all {
			if proposal, ok := proposeShortToleration(ctx, q, w); ok {
				proposals = append(proposals, proposal)
			}
		}
		proposals = markTogether(proposals)
	}
	if proposal, ok := k.proposeFailoverPolicy(ctx, q, all); ok {
		proposals = append(proposals, proposal)
	}
	return proposals
}

// singleReplicaLink shows where one node holds half of a workload or more.
func singleReplicaLink(all []facts.Workload, single bool) finding.Link {
	link := finding.Link{Message: sentence.CauseHalf(single)}
	for _, w := range all[:min(len(all), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.Evidence(w.Ref, "pods", facts.FormatDomainCounts(w.Pods, facts.NodeName, nil)))
	}
	return link
}

// proposeShortToleration proposes tolerations in a workload's template, to which admission adds no defaults. A strategic merge patch
// replaces the whole list, so that it contains the template's other tolerations, too.
func proposeShortToleration(ctx context.Context, q query.Query, w facts.Workload) (finding.Remedy, bool) {
	seconds := int64(shortToleration / time.Second)
	tolerations := slices.Clone(w.Template().Spec.Tolerations)
	for _, key := range failureTaints {
		tolerations = append(tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	patched := change.Patch{Object: w.Ref, Patch: templatePatch(map[string]any{"tolerations": tolerations})}

	proposal := finding.Remedy{
		Message: sentence.RemedyTolerate(w.Ref, duration.HumanDuration(shortToleration)), Change: patched, Command: patched.Command(),
		Cost: sentence.RemedyRolloutCost(w.Ref), Risk: sentence.RemedyTolerateRisk(duration.HumanDuration(shortToleration)),
	}
	if !q.CanSimulate() {
		return proposal, true
	}
	err := simulation.Inspect(ctx, q.Judge, []change.Change{patched}, simulation.Options{LeavePending: true}, func(o outcome.Outcome) error {
		proposal.Verified = reschedules(ctx, q, facts.PodsOfWorkload(o.World, w.Ref))
		return nil
	})
	return proposal, err != nil || proposal.Verified
}

// proposeFailoverPolicy proposes a FailoverPolicy, with which naosu's controller sets how long pods stay on a failed node, and has those
// released that are held there: nothing is rolled out. The second is not simulated, since it takes proof.
func (k failoverClass) proposeFailoverPolicy(ctx context.Context, q query.Query, all []facts.Workload) (finding.Remedy, bool) {
	var objects []runtime.Object
	var refs []change.Ref
	for _, w := range all {
		if selector := selectorOf(w); selector != nil {
			objects, refs = append(objects, failoverPolicy(w.Ref, selector, k.held != notHeld)), append(refs, w.Ref)
		}
	}
	command, err := change.Inline(objects...)
	if err != nil || len(objects) == 0 {
		return finding.Remedy{}, false
	}
	seconds := duration.HumanDuration(shortToleration)
	proposal := finding.Remedy{
		Message: sentence.RemedyFailoverPolicy(q.Enumerate(refs), seconds), Change: change.Apply{From: "failover", Objects: objects}, Command: command,
		Cost: sentence.RemedyFailoverPolicyCost(), Risk: sentence.RemedyTolerateRisk(seconds),
	}
	if k.held != notHeld {
		proposal.Message, proposal.Cost = sentence.RemedyFailoverPolicyOff(q.Enumerate(refs), seconds), sentence.RemedyFailoverPolicyOffCost()
		return proposal, true
	}
	if !q.CanSimulate() {
		return proposal, true
	}
	proposal.Verified = true
	for _, w := range all {
		proposal.Verified = proposal.Verified && reschedules(ctx, q, w.Pods, proposal.Change)
	}
	return proposal, proposal.Verified
}

// failoverPolicy is a policy for the pods of a workload, which also releases them on proof that their machine is off if asked to.
func failoverPolicy(workload change.Ref, pods *metav1.LabelSelector, whenOff bool) *v1alpha1.FailoverPolicy {
	seconds := int32(shortToleration / time.Second)
	policy := &v1alpha1.FailoverPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.FailoverPolicyKind},
		ObjectMeta: metav1.ObjectMeta{Name: workload.Namespace + "-" + workload.Name},
		Spec: v1alpha1.FailoverPolicySpec{
			Mode:              v1alpha1.ModeAuto,
			NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: workload.Namespace}},
			PodSelector:       *pods, NotReadySeconds: seconds, UnreachableSeconds: seconds,
		},
	}
	if whenOff {
		policy.Spec.OutOfService = v1alpha1.OutOfServiceWhenOff
	}
	return policy
}

// maxNodesLost is the maximum number of nodes of a workload whose loss is simulated.
const maxNodesLost = 5

// reschedules simulates the loss of each node with pods of the workload, those with the most first, after a remedy if one is given,
// and reports whether a pod is replaced soon enough and none late. Lack of capacity is reported by another finding.
func reschedules(ctx context.Context, q query.Query, pods []*corev1.Pod, remedy ...change.Change) bool {
	held := map[string]int{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			held[pod.Spec.NodeName]++
		}
	}
	nodes := slices.SortedFunc(maps.Keys(held), func(a, b string) int { return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a, b)) })
	soon, late := false, false
	for _, node := range nodes[:min(len(nodes), maxNodesLost)] {
		result, ok := q.Simulate(ctx, append(slices.Clone(remedy), change.LoseNode{Node: node})...)
		if !ok {
			return false
		}
		for _, fate := range result.Fates {
			if fate.Kind == outcome.Moved && slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return facts.RefTo(cluster.Pod, p) == fate.Pod }) {
				late = late || fate.Until >= nodeMonitorGracePeriod+defaultToleration
				soon = true
			}
		}
	}
	return soon && !late
}

// templatePatch is a strategic merge patch of a workload's pod template.
func templatePatch(spec map[string]any) string {
	patch := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}}
	data, err := json.Marshal(patch)
	if err != nil {
		panic("diagnosis: a patch of plain API types does not encode: " + err.Error())
	}
	return string(data)
}
