// Package input holds what every reading verb is asked with: where the world comes from (the cluster of a kubeconfig, or
// a snapshot), which scheduler judges it, and the language of the answer.
package input
