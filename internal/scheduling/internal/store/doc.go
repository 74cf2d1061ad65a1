// Package store holds the cluster as the scheduler's plugins read it: nodes with their pods, what is nominated, and the objects behind listers.
// It can be edited, and edits can be reverted.
package store
