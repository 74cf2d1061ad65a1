package agreement

import "math/rand/v2"

// dice make everything random here repeatable: the same seed gives the same cluster and the same pods.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0))} }

// chance is true in so many of a hundred cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between includes both ends.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// one of some, each as likely as the others.
func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// some of them, in their order, perhaps none.
func some[T any](d dice, percent int, of ...T) []T {
	var chosen []T
	for _, x := range of {
		if d.chance(percent) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}
