package rules

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// SlowFailover finds N202: workloads whose pods wait out the default toleration on a dead node although nobody chose it
// and nothing ties them there.
type SlowFailover struct{}

var _ query.Rule = SlowFailover{}

// Codes of SlowFailover.
func (SlowFailover) Codes() []finding.Code { return []finding.Code{finding.N202} }

// RequiredKinds of SlowFailover.
func (SlowFailover) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.ReplicaSet, cluster.Deployment}
}

// Applies to everything but pods that do not run.
func (SlowFailover) Applies(q query.Query) bool { return query.IncludesRisks(q) }

const (
	// defaultToleration is how long a pod may wait on a dead node before naosu calls it slow.
	defaultToleration = time.Minute
	// shortToleration is what it proposes instead: that of story 2, which outlasts a kubelet's restart.
	shortToleration = 30 * time.Second
	// nodeMonitorGracePeriod is how long a kubelet may be silent before its node counts as not Ready: the default of
	// --node-monitor-grace-period since Kubernetes 1.32.
	nodeMonitorGracePeriod = 50 * time.Second
)

// failureTaints are the taints that the default tolerations are for (plugin/pkg/admission/defaulttolerationseconds).
var failureTaints = []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable}

// Find takes together what waits equally long and matters equally much.
func (rule SlowFailover) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	groups := map[failoverClass][]facts.Workload{}
	for _, w := range facts.Workloads(q.World, cluster.Deployment, cluster.ReplicaSet) {
		wait, slow := slowFailover(q.World, w)
		if !slow || q.Excludes(finding.N202, w.Ref) {
			continue
		}
		key := failoverClass{wait: wait, severity: finding.Info, single: len(w.Pods) == 1}
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
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Message, b.Message))
	})
	return q.AboutSubject(found)
}

type failoverClass struct {
	wait     time.Duration
	severity finding.Severity
	// single says that the workloads have one pod each.
	single bool
}

// slowFailover is how long the workload's pods wait on a dead node, the most patient of them that do not wait for ever, and
// whether they need to.
func slowFailover(world *cluster.Snapshot, w facts.Workload) (time.Duration, bool) {
	template := w.Template()
	chosen := slices.ContainsFunc(failureTaints, func(key string) bool {
		one := corev1.Pod{Spec: corev1.PodSpec{Tolerations: template.Spec.Tolerations}}
		return kube.Tolerates(one.Spec.Tolerations, &corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
	})
	tied := slices.ContainsFunc(w.Pods, func(pod *corev1.Pod) bool { return len(facts.SingleNodeMounts(world, pod)) > 0 })
	if chosen || tied {
		return 0, false
	}
	var longest time.Duration
	for _, pod := range w.Pods {
		longest = max(longest, tolerationOf(pod))
	}
	return longest, longest > defaultToleration
}

// tolerationOf is how long a pod waits on a dead node; nothing if it waits for ever, as somebody must have chosen.
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
	tolerated := finding.Link{Message: q.Say.Text(message.CauseDefaultToleration, message.Args{"wait": duration.HumanDuration(k.wait)})}
	for i, w := range all {
		f.Subjects = append(f.Subjects, w.Ref)
		if i < query.MaxListed {
			pod := w.Pods[slices.IndexFunc(w.Pods, func(pod *corev1.Pod) bool { return tolerationOf(pod) == k.wait })]
			tolerated.Evidence = append(tolerated.Evidence,
				facts.TolerationEvidence(pod, corev1.TaintNodeUnreachable))
		}
		if i < query.MaxRemedies {
			if proposal, ok := proposeShortToleration(ctx, q, w); ok {
				f.Remedies = append(f.Remedies, proposal)
			}
		}
	}
	f.Remedies = markTogether(f.Remedies)
	args := message.Args{
		"workloads": q.Enumerate(f.Subjects), "n": len(f.Subjects), "wait": duration.HumanDuration(k.wait),
		"total": duration.HumanDuration(k.wait + nodeMonitorGracePeriod), "half": k.severity == finding.Warning, "single": k.single, "more": len(all) - len(f.Remedies),
	}
	f.Message = q.Say.Text(message.SlowFailover, args)
	f.Causes = []finding.Link{{Message: q.Say.Text(message.CauseSilence, message.Args{"silence": duration.HumanDuration(nodeMonitorGracePeriod)})}, tolerated}
	if k.severity == finding.Warning {
		f.Causes = append(f.Causes, singleReplicaLink(q, all, args))
	}
	f.RuledOut = []finding.Link{{Message: q.Say.Text(message.NotTied, args)}}
	return f
}

// singleReplicaLink shows where one node holds half of a workload or more.
func singleReplicaLink(q query.Query, all []facts.Workload, args message.Args) finding.Link {
	link := finding.Link{Message: q.Say.Text(message.CauseHalf, args)}
	for _, w := range all[:min(len(all), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.Evidence(w.Ref, "pods", facts.FormatDomainCounts(w.Pods, facts.NodeName, nil)))
	}
	return link
}

// proposeShortToleration gives a workload's pods tolerations of their own, which admission then leaves alone. A strategic merge patch
// replaces the whole list, so the template's others are part of it.
func proposeShortToleration(ctx context.Context, q query.Query, w facts.Workload) (finding.Remedy, bool) {
	seconds := int64(shortToleration / time.Second)
	tolerations := slices.Clone(w.Template().Spec.Tolerations)
	for _, key := range failureTaints {
		tolerations = append(tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
	patched := change.Patch{Object: w.Ref, Patch: templatePatch(map[string]any{"tolerations": tolerations})}
	args := message.Args{"workload": w.Ref, "wait": duration.HumanDuration(shortToleration)}
	proposal := finding.Remedy{
		Message: q.Say.Text(message.RemedyTolerate, args), Change: patched, Command: patched.Command(),
		Cost: q.Say.Text(message.RemedyRolloutCost, args), Risk: q.Say.Text(message.RemedyTolerateRisk, args),
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

// maxNodesLost bounds how many nodes of a workload are lost in trial.
const maxNodesLost = 5

// reschedules loses each node that has pods of the workload, those with the most first, and sees whether any pod is
// replaced soon enough and none late. That there is no room for one is another finding's.
func reschedules(ctx context.Context, q query.Query, pods []*corev1.Pod) bool {
	held := map[string]int{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			held[pod.Spec.NodeName]++
		}
	}
	nodes := slices.SortedFunc(maps.Keys(held), func(a, b string) int { return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a, b)) })
	soon, late := false, false
	for _, node := range nodes[:min(len(nodes), maxNodesLost)] {
		result, ok := q.Simulate(ctx, change.LoseNode{Node: node})
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
