package query

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Victim is a pod that was preempted.
type Victim struct {
	Ref change.Ref
	// By is the pod that preempted it; zero if unknown.
	By change.Ref
	// UID and at are the UID of the pod, and the time.
	UID      types.UID
	At       metav1.Time
	Evidence []finding.Evidence
}

// Victims are found by the condition that the scheduler sets on a pod before it deletes it, and by its Event about the
// preemption, which names the preemptor and remains after the pod is gone.
//
// Source: pkg/scheduler/framework/preemption/executor.go.
func Victims(world *cluster.Snapshot) []Victim {
	byUID := map[types.UID]*Victim{}
	var order []types.UID
	of := func(uid types.UID, ref change.Ref) *Victim {
		one, ok := byUID[uid]
		if !ok {
			one = &Victim{Ref: ref, UID: uid}
			byUID[uid] = one
			order = append(order, uid)
		}
		return one
	}
	for _, pod := range world.Pods() {
		if c := kube.PodCondition(pod, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler {
			one := of(pod.UID, facts.RefTo(cluster.Pod, pod))
			one.Evidence = append(one.Evidence, facts.EvidenceSince(one.Ref, "status.conditions[DisruptionTarget]", c.Reason+": "+c.Message, c.LastTransitionTime))
		}
	}
	for _, event := range world.AllEvents() {
		if event.Reason != "Preempted" || event.InvolvedObject.Kind != string(cluster.Pod) {
			continue
		}
		about := event.InvolvedObject
		one := of(about.UID, change.Ref{Kind: string(cluster.Pod), Namespace: about.Namespace, Name: about.Name})
		if one.By.Name == "" {
			one.By = Preemptor(world, event)
		}
		_, _, last := Occurrences(event)
		one.At = last
		one.Evidence = append(one.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Event, event), "message", event.Message, last))
	}
	all := make([]Victim, 0, len(order))
	for _, uid := range order {
		all = append(all, *byUID[uid])
	}
	return all
}

// Preemptor is the pod that preempted another. If it no longer exists, it may still have Events.
func Preemptor(world *cluster.Snapshot, event *corev1.Event) change.Ref {
	uid := preemptorUID(event)
	if pod := world.PodOfUID(uid); pod != nil {
		return facts.RefTo(cluster.Pod, pod)
	}
	if told := world.Events(uid); len(told) > 0 && uid != "" {
		return InvolvedObject(told[0])
	}
	return change.Ref{}
}

// preemptorUID is the UID of the pod that preempted another: of the Event's related object or, if that was not kept, from
// its message ("Preempted by pod UID on node NODE").
func preemptorUID(event *corev1.Event) types.UID {
	if event.Related != nil && event.Related.UID != "" {
		return event.Related.UID
	}
	words := strings.Fields(event.Message)
	if i := slices.Index(words, "pod"); i >= 0 && i+1 < len(words) {
		return types.UID(words[i+1])
	}
	return ""
}
