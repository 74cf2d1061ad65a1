// Package headroom computes what stated failures would cost a cluster today (pods that would wait, be preempted or be lost), the smallest room that
// survives each of them, and how much of what is free could be given back. Failures are the loss of a node, of two nodes or of a zone, the rotation
// of a node group, the next step of a DaemonSet, and a burst of a workload.
//
// It decides over a Snapshot and reads and changes nothing. What pods do is the simulation's answer (internal/simulation); nothing of the scheduler is
// repeated here.
package headroom
