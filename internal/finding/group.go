package finding

import "regexp"

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

// names are those of pods and what makes them, in a sentence.
var names = regexp.MustCompile(`\b(pod|deployment|statefulset|daemonset|replicaset|job|cronjob)/[A-Za-z0-9.-]*[A-Za-z0-9]`)

// cause tells findings of one cause from others: by the remedy they share, else by what they say, whatever the names.
func (f Finding) cause() string {
	if len(f.Remedies) == 0 {
		return f.Nameless()
	}
	return f.Remedies[0].Command + f.Remedies[0].Message
}

// Nameless is what the finding says, without the names of pods and of what makes them.
func (f Finding) Nameless() string { return names.ReplaceAllString(f.Message, "$1") }
