// Package rebalance plans evictions that restore balance after nodes came, came back or changed: Kubernetes places a pod once and moves it
// no more.
//
// A plan evicts as few pods as it finds to be enough. Nothing is assigned: each evicted pod's owner creates another, and Kubernetes' own
// scheduler decides where that runs. A plan therefore holds only evictions after which the targets are met wherever the scheduler's
// ties fall, and is played in the simulation before it is given.
//
// Decisions are made from a snapshot alone; nothing here talks to a cluster.
package rebalance
