// Package eksnoderepair simulates how EKS repairs the nodes of managed node groups (node auto repair): it waits for as
// long as a condition's wait is, applies the group's thresholds, and then has the cloud reboot or replace the machine.
//
// It does so only for groups whose NodeRepairConfig is enabled, and silently ignores a reason that the
// cloud has switched off. How EKS drains a node beforehand is not simulated, nor are its actions for single reasons of
// accelerators, which an override can give.
// https://docs.aws.amazon.com/eks/latest/userguide/node-health.html
package eksnoderepair
