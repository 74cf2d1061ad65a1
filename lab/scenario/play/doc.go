// Package play plays one pass of a scenario on a running cluster: it builds the start, performs the steps when they are
// due, watches the real objects, and says when each expectation came true.
//
// What decides is plain data and pure functions: tracker (one expectation over time), observe (what a change of an object
// means for the timeline), unsettled (what the start still waits for). One goroutine, the player, owns the pass; informers
// tell it that something has changed, and it reads the world anew.
//
// All times that it reports are scenario time since the point "start", whatever the time scale.
package play
