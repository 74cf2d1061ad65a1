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
	// nitroAttachments is the maximum number of volumes and network interfaces, in sum, that EC2 attaches to most instance types on Nitro.
	//
	// Source: docs.aws.amazon.com/ebs/latest/userguide/volume_limits.html.
	nitroAttachments = 28
	// lowAttachments is a number of attachments that an instance's network interfaces may use up.
	lowAttachments = 4
)

// attachLimitErrors are substrings of the errors of EC2, or of its driver, for an attachment that fails because of the attach limit: the limit
// itself, and a volume that stays in the state attaching.
var attachLimitErrors = []string{"attachmentlimitexceeded", "attachment limit exceeded", "expected device to be attached but was attaching"}

// atAttachLimit reports whether EC2 probably attaches no more volumes to a machine with this many.
func atAttachLimit(driver, problem string, attached int) bool {
	return driver == ebsDriver && attached >= nitroAttachments-lowAttachments && containsAny(strings.ToLower(problem), attachLimitErrors)
}

// instanceType is the instance type of a node; empty if it is not known.
func (s *Status) instanceType(name string) string {
	if node := s.World.Node(name); node != nil {
		return node.Labels[corev1.LabelInstanceTypeStable]
	}
	return ""
}

// reportAttachments adds how many volumes of a driver are attached to a node, and how many the driver allows. It adds nothing if these numbers
// are not known, or if the node can certainly attach more.
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
		if nitro {
			s.advise(sentence.RemedyAttached(driver, facts.NodeRef(name)))
		}
		s.addCause(sentence.AttachedThere(facts.NodeRef(name), s.instanceType(name), attached, driver, most, shared, left), facts.Evidence(facts.RefTo(cluster.CSINode, csi), "spec.drivers["+driver+"].allocatable.count", strconv.Itoa(most)))
		return
	}
}

// countAttachments is the number of volumes of a driver that are attached to a node.
func (s *Status) countAttachments(name, driver string) int {
	n := 0
	for _, a := range s.World.VolumeAttachments() {
		if a.Spec.NodeName == name && a.Spec.Attacher == driver && a.Status.Attached {
			n++
		}
	}
	return n
}
