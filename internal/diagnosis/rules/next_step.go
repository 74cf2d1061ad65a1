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
	"github.com/naosu-dev/naosu/internal/simulation"
)

// GrowingDaemons finds N502: pods that will be preempted when a DaemonSet next grows, by its vertical autoscaler or because
// its template asks for more than its pods do yet.
type GrowingDaemons struct{}

var _ query.Rule = GrowingDaemons{}

// Codes of GrowingDaemons.
func (GrowingDaemons) Codes() []finding.Code { return []finding.Code{finding.N502} }

// Needs of GrowingDaemons.
func (GrowingDaemons) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.DaemonSet, cluster.Deployment, cluster.Pod, cluster.Node, cluster.PriorityClass, cluster.ConfigMap}
}

// Concerns everything but pods that do not run.
func (GrowingDaemons) Concerns(v query.View) bool { return query.AsksForRisk(v) }

// Find plays each step.
func (GrowingDaemons) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(cluster.DaemonSet, cluster.Deployment, cluster.Pod, cluster.Node) || !v.Foresees() {
		return nil
	}
	var found []finding.Finding
	for _, s := range nextSteps(v) {
		outcome, ok := v.Future(ctx, s.changes()...)
		if !ok {
			continue
		}
		s.victims = s.victimsOf(v, outcome)
		if len(s.victims) > 0 {
			found = append(found, s.describe(ctx, v, outcome))
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Message, b.Message) })
	return v.Concerning(found)
}

// growthStep is a DaemonSet's next growth and whom it costs their place.
type growthStep struct {
	simulation.AutoscalerStep
	victims []*corev1.Pod
}

// nextSteps are those that vertical autoscalers will take, and those that DaemonSets have before them anyway.
func nextSteps(v query.View) []growthStep {
	var steps []growthStep
	scaled := map[change.Ref]bool{}
	for _, next := range simulation.NextAutoscalerSteps(v.Judge) {
		scaled[next.Target] = true
		steps = append(steps, growthStep{AutoscalerStep: next})
	}
	for _, ds := range v.World.DaemonSets() {
		target := facts.RefTo(cluster.DaemonSet, ds)
		older := olderPods(v.World, ds)
		if scaled[target] || len(older) == 0 {
			continue
		}
		for _, c := range ds.Spec.Template.Spec.Containers {
			if asksForMoreThan(c, older[0]) {
				steps = append(steps, growthStep{AutoscalerStep: simulation.AutoscalerStep{Target: target, Container: c.Name, Requests: c.Resources.Requests}})
			}
		}
	}
	return steps
}

func asksForMoreThan(c corev1.Container, pod *corev1.Pod) bool {
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

// victimsOf are the pods that give way to the DaemonSet's, but for those that are there to do so.
func (s growthStep) victimsOf(v query.View, o simulation.Outcome) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, fate := range o.Fates {
		pod := v.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if fate.Kind != simulation.Preempted && fate.Kind != simulation.Lost || pod == nil || placeholder(pod) ||
			v.PassesOver(finding.N502, facts.RefOfWorkload(v.World, pod)) {
			continue
		}
		if by := o.World.Pod(fate.By.Namespace, fate.By.Name); fate.By == s.Target || by != nil && facts.RefOfWorkload(o.World, by) == s.Target {
			pods = append(pods, pod)
		}
	}
	return pods
}

// fallen is how many more pods end because the Job they are of fails with a victim.
func (s growthStep) fallen(v query.View, o simulation.Outcome, owners []change.Ref) int {
	n := 0
	for _, fate := range o.Fates {
		pod := v.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if fate.Kind == simulation.Lost && pod != nil && !slices.Contains(s.victims, pod) && slices.Contains(owners, facts.RefOfWorkload(v.World, pod)) {
			n++
		}
	}
	return n
}

func (s growthStep) describe(ctx context.Context, v query.View, o simulation.Outcome) finding.Finding {
	f := finding.Finding{Code: finding.N502, Severity: finding.Warning, Subjects: []change.Ref{s.Target}}
	owners := ownersOfPods(v.World, s.victims)
	now, next := s.growth(v)
	lost := s.fallen(v, o, owners)
	args := message.Args{
		"set": s.Target, "more": s.MoreNodes, "nodes": len(v.World.Nodes()) + s.MoreNodes, "now": now, "next": next,
		"n": len(s.victims), "workloads": v.Some(owners), "lost": lost,
	}
	f.Message = v.Say.Text(message.NextStep, args)
	grows := finding.Link{Message: v.Say.Text(message.CauseNextStep, args)}
	ds := v.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	grows.Evidence = facts.RequestFacts(s.Target, "spec.template.spec", &ds.Spec.Template.Spec, corev1.ResourceCPU, corev1.ResourceMemory)
	if older := olderPods(v.World, ds); len(older) > 0 {
		ref := facts.RefTo(cluster.Pod, older[0])
		grows.Evidence = append(grows.Evidence, facts.RequestFacts(ref, "spec", &older[0].Spec, corev1.ResourceCPU, corev1.ResourceMemory)...)
	}
	if s.Autoscaler.Name != "" {
		f.Subjects = append(f.Subjects, s.Autoscaler)
		if link, ok := query.ScalerLink(v, s.Target); ok {
			f.Causes = append(f.Causes, link)
		}
	}
	f.Subjects = append(f.Subjects, owners...)
	f.Causes = append(f.Causes, grows, s.roomLink(v, args), s.preferLink(v))
	if ways, ok := s.shrink(ctx, v); ok {
		f.Remedies = append(f.Remedies, ways)
	}
	f.Remedies = append(f.Remedies, s.hold(ctx, v)...)
	if s.Autoscaler.Name != "" && s.MoreNodes > 0 {
		f.Unknown = []finding.Gap{{About: "groups", Message: v.Say.Text(message.UnknownNewNode, nil)}}
	}
	return f
}

// growth is what the container asks for now and next, of the resources that grow.
func (s growthStep) growth(v query.View) (now, next string) {
	held := requestsNow(v, s)
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
func requestsNow(v query.View, s growthStep) corev1.ResourceList {
	ds := v.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	spec := &ds.Spec.Template.Spec
	if older := olderPods(v.World, ds); len(older) > 0 && s.Autoscaler.Name == "" {
		spec = &older[0].Spec
	}
	for _, c := range spec.Containers {
		if c.Name == s.Container {
			return c.Resources.Requests
		}
	}
	return nil
}

// roomLink shows the nodes that have no room for the step.
func (s growthStep) roomLink(v query.View, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseNoRoom, args)}
	seen, grown := map[string]bool{}, s.cpuGrowth(v)
	for _, pod := range s.victims {
		node := v.World.Node(pod.Spec.NodeName)
		if node == nil || seen[node.Name] || len(seen) == query.MostListed {
			continue
		}
		seen[node.Name] = true
		link.Evidence = append(link.Evidence, facts.Fact(facts.RefTo(cluster.Node, node), "pods[cpu]", v.Say.Text(message.Account, message.Args{
			"asked": grown.String(), "free": query.Amount(corev1.ResourceCPU, freeCPU(v.World, node)),
			"all": query.Amount(corev1.ResourceCPU, node.Status.Allocatable.Cpu().MilliValue()),
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
			requested := query.Asked(&pod.Spec, corev1.ResourceCPU)
			free -= requested.MilliValue()
		}
	}
	return free
}

func (s growthStep) preferLink(v query.View) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CausePriority, message.Args{"by": s.Target, "pod": false})}
	ds := v.World.DaemonSet(s.Target.Namespace, s.Target.Name)
	link.Evidence = append(link.Evidence, facts.Fact(s.Target, "spec.template.spec.priorityClassName", ds.Spec.Template.Spec.PriorityClassName))
	for _, pod := range s.victims[:min(len(s.victims), query.MostListed)] {
		link.Evidence = append(link.Evidence, facts.PriorityFacts(pod)...)
	}
	return link
}
