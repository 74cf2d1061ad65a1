// Package scheduling is the only one of naosu, with those in internal below it, that knows the scheduler. A Judge asks Kubernetes' own plugins
// which nodes a pod may use, which of them are best, what keeps it off the others, and which pods it would preempt, in a world that may be edited and
// reverted. It decides nothing else and never writes to a cluster.
//
// To follow how, read package plain from scheduler.go on. Package fast gives the same answers sooner, and Options.Plain leaves it out.
package scheduling
