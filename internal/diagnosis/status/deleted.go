package status

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// IsDeleted says whether the subject is not in the world and Events still tell of it.
func IsDeleted(q query.Query) bool {
	return q.Subject != nil && q.World.Object(cluster.Kind(q.Subject.Kind), q.Subject.Namespace, q.Subject.Name) == nil &&
		len(q.EventsNamed(*q.Subject)) > 0
}

// deletionReasons are the events that tell why a thing is gone, the more telling first.
var deletionReasons = []struct {
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

// deleted is about a thing that is not there any more, told from its Events, which the API server keeps for an hour.
func (s *Status) deleted() {
	events := s.EventsNamed(s.ref)
	args := message.Args{"age": "", "owner": "", "by": change.Ref{}, "of": change.Ref{}}
	if len(events) == 0 {
		s.set("Unknown", "", message.GoneUntold, args)
		return
	}
	_, _, last := query.Occurrences(events[0])
	args["age"] = s.age(last)
	id, makers := message.GoneUntold, query.FindFormerOwners(s.World)
	for _, by := range deletionReasons {
		if e := firstWithReason(events, by.reason); e != nil && !strings.HasPrefix(e.Message, "Cancelling") {
			id = by.id
			_, _, at := query.Occurrences(e)
			args["age"], args["why"] = s.age(at), e.Message
			if by := query.Preemptor(s.World, e); by.Name != "" {
				args["by"], args["of"] = by, makers.TopOwnerOf(by)
			}
			s.addCause(by.id, args, query.EventEvidence(e))
			break
		}
	}
	if e := makers.Events[s.ref]; e != nil && e.Reason == "SuccessfulDelete" {
		args["owner"] = query.InvolvedObject(e)
		if id == message.GoneUntold {
			id = message.GoneDeletedBy
		}
		s.addCause(message.OwnerDeleted, args, query.EventEvidence(e))
	}
	if e := firstWithReason(events, "Killing"); e != nil {
		if id == message.GoneUntold {
			id = message.GoneStopped
		}
		s.addCause(message.KubeletStopped, args, query.EventEvidence(e))
	}
	s.set("Gone", "", id, args)
	if owner := makers.OwnerOf(s.ref); owner != nil {
		s.explainSuccessors(owner)
	}
}

func firstWithReason(events []*corev1.Event, reason string) *corev1.Event {
	for _, e := range events {
		if e.Reason == reason {
			return e
		}
	}
	return nil
}

// explainSuccessors are the pods that the subject's owner has now.
func (s *Status) explainSuccessors(owner metav1.Object) {
	kind, _ := cluster.KindOf(owner)
	var pods []change.Ref
	ready := 0
	for _, pod := range s.World.PodsOf(owner.GetUID()) {
		if !facts.IsActive(pod) {
			continue
		}
		pods = append(pods, facts.RefTo(cluster.Pod, pod))
		if kube.IsPodReady(pod) {
			ready++
		}
	}
	s.addCause(message.OwnerHas, message.Args{"owner": facts.RefTo(kind, owner), "n": len(pods), "ready": ready, "pods": s.Enumerate(pods)})
}
