package rules

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// DaemonSetGrowth finds N502: pods that will be preempted when a DaemonSet next grows, by its vertical autoscaler or because
// its template asks for more than its pods do yet.
type DaemonSetGrowth struct{}

var _ query.Rule = DaemonSetGrowth{}

// Codes of DaemonSetGrowth.
func (DaemonSetGrowth) Codes() []finding.Code { return []finding.Code{finding.N502} }

// RequiredKinds of DaemonSetGrowth.
func (DaemonSetGrowth) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.DaemonSet, cluster.Deployment, cluster.Pod, cluster.Node, cluster.PriorityClass, cluster.ConfigMap}
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
		result, ok := q.Simulate(ctx, s.changes()...)
		if !ok {
			continue
		}
		s.victims = s.victimsOf(q, result)
		if len(s.victims) > 0 {
			found = append(found, s.describe(ctx, q, result))
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Message, b.Message) })
	return q.AboutSubject(found)
}

// growthStep is a DaemonSet's next growth and whom it costs their place.
type growthStep struct {
	verticalautoscaler.Step
	victims []*corev1.Pod
}

// nextSteps are those that vertical autoscalers will take, and those that DaemonSets have before them anyway.
func nextSteps(q query.Query) []growthStep {
	var steps []growthStep
	scaled := map[change.Ref]bool{}
	for _, next := range verticalautoscaler.NextSteps(q.Judge.World()) {
		scaled[next.Target] = true
		steps = append(steps, growthStep{Step: next})
	}
	for _, ds := range q.World.DaemonSets() {
		target := facts.RefTo(cluster.DaemonSet, ds)
		older := olderPods(q.World, ds)
		if scaled[target] || len(older) == 0 {
			continue
		}
		for _, c := range ds.Spec.Template.Spec.Containers {
			if requestsMoreThan(c, older[0]) {
				steps = append(steps, growthStep{Step: verticalautoscaler.Step{Target: target, Container: c.Name, Requests: c.Resources.Requests}})
			}
		}
	}
	return steps
}

func requestsMoreThan(c corev1.Container, pod *corev1.Pod) bool {
	for _, other := range pod.Spec.Containers {
		if other.Name != c.Name {
			continue
		}
		for name, quantity := range c.Resources.Requests {
			if now := other.Resources.Requests[name]; quantity.Cmp(now) > 0 {
				return true
			}
		}
	}
	return false
}

// changes bring the step about: the nodes that the autoscaler waits for, or the growth itself.
func (s growthStep) changes() []change.Change {
	if s.MoreNodes > 0 {
		return []change.Change{change.AddNodes{Count: s.MoreNodes}}
	}
	return []change.Change{change.GrowDaemonSet{Namespace: s.Target.Namespace, Name: s.Target.Name, Container: s.Container, Requests: s.Requests}}
}

// victimsOf are the pods that the DaemonSet's preempt, without placeholders.
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

// countDisplaced is how many more pods end because the Job they are of fails with a victim.
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
	args := message.Args{
		"set": s.Target, "more": s.MoreNodes, "nodes": len(q.World.Nodes()) + s.MoreNodes, "now": now, "next": next,
		"n": len(s.victims), "workloads": q.Enumerate(owners), "lost": lost,
	}
	f.Message = q.Say.Text(message.NextStep, args)
	grows := finding.Link{Message: q.Say.Text(message.CauseNextStep, args)}
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	grows.Evidence = facts.RequestEvidence(s.Target, "spec.template.spec", &ds.Spec.Template.Spec, corev1.ResourceCPU, corev1.ResourceMemory)
	if older := olderPods(q.World, ds); len(older) > 0 {
		ref := facts.RefTo(cluster.Pod, older[0])
		grows.Evidence = append(grows.Evidence, facts.RequestEvidence(ref, "spec", &older[0].Spec, corev1.ResourceCPU, corev1.ResourceMemory)...)
	}
	if s.Autoscaler.Name != "" {
		f.Subjects = append(f.Subjects, s.Autoscaler)
		if link, ok := query.VerticalAutoscalerLink(q, s.Target); ok {
			f.Causes = append(f.Causes, link)
		}
	}
	f.Subjects = append(f.Subjects, owners...)
	f.Causes = append(f.Causes, grows, s.freeCPULink(q, args), s.priorityLink(q))
	if proposals, ok := s.lowerRequests(ctx, q); ok {
		f.Remedies = append(f.Remedies, proposals)
	}
	f.Remedies = append(f.Remedies, s.placeholderRemedies(ctx, q)...)
	if s.Autoscaler.Name != "" && s.MoreNodes > 0 {
		f.Unknown = []finding.Gap{{About: "groups", Message: q.Say.Text(message.UnknownNewNode, nil)}}
	}
	return f
}

// growth is what the container asks for now and next, of the resources that grow.
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

// requestsNow are what the container of the DaemonSet's pods asks for before the step. An autoscaler's step follows its last
// one, which is in the template; without one the step is what older pods have yet to take.
func requestsNow(q query.Query, s growthStep) corev1.ResourceList {
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	spec := &ds.Spec.Template.Spec
	if older := olderPods(q.World, ds); len(older) > 0 && s.Autoscaler.Name == "" {
		spec = &older[0].Spec
	}
	for _, c := range spec.Containers {
		if c.Name == s.Container {
			return c.Resources.Requests
		}
	}
	return nil
}

// freeCPULink shows the nodes that have no room for the step.
func (s growthStep) freeCPULink(q query.Query, args message.Args) finding.Link {
	link := finding.Link{Message: q.Say.Text(message.CauseNoRoom, args)}
	seen, grown := map[string]bool{}, s.cpuGrowth(q)
	for _, pod := range s.victims {
		node := q.World.Node(pod.Spec.NodeName)
		if node == nil || seen[node.Name] || len(seen) == query.MaxListed {
			continue
		}
		seen[node.Name] = true
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "pods[cpu]", q.Say.Text(message.Account, message.Args{
			"asked": grown.String(), "free": query.FormatQuantity(corev1.ResourceCPU, freeCPU(q.World, node)),
			"all": query.FormatQuantity(corev1.ResourceCPU, node.Status.Allocatable.Cpu().MilliValue()),
		})))
	}
	return link
}

// freeCPU is what is left of a node's CPU, in thousandths.
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
	link := finding.Link{Message: q.Say.Text(message.CausePriority, message.Args{"by": s.Target, "pod": false})}
	ds := q.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	link.Evidence = append(link.Evidence, facts.Evidence(s.Target, "spec.template.spec.priorityClassName", ds.Spec.Template.Spec.PriorityClassName))
	for _, pod := range s.victims[:min(len(s.victims), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.PriorityEvidence(pod)...)
	}
	return link
}
