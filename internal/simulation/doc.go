// Package simulation applies changes to a snapshot of a cluster and simulates what follows, to a fixpoint: scheduler, workload
// controllers, node lifecycle, node groups and attach-detach controller act until nothing changes any more. The result is an
// Outcome: the fate of each pod, violated budgets, and the cluster at the end.
//
// A future is one simulated course of events. Futures of different seeds differ in what a cluster does not determine, such as the
// order in which controllers act. An engine simulates one future.
package simulation
