// Package action holds the tests that let internal/action perform on an API server in memory, under the real guard, with
// machines that the test plays.
package action
