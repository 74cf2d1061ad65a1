package status

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// systemOOMReason is the reason of the kubelet's Event for a node that ran out of memory (pkg/kubelet/oom).
const systemOOMReason = "SystemOOM"

// nodeMemoryWindow is the maximum time between the end of a container and the node's Event about it.
const nodeMemoryWindow = time.Minute

// systemOOMEvent is the Event of the node that ran out of memory when a container ended; nil if there is none. The container then
// did not exceed its own limit.
func (s *Status) systemOOMEvent(pod *corev1.Pod, end *corev1.ContainerStateTerminated) *corev1.Event {
	node := s.World.Node(pod.Spec.NodeName)
	if node == nil || end.FinishedAt.IsZero() {
		return nil
	}
	for _, e := range s.Events(node, systemOOMReason) {
		_, first, last := query.Occurrences(e)
		if withinWindow(end.FinishedAt.Time, first.Time) || withinWindow(end.FinishedAt.Time, last.Time) {
			return e
		}
	}
	return nil
}

func withinWindow(a, b time.Time) bool { return a.Sub(b).Abs() <= nodeMemoryWindow }

// memoryLimit is the memory limit at which a container was killed; empty if there is none.
func (s *Status) memoryLimit(pod *corev1.Pod, c corev1.ContainerStatus, end *corev1.ContainerStateTerminated) string {
	if end == nil || end.Reason != OOMKilled || s.systemOOMEvent(pod, end) != nil {
		return ""
	}
	return limitOf(pod, c.Name)
}

// raiseMemory proposes a higher memory limit for a container that was killed at its limit, if its workload recreates its pods.
func (s *Status) raiseMemory(pod *corev1.Pod, c corev1.ContainerStatus) {
	spec, object := containerOf(pod, c.Name), s.World.Workload(pod)
	if s.memoryLimit(pod, c, c.LastTerminationState.Terminated) == "" || object == nil {
		return
	}
	limit, request := spec.Resources.Limits[corev1.ResourceMemory], spec.Resources.Requests[corev1.ResourceMemory]
	raised := limit.DeepCopy()
	raised.Add(limit)
	if !s.fitsAnyNode(raised) {
		s.addCause(sentence.NoNodeHolds(raised.String(), c.Name))
		return
	}
	resources := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: raised}}
	if request.Cmp(limit) >= 0 { // A Guaranteed pod stays so.
		resources.Requests = corev1.ResourceList{corev1.ResourceMemory: raised}
	}
	list := "containers"
	if isInit(pod, c.Name) {
		list = "initContainers"
	}
	template := map[string]any{list: []any{map[string]any{"name": c.Name, "resources": resources}}}
	done, ok := s.PatchTemplate(pod, template)
	if cron, isCron := object.(*batchv1.CronJob); isCron {
		done, ok = query.PatchCronJob(facts.RefTo(cluster.CronJob, cron), template), true
	}
	if !ok {
		return
	}
	guaranteed := len(resources.Requests) > 0
	w := s.Propose(done, sentence.RemedyMemory(c.Name, done.Object, limit.String(), raised.String(), guaranteed), sentence.RemedyMemoryCost(done.Object, guaranteed), sentence.RemedyMemoryRisk())
	if w.Command != "" {
		w.Command = change.SetMemory(done.Object, c.Name, resources)
	}
	s.addRemedies(w.Remedy)
}

// fitsAnyNode reports whether some node has that much allocatable memory, as far as nodes are known.
func (s *Status) fitsAnyNode(memory resource.Quantity) bool {
	return !s.Known(cluster.Node) || slices.ContainsFunc(s.World.Nodes(), func(n *corev1.Node) bool {
		return n.Status.Allocatable.Memory().Cmp(memory) >= 0
	})
}
