// Package admission is what the API server has against an object before it stores it, in its own words: Kubernetes' validation,
// and those of its admission plugins that every cluster has. It holds functions over objects, knows no cluster, and is the only
// package that links Kubernetes' validation (docs/adr/0009).
package admission
