package unschedulable

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// largestNode is the node that comes closest to holding a pod that no node can hold, even when empty.
type largestNode struct {
	*corev1.Node
	// lacking are the resources of which it has too little when empty, exceeded those of which the pod requests more than is allocatable.
	lacking, exceeded []query.Shortage
	// isLargest says that no other node has more of what is exceeded than the pod requests.
	isLargest bool
}

func exceedsAllocatable(s query.Shortage) bool { return s.Requested > s.All }

// largestNode is nil if the pod requests no more than some node's allocatable resources, or if it requests a resource that no node has at
// all: larger nodes of the same kind would not have it either.
func (a *explanation) largestNode(d *query.Verdict) *largestNode {
	var largest *largestNode
	for _, n := range d.Infeasible {
		lacking := a.ShortagesWhenEmpty(a.representative, n.Node)
		exceeded := slices.DeleteFunc(slices.Clone(lacking), func(s query.Shortage) bool { return !exceedsAllocatable(s) })
		if len(exceeded) == 0 {
			return nil
		}
		none := slices.ContainsFunc(exceeded, func(s query.Shortage) bool { return s.All == 0 })
		if !none && (largest == nil || query.TotalShare(lacking) < query.TotalShare(largest.lacking)) {
			largest = &largestNode{Node: n.Node, lacking: lacking, exceeded: exceeded}
		}
	}
	if largest == nil {
		return nil
	}
	largest.isLargest = !slices.ContainsFunc(d.Infeasible, func(n query.NodeObstacles) bool {
		return slices.ContainsFunc(largest.exceeded, func(s query.Shortage) bool {
			return query.QuantityValue(s.Resource, n.Node.Status.Allocatable[s.Resource]) >= s.Requested
		})
	})
	return largest
}

// setTooLargeMessage says that no node can hold the pods, even when empty.
func (a *explanation) setTooLargeMessage(node *largestNode) {
	a.Message = sentence.UnplacedTooLarge(a.who(), len(a.subjects), amounts(node.exceeded, requested), node.isLargest, facts.NodeRef(node.Name), amounts(node.exceeded, allocatable))
}

func requested(s query.Shortage) int64   { return s.Requested }
func allocatable(s query.Shortage) int64 { return s.All }
func available(s query.Shortage) int64   { return s.Free }
func used(s query.Shortage) int64        { return s.All - s.Free }

// amounts are amounts of resources, without those that are zero.
func amounts(shortages []query.Shortage, of func(query.Shortage) int64) message.List {
	var said message.List
	for _, s := range shortages {
		if amount := of(s); amount > 0 {
			said = append(said, sentence.Amount(s.Format(amount), string(s.Resource)))
		}
	}
	return said
}

// templateFits reports whether the template of the pods' workload has been changed since, so that new pods would fit on the node.
func (a *explanation) templateFits(node *largestNode) bool {
	object := a.World.Workload(a.representative)
	if object == nil {
		return false
	}
	template := kube.PodTemplate(object)
	if template == nil {
		return false
	}
	now := query.PodRequests(&corev1.Pod{Spec: template.Spec})
	return !slices.ContainsFunc(node.lacking, func(s query.Shortage) bool { return query.QuantityValue(s.Resource, now[s.Resource]) > s.Free })
}

// proposeFittingRequests lowers the requests to what the largest node has when empty.
func (a *explanation) proposeFittingRequests(node *largestNode) []query.ProposedRemedy {
	if w, ok := a.lowerRequests(node.Node, node.lacking); ok {
		return []query.ProposedRemedy{w}
	}
	return nil
}

// sizeRemedies are remedies for pods that no node can hold which no simulation can verify: a smaller request, unless one is proposed
// already, and larger nodes.
func (a *explanation) sizeRemedies(node *largestNode, proposed []finding.Remedy) []finding.Remedy {
	var all []finding.Remedy
	lowered := slices.ContainsFunc(proposed, func(r finding.Remedy) bool { _, patches := r.Change.(change.Patch); return patches })
	if fits := amounts(node.lacking, available); !lowered && len(fits) == len(node.lacking) {
		all = append(all, finding.Remedy{
			Message: sentence.RemedySmaller(a.owner, fits, facts.NodeRef(node.Name)), Cost: sentence.RemedySmallerCost(), Risk: sentence.RemedyLowerRisk(),
		})
	}
	return append(all, finding.Remedy{
		Message: sentence.RemedyLargerNodes(amounts(node.lacking, requested), amounts(node.lacking, used)),
		Cost:    sentence.RemedyLargerNodesCost(), Risk: sentence.RemedyLargerNodesRisk(),
	})
}
