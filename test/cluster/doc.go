// Package cluster holds the tests of internal/cluster that need packages above it: the judge and the diagnosis, to see
// that a snapshot without names leads to the same conclusions, and a real control plane to be read and watched.
package cluster
