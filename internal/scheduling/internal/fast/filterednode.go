package fast

import (
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// filteredNode is a node that lists only those of its pods that count.
type filteredNode struct {
	*framework.NodeInfo
	pods []fwk.PodInfo
}

func (c *filteredNode) GetPods() []fwk.PodInfo                         { return c.pods }
func (c *filteredNode) GetPodsWithAffinity() []fwk.PodInfo             { return c.pods }
func (c *filteredNode) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo { return c.pods }
