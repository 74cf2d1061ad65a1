package fast

import (
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// scratch holds buffers that are used again by one fast filter after the other: at thousands of nodes, and thousands of filters a
// second, allocating them would cost more than the plugins do.
type scratch struct {
	entries  []*store.Node
	infos    []fwk.NodeInfo
	asked    []int
	filters  []fwk.FilterPlugin
	scorers  []profile.Scorer
	key      []byte
	skipped  sets.Set[string]
	verdicts answers[*fwk.Status]
	scores   []int64
	at       []int
	kinds    []int
	kindOf   []int
	ofKind   []*store.Node
	best     []*store.Node
	totals   []int64
	list     fwk.NodeScoreList
	spread   []fwk.NodeInfo
}

// answers are those of one plugin.
type answers[T any] struct {
	said     []T
	byDomain []answered[T]
}

// answered is an answer for a domain, and the generation that it was given in.
type answered[T any] struct {
	generation int
	answer     T
}

// resized is the buffer with length n, its contents undefined.
func resized[S ~[]T, T any](buffer *S, n int) S {
	if cap(*buffer) < n {
		*buffer = make(S, n+n/4)
	}
	return (*buffer)[:n]
}
