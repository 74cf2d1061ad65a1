// Package addresses is the controller of AddressPolicies: it says which subnets are low, and records in Remediations which leaked interfaces are to be
// deleted, and has that performed.
package addresses
