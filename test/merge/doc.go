// Package merge_test holds what internal/merge makes of manifests against what kubectl and a real API server make of them.
package merge_test
