// Package clusterautoscaler simulates Cluster Autoscaler 1.36, whose pod the lab's kubelets only pretend to run.
//
// Each scan reads the world, plans and acts: plan computes the actions from the world and the state that earlier scans left; whether a pod fits a node is asked of the scheduler's own filter plugins and never decided
// here. What a user sees of the real one is the same: its events word for word, its status ConfigMap, its taints, its
// default timings. It has no pod in the cluster, and no fault there stops it.
//
// Left out, as nothing in the lab shows it: GPU and DRA, node group auto-provisioning and balancing, quotas on cores and
// memory, instances that never register, nodes with scale-down delayed by annotation.
package clusterautoscaler
