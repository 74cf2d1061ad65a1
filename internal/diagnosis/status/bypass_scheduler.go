package status

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// bypassesScheduler reports whether a pod was created with a nodeName although one of its claims is WaitForFirstConsumer. The
// scheduler sets the selected node on such a claim and waits for its volume before it binds the pod
// (pkg/scheduler/framework/plugins/volumebinding, PreBind). A claim that is younger than the pod was recreated since.
func (s *Status) bypassesScheduler(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) bool {
	class := s.World.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))
	placed := kube.PodCondition(pod, corev1.PodScheduled)
	return pod.Spec.NodeName != "" && claim.Spec.VolumeName == "" && s.waitsForFirstConsumer(claim, class) &&
		(placed == nil || !placed.LastTransitionTime.Before(&claim.CreationTimestamp))
}

// claimBypassed is the answer for a pod that was created with a nodeName, or for its claim that waits for the scheduler.
func (s *Status) claimBypassed(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) message.Sentence {
	class := change.Ref{Kind: string(cluster.StorageClass), Name: volumehelpers.GetPersistentVolumeClaimClass(claim)}
	return sentence.ClaimBypassed(s.ref, facts.RefTo(cluster.Pod, pod), facts.RefTo(cluster.PersistentVolumeClaim, claim), class)
}

// claimBypassedWay says how the scheduler can place the pod on the same node.
func (s *Status) claimBypassedWay(pod *corev1.Pod) message.Sentence {
	hostname := pod.Spec.NodeName
	if node := s.World.Node(pod.Spec.NodeName); node != nil {
		hostname = cmp.Or(node.Labels[corev1.LabelHostname], hostname)
	}
	return sentence.ClaimBypassedWay(hostname)
}

func (s *Status) bypassEvidence(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) []finding.Evidence {
	return []finding.Evidence{
		facts.Evidence(facts.RefTo(cluster.Pod, pod), "spec.nodeName", pod.Spec.NodeName),
		facts.Evidence(facts.RefTo(cluster.PersistentVolumeClaim, claim), "metadata.annotations["+volumehelpers.AnnSelectedNode+"]", ""),
		facts.Evidence(facts.RefTo(cluster.StorageClass, class), "volumeBindingMode", string(*class.VolumeBindingMode)),
	}
}
