// Package ledger records which nodes naosu disrupts and has disrupted, by which Remediation. There is one ledger for all
// concerns: a budget that each concern counted for itself would be no budget. It is a value without a client or a clock; package
// record stores it.
package ledger
