// Package conformance has its tests make the same calls on the API server in memory and on the real one, and compare.
package conformance
