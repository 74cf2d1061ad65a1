package query

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
)

// MaxListed bounds what one sentence or link enumerates.
const MaxListed = 5

// Enumerate names things for a sentence: the first few, and how many more there are. What is in another namespace than the
// question's subject is named with its own.
func (q Query) Enumerate(refs []change.Ref) []string {
	listed := refs[:min(len(refs), MaxListed)]
	names := facts.RefStrings(listed)
	for i, ref := range listed {
		if q.Subject != nil && q.Subject.Namespace != "" && ref.Namespace != "" && ref.Namespace != q.Subject.Namespace {
			names[i] = ref.Namespace + "/" + names[i]
		}
	}
	if more := len(refs) - len(names); more > 0 {
		names = append(names, q.Say.Text(message.AndMore, message.Args{"n": more}))
	}
	return names
}
