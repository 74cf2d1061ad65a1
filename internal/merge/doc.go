// Package merge computes the object that results when a manifest is applied, by `kubectl apply` or by the API server (--server-side). Their own
// libraries do the merging; a test compares the result with a real API server's, field by field. Its functions take objects and no cluster.
package merge
