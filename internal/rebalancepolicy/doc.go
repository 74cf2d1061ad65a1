// Package rebalancepolicy decides what RebalancePolicies ask for: which workloads they are for, when a plan may be made, and what Remediation
// follows from one. All decisions are functions over a Snapshot.
package rebalancepolicy
