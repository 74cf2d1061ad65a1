package cluster

import "github.com/naosu-dev/naosu/internal/cluster/custom"

// NodePools are Karpenter's.
func (s *Snapshot) NodePools() []*custom.NodePool { return list[*custom.NodePool](s, NodePool) }

// NodePool is the one of that name; nil if there is none.
func (s *Snapshot) NodePool(name string) *custom.NodePool {
	return get[*custom.NodePool](s, NodePool, "", name)
}

// NodeClaims are Karpenter's.
func (s *Snapshot) NodeClaims() []*custom.NodeClaim { return list[*custom.NodeClaim](s, NodeClaim) }

// LocalQueue is Kueue's of that name; nil if there is none.
func (s *Snapshot) LocalQueue(namespace, name string) *custom.LocalQueue {
	return get[*custom.LocalQueue](s, LocalQueue, namespace, name)
}

// ClusterQueue is Kueue's of that name; nil if there is none.
func (s *Snapshot) ClusterQueue(name string) *custom.ClusterQueue {
	return get[*custom.ClusterQueue](s, ClusterQueue, "", name)
}

// Workloads are Kueue's.
func (s *Snapshot) Workloads() []*custom.Workload { return list[*custom.Workload](s, Workload) }

// ENIConfigs are the AWS VPC CNI's.
func (s *Snapshot) ENIConfigs() []*custom.ENIConfig { return list[*custom.ENIConfig](s, ENIConfig) }

// VerticalPodAutoscalers are those of k8s.io/autoscaler.
func (s *Snapshot) VerticalPodAutoscalers() []*custom.VerticalPodAutoscaler {
	return list[*custom.VerticalPodAutoscaler](s, VerticalPodAutoscaler)
}
