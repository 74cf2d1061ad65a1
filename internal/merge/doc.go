// Package merge is what becomes of an object when a manifest of it is applied: what `kubectl apply` and the API server make of
// the manifest and of the object that is there. The merging is done by their own libraries; a test holds the result against a
// real API server, field by field. It holds functions over objects and knows no cluster.
package merge
