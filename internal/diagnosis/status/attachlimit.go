package status

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	ebsDriver = "ebs.csi.aws.com"
	// nitroAttachments is how many volumes and network interfaces together EC2 attaches to most instance types on Nitro.
	//
	// Source: docs.aws.amazon.com/ebs/latest/userguide/volume_limits.html.
	nitroAttachments = 28
	// lowAttachments is how many of them an instance's interfaces may well take.
	lowAttachments = 4
)

// attachLimitErrors are words by which EC2, or its driver, says that an attachment does not come about for want of room: the limit itself, and
// a volume that stays attaching.
var attachLimitErrors = []string{"attachmentlimitexceeded", "attachment limit exceeded", "expected device to be attached but was attaching"}

// atAttachLimit says whether EC2 likely attaches no more volumes to a machine that has this many.
func atAttachLimit(driver, problem string, attached int) bool {
	return driver == ebsDriver && attached >= nitroAttachments-lowAttachments && containsAny(strings.ToLower(problem), attachLimitErrors)
}

// instanceType is that of a node's machine, empty if it is not known.
func (s *Status) instanceType(name string) string {
	if node := s.World.Node(name); node != nil {
		return node.Labels[corev1.LabelInstanceTypeStable]
	}
	return ""
}

// reportAttachments says how many volumes of a driver a node has attached, beside how many the driver says that it takes. It says nothing
// where these are not known, or where there is ample room by any measure.
func (s *Status) reportAttachments(name, driver string) {
	csi := s.World.CSINode(name)
	if csi == nil || !s.Known(cluster.VolumeAttachment) {
		return
	}
	attached := s.countAttachments(name, driver)
	for _, d := range csi.Spec.Drivers {
		if d.Name != driver || d.Allocatable == nil || d.Allocatable.Count == nil {
			continue
		}
		most := int(*d.Allocatable.Count)
		nitro := driver == ebsDriver && most >= nitroAttachments && attached >= nitroAttachments-lowAttachments
		if attached < most && !nitro {
			return
		}
		shared, left := 0, 0
		if nitro {
			shared, left = nitroAttachments, max(nitroAttachments-attached, 0)
		}
		s.addCause(sentence.AttachedThere(facts.NodeRef(name), s.instanceType(name), attached, driver, most, shared, left), facts.Evidence(facts.RefTo(cluster.CSINode, csi), "spec.drivers["+driver+"].allocatable.count", strconv.Itoa(most)))
		return
	}
}

// countAttachments is how many volumes of a driver a node has attached.
func (s *Status) countAttachments(name, driver string) int {
	n := 0
	for _, a := range s.World.VolumeAttachments() {
		if a.Spec.NodeName == name && a.Spec.Attacher == driver && a.Status.Attached {
			n++
		}
	}
	return n
}
