package status

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// imageErrors are the reasons a pull fails, by words that registries and container runtimes use for them, the more
// telling first. The words of a registry that uses others are shown as they are.
var imageErrors = []struct {
	id    message.ID
	words []string
}{
	// containerd and Docker end these lines with "not found", too; the last is CRI-O's.
	{message.ImagePlatform, []string{"no match for platform", "no matching manifest for", "no image found in image index for architecture"}},
	{message.ImageRefused, []string{"unauthorized", "denied", "forbidden", "no basic auth credentials", "authentication required"}},
	{message.ImageLimited, []string{"toomanyrequests", "too many requests", "rate limit"}},
	{message.ImageUnknown, []string{"not found", "manifest unknown", "does not exist"}},
	{message.ImageUnreachable, []string{
		"no such host", "i/o timeout", "connection refused", "no route to host", "network is unreachable", "deadline exceeded", "tls handshake timeout",
	}},
	{message.ImageNoRoom, []string{"no space left on device"}},
}

// imageNotPulled is about a container whose image the node does not get.
func (s *Status) imageNotPulled(pod *corev1.Pod, c corev1.ContainerStatus, first bool) {
	image := imageOf(pod, c.Name)
	args := message.Args{"container": c.Name, "image": image, "node": facts.NodeRef(pod.Spec.NodeName), "secrets": secretNames(pod), "platform": platformOf(s.World.Node(pod.Spec.NodeName))}
	words, evidence := c.State.Waiting.Message, []finding.Evidence{s.waitingEvidence(pod, c)}
	for _, e := range s.Events(pod, "Failed") {
		// While kubelet backs off, only the event still holds the registry's words.
		if strings.Contains(e.Message, "Failed to pull image") && strings.Contains(e.Message, image) {
			words, evidence = words+" "+e.Message, append(evidence, query.EventEvidence(e))
			break
		}
	}
	id := message.ImageFailed
	switch c.State.Waiting.Reason {
	case "InvalidImageName":
		id = message.ImageInvalid
	case "ErrImageNeverPull":
		id = message.ImageNeverPulled
	default:
		for _, t := range imageErrors {
			if containsAny(strings.ToLower(words), t.words) {
				id = t.id
				break
			}
		}
	}
	if first {
		s.set(PodState(pod), finding.Critical, id, args)
	}
	s.addCause(id, args, evidence...)
	if id == message.ImagePlatform {
		s.otherPlatforms(pod, args)
		s.archRemedies(pod, image)
	}
	s.nodesWithImage(pod, image)
}

// otherPlatforms says what the node's platform is, and what those of the other nodes are.
func (s *Status) otherPlatforms(pod *corev1.Pod, args message.Args) {
	var evidence []finding.Evidence
	if node := s.World.Node(pod.Spec.NodeName); node != nil {
		evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "status.nodeInfo.architecture", node.Status.NodeInfo.Architecture))
	}
	s.addCause(message.ImagePlatformWay, message.Args{"platform": args["platform"], "others": s.otherPlatformsOf(pod.Spec.NodeName)}, evidence...)
}

// platformOf is a node's operating system and architecture, as images name them; empty if not known.
func platformOf(node *corev1.Node) string {
	if node == nil || node.Status.NodeInfo.Architecture == "" {
		return ""
	}
	return cmp.Or(node.Status.NodeInfo.OperatingSystem, "linux") + "/" + node.Status.NodeInfo.Architecture
}

// nodesWithImage says where the same image runs: what works there tells image and node apart.
func (s *Status) nodesWithImage(pod *corev1.Pod, image string) {
	for _, other := range s.World.Pods() {
		if other.UID == pod.UID || other.Spec.NodeName == "" {
			continue
		}
		for _, c := range other.Status.ContainerStatuses {
			if imageOf(other, c.Name) == image && (c.State.Running != nil || c.State.Terminated != nil) {
				ref := facts.RefTo(cluster.Pod, other)
				s.addCause(message.ImageElsewhere, message.Args{"pod": ref, "namespace": ref.Namespace, "node": facts.NodeRef(other.Spec.NodeName)},
					facts.Evidence(ref, statusField(other, c.Name, "imageID"), c.ImageID))
				return
			}
		}
	}
}

func imageOf(pod *corev1.Pod, container string) string {
	if c := containerOf(pod, container); c != nil {
		return c.Image
	}
	return ""
}

func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// secretNames are the pull secrets a pod names; what they hold is not read.
func secretNames(pod *corev1.Pod) []string {
	var names []string
	for _, secret := range pod.Spec.ImagePullSecrets {
		names = append(names, change.Ref{Kind: "Secret", Name: secret.Name}.String())
	}
	return names
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
