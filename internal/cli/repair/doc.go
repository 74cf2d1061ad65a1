// Package repair holds the commands about repairs: check checks every link from detection to action for everything that may be
// reported, drill tests them with a fault, and abort ends Remediations.
package repair
