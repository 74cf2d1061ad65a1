package cloud

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// random is a separate random source for each purpose, so that one more random number for one changes nothing for the others.
func (c *Cloud) random(purpose string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(purpose))
	return rand.New(rand.NewPCG(c.state.Region.Seed, hash.Sum64()))
}

// next numbers what is created, so that no name is given twice in a cloud's life; nor one that what stood there before
// has, which another cloud of the same seed may have given.
func (c *Cloud) next(prefix string) (id string, random *rand.Rand) {
	for {
		c.state.Sequence++
		random = c.random(fmt.Sprintf("%s/%d", prefix, c.state.Sequence))
		if id = fmt.Sprintf("%s-0%016x", prefix, random.Uint64()); !c.named(id) {
			return id, random
		}
	}
}

func (c *Cloud) named(id string) bool {
	return slices.ContainsFunc(c.state.Instances, func(i *instance) bool { return i.ID == id }) ||
		slices.ContainsFunc(c.state.Volumes, func(v *Volume) bool { return v.ID == id })
}

// zoneOrder is the order in which the group's zones are filled when they hold equally many: as the scenario says, the
// rest in random order.
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
