// Package randomness decides what a cluster does not determine: the order in which controllers handle objects, and how long things take
// that nothing waits for. Each future has a Source of its own, made from its seed.
package randomness
