// Package addresspolicy decides for AddressPolicies: which subnets are low, which interfaces a Remediation deletes, and what of both is kept in a status.
package addresspolicy
