package query

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
)

// MostListed bounds what one sentence or link enumerates.
const MostListed = 5

// Some names things for a sentence: the first few, and how many more there are. What is in another namespace than the
// question's subject is named with its own.
func (v View) Some(refs []change.Ref) []string {
	listed := refs[:min(len(refs), MostListed)]
	names := facts.RefStrings(listed)
	for i, ref := range listed {
		if v.Subject != nil && v.Subject.Namespace != "" && ref.Namespace != "" && ref.Namespace != v.Subject.Namespace {
			names[i] = ref.Namespace + "/" + names[i]
		}
	}
	if more := len(refs) - len(names); more > 0 {
		names = append(names, v.Say.Text(message.AndMore, message.Args{"n": more}))
	}
	return names
}
