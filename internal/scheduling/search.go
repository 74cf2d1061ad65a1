package scheduling

import "k8s.io/apimachinery/pkg/labels"

// search looks for the crowds of a namespace that a selector means, each of which is asked once.
type search struct {
	selector labels.Selector
	// label is one that they must have, empty if they need none. The rest is asked.
	namespace, label string
	asked            int
}

// search asks for the label that fewest have.
func (c *crowds) search(namespace string, selector labels.Selector) search {
	s := search{selector: selector, namespace: namespace}
	requirements, _ := selector.Requirements()
	for i := range requirements {
		value, exact := selector.RequiresExactMatch(requirements[i].Key())
		if !exact {
			continue
		}
		if key := labelKey(namespace, requirements[i].Key(), value); s.label == "" || len(c.byLabel[key]) < len(c.byLabel[s.label]) {
			s.label = key
		}
	}
	return s
}

// next are the crowds found that have not been found before.
func (c *crowds) next(s *search) (found []*crowd) {
	among := c.byLabel[s.label]
	if s.label == "" {
		among = c.byNamespace[s.namespace]
	}
	for ; s.asked < len(among); s.asked++ {
		if s.selector.Matches(labels.Set(among[s.asked].member.Pod.Labels)) {
			found = append(found, among[s.asked])
		}
	}
	return found
}

func labelKey(namespace, name, value string) string {
	return namespace + "\x00" + name + "\x00" + value
}
