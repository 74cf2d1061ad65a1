// Package failoverpolicy evaluates FailoverPolicies, as pure functions over a Snapshot: which policy decides for a pod, who has chosen
// the pod's tolerations of a node that is not ready or unreachable, and which tolerationSeconds are to be changed. It has no client;
// package action changes the pods.
package failoverpolicy
