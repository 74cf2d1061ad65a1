package diagnosis

import (
	"cmp"
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Preempted finds N501: pods that gave way to others, to whom, and what made those ask for more.
type Preempted struct{}

var _ Rule = Preempted{}

// Codes of Preempted.
func (Preempted) Codes() []finding.Code { return []finding.Code{finding.N501} }

// Needs of Preempted.
func (Preempted) Needs() []cluster.Kind { return []cluster.Kind{cluster.Pod, cluster.Event} }

// Concerns everything but pods that wait for a node, which may be the ones that make others give way.
func (Preempted) Concerns(v View) bool { return asksForMore(v) }

// Find takes together what one workload preempted.
func (Preempted) Find(_ context.Context, v View) []finding.Finding {
	if !v.knows(cluster.Pod) {
		return nil
	}
	all := victims(v.World)
	if len(all) == 0 {
		return nil
	}
	byWorkload, who := map[change.Ref]*preemption{}, makersIn(v.World)
	for _, victim := range all {
		by := who.topOf(victim.by)
		p, ok := byWorkload[by]
		if !ok {
			p = &preemption{by: by}
			byWorkload[by] = p
		}
		p.victims = append(p.victims, victim)
	}
	var found []finding.Finding
	for _, p := range byWorkload {
		found = append(found, p.describe(v, who))
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Message, b.Message) })
	return v.concerning(found)
}

// victim is a pod that gave way.
type victim struct {
	ref change.Ref
	// by is the pod it gave way to, the zero Ref if nothing tells.
	by change.Ref
	// uid and at are which pod of that name it was, and when.
	uid      types.UID
	at       metav1.Time
	evidence []finding.Evidence
}

// preemption is what one workload's pods made give way.
type preemption struct {
	by      change.Ref
	victims []victim
}

// victims are told from the condition that the scheduler gives a pod before it deletes it, and from the event it writes
// about it, which names the preemptor and outlasts the pod.
//
// Source: pkg/scheduler/framework/preemption/executor.go.
func victims(world *cluster.Snapshot) []victim {
	byUID := map[types.UID]*victim{}
	var order []types.UID
	of := func(uid types.UID, ref change.Ref) *victim {
		one, ok := byUID[uid]
		if !ok {
			one = &victim{ref: ref, uid: uid}
			byUID[uid] = one
			order = append(order, uid)
		}
		return one
	}
	pods := podsByUID(world)
	for _, pod := range world.Pods() {
		if c := podCondition(pod, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler {
			one := of(pod.UID, refTo(cluster.Pod, pod))
			one.evidence = append(one.evidence, factSince(one.ref, "status.conditions[DisruptionTarget]", c.Reason+": "+c.Message, c.LastTransitionTime))
		}
	}
	for _, event := range world.AllEvents() {
		if event.Reason != "Preempted" || event.InvolvedObject.Kind != string(cluster.Pod) {
			continue
		}
		about := event.InvolvedObject
		one := of(about.UID, change.Ref{Kind: string(cluster.Pod), Namespace: about.Namespace, Name: about.Name})
		if one.by.Name == "" {
			one.by = preemptor(world, pods, event)
		}
		_, _, last := occurrences(event)
		one.at = last
		one.evidence = append(one.evidence, factSince(refTo(cluster.Event, event), "message", event.Message, last))
	}
	all := make([]victim, 0, len(order))
	for _, uid := range order {
		all = append(all, *byUID[uid])
	}
	return all
}

func podsByUID(world *cluster.Snapshot) map[types.UID]*corev1.Pod {
	pods := map[types.UID]*corev1.Pod{}
	for _, pod := range world.Pods() {
		pods[pod.UID] = pod
	}
	return pods
}

// preemptor is the pod for which another gave way. One that is gone as well may have Events of its own.
func preemptor(world *cluster.Snapshot, pods map[types.UID]*corev1.Pod, event *corev1.Event) change.Ref {
	uid := preemptorUID(event)
	if pod := pods[uid]; pod != nil {
		return refTo(cluster.Pod, pod)
	}
	if told := world.Events(uid); len(told) > 0 && uid != "" {
		return involved(told[0])
	}
	return change.Ref{}
}

// preemptorUID is the pod for which another gave way: the event's related object or, where that was not kept, the UID
// in its text ("Preempted by pod UID on node NODE").
func preemptorUID(event *corev1.Event) types.UID {
	if event.Related != nil && event.Related.UID != "" {
		return event.Related.UID
	}
	words := strings.Fields(event.Message)
	if i := slices.Index(words, "pod"); i >= 0 && i+1 < len(words) {
		return types.UID(words[i+1])
	}
	return ""
}

func (p preemption) describe(v View, who makers) finding.Finding {
	f := finding.Finding{Code: finding.N501, Severity: finding.Warning}
	var pods, owners []change.Ref
	took := finding.Link{}
	for _, one := range p.victims {
		pods = append(pods, one.ref)
		owners = append(owners, who.ownersOf(one.ref)...)
		if len(took.Evidence) < mostListed {
			took.Evidence = append(took.Evidence, one.evidence...)
		}
	}
	owners = uniqueRefs(owners)
	failed := failedJobs(v.World, owners)
	if len(failed) > 0 {
		f.Severity = finding.Critical
	}
	f.Subjects = append(append(f.Subjects, owners...), pods...)
	args := message.Args{"pods": v.some(pods), "n": len(pods), "by": p.by, "known": p.by.Name != "", "failed": v.some(failed), "jobs": len(failed)}
	f.Message = v.Say.Text(message.PreemptedBy, args)
	took.Message = v.Say.Text(message.CausePreempted, args)
	f.Causes = append(f.Causes, took)
	if p.by.Name != "" {
		f.Subjects = append(f.Subjects, p.by)
		f.Causes = append(f.Causes, p.priorityLink(v, args))
		if link, ok := p.grewLink(v); ok {
			f.Causes = append(f.Causes, link)
		}
		if link, ok := scalerLink(v, p.by); ok {
			f.Causes = append(f.Causes, link)
		}
		if link, ok := p.needlessLink(v, who); ok {
			f.Causes = append(f.Causes, link)
		}
	} else {
		f.Unknown = append(f.Unknown, finding.Gap{About: "Event", Message: v.Say.Text(message.UnknownPreemptor, nil)})
	}
	if len(failed) > 0 {
		f.Causes = append(f.Causes, failedLink(v, failed, args))
	}
	f.RuledOut = []finding.Link{{Message: v.Say.Text(message.NotBudget, args)}}
	f.Remedies = p.remedies(v)
	return f
}

// priorityLink compares whom the scheduler preferred with whom it took.
func (p preemption) priorityLink(v View, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CausePriority, args)}
	for _, one := range p.victims {
		by := v.World.Pod(one.by.Namespace, one.by.Name)
		if by == nil {
			continue
		}
		link.Evidence = append(link.Evidence, priorityOf(by))
		if pod := v.World.Pod(one.ref.Namespace, one.ref.Name); pod != nil {
			link.Evidence = append(link.Evidence, priorityOf(pod))
		}
		break
	}
	return link
}

func priorityOf(pod *corev1.Pod) finding.Evidence {
	priority := int32(0)
	if pod.Spec.Priority != nil {
		priority = *pod.Spec.Priority
	}
	return fact(refTo(cluster.Pod, pod), "spec.priority", strings.TrimSpace(formatInt(priority)+" "+pod.Spec.PriorityClassName))
}

// grewLink shows that a DaemonSet's pods asked for less before: some of an older template still run, or its generation
// has moved on.
func (p preemption) grewLink(v View) (finding.Link, bool) {
	if p.by.Kind != string(cluster.DaemonSet) {
		return finding.Link{}, false
	}
	ds := v.World.DaemonSet(p.by.Namespace, p.by.Name)
	if ds == nil || ds.Generation < 2 {
		return finding.Link{}, false
	}
	link := finding.Link{
		Message: v.Say.Text(message.CauseRollout, message.Args{"by": p.by}),
		Evidence: []finding.Evidence{
			fact(p.by, "metadata.generation", formatInt(ds.Generation)),
			fact(p.by, "spec.template.spec.containers[*].resources.requests", requestsOf(&ds.Spec.Template.Spec)),
		},
	}
	for _, pod := range olderPods(v.World, ds) {
		link.Evidence = append(link.Evidence, fact(refTo(cluster.Pod, pod), "spec.containers[*].resources.requests", requestsOf(&pod.Spec)))
		break
	}
	return link, true
}

// needlessLink shows a victim's successor on the node of the pod that took its place: there was room for both. In a rollout
// the scheduler may hear of the new pod before it hears that the old one has gone.
func (p preemption) needlessLink(v View, who makers) (finding.Link, bool) {
	if p.by.Kind != string(cluster.DaemonSet) {
		return finding.Link{}, false
	}
	for _, one := range p.victims {
		by := v.World.Pod(one.by.Namespace, one.by.Name)
		owners := who.ownersOf(one.ref)
		if by == nil || by.Spec.NodeName == "" || len(owners) == 0 {
			continue
		}
		for _, next := range v.World.PodsOn(by.Spec.NodeName) {
			if next.UID == one.uid || !alive(next) || !one.at.Before(&next.CreationTimestamp) || !slices.Contains(who.ownersOf(refTo(cluster.Pod, next)), owners[0]) {
				continue
			}
			ref := refTo(cluster.Pod, next)
			return finding.Link{
				Message: v.Say.Text(message.CauseNeedless, message.Args{
					"pod": ref, "owner": owners[0], "by": one.by, "set": p.by, "node": nodeRef(next.Spec.NodeName),
				}),
				Evidence: []finding.Evidence{factSince(ref, "spec.nodeName", next.Spec.NodeName, next.CreationTimestamp)},
			}, true
		}
	}
	return finding.Link{}, false
}

// olderPods are those of a DaemonSet that ask for other resources than its template does now.
func olderPods(world *cluster.Snapshot, ds *appsv1.DaemonSet) []*corev1.Pod {
	now := requestsOf(&ds.Spec.Template.Spec)
	return slices.DeleteFunc(slices.Clone(world.PodsOf(ds.UID)), func(p *corev1.Pod) bool {
		return !alive(p) || requestsOf(&p.Spec) == now
	})
}

// requestsOf writes what a pod asks for, container by container.
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

// failedJobs are Jobs that came to nothing.
func failedJobs(world *cluster.Snapshot, owners []change.Ref) []change.Ref {
	var failed []change.Ref
	for _, ref := range owners {
		if job := world.Job(ref.Namespace, ref.Name); ref.Kind == string(cluster.Job) && job != nil && failedSince(job) != nil {
			failed = append(failed, ref)
		}
	}
	return failed
}

func failedSince(job *batchv1.Job) *batchv1.JobCondition {
	for i, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return &job.Status.Conditions[i]
		}
	}
	return nil
}

func failedLink(v View, failed []change.Ref, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseJobFailed, args)}
	for _, ref := range failed[:min(len(failed), mostListed)] {
		c := failedSince(v.World.Job(ref.Namespace, ref.Name))
		link.Evidence = append(link.Evidence, factSince(ref, "status.conditions[Failed]", c.Reason+": "+c.Message, c.LastTransitionTime))
	}
	return link
}

// remedies hold free, before the next time, what the preemptor grows by; none if nothing tells how much that is.
func (p preemption) remedies(v View) []finding.Remedy {
	ds := v.World.DaemonSet(p.by.Namespace, p.by.Name)
	if p.by.Kind != string(cluster.DaemonSet) || ds == nil {
		return nil
	}
	if grown := p.growth(v, ds); grown.Sign() > 0 {
		return balloons(v, p.by, grown, nil, 0)
	}
	return nil
}

// growth is how much more CPU the DaemonSet's pods ask for than those of before or, once these are gone, how much more its
// autoscaler will have them ask for next.
func (p preemption) growth(v View, ds *appsv1.DaemonSet) resource.Quantity {
	if older := olderPods(v.World, ds); len(older) > 0 {
		grown := asked(&ds.Spec.Template.Spec, corev1.ResourceCPU)
		grown.Sub(asked(&older[0].Spec, corev1.ResourceCPU))
		if grown.Sign() > 0 {
			return grown
		}
	}
	if v.foresees() {
		for _, next := range simulation.NextSteps(v.Judge) {
			if next.Target == p.by {
				return growthStep{NextStep: next}.cpuGrowth(v)
			}
		}
	}
	return resource.Quantity{}
}
