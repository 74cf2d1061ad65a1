package headroom

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Prices are what nodes cost an hour, by instance type, all in one currency.
type Prices map[string]float64

var (
	errNoPrices = errors.New("there is no price in it")
	errPrice    = errors.New("the price must be a number that is more than 0")
)

// ParsePrices reads prices from YAML such as "m5.large: 0.096".
func ParsePrices(data []byte) (Prices, error) {
	var prices Prices
	if err := yaml.UnmarshalStrict(data, &prices); err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	if len(prices) == 0 {
		return nil, errNoPrices
	}
	for _, name := range slices.Sorted(maps.Keys(prices)) {
		if price := prices[name]; price <= 0 || math.IsInf(price, 0) || math.IsNaN(price) {
			return nil, fmt.Errorf("%s: %w", name, errPrice)
		}
	}
	return prices, nil
}

// setPrice notes the price of a node, if it is known.
func (s *sizer) setPrice(node *corev1.Node) {
	s.sizes[node.Name] = amountsOf(node.Status.Allocatable)
	if price, known := s.o.Prices[node.Labels[corev1.LabelInstanceTypeStable]]; known {
		s.prices[node.Name] = price
	}
}

// priceOf is what a room costs an hour: on each of its nodes, the dominant share of the node's price; false if one of these is not known.
func (s *sizer) priceOf(r room) (float64, bool) {
	if s.o.Prices == nil {
		return 0, false
	}
	sum := 0.0
	sums := r.byNode()
	for _, node := range slices.Sorted(maps.Keys(sums)) {
		price, known := s.prices[node]
		if !known {
			return 0, false
		}
		sum += price * s.sizes[node].share(sums[node])
	}
	return sum, true
}

// priced is whether the price of every node that takes pods is known. Rooms are compared by it then.
func (s *sizer) priced() bool { return len(s.prices) > 0 && len(s.prices) == len(s.free) }

// leastPrice is what a room that requests so much costs an hour at least: each resource where it is cheapest.
func (s *sizer) leastPrice(all amounts) float64 {
	most := 0.0
	for name, amount := range all {
		cheapest := math.Inf(1)
		for node, price := range s.prices {
			if has := s.sizes[node][name]; has > 0 {
				cheapest = min(cheapest, price/float64(has))
			}
		}
		if !math.IsInf(cheapest, 1) {
			most = max(most, float64(amount)*cheapest)
		}
	}
	return most
}
