package why

import (
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

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
		return ref, exit.Failure(sentence.ErrForbiddenKind(ref.Kind))
	default:
		return ref, exit.Failure(sentence.ErrNotThere(ref.String(), ref.Namespace, message.ListOf(input.Namesakes(in.World, ref)), message.ListOf(near(in.World, ref)), strings.ToLower(ref.Kind)))
	}
}

// near are things of the namespace whose names are nearly the one that was typed, the nearest first.
func near(world *cluster.Snapshot, ref change.Ref) []string {
	var names, near []string
	for _, o := range world.Objects(cluster.Kind(ref.Kind)) {
		if o.GetNamespace() == ref.Namespace {
			names = append(names, o.GetName())
		}
	}
	for _, name := range textutil.Similar(ref.Name, names) {
		near = append(near, change.Ref{Kind: ref.Kind, Name: name}.String())
	}
	return near
}
