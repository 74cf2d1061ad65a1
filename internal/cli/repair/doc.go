// Package repair holds the verbs that prove a repair: check goes along the chain from detection to action for everything
// that may be reported, and drill lets a fault go along it.
package repair
