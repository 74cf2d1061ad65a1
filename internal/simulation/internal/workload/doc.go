// Package workload simulates the controllers of Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs: how they create,
// replace, roll out and scale pods. They act through an engine, and know nothing of why a pod or a node is gone.
package workload
