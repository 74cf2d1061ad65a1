package query

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
)

// FormerOwners finds the workload of a pod that no longer exists.
type FormerOwners struct {
	world *cluster.Snapshot
	// Events are the last Event of each workload about the creation or deletion of a pod.
	Events map[change.Ref]*corev1.Event
}

// podInMessage matches a pod's name in a workload controller's message: "Created pod: web-abc", "Deleted pod: web-abc"
// (pkg/controller, RealPodControl), "create Pod db-0 in StatefulSet db successful" (pkg/controller/statefulset).
var podInMessage = regexp.MustCompile(`(?:pod: |Pod )([a-z0-9][a-z0-9.-]*)`)

// FindFormerOwners reads a world's Events.
func FindFormerOwners(world *cluster.Snapshot) FormerOwners {
	m := FormerOwners{world, map[change.Ref]*corev1.Event{}}
	for _, e := range world.AllEvents() {
		if e.Reason != "SuccessfulCreate" && e.Reason != "SuccessfulDelete" {
			continue
		}
		if match := podInMessage.FindStringSubmatch(e.Message); match != nil {
			pod := change.Ref{Kind: string(cluster.Pod), Namespace: e.InvolvedObject.Namespace, Name: match[1]}
			m.Events[pod] = newestFirst([]*corev1.Event{e, cmp.Or(m.Events[pod], e)}, nil)[0]
		}
	}
	return m
}

// OwnerOf is the direct controller of a deleted pod: the workload whose Events name it or, once those have expired, one
// whose pods have such names; none if no such workload exists.
func (m FormerOwners) OwnerOf(pod change.Ref) metav1.Object {
	if e := m.Events[pod]; e != nil {
		o := m.world.Object(cluster.Kind(e.InvolvedObject.Kind), pod.Namespace, e.InvolvedObject.Name)
		if o != nil && o.GetUID() == e.InvolvedObject.UID {
			return o
		}
	}
	return m.ownerByName(pod)
}

// generatedSuffix is the suffix that the API server appends to generateName (k8s.io/apiserver/pkg/storage/names).
var generatedSuffix = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5}$`)

var ordinalSuffix = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func (m FormerOwners) ownerByName(pod change.Ref) metav1.Object {
	name, end := cutLast(pod.Name)
	if ordinalSuffix.MatchString(end) {
		if o := m.world.Object(cluster.StatefulSet, pod.Namespace, name); o != nil {
			return o
		}
	}
	if !generatedSuffix.MatchString(end) {
		return nil
	}
	for _, kind := range []cluster.Kind{cluster.ReplicaSet, cluster.DaemonSet, cluster.Job} {
		if o := m.world.Object(kind, pod.Namespace, name); o != nil {
			return o
		}
	}
	// In between is the index of an Indexed Job, or the hash of a ReplicaSet that no longer exists, too.
	name, middle := cutLast(name)
	if ordinalSuffix.MatchString(middle) {
		if o := m.world.Object(cluster.Job, pod.Namespace, name); o != nil {
			return o
		}
	}
	return m.world.Object(cluster.Deployment, pod.Namespace, name)
}

func cutLast(name string) (before, after string) {
	i := strings.LastIndex(name, "-")
	if i < 0 {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// OwnersOf are the current or former controllers of a pod, the topmost last; ReplicaSets with a controller are omitted.
func (m FormerOwners) OwnersOf(ref change.Ref) []change.Ref {
	var first metav1.Object
	if pod := m.world.Pod(ref.Namespace, ref.Name); pod != nil {
		first = m.world.Owner(pod)
	} else {
		first = m.OwnerOf(ref)
	}
	var owners []change.Ref
	for o := first; o != nil; o = m.world.Owner(o) {
		kind, _ := cluster.KindOf(o)
		owners = append(owners, facts.RefTo(kind, o))
	}
	if len(owners) > 1 {
		owners = slices.DeleteFunc(owners, func(r change.Ref) bool { return r.Kind == string(cluster.ReplicaSet) })
	}
	return owners
}

// TopOwnerOf is the topmost of a pod's owners; the pod itself if none is known.
func (m FormerOwners) TopOwnerOf(pod change.Ref) change.Ref {
	if owners := m.OwnersOf(pod); len(owners) > 0 {
		return owners[len(owners)-1]
	}
	return pod
}
