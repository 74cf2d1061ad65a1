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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// IsDeleted reports whether the subject does not exist while there are still Events about it.
func IsDeleted(q query.Query) bool {
	return q.Subject != nil && q.World.Object(cluster.Kind(q.Subject.Kind), q.Subject.Namespace, q.Subject.Name) == nil &&
		len(q.EventsNamed(*q.Subject)) > 0
}

// deletionReasons are the reasons of Events that explain a deletion, the most specific first.
var deletionReasons = []string{"Preempted", "TaintManagerEviction", "Evicted", "NodeControllerEviction", "DeletingNode", "RemovingNode"}

// goneBecause is the sentence for such an Event.
func (s *Status) goneBecause(e *corev1.Event, makers query.FormerOwners) message.Sentence {
	_, _, at := query.Occurrences(e)
	switch e.Reason {
	case "Preempted":
		by, of := query.Preemptor(s.World, e), change.Ref{}
		if by.Name != "" {
			of = makers.TopOwnerOf(by)
		}
		return sentence.GonePreempted(s.ref, s.age(at), by, of, e.Message)
	case "Evicted":
		return sentence.GoneEvicted(s.ref, s.age(at), e.Message)
	case "DeletingNode", "RemovingNode":
		return sentence.GoneNodeRemoved(s.ref, e.Message)
	default:
		return sentence.GoneTainted(s.ref, s.age(at))
	}
}

// deleted explains an object that no longer exists, from its Events, which the API server keeps for an hour.
func (s *Status) deleted() {
	events := s.EventsNamed(s.ref)
	if len(events) == 0 {
		s.set("Unknown", "", sentence.GoneUntold(s.ref, ""))
		return
	}
	_, _, last := query.Occurrences(events[0])
	var gone message.Sentence
	makers := query.FindFormerOwners(s.World)
	for _, reason := range deletionReasons {
		if e := firstWithReason(events, reason); e != nil && !strings.HasPrefix(e.Message, "Cancelling") {
			gone = s.goneBecause(e, makers)
			s.addCause(gone, query.EventEvidence(e))
			break
		}
	}
	if e := makers.Events[s.ref]; e != nil && e.Reason == "SuccessfulDelete" {
		if gone.IsZero() {
			gone = sentence.GoneDeletedBy(s.ref, query.InvolvedObject(e))
		}
		s.addCause(sentence.OwnerDeleted(query.InvolvedObject(e)), query.EventEvidence(e))
	}
	if e := firstWithReason(events, "Killing"); e != nil {
		if gone.IsZero() {
			gone = sentence.GoneStopped(s.ref, s.age(last))
		}
		s.addCause(sentence.KubeletStopped(), query.EventEvidence(e))
	}
	if gone.IsZero() {
		gone = sentence.GoneUntold(s.ref, s.age(last))
	}
	s.set("Gone", "", gone)
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

// explainSuccessors lists the pods that the subject's owner has now.
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
	s.addCause(sentence.OwnerHas(facts.RefTo(kind, owner), len(pods), ready, s.Enumerate(pods)))
}
