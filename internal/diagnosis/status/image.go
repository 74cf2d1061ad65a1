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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// imageErrors are reasons for failed pulls, by substrings of the messages of registries and container runtimes, the
// most specific first. Other messages are shown as they are.
var imageErrors = []struct {
	kind  message.ID
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

// imageNotPulled explains a container whose image cannot be pulled.
func (s *Status) imageNotPulled(pod *corev1.Pod, c corev1.ContainerStatus, first bool) {
	image := imageOf(pod, c.Name)
	words, evidence := c.State.Waiting.Message, []finding.Evidence{s.waitingEvidence(pod, c)}
	for _, e := range s.Events(pod, "Failed") {
		// During the kubelet's backoff, only the Event still has the registry's message.
		if strings.Contains(e.Message, "Failed to pull image") && strings.Contains(e.Message, image) {
			words, evidence = words+" "+e.Message, append(evidence, query.EventEvidence(e))
			break
		}
	}
	why := s.imageError(pod, c, words)
	if first {
		s.set(PodState(pod), finding.Critical, why)
	}
	if why.ID == message.ImagePlatform {
		evidence = append(evidence, s.platformEvidence(pod)...)
	}
	s.addCause(why, evidence...)
	if why.ID == message.ImagePlatform {
		s.archRemedies(pod, image)
	}
	s.nodesWithImage(pod, image)
}

// imageError explains why a container has no image, by the kubelet's reason and the message of the registry or the
// runtime.
func (s *Status) imageError(pod *corev1.Pod, c corev1.ContainerStatus, words string) message.Sentence {
	image, node := imageOf(pod, c.Name), facts.NodeRef(pod.Spec.NodeName)
	switch c.State.Waiting.Reason {
	case "InvalidImageName":
		return sentence.ImageInvalid(s.ref, image, c.Name)
	case "ErrImageNeverPull":
		return sentence.ImageNeverPulled(s.ref, node, image, c.Name)
	}
	kind := message.ImageFailed
	for _, known := range imageErrors {
		if containsAny(strings.ToLower(words), known.words) {
			kind = known.kind
			break
		}
	}
	switch kind {
	case message.ImagePlatform:
		return sentence.ImagePlatform(s.ref, image, c.Name, node, platformOf(s.World.Node(pod.Spec.NodeName)))
	case message.ImageRefused:
		return sentence.ImageRefused(s.ref, image, c.Name, message.ListOf(secretNames(pod)), node)
	case message.ImageLimited:
		return sentence.ImageLimited(s.ref, image, c.Name)
	case message.ImageUnknown:
		return sentence.ImageUnknown(s.ref, image, c.Name)
	case message.ImageUnreachable:
		return sentence.ImageUnreachable(s.ref, node, image, c.Name)
	case message.ImageNoRoom:
		return sentence.ImageNoRoom(s.ref, node, image, c.Name)
	default:
		return sentence.ImageFailed(s.ref, node, image, c.Name)
	}
}

// platformOf is a node's operating system and architecture, as in image manifests; empty if not known.
func platformOf(node *corev1.Node) string {
	if node == nil || node.Status.NodeInfo.Architecture == "" {
		return ""
	}
	return cmp.Or(node.Status.NodeInfo.OperatingSystem, "linux") + "/" + node.Status.NodeInfo.Architecture
}

// nodesWithImage names the nodes on which the same image runs, which shows whether the image or the node is the cause.
func (s *Status) nodesWithImage(pod *corev1.Pod, image string) {
	for _, other := range s.World.Pods() {
		if other.UID == pod.UID || other.Spec.NodeName == "" {
			continue
		}
		for _, c := range other.Status.ContainerStatuses {
			if imageOf(other, c.Name) == image && (c.State.Running != nil || c.State.Terminated != nil) {
				ref := facts.RefTo(cluster.Pod, other)
				s.addCause(sentence.ImageElsewhere(ref, ref.Namespace, facts.NodeRef(other.Spec.NodeName)),
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

// secretNames are the names of a pod's imagePullSecrets. Their contents are not read.
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
