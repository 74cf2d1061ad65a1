// Package simulation applies changes to a snapshot of a cluster and simulates what follows, to a fixpoint: scheduler, workload
// controllers, node lifecycle, node groups and attach-detach controller act until nothing changes any more. The result is an
// outcome.Outcome: the fate of each pod, violated budgets, and the cluster at the end.
//
// A future is one simulated course of events. Futures of different seeds differ in what a cluster does not determine, such as the
// order in which controllers act. Here futures are put together from an engine and controllers, changes are handed to them, and
// futures are summed up or compared. What happens in one is said in the packages below (docs/adr/0015).
package simulation
