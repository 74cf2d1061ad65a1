// Package verticalautoscaler simulates the cluster-proportional-vertical-autoscaler, which sets a workload's requests by the number of
// nodes and cores: what it does when nodes come or go, and at which size its next step is due. It also tells what DaemonSets' new pods request
// that is more than running ones do, by a template that is not rolled out or by a VerticalPodAutoscaler.
package verticalautoscaler
