package rules

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// cpuGrowth is the increase of the container's CPU request.
func (s growthStep) cpuGrowth(q query.Query) resource.Quantity {
	grown := s.Requests[corev1.ResourceCPU].DeepCopy()
	held := requestsNow(q, s)[corev1.ResourceCPU]
	grown.Sub(held)
	return grown
}

const (
	// cpuStep is what requests are rounded to, in thousandths of a CPU.
	cpuStep = 5
	// minReducible is the request below which a pod's request is not reduced, since a step would be a large part of it.
	minReducible = 10 * cpuStep
)

// lowerRequests proposes slightly lower CPU requests of the workloads that would be preempted, so that the step fits beside them on
// every node. It is verified by simulation.
func (s growthStep) lowerRequests(ctx context.Context, q query.Query) (finding.Remedy, bool) {
	less := s.reductions(q)
	if len(less) == 0 {
		return finding.Remedy{}, false
	}
	refs := slices.SortedFunc(maps.Keys(less), facts.CompareRefs)
	proposal := s.lowerRequestsRemedy(q, refs, less)
	if !s.preemptsNobody(ctx, q, proposal.Change, s.recreatedJobPods(q, less)) {
		return finding.Remedy{}, false
	}
	return proposal, true
}

// recreatedJobPods are the pods of Jobs, as recreated with the lower requests: running pods of a Job keep their template.
func (s growthStep) recreatedJobPods(q query.Query, less map[change.Ref]int64) []cluster.Edit {
	var edits []cluster.Edit
	for ref, by := range less {
		if !isJobKind(ref) {
			continue
		}
		for _, pod := range facts.PodsOfWorkload(q.World, ref) {
			smaller := pod.DeepCopy()
			reduceCPU(&smaller.Spec, by)
			smaller.Status.ContainerStatuses = nil // The node's allocated resources, which the scheduler counts, too (KEP-1287).
			edits = append(edits, cluster.Put(smaller))
		}
	}
	return edits
}

// reductions is by how much each workload with victims must reduce its request: on the worst of its nodes, a share of the shortage in
// proportion to its request.
func (s growthStep) reductions(q query.Query) map[change.Ref]int64 {
	grown := s.cpuGrowth(q)
	give := map[change.Ref]bool{}
	for _, pod := range s.victims {
		give[facts.WorkloadRef(q.World, pod)] = true
	}
	less := map[change.Ref]int64{}
	for _, node := range q.World.Nodes() {
		lack := grown.MilliValue() - freeCPU(q.World, node)
		var here []*corev1.Pod
		var asked int64
		for _, pod := range q.World.PodsOn(node.Name) {
			if cpu := query.SpecRequest(&pod.Spec, corev1.ResourceCPU); facts.IsActive(pod) && give[facts.WorkloadRef(q.World, pod)] && cpu.MilliValue() >= minReducible {
				here, asked = append(here, pod), asked+cpu.MilliValue()
			}
		}
		if lack <= 0 || len(here) == 0 {
			continue
		}
		for _, pod := range here {
			ref, cpu := facts.WorkloadRef(q.World, pod), query.SpecRequest(&pod.Spec, corev1.ResourceCPU)
			share := (lack*cpu.MilliValue() + asked - 1) / asked
			less[ref] = max(less[ref], (share+cpuStep-1)/cpuStep*cpuStep)
		}
	}
	return less
}

func reduceCPU(spec *corev1.PodSpec, milli int64) {
	for i := range spec.Containers {
		requests := spec.Containers[i].Resources.Requests
		if now := requests[corev1.ResourceCPU]; now.MilliValue() > milli {
			requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(now.MilliValue()-milli, resource.DecimalSI)
			return
		}
	}
}

// preemptsNobody reports whether the step preempts no pod once the remedy has been applied.
func (s growthStep) preemptsNobody(ctx context.Context, q query.Query, remedy change.Change, edits []cluster.Edit) bool {
	q.Judge.Fork()
	defer q.Judge.Revert()
	if err := q.Judge.Apply(edits...); err != nil {
		return false
	}
	result, ok := q.Simulate(ctx, append([]change.Change{remedy}, s.Changes()...)...)
	return ok && !slices.ContainsFunc(result.Fates, func(fate outcome.Fate) bool {
		pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name) // None for a pod that the remedy created.
		taken := fate.Kind == outcome.Preempted || fate.Kind == outcome.Waiting || fate.Kind == outcome.Lost
		return taken && (pod == nil || !placeholder(pod))
	})
}

// lowerRequestsRemedy is the remedy: the workloads' manifests with lower requests, and the commands. A Job's template cannot be
// changed, but its pods can be resized while they run.
func (s growthStep) lowerRequestsRemedy(q query.Query, refs []change.Ref, less map[change.Ref]int64) finding.Remedy {
	var objects []runtime.Object
	var asks, commands []string
	jobs, crons := false, false
	for _, ref := range refs {
		object, ok := q.World.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name).(runtime.Object)
		if !ok {
			continue
		}
		changed := object.DeepCopyObject()
		template := kube.PodTemplate(changed.(metav1.Object))
		if template == nil {
			continue
		}
		before := template.Spec.DeepCopy()
		reduceCPU(&template.Spec, less[ref])
		cpu := query.SpecRequest(&template.Spec, corev1.ResourceCPU)
		asks = append(asks, ref.String()+" ("+cpu.String()+")")
		crons = crons || ref.Kind == string(cluster.CronJob)
		if ref.Kind == string(cluster.Job) {
			jobs = true
			if command, err := change.ResizeJob(ref, changedContainers(before, &template.Spec)); err == nil {
				commands = append(commands, command)
			}
			continue
		}
		objects = append(objects, changed)
		containers := changedContainers(before, &template.Spec)
		for _, name := range slices.Sorted(maps.Keys(containers)) {
			commands = append(commands, change.SetCPU(ref, name, containers[name].Requests[corev1.ResourceCPU]))
		}
	}

	return finding.Remedy{
		Message: sentence.RemedyShrink(message.ListOf(asks), s.Target),
		Change:  change.Apply{From: "requests", Objects: slices.Clip(objects)}, Command: strings.Join(commands, " && "), Verified: true,
		Cost: sentence.RemedyShrinkCost(), Risk: sentence.RemedyShrinkRisk(jobs, crons),
	}
}

// changedContainers are the containers whose CPU request changes. A limit that was equal to the request changes with it, since a pod
// must keep its QoS class.
func changedContainers(before, after *corev1.PodSpec) map[string]corev1.ResourceRequirements {
	containers := map[string]corev1.ResourceRequirements{}
	for i := range after.Containers {
		was, now := before.Containers[i].Resources.Requests[corev1.ResourceCPU], after.Containers[i].Resources.Requests[corev1.ResourceCPU]
		if was.Cmp(now) == 0 {
			continue
		}
		asks := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: now}}
		if limit, ok := before.Containers[i].Resources.Limits[corev1.ResourceCPU]; ok && limit.Cmp(was) == 0 {
			asks.Limits = asks.Requests
		}
		containers[after.Containers[i].Name] = asks
	}
	return containers
}
