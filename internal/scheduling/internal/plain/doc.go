// Package plain asks every plugin about every node, as kube-scheduler does in a scheduling cycle (pkg/scheduler/schedule_one.go) and in
// preemption (pkg/scheduler/framework/preemption), and remembers nothing. It also says in which way package fast may stand in for it.
package plain
