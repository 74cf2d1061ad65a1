// Package status says in which state an object is that the scheduler has no part in, in kubectl's terms, and why: what it waits
// for, and what ended it.
package status
