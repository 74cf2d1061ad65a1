// Package action is the one room that changes the cluster: it performs Remediations, one small step after the other, each
// written down before it is done. What is next is decided by a pure function of what is written and what is seen, so that
// whoever is killed at any point is followed by somebody who goes on from there.
package action
