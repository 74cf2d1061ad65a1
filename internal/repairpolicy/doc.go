// Package repairpolicy holds what a NodeRepairPolicy asks for, as pure functions over what was read: which rule a node's
// conditions meet and when it is due, which nodes are ill, and which Remediations should be there now. It asks nobody and
// does nothing; whether a proposal may be carried out is the guard's to say.
package repairpolicy
