package random

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// forceDetach is after what time a volume is detached from a node that does not say that it is unmounted.
const forceDetach = 6 * time.Minute

// runVolumes is the controller that attaches volumes to nodes, and detaches them. Each pod with a claim has a volume of its own.
//
// Source: pkg/controller/volume/attachdetach of Kubernetes.
func (n *run) runVolumes(ctx context.Context) {
	now, present := time.Now(), n.present()
	wanted := map[string]*corev1.Pod{}
	for i := range present.pods.Items {
		if pod := &present.pods.Items[i]; pod.Spec.NodeName != "" && mountsClaim(pod) {
			wanted[attachmentName(pod)] = pod
		}
	}
	for i := range present.attachments.Items {
		one := &present.attachments.Items[i]
		n.attachedAt[one.Spec.NodeName] = now
		if wanted[one.Name] != nil {
			delete(wanted, one.Name)
			delete(n.unwantedSince, one.Name)
			continue
		}
		if n.unwantedSince[one.Name].IsZero() {
			n.unwantedSince[one.Name] = now
		}
		if now.Sub(n.unwantedSince[one.Name]) >= forceDetach || n.detaches(present, one.Spec.NodeName) {
			delete(n.unwantedSince, one.Name)
			n.write(n.api.Direct.Delete(ctx, one.DeepCopy()))
		}
	}
	for i := range present.pods.Items {
		pod := &present.pods.Items[i]
		name := attachmentName(pod)
		if wanted[name] == nil {
			continue
		}
		n.write(n.api.Direct.Create(ctx, &storagev1.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: storagev1.VolumeAttachmentSpec{
				Attacher: "ebs.csi.aws.com", NodeName: pod.Spec.NodeName, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("pv-" + string(pod.UID))},
			},
			Status: storagev1.VolumeAttachmentStatus{Attached: true},
		}))
		n.attachedAt[pod.Spec.NodeName] = now
	}
}

func attachmentName(pod *corev1.Pod) string { return "csi-" + string(pod.UID) }

func mountsClaim(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil })
}

// detaches says whether a volume that no pod wants is detached from a node at once: its kubelet has unmounted it, or the node is out of service.
func (n *run) detaches(present *present, name string) bool {
	at := slices.IndexFunc(present.nodes.Items, func(one corev1.Node) bool { return one.Name == name })
	if at < 0 {
		return false
	}
	node, m := &present.nodes.Items[at], n.machineOf(name)
	unmounts := m != nil && m.uid == node.UID && m.runs() && m.kubelet && n.talk(m.node, apiEnd)
	return unmounts || kube.IsOutOfService(node) && !kube.IsNodeReady(node)
}

// hasVolumes says whether a volume is attached to a node.
func hasVolumes(world *cluster.Snapshot, node string) bool {
	return slices.ContainsFunc(world.VolumeAttachments(), func(one *storagev1.VolumeAttachment) bool { return one.Spec.NodeName == node })
}
