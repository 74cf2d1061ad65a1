// Package scheduling is the only room of naosu that knows the scheduler. A Judge asks Kubernetes' own plugins which nodes
// a pod may use, which of them are best, what keeps it off the others, and whom it would preempt, in a world that may be
// edited and taken back. It decides nothing else and never writes to a cluster.
package scheduling
