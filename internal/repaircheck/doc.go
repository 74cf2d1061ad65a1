// Package repaircheck says of everything that an agent can report whether a repair would follow from it: every link from
// detection to action, one after the other, and the first that is not there. It is pure: it asks nobody, it decides about
// what was read, and what was not read it says.
package repaircheck
