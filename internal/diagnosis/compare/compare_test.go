package compare

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/finding"
)

// TestClassify has a subject that works once all of some differences are applied.
func TestClassify(t *testing.T) {
	for name, tc := range map[string]struct {
		needed, untried        []string
		causes, vain, suspects []string
		together               bool
	}{
		"one is the cause":             {needed: []string{"b"}, causes: []string{"b"}, vain: []string{"a", "c", "d"}},
		"two only together":            {needed: []string{"a", "c"}, causes: []string{"a", "c"}, vain: []string{"b", "d"}, together: true},
		"all together":                 {needed: []string{"a", "b", "c", "d"}, causes: []string{"a", "b", "c", "d"}, together: true},
		"not even all":                 {needed: []string{"elsewhere"}, vain: []string{"a", "b", "c", "d"}},
		"what is not tried is suspect": {needed: []string{"b"}, untried: []string{"b", "c"}, vain: []string{"a", "d"}, suspects: []string{"b", "c"}},
		"it works without any of them": {vain: []string{"a", "b", "c", "d"}},
		"nothing can be tried":         {untried: []string{"a", "b", "c", "d"}, suspects: []string{"a", "b", "c", "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &comparison{}
			for _, field := range []string{"a", "b", "c", "d"} {
				d := difference{Difference: finding.Difference{Field: field}}
				if !slices.Contains(tc.untried, field) {
					d.apply = func(*modified) {}
				}
				c.differences = append(c.differences, d)
			}
			c.classify(func(some []difference) int {
				for _, field := range tc.needed {
					if !slices.ContainsFunc(some, func(d difference) bool { return d.Field == field }) {
						return 0
					}
				}
				return 1
			})
			for what, pair := range map[string][2][]string{
				"causes": {tc.causes, fields(c.Causes)}, "ruled out": {tc.vain, fields(c.RuledOut)}, "suspects": {tc.suspects, fields(c.Suspects)},
			} {
				slices.Sort(pair[1])
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if c.Together != tc.together {
				t.Errorf("together: got %v", c.Together)
			}
		})
	}
}

func fields(all []finding.Difference) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.Field)
	}
	return names
}
