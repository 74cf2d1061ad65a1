package sentence

import "github.com/naosu-dev/naosu/internal/message"

// MaxListed is the maximum number of items that a sentence lists.
const MaxListed = 5

// Enumerate lists values for a sentence: the first few, and the number of others.
func Enumerate[T any](values []T) message.List {
	listed := message.ListOf(values[:min(len(values), MaxListed)])
	if more := len(values) - len(listed); more > 0 {
		listed = append(listed, AndMore(more))
	}
	return listed
}
