package query

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// MaxListed is the maximum number of items that a sentence or link lists.
const MaxListed = sentence.MaxListed

// Enumerate lists objects for a sentence: the first few, and the number of others. Objects in another namespace than the
// subject's are listed with their namespace.
func (q Query) Enumerate(refs []change.Ref) message.List {
	names := make([]any, len(refs))
	for i, ref := range refs {
		names[i] = ref
		if q.Subject != nil && q.Subject.Namespace != "" && ref.Namespace != "" && ref.Namespace != q.Subject.Namespace {
			names[i] = change.NamespacedRef(ref)
		}
	}
	return sentence.Enumerate(names)
}
