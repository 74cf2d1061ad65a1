// Package csi plays what AWS's two CSI drivers, for EBS and EFS, do from outside the nodes: it provisions and deletes
// volumes as the external-provisioner does and attaches and detaches them as the external-attacher does, over the lab's
// cloud.
//
// Kubernetes' own controllers do the rest: the scheduler picks the node and with it the zone, the attach-detach controller
// decides what is attached where and for how long a dead node keeps its volumes. The drivers' part on a node (CSINode,
// mounting) is the simulated kubelet's.
package csi
