// Package random tests failover by randomized fault injection: a run has a small cluster on an API server in memory, two replicas of the
// controller on its machines, random faults in machines, networks, agents, cloud, API server and caches, and a checker of the invariants of
// failover that knows what is really so and sees each write.
//
// The reconciler, the watcher of silent nodes, internal/nodeliveness and internal/action are the real ones, at Kubernetes' and naosu's own times, in a
// bubble of testing/synctest. What is played: kubelets, the controllers of Kubernetes that matter, the agents' streams, the cloud, the wall clocks of machines.
//
// Half of the runs contain a sequence of faults of one machine that follow one another closely (sequences_test.go). TestWithout shows of each condition of failover that it is
// needed: without it, an invariant is violated.
package random
