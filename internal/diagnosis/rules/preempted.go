package rules

import (
	"context"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// Preempted finds N501: pods that were preempted, the preemptor, and why its requests increased.
type Preempted struct{}

var _ query.Rule = Preempted{}

// Codes of Preempted.
func (Preempted) Codes() []finding.Code { return []finding.Code{finding.N501} }

// RequiredKinds of Preempted.
func (Preempted) RequiredKinds() []cluster.Kind { return []cluster.Kind{cluster.Pod, cluster.Event} }

// Applies to everything but Pending pods, which may be preemptors.
func (Preempted) Applies(q query.Query) bool { return query.BeyondScheduling(q) }

// Find combines the pods that one workload preempted.
func (Preempted) Find(_ context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.Pod) {
		return nil
	}
	all := query.Victims(q.World)
	if len(all) == 0 {
		return nil
	}
	byWorkload, who := map[change.Ref]*preemption{}, query.FindFormerOwners(q.World)
	for _, victim := range all {
		by := who.TopOwnerOf(victim.By)
		p, ok := byWorkload[by]
		if !ok {
			p = &preemption{by: by}
			byWorkload[by] = p
		}
		p.victims = append(p.victims, victim)
	}
	var found []finding.Finding
	for _, p := range byWorkload {
		found = append(found, p.describe(q, who))
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return a.Message.Compare(b.Message) })
	return q.AboutSubject(found)
}

// preemption is the pods that one workload's pods preempted.
type preemption struct {
	by      change.Ref
	victims []query.Victim
}

func (p preemption) describe(q query.Query, who query.FormerOwners) finding.Finding {
	f := finding.Finding{Code: finding.N501, Severity: finding.Warning}
	var pods, owners []change.Ref
	took := finding.Link{}
	for _, one := range p.victims {
		pods = append(pods, one.Ref)
		owners = append(owners, who.OwnersOf(one.Ref)...)
		if len(took.Evidence) < query.MaxListed {
			took.Evidence = append(took.Evidence, one.Evidence...)
		}
	}
	owners = facts.UniqueRefs(owners)
	failed := failedJobs(q.World, owners)
	if len(failed) > 0 {
		f.Severity = finding.Critical
	}
	f.Subjects = append(append(f.Subjects, owners...), pods...)
	f.Message = sentence.PreemptedBy(q.Enumerate(pods), len(pods), p.by.Name != "", p.by, q.Enumerate(failed))
	took.Message = sentence.CausePreempted()
	f.Causes = append(f.Causes, took)
	if p.by.Name != "" {
		f.Subjects = append(f.Subjects, p.by)
		f.Causes = append(f.Causes, p.priorityLink(q))
		if link, ok := p.growthLink(q); ok {
			f.Causes = append(f.Causes, link)
		}
		if link, ok := query.VerticalAutoscalerLink(q, p.by); ok {
			link.Evidence = append(link.Evidence, p.newestNode(q)...)
			f.Causes = append(f.Causes, link)
		}
		if link, ok := p.unneededLink(q, who); ok {
			f.Causes = append(f.Causes, link)
		}
	} else {
		f.Unknown = append(f.Unknown, finding.Gap{About: "Event", Message: sentence.UnknownPreemptor()})
	}
	if len(failed) > 0 {
		f.Causes = append(f.Causes, failedLink(q, failed))
	}
	f.RuledOut = []finding.Link{{Message: sentence.NotBudget()}}
	f.Remedies = p.remedies(q, owners)
	return f
}

// priorityLink compares the priorities of the preemptor and its victims.
func (p preemption) priorityLink(q query.Query) finding.Link {
	link := finding.Link{Message: sentence.CausePriority(p.by.Kind == string(cluster.Pod), p.by)}
	for _, one := range p.victims {
		by := q.World.Pod(one.By.Namespace, one.By.Name)
		if by == nil {
			continue
		}
		link.Evidence = append(link.Evidence, facts.PriorityEvidence(by)...)
		if pod := q.World.Pod(one.Ref.Namespace, one.Ref.Name); pod != nil {
			link.Evidence = append(link.Evidence, facts.PriorityEvidence(pod)...)
		}
		break
	}
	return link
}

// growthLink shows that a DaemonSet's pods requested less before: pods of an older template still run, or its generation
// has increased.
func (p preemption) growthLink(q query.Query) (finding.Link, bool) {
	if p.by.Kind != string(cluster.DaemonSet) {
		return finding.Link{}, false
	}
	ds := q.World.DaemonSet(p.by.Namespace, p.by.Name)
	if ds == nil || ds.Generation < 2 {
		return finding.Link{}, false
	}
	link := finding.Link{
		Message:  sentence.CauseRollout(p.by),
		Evidence: []finding.Evidence{facts.Evidence(p.by, "metadata.generation", query.FormatInt(ds.Generation))},
	}
	link.Evidence = append(link.Evidence, facts.RequestEvidence(p.by, "spec.template.spec", &ds.Spec.Template.Spec, corev1.ResourceCPU, corev1.ResourceMemory)...)
	for _, pod := range olderPods(q.World, ds) {
		link.Evidence = append(link.Evidence, facts.RequestEvidence(facts.RefTo(cluster.Pod, pod), "spec", &pod.Spec, corev1.ResourceCPU, corev1.ResourceMemory)...)
		break
	}
	return link, true
}

// newestNode is the last node that was added before the preemption: its autoscaler counts nodes.
func (p preemption) newestNode(q query.Query) []finding.Evidence {
	var newest *corev1.Node
	for _, node := range q.World.Nodes() {
		if !node.CreationTimestamp.After(p.victims[0].At.Time) && (newest == nil || newest.CreationTimestamp.Before(&node.CreationTimestamp)) {
			newest = node
		}
	}
	if newest == nil || newest.CreationTimestamp.IsZero() {
		return nil
	}
	since := newest.CreationTimestamp
	return []finding.Evidence{facts.EvidenceSince(facts.NodeRef(newest.Name), "metadata.creationTimestamp", since.UTC().Format(time.RFC3339), since)}
}

// unneededLink shows a victim's replacement on the node of the preemptor: both fit there. In a rollout, the scheduler may
// learn of the new pod before it learns that the old one is gone.
func (p preemption) unneededLink(q query.Query, who query.FormerOwners) (finding.Link, bool) {
	if p.by.Kind != string(cluster.DaemonSet) {
		return finding.Link{}, false
	}
	for _, one := range p.victims {
		by := q.World.Pod(one.By.Namespace, one.By.Name)
		owners := who.OwnersOf(one.Ref)
		if by == nil || by.Spec.NodeName == "" || len(owners) == 0 {
			continue
		}
		for _, next := range q.World.PodsOn(by.Spec.NodeName) {
			if next.UID == one.UID || !facts.IsActive(next) || !one.At.Before(&next.CreationTimestamp) || !slices.Contains(who.OwnersOf(facts.RefTo(cluster.Pod, next)), owners[0]) {
				continue
			}
			ref := facts.RefTo(cluster.Pod, next)
			return finding.Link{
				Message:  sentence.CauseNeedless(ref, owners[0], facts.NodeRef(next.Spec.NodeName), one.By),
				Evidence: []finding.Evidence{facts.EvidenceSince(ref, "spec.nodeName", next.Spec.NodeName, next.CreationTimestamp)},
			}, true
		}
	}
	return finding.Link{}, false
}

// olderPods are a DaemonSet's pods with other requests than its current template.
func olderPods(world *cluster.Snapshot, ds *appsv1.DaemonSet) []*corev1.Pod {
	now := requestsOf(&ds.Spec.Template.Spec)
	return slices.DeleteFunc(slices.Clone(world.PodsOf(ds.UID)), func(p *corev1.Pod) bool {
		return !facts.IsActive(p) || requestsOf(&p.Spec) == now
	})
}

// requestsOf formats a pod's requests, by container.
func requestsOf(spec *corev1.PodSpec) string {
	var parts []string
	for _, c := range spec.Containers {
		var asks []string
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if q, ok := c.Resources.Requests[name]; ok {
				asks = append(asks, string(name)+"="+q.String())
			}
		}
		parts = append(parts, c.Name+" "+strings.Join(asks, ","))
	}
	return strings.Join(parts, "; ")
}

// failedJobs are Jobs that have failed.
func failedJobs(world *cluster.Snapshot, owners []change.Ref) []change.Ref {
	var failed []change.Ref
	for _, ref := range owners {
		if job := world.Job(ref.Namespace, ref.Name); ref.Kind == string(cluster.Job) && job != nil && kube.TrueJobCondition(job, batchv1.JobFailed) != nil {
			failed = append(failed, ref)
		}
	}
	return failed
}

func failedLink(q query.Query, failed []change.Ref) finding.Link {
	link := finding.Link{Message: sentence.CauseJobFailed(q.Enumerate(failed))}
	for _, ref := range failed[:min(len(failed), query.MaxListed)] {
		c := kube.TrueJobCondition(q.World.Job(ref.Namespace, ref.Name), batchv1.JobFailed)
		link.Evidence = append(link.Evidence, facts.EvidenceSince(ref, "status.conditions[Failed]", c.Reason+": "+c.Message, c.LastTransitionTime))
	}
	return link
}

// remedies reserve the CPU by which the preemptor's request will increase next, if that is known, or hold it and protect the workloads.
func (p preemption) remedies(q query.Query, owners []change.Ref) []finding.Remedy {
	ds := q.World.DaemonSet(p.by.Namespace, p.by.Name)
	if p.by.Kind != string(cluster.DaemonSet) || ds == nil {
		return nil
	}
	var remedies []finding.Remedy
	workloads := protectable(q.World, owners)
	policies := protectionPolicies(q.World, workloads)
	if grown := p.growth(q, ds); grown.Sign() > 0 {
		remedies = proposePlaceholders(q, grown, nil, 0)
		policies = append(policies, growthPolicy(ds, grown, len(q.World.PodsOf(ds.UID))))
	}
	if remedy, ok := proposeProtection(q, workloads, policies); ok && len(workloads) > 0 {
		remedies = append(remedies, remedy)
	}
	return remedies
}

// growth is the increase of CPU from the DaemonSet's older pods or, once these are gone or if a VerticalPodAutoscaler sets the requests, the next
// increase by its autoscaler.
func (p preemption) growth(q query.Query, ds *appsv1.DaemonSet) resource.Quantity {
	if older := olderPods(q.World, ds); len(older) > 0 && verticalautoscaler.Recommender(q.World, p.by) == nil {
		grown := query.SpecRequest(&ds.Spec.Template.Spec, corev1.ResourceCPU)
		grown.Sub(query.SpecRequest(&older[0].Spec, corev1.ResourceCPU))
		if grown.Sign() > 0 {
			return grown
		}
	}
	if q.CanSimulate() {
		for _, next := range verticalautoscaler.AllSteps(q.Judge.World()) {
			if next.Target == p.by {
				return growthStep{Step: next}.cpuGrowth(q)
			}
		}
	}
	return resource.Quantity{}
}
