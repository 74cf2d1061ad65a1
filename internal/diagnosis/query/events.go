package query

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Events are the Events about an object with one of the reasons, the newest first; all if no reason is given.
func (q Query) Events(about metav1.Object, reasons ...string) []*corev1.Event {
	found := q.World.Events(about.GetUID())
	if _, isNode := about.(*corev1.Node); isNode {
		// The kubelet and the node controller set a node's name as the UID (pkg/kubelet, makeNodeRef).
		found = slices.Concat(found, q.World.Events(types.UID(about.GetName())))
	}
	return newestFirst(found, reasons)
}

// EventsNamed are the Events about any object that has or had this name, the newest first.
func (q Query) EventsNamed(ref change.Ref, reasons ...string) []*corev1.Event {
	var found []*corev1.Event
	for _, e := range q.World.AllEvents() {
		if o := e.InvolvedObject; o.Kind == ref.Kind && o.Name == ref.Name && o.Namespace == ref.Namespace {
			found = append(found, e)
		}
	}
	return newestFirst(found, reasons)
}

func newestFirst(events []*corev1.Event, reasons []string) []*corev1.Event {
	chosen := slices.DeleteFunc(slices.Clone(events), func(e *corev1.Event) bool {
		return len(reasons) > 0 && !slices.Contains(reasons, e.Reason)
	})
	slices.SortStableFunc(chosen, func(a, b *corev1.Event) int {
		_, _, lastA := Occurrences(a)
		_, _, lastB := Occurrences(b)
		return cmp.Or(lastB.Compare(lastA.Time), cmp.Compare(a.Name, b.Name))
	})
	return chosen
}

// EventEvidence is an Event as evidence about its object.
func EventEvidence(e *corev1.Event) finding.Evidence {
	count, _, last := Occurrences(e)
	value := e.Message
	if count > 1 {
		value += " (" + strconv.Itoa(count) + "×)"
	}
	return facts.EvidenceSince(InvolvedObject(e), "events["+e.Reason+"]", value, last)
}

// InvolvedObject is the object of an Event.
func InvolvedObject(e *corev1.Event) change.Ref {
	o := e.InvolvedObject
	return change.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}
