// Package repairpolicy evaluates NodeRepairPolicies, as pure functions over what was read: which rule a node's conditions meet and when
// it is due, which nodes are unhealthy, and which Remediations are proposed. It has no client; whether a proposal may be performed is
// decided by package guard.
package repairpolicy
