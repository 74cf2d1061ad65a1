package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// group is the rows of one workload's pods with the same fate and reason.
type group struct{ rows []finding.ForecastRow }

// mostGroups bounds the rows of a table that has a row for each workload; beyond, all pods with one reason share a row.
const mostGroups = 8

// groupRows groups the pods of one workload that have the same reason, the largest group first.
func groupRows(rows []finding.ForecastRow) []group {
	groups := joined(rows, func(row finding.ForecastRow) string { return row.Pod.Namespace + "\x00" + stem(row.Pod.Name) })
	if len(groups) > mostGroups {
		groups = joined(rows, func(finding.ForecastRow) string { return "" })
	}
	return groups
}

// joined are rows with the same reason and the same key.
func joined(rows []finding.ForecastRow, keyOf func(finding.ForecastRow) string) []group {
	var groups []group
	at := map[string]int{}
	for _, row := range rows {
		by := ""
		if row.By != nil {
			by = row.By.Namespace + stem(row.By.Name)
		}
		key := strings.Join([]string{keyOf(row), row.Why.Key(), by}, "\x00")
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

// name is that of the pod, or of its workload's pods, and how many others share the row.
func (g group) name(say message.Printer) string {
	pod := g.rows[0].Pod
	alike := 0
	for _, row := range g.rows {
		if row.Pod.Namespace == pod.Namespace && stem(row.Pod.Name) == stem(pod.Name) {
			alike++
		}
	}
	name := pod.Namespace + "/" + pod.Name
	if alike > 1 {
		name = fmt.Sprintf("%s/%s-* (%d)", pod.Namespace, stem(pod.Name), alike)
	}
	if others := len(g.rows) - alike; others > 0 {
		return say.Say(sentence.ForecastOthers(name, others))
	}
	return name
}

// stem is a pod's name without its last part, which differs between the pods of a workload.
func stem(name string) string {
	if i := strings.LastIndex(name, "-"); i > 0 {
		return name[:i]
	}
	return name
}
