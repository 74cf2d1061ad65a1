package status

import (
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Annotations that keep an autoscaler from removing nodes.
//
// Sources: karpenter.sh/docs/concepts/disruption; cluster-autoscaler's FAQ.
const (
	scaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	safeToEvict       = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	poolLabel         = "karpenter.sh/nodepool"
)

// explainNotRemoved explains why an autoscaler does not remove or replace a node: by its Events, and by annotations.
func (s *Status) explainNotRemoved(node *corev1.Node) {
	for _, reason := range []string{"DisruptionBlocked", "Unconsolidatable", "ScaleDownFailed"} {
		events := s.Events(node, reason)
		if len(events) == 0 || query.FromKarpenter(events[0]) == (reason == "ScaleDownFailed") || query.EventSource(events[0]) == "" {
			continue
		}
		s.explainDisruptionBlocked(events[0])
	}
	s.explainAnnotations(node)
}

// explainDisruptionBlocked explains one of an autoscaler's Events. That a removal is blocked matters also for a node without problems; that no
// cheaper node is available does not.
func (s *Status) explainDisruptionBlocked(e *corev1.Event) {
	_, _, last := query.Occurrences(e)
	words := strings.TrimSuffix(strings.TrimPrefix(e.Message, "Cannot disrupt Node: "), ".")
	if e.Reason == "Unconsolidatable" {
		s.addCause(sentence.NodeUnconsolidatable(query.EventSource(e), s.age(last), s.ref, words), query.EventEvidence(e))
	} else {
		blocked := sentence.NodeBlocked(query.EventSource(e), s.age(last), s.ref, words)
		s.addCause(blocked, query.EventEvidence(e))
		if s.Severity == "" {
			s.set(s.State, finding.Info, sentence.UnplacedAlso(s.Summary, blocked))
		}
	}
	for _, budget := range s.budgetsIn(e.Message) {
		s.budgetAllows(budget)
	}
}

// objectKey matches the namespace and name of an object in an Event's message.
var objectKey = regexp.MustCompile(`([a-z0-9][a-z0-9-]*)/([a-z0-9][a-z0-9.-]*)`)

// budgetsIn are the existing PodDisruptionBudgets that a message names, each once.
func (s *Status) budgetsIn(words string) []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	seen := map[string]bool{}
	for _, match := range objectKey.FindAllStringSubmatch(words, -1) {
		o, ok := s.World.Object(cluster.PodDisruptionBudget, match[1], match[2]).(*policyv1.PodDisruptionBudget)
		if ok && o != nil && !seen[match[0]] {
			seen[match[0]] = true
			all = append(all, o)
		}
	}
	return all
}

// budgetAllows says what a PodDisruptionBudget allows, and which of its pods are not ready.
func (s *Status) budgetAllows(b *policyv1.PodDisruptionBudget) {
	ref := facts.RefTo(cluster.PodDisruptionBudget, b)
	var unready []change.Ref
	for _, pod := range s.World.Pods() {
		if pod.Namespace != b.Namespace || cluster.Ended(pod) || !selectedByBudget(b, pod) {
			continue
		}
		if !kube.IsPodReady(pod) {
			unready = append(unready, facts.RefTo(cluster.Pod, pod))
		}
	}
	allowed, healthy, desired := b.Status.DisruptionsAllowed, b.Status.CurrentHealthy, b.Status.DesiredHealthy

	s.addCause(sentence.NodeBudget(ref, b.Namespace, int(allowed), int(healthy), int(desired), len(unready), s.Enumerate(unready)),
		facts.Evidence(ref, "status.disruptionsAllowed", strconv.Itoa(int(allowed))), facts.Evidence(ref, "status.currentHealthy", strconv.Itoa(int(healthy))),
		facts.Evidence(ref, "status.desiredHealthy", strconv.Itoa(int(desired))))
}

// selectedByBudget reports whether a budget matches a pod of its namespace; an empty selector matches every pod, none no pod.
func selectedByBudget(b *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// explainAnnotations explains annotations of the node and its pods. Which autoscaler respects them depends on what manages the node.
func (s *Status) explainAnnotations(node *corev1.Node) {
	_, karpenter := node.Labels[poolLabel]
	source, onNode, onPod, keeps := "cluster-autoscaler", scaleDownDisabled, safeToEvict, func(value string) bool { return value == "false" }
	if karpenter {
		source, onNode, onPod, keeps = "Karpenter", kube.KarpenterDoNotDisrupt, kube.KarpenterDoNotDisrupt, func(value string) bool { return value == "true" }
	}
	if node.Annotations[onNode] == "true" {
		s.addCause(sentence.NodeAnnotated(source, s.ref, onNode), facts.Evidence(s.ref, "metadata.annotations["+onNode+"]", "true"))
	}
	var pods []change.Ref
	var evidence []finding.Evidence
	for _, pod := range s.World.PodsOn(node.Name) {
		if value := pod.Annotations[onPod]; keeps(value) && !cluster.Ended(pod) {
			ref := facts.RefTo(cluster.Pod, pod)
			pods, evidence = append(pods, ref), append(evidence, facts.Evidence(ref, "metadata.annotations["+onPod+"]", value))
		}
	}
	if len(pods) > 0 {
		s.addCause(sentence.NodeKeptByPods(source, s.ref, s.Enumerate(pods), len(pods), onPod), evidence[:min(len(evidence), query.MaxListed)]...)
	}
}
