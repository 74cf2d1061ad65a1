// Package cluster holds a cluster's objects in an immutable, indexed Snapshot. It also says how much of each kind is known, so that a kind that
// could not be read is unknown, and not an empty list.
package cluster
