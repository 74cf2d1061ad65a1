// Package rebalance is the controller of RebalancePolicies: it plans evictions that restore the balance of workloads, records them in a Remediation,
// and has that performed.
package rebalance
