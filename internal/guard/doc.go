// Package guard decides whether naosu may do what it proposes: pure checks over facts that the caller gathered. All checks run, and
// the worst verdict decides. It has no clock and no client; a fact that is not known never allows anything.
package guard
