// Package compare lists the differences between an object that does not work and one that does, and finds which of them are
// the cause, by simulating the object without them.
package compare
