package status

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message"
)

// Gone says whether the subject is not in the world and Events still tell of it.
func Gone(v query.View) bool {
	return v.Subject != nil && v.World.Object(cluster.Kind(v.Subject.Kind), v.Subject.Namespace, v.Subject.Name) == nil &&
		len(v.EventsNamed(*v.Subject)) > 0
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
func (s *Status) gone() {
	events := s.EventsNamed(s.ref)
	args := message.Args{"age": "", "owner": "", "by": change.Ref{}, "of": change.Ref{}}
	if len(events) == 0 {
		s.is("Unknown", "", message.GoneUntold, args)
		return
	}
	_, _, last := query.Occurrences(events[0])
	args["age"] = s.age(last)
	id, makers := message.GoneUntold, query.MakersIn(s.World)
	for _, by := range goneBy {
		if e := first(events, by.reason); e != nil && !strings.HasPrefix(e.Message, "Cancelling") {
			id = by.id
			_, _, at := query.Occurrences(e)
			args["age"], args["why"] = s.age(at), e.Message
			if by := query.Preemptor(s.World, e); by.Name != "" {
				args["by"], args["of"] = by, makers.TopOf(by)
			}
			s.because(by.id, args, query.EventFact(e))
			break
		}
	}
	if e := makers.Told[s.ref]; e != nil && e.Reason == "SuccessfulDelete" {
		args["owner"] = query.Involved(e)
		if id == message.GoneUntold {
			id = message.GoneDeletedBy
		}
		s.because(message.OwnerDeleted, args, query.EventFact(e))
	}
	if e := first(events, "Killing"); e != nil {
		if id == message.GoneUntold {
			id = message.GoneStopped
		}
		s.because(message.KubeletStopped, args, query.EventFact(e))
	}
	s.is("Gone", "", id, args)
	if owner := makers.Of(s.ref); owner != nil {
		s.successors(owner)
	}
}

func first(events []*corev1.Event, reason string) *corev1.Event {
	for _, e := range events {
		if e.Reason == reason {
			return e
		}
	}
	return nil
}

// successors are the pods that the subject's owner has now.
func (s *Status) successors(owner metav1.Object) {
	kind, _ := cluster.KindOf(owner)
	var pods []change.Ref
	ready := 0
	for _, pod := range s.World.PodsOf(owner.GetUID()) {
		if !facts.Alive(pod) {
			continue
		}
		pods = append(pods, facts.RefTo(cluster.Pod, pod))
		if c := facts.PodCondition(pod, corev1.PodReady); c != nil && c.Status == corev1.ConditionTrue {
			ready++
		}
	}
	s.because(message.OwnerHas, message.Args{"owner": facts.RefTo(kind, owner), "n": len(pods), "ready": ready, "pods": s.Some(pods)})
}
