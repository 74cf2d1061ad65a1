// Package compare says in what an object that does not work differs from one that does, and which of the differences are the
// cause: each that can be simulated is applied and tried.
package compare
