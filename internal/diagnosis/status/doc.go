// Package status says how a thing is that has nothing left to ask of the scheduler, in kubectl's words, and what it
// waits for.
package status
