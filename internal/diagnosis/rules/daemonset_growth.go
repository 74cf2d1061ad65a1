package rules

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// DaemonSetGrowth finds N502: pods that will be preempted when a DaemonSet's requests increase next, by its vertical
// autoscaler or because its template requests more than its pods do yet.
type DaemonSetGrowth struct{}

var _ query.Rule = DaemonSetGrowth{}

// Codes of DaemonSetGrowth.
func (DaemonSetGrowth) Codes() []finding.Code { return []finding.Code{finding.N502} }

// RequiredKinds of DaemonSetGrowth.
func (DaemonSetGrowth) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.DaemonSet, cluster.Deployment, cluster.Pod, cluster.Node, cluster.PriorityClass, cluster.ConfigMap, cluster.VerticalPodAutoscaler}
}

// Applies to everything but pods that do not run.
func (DaemonSetGrowth) Applies(q query.Query) bool { return query.IncludesRisks(q) }

// Find simulates each step.
func (DaemonSetGrowth) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.DaemonSet, cluster.Deployment, cluster.Pod, cluster.Node) || !q.CanSimulate() {
		return nil
	}
	var found []finding.Finding
	for _, s := range nextSteps(q) {
		result, ok := q.Simulate(ctx, s.Changes()...)
		if !ok {
			continue
		}
		s.victims = s.victimsOf(q, result)
		if len(s.victims) > 0 {
			found = append(found, s.describe(ctx, q, result))
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return a.Message.Compare(b.Message) })
	return q.AboutSubject(found)
}

// growthStep is a DaemonSet's next increase, and the pods that it preempts.
type growthStep struct {
	verticalautoscaler.Step
	victims []*corev1.Pod
}

// nextSteps are the next increases by vertical autoscalers, and those that DaemonSets have not rolled out yet.
func nextSteps(q query.Query) []growthStep {
	var steps []growthStep
	for _, next := range verticalautoscaler.AllSteps(q.Judge.World()) {
		steps = append(steps, growthStep{Step: next})
	}
	return steps
}

// victimsOf are the pods that the DaemonSet's pods preempt, without placeholders.
func (s growthStep) victimsOf(q query.Query, o outcome.Outcome) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, fate := range o.Fates {
		pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if fate.Kind != outcome.Preempted && fate.Kind != outcome.Lost || pod == nil || placeholder(pod) ||
			q.Excludes(finding.N502, facts.WorkloadRef(q.World, pod)) {
			continue
		}
		if by := o.World.Pod(fate.By.Namespace, fate.By.Name); fate.By == s.Target || by != nil && facts.WorkloadRef(o.World, by) == s.Target {
			pods = append(pods, pod)
		}
	}
	return pods
}

// countDisplaced is the number of other pods that end because their Job fails when one is preempted.
func (s growthStep) countDisplaced(q query.Query, o outcome.Outcome, owners []change.Ref) int {
	n := 0
	for _, fate := range o.Fates {
		pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if fate.Kind == outcome.Lost && pod != nil && !slices.Contains(s.victims, pod) && slices.Contains(owners, facts.WorkloadRef(q.World, pod)) {
			n++
		}
	}
	return n
}

func (s growthStep) describe(ctx context.Context, q query.Query, o outcome.Outcome) finding.Finding {
	f := finding.Finding{Code: finding.N502, Severity: finding.Warning, Subjects: []change.Ref{s.Target}}
	owners := ownersOfPods(q.World, s.victims)
	now, next := s.growth(q)
	lost := s.countDisplaced(q, o, owners)
	nodes := len(q.World.Nodes()) + s.MoreNodes
	f.Message = sentence.NextStep(s.MoreNodes, nodes, s.Target, next, now, len(s.victims), q.Enumerate(owners), lost)
	grows := finding.Link{Message: sentence.CauseNextStep(s.MoreNodes, nodes, next)}
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	grows.Evidence = facts.RequestEvidence(s.Target, "spec.template.spec", &ds.Spec.Template.Spec, corev1.ResourceCPU, corev1.ResourceMemory)
	if len(s.Pods) > 0 {
		ref := facts.RefTo(cluster.Pod, s.Pods[0])
		grows.Evidence = append(grows.Evidence, facts.RequestEvidence(ref, "spec", &s.Pods[0].Spec, corev1.ResourceCPU, corev1.ResourceMemory)...)
	}
	if s.Autoscaler.Name != "" {
		f.Subjects = append(f.Subjects, s.Autoscaler)
		if link, ok := query.VerticalAutoscalerLink(q, s.Target); ok {
			f.Causes = append(f.Causes, link)
		}
	}
	f.Subjects = append(f.Subjects, owners...)
	f.Causes = append(f.Causes, grows, s.freeCPULink(q), s.priorityLink(q))
	if proposals, ok := s.lowerRequests(ctx, q); ok {
		f.Remedies = append(f.Remedies, proposals)
	}
	f.Remedies = append(f.Remedies, s.placeholderRemedies(ctx, q)...)
	s.addProtection(ctx, q, &f)
	if s.Autoscaler.Name != "" && s.MoreNodes > 0 {
		f.Unknown = []finding.Gap{{About: "groups", Message: sentence.UnknownNewNode()}}
	}
	return f
}

// growth is the container's current and next requests, of the resources that increase.
func (s growthStep) growth(q query.Query) (now, next string) {
	held := requestsNow(q, s)
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		a, b := held[name], s.Requests[name]
		if b.Cmp(a) > 0 {
			if now != "" {
				now, next = now+", ", next+", "
			}
			now, next = now+string(name)+" "+a.String(), next+string(name)+" "+b.String()
		}
	}
	return now, next
}

// requestsNow are the requests of the DaemonSet's container before the step: those of a pod that requests less, or of the template.
func requestsNow(q query.Query, s growthStep) corev1.ResourceList {
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	spec := &ds.Spec.Template.Spec
	if len(s.Pods) > 0 {
		spec = &s.Pods[0].Spec
	}
	for _, c := range spec.Containers {
		if c.Name == s.Container {
			return c.Resources.Requests
		}
	}
	return nil
}

// freeCPULink shows the nodes with too little free CPU for the step.
func (s growthStep) freeCPULink(q query.Query) finding.Link {
	link := finding.Link{Message: sentence.CauseNoRoom()}
	seen, grown := map[string]bool{}, s.cpuGrowth(q)
	for _, pod := range s.victims {
		node := q.World.Node(pod.Spec.NodeName)
		if node == nil || seen[node.Name] || len(seen) == query.MaxListed {
			continue
		}
		seen[node.Name] = true
		link.Evidence = append(link.Evidence, finding.Evidence{Object: facts.RefTo(cluster.Node, node), Field: "pods[cpu]", Account: sentence.Account(grown.String(), query.FormatQuantity(corev1.ResourceCPU, freeCPU(q.World, node)), query.FormatQuantity(corev1.ResourceCPU, node.Status.Allocatable.Cpu().MilliValue()))})
	}
	return link
}

// freeCPU is a node's free CPU, in thousandths.
func freeCPU(world *cluster.Snapshot, node *corev1.Node) int64 {
	allocatable := node.Status.Allocatable[corev1.ResourceCPU]
	free := allocatable.MilliValue()
	for _, pod := range world.PodsOn(node.Name) {
		if !cluster.Ended(pod) {
			requested := query.SpecRequest(&pod.Spec, corev1.ResourceCPU)
			free -= requested.MilliValue()
		}
	}
	return free
}

func (s growthStep) priorityLink(q query.Query) finding.Link {
	link := finding.Link{Message: sentence.CausePriority(false, s.Target)}
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	link.Evidence = append(link.Evidence, facts.Evidence(s.Target, "spec.template.spec.priorityClassName", ds.Spec.Template.Spec.PriorityClassName))
	for _, pod := range s.victims[:min(len(s.victims), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.PriorityEvidence(pod)...)
	}
	return link
}
