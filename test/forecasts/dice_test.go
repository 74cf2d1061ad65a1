package forecasts

import "math/rand/v2"

// dice are what a world and its questions are drawn with: the same numbers give the same draws.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} } //nolint:gosec // Draws of a test.

func (d dice) percent(chance int) bool { return d.IntN(100) < chance }

func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
