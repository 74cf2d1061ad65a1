// Package lab is a cluster on this machine: the real control plane, a cloud with zones, nodes that behave, and the
// simulations of the programs that run on them, started together, with faults injected on purpose.
//
// Its parts are folders: controlplane, cloud, nodes and addons. This package only joins them: an instance that the cloud
// runs becomes a machine of the fleet, a fault on a zone reaches both.
package lab
