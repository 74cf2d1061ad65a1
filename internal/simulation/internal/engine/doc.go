// Package engine simulates one future: a clock, events by time, the scheduling queue, and the cluster as it changes. Pods are created,
// scheduled, bound, preempted, terminated and removed here, and nowhere else, so that the Judge, the budgets and the fates agree;
// volumes are provisioned, attached and detached with them, and admission and quotas say which pods there are.
//
// What becomes of a pod's owner, a node or a group is decided by controllers in packages above. An engine knows them as Owners.
package engine
