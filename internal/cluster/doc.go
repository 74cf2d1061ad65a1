// Package cluster is the world as naosu sees it: an immutable, indexed Snapshot of a cluster's objects, together with
// what is known of each kind, so that what could not be read is a stated unknown and never an empty list.
package cluster
