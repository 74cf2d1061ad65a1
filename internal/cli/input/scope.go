package input

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ParseSelector reads --selector.
func ParseSelector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, exit.BadInput("--selector", sentence.ErrFlag(err.Error()), sentence.ErrSelectorRemedy())
	}
	return selector, nil
}

// Scope is what flags narrow an answer to.
type Scope struct {
	// Namespace is the only one asked about; empty is all.
	Namespace string
	// Selector must not be nil.
	Selector labels.Selector
}

// Whole says whether everything is asked about.
func (s Scope) Whole() bool { return s.Namespace == "" && s.Selector.Empty() }

// Asks says whether a thing of a world is asked about. What has no namespace always is.
func (s Scope) Asks(world *cluster.Snapshot, ref change.Ref) bool {
	if ref.Namespace == "" {
		return true
	}
	if s.Namespace != "" && ref.Namespace != s.Namespace {
		return false
	}
	if s.Selector.Empty() {
		return true
	}
	object := world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)
	return object != nil && s.Selector.Matches(labels.Set(object.GetLabels())) || s.matchesPods(world, ref)
}

// matchesPods says whether pods of a workload match: their labels are often not its own.
func (s Scope) matchesPods(world *cluster.Snapshot, ref change.Ref) bool {
	for _, pod := range world.Pods() {
		if pod.Namespace != ref.Namespace || !s.Selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if top := world.Workload(pod); top != nil && top.GetName() == ref.Name {
			if kind, _ := cluster.KindOf(top); string(kind) == ref.Kind {
				return true
			}
		}
	}
	return false
}

// Namesakes are the namespaces that have a thing of that kind and name. Of no world there are none.
func Namesakes(world *cluster.Snapshot, ref change.Ref) []string {
	var namespaces []string
	if world == nil {
		return nil
	}
	for _, o := range world.Objects(cluster.Kind(ref.Kind)) {
		if o.GetName() == ref.Name {
			namespaces = append(namespaces, o.GetNamespace())
		}
	}
	return namespaces
}

// InNamespace is bad input if the cluster is known to have no such namespace: all would seem to be well there.
func InNamespace(world *cluster.Snapshot, namespace string) error {
	known := world.Objects(cluster.Namespace)
	if namespace == "" || len(known) == 0 || world.Knowledge(cluster.Namespace) != cluster.Complete || world.Object(cluster.Namespace, "", namespace) != nil {
		return nil
	}
	names := make([]string, len(known))
	for i, o := range known {
		names[i] = o.GetName()
	}
	slices.Sort(names)
	return exit.BadInput("--namespace", sentence.ErrNoNamespace(namespace),
		sentence.ErrNamespaceRemedy(message.ListOf(names[:min(len(names), mostNamespaces)]), len(names) > mostNamespaces))
}

// Unread are those of some kinds of which not all objects are known.
func (in Input) Unread(kinds ...cluster.Kind) []string {
	var unread []string
	for _, kind := range kinds {
		if in.World.Knowledge(kind) != cluster.Complete {
			unread = append(unread, string(kind))
		}
	}
	return unread
}

// mostNamespaces bounds how many are offered.
const mostNamespaces = 12
