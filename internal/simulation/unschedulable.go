package simulation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// mostReasons bounds how many kinds of pods are asked about why they fit nowhere: each answer looks at every node.
const maxReasons = 100

// giveReasons says of each pod that waits why, once the future has come to rest, and marks it in the world as the scheduler
// would.
func (e *engine) explainWaiting(ctx context.Context) error {
	said, asked := map[equivalenceClass]string{}, 0
	var edits []cluster.Edit
	for _, l := range e.fates.records {
		if l.waitingPod == nil || l.fate.Kind != Waiting || l.fate.Why.ID != "" {
			continue
		}
		alike := equivalenceClassOf(l.waitingPod)
		text, known := said[alike]
		if !known || alike == (equivalenceClass{}) {
			if asked++; asked > maxReasons {
				l.fate.Why = message.Of(message.FateNoNode, nil)
				continue
			}
			var err error
			if text, err = e.unschedulableReason(ctx, l.waitingPod); err != nil {
				return err
			}
			said[alike] = text
		}
		l.fate.Why = message.Of(message.FateUnschedulable, message.Args{"why": text})
		edits = append(edits, cluster.Put(e.withUnschedulableCondition(l.waitingPod, text)))
	}
	return e.edit(edits...)
}

// refusal is why a pod fits nowhere, in the scheduler's words, with every obstacle of every node counted.
func (e *engine) unschedulableReason(ctx context.Context, pod *corev1.Pod) (string, error) {
	obstacles, err := e.judge.Obstacles(ctx, e.podForJudge(pod))
	if err != nil {
		return "", fmt.Errorf("asking why %s fits nowhere: %w", podRef(pod), err)
	}
	return formatObstacles(obstacles), nil
}

// mostSaid is how many different obstacles a reason names.
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
	said := everywhere
	for _, reason := range reasons[:min(len(reasons), maxNamedObstacles)] {
		said = append(said, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	return fmt.Sprintf("0/%d nodes are available: %s.", len(o.Nodes), strings.Join(said, ", "))
}

// unschedulable is the pod as the scheduler marks it.
func (e *engine) withUnschedulableCondition(pod *corev1.Pod, why string) *corev1.Pod {
	marked := *pod
	marked.Status.Conditions = slices.DeleteFunc(slices.Clone(pod.Status.Conditions), func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled
	})
	marked.Status.Conditions = append(marked.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why, LastTransitionTime: *e.apiTime(),
	})
	return &marked
}
