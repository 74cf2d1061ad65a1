package unschedulable

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ruledOut rules out two common suspects: an old VolumeAttachment, and claims of another driver.
func ruledOut(q query.Query, s zoneConflict, all []facts.Mount) []finding.Link {
	var links []finding.Link
	for _, m := range s.mounts {
		if m.Volume != nil && q.World.Knowledge(cluster.VolumeAttachment).Known() {
			links = append(links, notAttached(q, s.pod, m)...)
		}
	}
	for _, m := range all {
		switch m.Scope {
		case facts.ScopeCluster:
			links = append(links, volumeScopeLink(m))
		case facts.ScopeUnprovisioned:
			links = append(links, unprovisionedLink(m))
		}
	}
	return append(links, otherDriverClaims(q, s, all)...)
}

// notAttached explains why no attachment of the volume keeps the pod Pending: the attach-detach controller attaches volumes
// only for pods that have a node (pkg/controller/volume/attachdetach, desired state of the world), and recreates a deleted
// VolumeAttachment as long as the volume counts as attached.
func notAttached(q query.Query, pod *corev1.Pod, m facts.Mount) []finding.Link {
	claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
	attachments := q.World.Attachments(m.Volume.Name)
	if len(attachments) == 0 {
		return []finding.Link{{Message: sentence.NotAttachmentNone(claim)}}
	}
	var links []finding.Link
	for _, a := range attachments {
		ref := facts.RefTo(cluster.VolumeAttachment, a)
		links = append(links, finding.Link{
			Message: sentence.NotAttachment(claim, change.Ref{Kind: string(cluster.Node), Name: a.Spec.NodeName}, q.World.Node(a.Spec.NodeName) == nil),
			Evidence: []finding.Evidence{
				facts.EvidenceSince(ref, "spec.nodeName", a.Spec.NodeName, a.CreationTimestamp),
				facts.Evidence(ref, "status.attached", strconv.FormatBool(a.Status.Attached)),
				facts.Evidence(facts.RefTo(cluster.Pod, pod), "spec.nodeName", pod.Spec.NodeName),
			},
		})
	}
	return links
}

func volumeScopeLink(m facts.Mount) finding.Link {
	claim, volume := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), facts.RefTo(cluster.PersistentVolume, m.Volume)
	return finding.Link{
		Message: sentence.NotClaimFree(claim, m.Driver()),
		Evidence: []finding.Evidence{
			facts.Evidence(claim, "status.phase", string(m.Claim.Status.Phase)),
			facts.Evidence(volume, "spec.nodeAffinity", ""),
		},
	}
}

func unprovisionedLink(m facts.Mount) finding.Link {
	claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
	return finding.Link{
		Message:  sentence.NotClaimUnmade(claim),
		Evidence: []finding.Evidence{facts.Evidence(facts.RefTo(cluster.StorageClass, m.Class), "volumeBindingMode", string(*m.Class.VolumeBindingMode))},
	}
}

// otherDriverClaims rules out claims of other CSI drivers: first those in the namespace, then others of the cluster.
func otherDriverClaims(q query.Query, s zoneConflict, all []facts.Mount) []finding.Link {
	mounted := map[types.NamespacedName]bool{}
	drivers := map[string]bool{}
	for _, m := range all {
		mounted[types.NamespacedName{Namespace: m.Claim.Namespace, Name: m.Claim.Name}] = true
		drivers[m.Driver()] = true
	}
	var own, others []*corev1.PersistentVolume
	for _, volume := range q.World.Volumes() {
		claim := volume.Spec.ClaimRef
		if claim == nil || volume.Spec.CSI == nil || drivers[volume.Spec.CSI.Driver] ||
			mounted[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}] {
			continue
		}
		if claim.Namespace == s.pod.Namespace {
			own = append(own, volume)
		} else {
			others = append(others, volume)
		}
	}
	foreign := slices.Concat(own, others)
	if len(foreign) == 0 {
		return nil
	}
	foreign = foreign[:min(len(foreign), query.MaxListed)]
	claim := foreign[0].Spec.ClaimRef
	link := finding.Link{Message: sentence.NotClaimUnmounted(change.Ref{Kind: string(cluster.PersistentVolumeClaim), Name: claim.Name}, claim.Namespace, foreign[0].Spec.CSI.Driver)}
	for _, volume := range foreign {
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.PersistentVolume, volume), "spec.claimRef",
			volume.Spec.ClaimRef.Namespace+"/"+volume.Spec.ClaimRef.Name))
	}
	return []finding.Link{link}
}
