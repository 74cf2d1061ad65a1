// Package names says how objects of a simulation are called: the names and UIDs of new ones, how one is referred to, and their order.
// It knows nothing of what objects do.
package names
