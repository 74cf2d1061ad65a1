// Package pods indexes the pods of a simulated future: those of the initial snapshot with all changes, by node, by controller and by
// claim.
package pods
