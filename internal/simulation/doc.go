// Package simulation plays changes forward: what each does to the cluster, what its controllers and scheduler then do,
// again and again until nothing moves any more. It says what became of each pod and hands over the world that results.
package simulation
