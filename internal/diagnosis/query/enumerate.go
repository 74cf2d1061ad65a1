package query

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// MaxListed bounds what one sentence or link enumerates.
const MaxListed = 5

// Enumerate names things for a sentence: the first few, and how many more there are. What is in another namespace than the
// question's subject is named with its own.
func (q Query) Enumerate(refs []change.Ref) message.List {
	names := message.ListOf(refs[:min(len(refs), MaxListed)])
	for i, ref := range refs[:len(names)] {
		if q.Subject != nil && q.Subject.Namespace != "" && ref.Namespace != "" && ref.Namespace != q.Subject.Namespace {
			names[i] = change.NamespacedRef(ref)
		}
	}
	if more := len(refs) - len(names); more > 0 {
		names = append(names, sentence.AndMore(more))
	}
	return names
}
