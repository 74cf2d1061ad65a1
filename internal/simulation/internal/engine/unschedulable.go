package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// maxReasons bounds for how many classes of pods the reason is computed: each looks at every node.
const maxReasons = 100

// ExplainWaiting adds the reason to each unschedulable pod's fate, and the condition to the pod, as the scheduler would.
func (e *Engine) ExplainWaiting(ctx context.Context) error {
	reasons, computed := map[queue.Class]string{}, 0
	var edits []cluster.Edit
	for _, record := range e.Fates.All() {
		if record.WaitingPod == nil || record.Fate.Kind != outcome.Waiting || record.Fate.Why.ID != "" {
			continue
		}
		class := queue.ClassOf(record.WaitingPod)
		text, known := reasons[class]
		if !known || class == (queue.Class{}) {
			if computed++; computed > maxReasons {
				record.Fate.Why = sentence.FateNoNode()
				continue
			}
			var err error
			if text, err = e.unschedulableReason(ctx, record.WaitingPod); err != nil {
				return err
			}
			reasons[class] = text
		}
		record.Fate.Why = sentence.FateUnschedulable(text)
		edits = append(edits, cluster.Put(e.withUnschedulableCondition(record.WaitingPod, text)))
	}
	return e.Edit(edits...)
}

// unschedulableReason is why a pod cannot be scheduled, in the scheduler's words, with every obstacle of every node counted.
func (e *Engine) unschedulableReason(ctx context.Context, pod *corev1.Pod) (string, error) {
	obstacles, err := e.Judge.Obstacles(ctx, e.podForJudge(pod))
	if err != nil {
		return "", fmt.Errorf("asking why %s fits nowhere: %w", names.PodRef(pod), err)
	}
	return formatObstacles(obstacles), nil
}

// maxNamedObstacles is how many different obstacles a reason names.
const maxNamedObstacles = 6

func formatObstacles(o scheduling.Obstacles) string {
	if len(o.Nodes) == 0 && len(o.Everywhere) == 0 {
		return "no nodes available to schedule pods" // as kube-scheduler's ErrNoNodesAvailable says
	}
	var everywhere []string
	for _, obstacle := range o.Everywhere {
		everywhere = append(everywhere, obstacle.Reasons...)
	}
	counts := map[string]int{}
	for _, node := range o.Nodes {
		for _, obstacle := range node.Obstacles {
			for _, reason := range obstacle.Reasons {
				counts[reason]++
			}
		}
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	named := everywhere
	for _, reason := range reasons[:min(len(reasons), maxNamedObstacles)] {
		named = append(named, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	return fmt.Sprintf("0/%d nodes are available: %s.", len(o.Nodes), strings.Join(named, ", "))
}

// withUnschedulableCondition is the pod with the condition that the scheduler sets.
func (e *Engine) withUnschedulableCondition(pod *corev1.Pod, why string) *corev1.Pod {
	marked := *pod
	marked.Status.Conditions = slices.DeleteFunc(slices.Clone(pod.Status.Conditions), func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled
	})
	marked.Status.Conditions = append(marked.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why, LastTransitionTime: *e.APITime(),
	})
	return &marked
}
