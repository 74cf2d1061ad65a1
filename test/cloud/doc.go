// Package cloud holds the providers that work by objects of the cluster against the real API server: kinds that come while
// they run, preconditions, access reviews. What the objects mean to Karpenter and Cluster API is tested beside the providers.
package cloud
