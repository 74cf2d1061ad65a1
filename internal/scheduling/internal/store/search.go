package store

import "k8s.io/apimachinery/pkg/labels"

// Search looks for the label classes of a namespace that a selector matches, each of which is matched once.
type Search struct {
	selector labels.Selector
	// label is one that the selector requires, empty if none. Its other requirements are matched one by one.
	namespace, label string
	asked            int
}

// Search chooses the required label that fewest label classes have.
func (c *LabelClasses) Search(namespace string, selector labels.Selector) Search {
	s := Search{selector: selector, namespace: namespace}
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

// Next are the label classes found since the last call.
func (c *LabelClasses) Next(s *Search) (found []*LabelClass) {
	among := c.byLabel[s.label]
	if s.label == "" {
		among = c.ByNamespace[s.namespace]
	}
	for ; s.asked < len(among); s.asked++ {
		if s.selector.Matches(labels.Set(among[s.asked].Member.Pod.Labels)) {
			found = append(found, among[s.asked])
		}
	}
	return found
}

func labelKey(namespace, name, value string) string {
	return namespace + "\x00" + name + "\x00" + value
}
