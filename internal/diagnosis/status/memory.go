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

// systemOOMReason is the event by which the kubelet tells of a node whose memory ran out as a whole (pkg/kubelet/oom).
const systemOOMReason = "SystemOOM"

// nodeMemoryWindow is how far apart the end of a container and the node's event of it may be told.
const nodeMemoryWindow = time.Minute

// systemOOMEvent is the event that tells that the node's memory ran out when a container ended; nil if there is none. A container's
// own limit is then not what ended it.
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

// memoryLimit is the limit that ended a container, empty if none did.
func (s *Status) memoryLimit(pod *corev1.Pod, c corev1.ContainerStatus, end *corev1.ContainerStateTerminated) string {
	if end == nil || end.Reason != OOMKilled || s.systemOOMEvent(pod, end) != nil {
		return ""
	}
	return limitOf(pod, c.Name)
}

// raiseMemory gives the way to raise the memory limit of a container that was ended at it, for what makes its pods anew.
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
	if request.Cmp(limit) >= 0 { // What is guaranteed stays so.
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

// fitsAnyNode says whether a node is large enough for so much memory, as far as nodes are known.
func (s *Status) fitsAnyNode(memory resource.Quantity) bool {
	return !s.Known(cluster.Node) || slices.ContainsFunc(s.World.Nodes(), func(n *corev1.Node) bool {
		return n.Status.Allocatable.Memory().Cmp(memory) >= 0
	})
}
