package agreement

import "math/rand/v2"

// random make everything random here repeatable: the same seed gives the same cluster and the same pods.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 0))} }

// chance is true in so many of a hundred cases.
func (d random) chance(percent int) bool { return d.IntN(100) < percent }

// between includes both ends.
func (d random) between(low, high int) int { return low + d.IntN(high-low+1) }

// pick of some, each as likely as the others.
func pick[T any](d random, of ...T) T { return of[d.IntN(len(of))] }

// pickSome of them, in their order, perhaps none.
func pickSome[T any](d random, percent int, of ...T) []T {
	var chosen []T
	for _, x := range of {
		if d.chance(percent) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}
