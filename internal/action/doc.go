// Package action is the only package that changes the cluster. It performs Remediations step by step, and records each step before
// it is done. A pure function of what is recorded and observed decides the next step, so that any controller can go on where
// another was killed.
package action
