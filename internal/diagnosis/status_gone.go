package diagnosis

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// Gone says whether the subject is not in the world and Events still tell of it.
func (v View) Gone() bool {
	return v.Subject != nil && v.World.Object(cluster.Kind(v.Subject.Kind), v.Subject.Namespace, v.Subject.Name) == nil &&
		len(v.eventsNamed(*v.Subject)) > 0
}

// goneBy are the events that tell why a thing is gone, the more telling first.
var goneBy = []struct {
	reason string
	id     message.ID
}{
	{"Preempted", message.GonePreempted},
	{"TaintManagerEviction", message.GoneTainted},
	{"Evicted", message.GoneEvicted},
	{"NodeControllerEviction", message.GoneTainted},
	{"DeletingNode", message.GoneNodeRemoved},
	{"RemovingNode", message.GoneNodeRemoved},
}

// gone is about a thing that is not there any more, told from its Events, which the API server keeps for an hour.
func (s *status) gone() {
	events := s.eventsNamed(s.ref)
	args := message.Args{"age": "", "owner": ""}
	if len(events) == 0 {
		s.is("Unknown", "", message.GoneUntold, args)
		return
	}
	_, _, last := occurrences(events[0])
	args["age"] = s.age(last)
	id := message.GoneUntold
	for _, by := range goneBy {
		if e := first(events, by.reason); e != nil && !strings.HasPrefix(e.Message, "Cancelling") {
			id = by.id
			_, _, at := occurrences(e)
			args["age"], args["why"] = s.age(at), e.Message
			s.because(by.id, args, eventFact(e))
			break
		}
	}
	if owner, e, ok := s.deletedBy(); ok {
		args["owner"] = owner
		if id == message.GoneUntold {
			id = message.GoneDeletedBy
		}
		s.because(message.OwnerDeleted, args, eventFact(e))
	}
	if e := first(events, "Killing"); e != nil {
		if id == message.GoneUntold {
			id = message.GoneStopped
		}
		s.because(message.KubeletStopped, args, eventFact(e))
	}
	s.is("Gone", "", id, args)
	s.successors()
}

func first(events []*corev1.Event, reason string) *corev1.Event {
	for _, e := range events {
		if e.Reason == reason {
			return e
		}
	}
	return nil
}

// podNamed reads a pod's name from a workload controller's words: "Created pod: web-abc", "Deleted pod: web-abc"
// (pkg/controller, RealPodControl), "create Pod db-0 in StatefulSet db successful" (pkg/controller/statefulset).
var podNamed = regexp.MustCompile(`(?:pod: |Pod )([a-z0-9][a-z0-9.-]*)`)

// deletedBy is the workload that deleted the subject, as its Events say.
func (s *status) deletedBy() (change.Ref, *corev1.Event, bool) {
	for _, e := range s.ownersEvents("SuccessfulDelete") {
		return involved(e), e, true
	}
	return change.Ref{}, nil, false
}

// ownersEvents are those of workloads that name the subject.
func (s *status) ownersEvents(reason string) []*corev1.Event {
	var found []*corev1.Event
	for _, e := range s.World.AllEvents() {
		if e.Reason != reason || e.InvolvedObject.Namespace != s.ref.Namespace {
			continue
		}
		if match := podNamed.FindStringSubmatch(e.Message); match != nil && match[1] == s.ref.Name {
			found = append(found, e)
		}
	}
	return newest(found, nil)
}

// successors are the pods that the subject's owner has now. The owner is known from its own Events, or guessed for a
// name that only its pods have.
func (s *status) successors() {
	owner := s.ownerOfGone()
	if owner == nil {
		return
	}
	kind, _ := cluster.KindOf(owner)
	var pods []change.Ref
	ready := 0
	for _, pod := range s.World.PodsOf(owner.GetUID()) {
		if !alive(pod) {
			continue
		}
		pods = append(pods, refTo(cluster.Pod, pod))
		if c := podCondition(pod, corev1.PodReady); c != nil && c.Status == corev1.ConditionTrue {
			ready++
		}
	}
	s.because(message.OwnerHas, message.Args{"owner": refTo(kind, owner), "n": len(pods), "ready": ready, "pods": s.some(pods)})
}

func (s *status) ownerOfGone() metav1.Object {
	for _, reason := range []string{"SuccessfulCreate", "SuccessfulDelete"} {
		for _, e := range s.ownersEvents(reason) {
			if owner := s.World.Object(cluster.Kind(e.InvolvedObject.Kind), e.InvolvedObject.Namespace, e.InvolvedObject.Name); owner != nil {
				return owner
			}
		}
	}
	for _, set := range s.World.ReplicaSets() {
		if set.Namespace == s.ref.Namespace && strings.HasPrefix(s.ref.Name, set.Name+"-") {
			return set
		}
	}
	return nil
}
