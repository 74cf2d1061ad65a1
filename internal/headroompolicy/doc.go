// Package headroompolicy decides what HeadroomPolicies ask for: which room the policy wants, whether the placeholder pods that are bound survive its
// failures, when the room is resized, and which Deployments and DaemonSets hold it. All decisions are functions over a Snapshot; the room itself is
// computed by internal/headroom.
package headroompolicy
