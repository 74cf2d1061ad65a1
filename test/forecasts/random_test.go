package forecasts

import "math/rand/v2"

// random are what a world and its questions are drawn with: the same numbers give the same draws.
type random struct{ *rand.Rand }

func newRandom(seed, stream uint64) random { return random{rand.New(rand.NewPCG(seed, stream))} }

func (d random) percent(chance int) bool { return d.IntN(100) < chance }

func pick[T any](d random, of ...T) T { return of[d.IntN(len(of))] }
