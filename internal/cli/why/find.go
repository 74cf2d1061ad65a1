package why

import (
	"cmp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostNear bounds how many names are offered in place of one that is not there.
const mostNear = 3

// find gives a subject its namespace and sees that it is there, or was: a thing that has just gone has its Events.
func (o *Options) find(in input.Input, ref change.Ref) (change.Ref, error) {
	kind := cluster.Kind(ref.Kind)
	if kind.Namespaced() {
		ref.Namespace = in.Namespace
	}
	if o.AllNamespaces && ref.Namespace != "" {
		if homes := input.Namesakes(in.World, ref); len(homes) == 1 {
			ref.Namespace = homes[0]
		}
	}
	switch view := (query.Query{World: in.World, Subject: &ref}); {
	case in.World.Object(kind, ref.Namespace, ref.Name) != nil, status.IsDeleted(view):
		return ref, nil
	case in.World.Knowledge(kind) == cluster.Forbidden:
		return ref, exit.Failure(message.ErrForbiddenKind, message.Args{"kind": ref.Kind})
	default:
		return ref, exit.Failure(message.ErrNotThere, message.Args{
			"subject": ref.String(), "kind": strings.ToLower(ref.Kind), "namespace": ref.Namespace, "near": near(in.World, ref), "elsewhere": input.Namesakes(in.World, ref),
		})
	}
}

// near are things of the namespace whose names are nearly the one that was typed, the nearest first.
func near(world *cluster.Snapshot, ref change.Ref) []string {
	type guess struct {
		name string
		far  int
	}
	var guesses []guess
	for _, o := range world.Objects(cluster.Kind(ref.Kind)) {
		if o.GetNamespace() != ref.Namespace {
			continue
		}
		far := distance(ref.Name, o.GetName())
		if strings.HasPrefix(o.GetName(), ref.Name) {
			far = 1 // A name whose end was left out, such as a ReplicaSet's hash.
		}
		if far <= max(2, len(ref.Name)/4) && far < len(ref.Name) {
			guesses = append(guesses, guess{change.Ref{Kind: ref.Kind, Name: o.GetName()}.String(), far})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, g := range guesses[:min(len(guesses), mostNear)] {
		names = append(names, g.name)
	}
	return names
}

// distance is how many characters have to be put in, left out or changed to make one name the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
