package nodelifecycle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/internal/workload"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// Controller simulates the life of nodes.
type Controller struct {
	engine      *engine.Engine
	workload    *workload.Controllers
	autoscalers *verticalautoscaler.Controller

	// removedNodes are nodes that are gone, lostZones the zones that are lost: groups launch new nodes in the others.
	removedNodes []*corev1.Node
	lostZones    map[string]bool
}

// New simulates the life of an engine's nodes.
func New(e *engine.Engine, workload *workload.Controllers, autoscalers *verticalautoscaler.Controller) *Controller {
	return &Controller{engine: e, workload: workload, autoscalers: autoscalers, lostZones: map[string]bool{}}
}

// MarkZoneLost says that a zone is lost with all of its nodes.
func (n *Controller) MarkZoneLost(zone string) { n.lostZones[zone] = true }

// MarkRemoved says that nodes are gone for good.
func (n *Controller) MarkRemoved(gone ...*corev1.Node) {
	n.removedNodes = append(n.removedNodes, gone...)
}

// ZoneLost says whether a zone is lost.
func (n *Controller) ZoneLost(zone string) bool { return n.lostZones[zone] }

// RemovedOutsideLostZones are the removed nodes in zones that are not lost.
func (n *Controller) RemovedOutsideLostZones() []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(n.removedNodes), func(node *corev1.Node) bool { return n.lostZones[cluster.Zone(node)] })
}
