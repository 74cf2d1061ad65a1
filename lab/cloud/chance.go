package cloud

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// random is a source of chance of its own for each purpose, so that one more draw here changes nothing there.
func (c *Cloud) random(purpose string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(purpose))
	return rand.New(rand.NewPCG(c.state.Region.Seed, hash.Sum64()))
}

// next numbers what is created, so that no name is given twice in a cloud's life.
func (c *Cloud) next(prefix string) (id string, random *rand.Rand) {
	c.state.Sequence++
	random = c.random(fmt.Sprintf("%s/%d", prefix, c.state.Sequence))
	return fmt.Sprintf("%s-0%016x", prefix, random.Uint64()), random
}

// zoneOrder is the order in which the group's zones are filled when they hold equally many: as the scenario says, the
// rest by chance.
func (c *Cloud) zoneOrder(g *group) []string {
	shuffled := slices.Clone(g.Zones)
	c.random("zones/"+g.Name).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	order := slices.Clone(g.ZoneOrder)
	for _, zone := range shuffled {
		if !slices.Contains(order, zone) {
			order = append(order, zone)
		}
	}
	return order
}
