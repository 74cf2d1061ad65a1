package status

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// daemonSet reports whether each eligible node has a pod of the DaemonSet, and which nodes are not eligible and why.
func (s *Status) daemonSet(ctx context.Context, set *appsv1.DaemonSet) {
	want, have := int(set.Status.DesiredNumberScheduled), int(set.Status.NumberReady)
	pods := s.World.PodsOf(set.UID)
	if set.Status.ObservedGeneration == 0 {
		have = max(have, countWell(pods))
	}
	state := strconv.Itoa(have) + "/" + strconv.Itoa(want)
	missing, excluded := s.daemonNodes(set, pods)
	nodes := len(s.World.Nodes())
	switch {
	case want == 0 && len(missing) == 0:
		s.set(state, finding.Warning, sentence.DaemonNowhere(s.ref, nodes))
	case have < want || len(missing) > 0:
		short := len(missing) > 0 || set.Status.CurrentNumberScheduled < set.Status.DesiredNumberScheduled
		s.lacksPods(ctx, state, want, have, pods, short && s.creationRefused(ctx, state, set, nil))
		if len(missing) > 0 {
			s.addCause(sentence.DaemonMissing(len(missing), s.Enumerate(missing)))
		}
	default:
		s.set(state, "", sentence.DaemonHealthy(s.ref, want, nodes))
	}
	for _, why := range []message.ID{message.ObstacleSelector, message.ObstacleTainted} {
		if refs := excluded[why]; len(refs) > 0 {
			s.addCause(sentence.DaemonExcluded(s.Enumerate(refs), query.CountObstacle(why, len(refs), nil)),
				daemonTerms(s.ref, set)...)
		}
	}
	if set.Status.NumberMisscheduled > 0 {
		s.addCause(sentence.DaemonMisplaced(int(set.Status.NumberMisscheduled)),
			facts.Evidence(s.ref, "status.numberMisscheduled", strconv.Itoa(int(set.Status.NumberMisscheduled))))
	}
	if have := int(set.Status.UpdatedNumberScheduled); have < want && set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		s.addCause(sentence.DaemonOnDelete(want-have), facts.Evidence(s.ref, "spec.updateStrategy.type", string(set.Spec.UpdateStrategy.Type)))
	}
}

// daemonNodes are the eligible nodes without a pod, and the other nodes by the reason why they are not eligible.
func (s *Status) daemonNodes(set *appsv1.DaemonSet, pods []*corev1.Pod) (missing []change.Ref, excluded map[message.ID][]change.Ref) {
	on := map[string]bool{}
	for _, pod := range pods {
		on[kube.TargetNodeName(pod)] = true
	}
	excluded = map[message.ID][]change.Ref{}
	for _, node := range s.World.Nodes() {
		switch ref := facts.RefTo(cluster.Node, node); {
		case !kube.DaemonSetSelects(set, node):
			excluded[message.ObstacleSelector] = append(excluded[message.ObstacleSelector], ref)
		case !kube.ShouldRunDaemonPod(set, node):
			excluded[message.ObstacleTainted] = append(excluded[message.ObstacleTainted], ref)
		case !on[node.Name] && s.Known(cluster.Pod):
			missing = append(missing, ref)
		}
	}
	return missing, excluded
}

// daemonTerms are the template's node selector, affinity and tolerations, as evidence.
func daemonTerms(ref change.Ref, set *appsv1.DaemonSet) []finding.Evidence {
	var terms []finding.Evidence
	for _, e := range facts.SelectorEvidence(&corev1.Pod{Spec: set.Spec.Template.Spec}) {
		terms = append(terms, facts.Evidence(ref, "spec.template."+e.Field, e.Value))
	}
	return append(terms, facts.Evidence(ref, "spec.template.spec.tolerations", facts.FormatTolerations(set.Spec.Template.Spec.Tolerations)))
}
