package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/finding"
)

// group is pods whose names, fates and reasons are alike.
type group struct{ rows []finding.ForecastRow }

// together joins siblings with the same reason, the most first.
func together(rows []finding.ForecastRow) []group {
	var groups []group
	at := map[string]int{}
	for _, row := range rows {
		by := ""
		if row.By != nil {
			by = row.By.Namespace + stem(row.By.Name)
		}
		key := strings.Join([]string{row.Pod.Namespace, stem(row.Pod.Name), row.Why, by}, "\x00")
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, group{})
		}
		groups[i].rows = append(groups[i].rows, row)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	return groups
}

// name is the pod's, or its siblings'.
func (g group) name() string {
	pod := g.rows[0].Pod
	if len(g.rows) == 1 {
		return pod.Namespace + "/" + pod.Name
	}
	return fmt.Sprintf("%s/%s-* (%d)", pod.Namespace, stem(pod.Name), len(g.rows))
}

// stem is a pod's name without its last part, which tells siblings apart.
func stem(name string) string {
	if i := strings.LastIndex(name, "-"); i > 0 {
		return name[:i]
	}
	return name
}
