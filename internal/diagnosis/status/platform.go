package status

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// execFormatError is the kernel's message for a file that it cannot execute (ENOEXEC): it is built for another architecture, or is a
// script without a #! line.
const execFormatError = "exec format error"

// isExecFormatError reports whether a container ended because the node cannot execute its program.
func isExecFormatError(end *corev1.ContainerStateTerminated) bool {
	return end != nil && strings.Contains(strings.ToLower(end.Message), execFormatError)
}

// explainPlatform explains a container whose program the node cannot execute.
func (s *Status) explainPlatform(pod *corev1.Pod, container string) {
	s.addCause(sentence.ExitFormat(platformOf(s.World.Node(pod.Spec.NodeName))), s.platformEvidence(pod)...)
	image := imageOf(pod, container)
	s.nodesWithImage(pod, image)
	s.archRemedies(pod, image)
}

// platformEvidence is the architecture of a pod's node.
func (s *Status) platformEvidence(pod *corev1.Pod) []finding.Evidence {
	node := s.World.Node(pod.Spec.NodeName)
	if node == nil {
		return nil
	}
	return []finding.Evidence{facts.Evidence(facts.RefTo(cluster.Node, node), "status.nodeInfo.architecture", node.Status.NodeInfo.Architecture)}
}

// otherPlatformsOf are the platforms of other nodes that differ from the node's.
func (s *Status) otherPlatformsOf(name string) []string {
	own, others := platformOf(s.World.Node(name)), map[string]bool{}
	for _, node := range s.World.Nodes() {
		if p := platformOf(node); p != "" && p != own {
			others[p] = true
		}
	}
	return slices.Sorted(maps.Keys(others))
}

// archRemedies are node selectors for another architecture: that of the nodes on which the same image runs, if there are any; otherwise
// one for each architecture in the cluster. The platforms of an image are not in the Kubernetes API, so that none is verified. An image for
// more platforms is another remedy.
func (s *Status) archRemedies(pod *corev1.Pod, image string) {
	defer s.advise(sentence.RemedyPlatform(platformOf(s.World.Node(pod.Spec.NodeName)), message.ListOf(s.otherPlatformsOf(pod.Spec.NodeName))))
	node := s.World.Node(pod.Spec.NodeName)
	if node == nil || !s.Known(cluster.Node) {
		return
	}
	own := node.Labels[corev1.LabelArchStable]
	byArch, runs := map[string][]*corev1.Node{}, map[string]bool{}
	for _, other := range s.World.Nodes() {
		if arch := other.Labels[corev1.LabelArchStable]; arch != "" && arch != own && other.Labels[corev1.LabelOSStable] == node.Labels[corev1.LabelOSStable] && kube.IsNodeReady(other) && !kube.IsBeingRemoved(other) {
			byArch[arch] = append(byArch[arch], other)
			runs[arch] = runs[arch] || slices.ContainsFunc(s.World.PodsOn(other.Name), func(p *corev1.Pod) bool { return runsImage(p, image) })
		}
	}
	archs := slices.Sorted(maps.Keys(byArch))
	if known := slices.DeleteFunc(slices.Clone(archs), func(arch string) bool { return !runs[arch] }); len(known) > 0 {
		archs = known
	}
	for _, arch := range archs[:min(len(archs), query.MaxRemedies)] {
		done, ok := s.PatchTemplate(pod, map[string]any{"nodeSelector": map[string]string{corev1.LabelArchStable: arch}})
		if !ok {
			return
		}

		s.addRemedies(s.Propose(done, sentence.RemedyArch(done.Object, arch, s.Enumerate(query.NodeRefs(byArch[arch]))), sentence.RemedyReplaceCost(done.Object), sentence.RemedyArchRisk(runs[arch], arch, image, facts.ControlledBy(pod, cluster.DaemonSet))).Remedy)
	}
}

// runsImage reports whether a container of a pod has run an image.
func runsImage(pod *corev1.Pod, image string) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return imageOf(pod, c.Name) == image && c.State.Running != nil && c.Ready
	})
}
