// Package query is a world as rules look at it: what is known of it, what the scheduler says there, and what a change
// would do, each asked once.
package query
