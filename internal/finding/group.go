package finding

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// CauseGroup is a finding and how many others say the same of other things.
type CauseGroup struct {
	First Finding
	More  int
}

// GroupByCause joins findings of one code and severity that begin with the same remedy, or say the same without one, such as
// all the pods that wait for a node in one zone. They stay in their order.
func GroupByCause(findings []Finding) []CauseGroup {
	var groups []CauseGroup
	byKey := map[string]int{}
	for _, f := range findings {
		key := string(f.Severity) + string(f.Code) + f.cause()
		i, ok := byKey[key]
		if !ok {
			byKey[key] = len(groups)
			groups = append(groups, CauseGroup{First: f})
			continue
		}
		groups[i].More++
	}
	return groups
}

// cause tells findings of one cause from others: by the remedy they share, else by what they say, whatever the names.
func (f Finding) cause() string {
	if len(f.Remedies) == 0 {
		return f.Nameless()
	}
	return f.Remedies[0].Command + f.Remedies[0].Message.Key()
}

// unnamed are the kinds of things whose names tell no causes apart: pods and what makes them.
var unnamed = []string{"Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"}

// Nameless is a key of what the finding says, without the names of pods and of what makes them.
func (f Finding) Nameless() string {
	return f.Message.Map(func(_ message.ID, _ string, value any) any {
		switch ref := value.(type) {
		case change.Ref:
			if slices.Contains(unnamed, ref.Kind) {
				return change.Ref{Kind: ref.Kind}
			}
		case change.NamespacedRef:
			if slices.Contains(unnamed, ref.Kind) {
				return change.NamespacedRef{Namespace: ref.Namespace, Kind: ref.Kind}
			}
		}
		return value
	}).Key()
}
