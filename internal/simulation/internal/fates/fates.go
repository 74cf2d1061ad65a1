package fates

import (
	"iter"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Record follows a pod of the initial snapshot and its successive replacements: a person asks about the pod they know.
type Record struct {
	Fate outcome.Fate
	// Pending says that the first pod was pending in the initial snapshot.
	Pending bool
	// attaching says that the first pod was bound in the initial snapshot, and waited there for a volume.
	attaching bool
	// Created says that the first pod was created in this future.
	Created bool
	// delay, if set, is what must happen before the pod runs.
	Delay outcome.Fate
	// ReplacesPreempted says that the first pod was created in place of a preempted one.
	ReplacesPreempted bool
	// preempted says that the first pod was preempted: its replacement has a record of its own.
	preempted bool
	// WaitingPod is the current pod while it waits.
	WaitingPod *corev1.Pod
	// staying is the fate of a current pod that was moved, and could not leave its new node.
	staying *outcome.Fate
}

// Records are the records by their current pods.
type Records struct {
	records []*Record
	byPod   map[types.NamespacedName]*Record
}

// New is no records.
func New() Records { return Records{byPod: map[types.NamespacedName]*Record{}} }

// Of is the pod's record, a new one if it has none.
func (r *Records) Of(pod *corev1.Pod) *Record {
	if record := r.byPod[names.Of(pod)]; record != nil {
		return record
	}
	record := &Record{Fate: outcome.Fate{Pod: names.PodRef(pod), From: pod.Spec.NodeName}, Pending: pod.Spec.NodeName == ""}
	r.records = append(r.records, record)
	r.byPod[names.Of(pod)] = record
	return record
}

// Begin adds a record for a pod that was created in this future.
func (r *Records) Begin(pod *corev1.Pod) *Record {
	record := &Record{Fate: outcome.Fate{Pod: names.PodRef(pod)}, Created: true}
	r.records = append(r.records, record)
	r.byPod[names.Of(pod)] = record
	return record
}

// Find is the record whose current pod has a name, nil if there is none.
func (r *Records) Find(name types.NamespacedName) *Record { return r.byPod[name] }

// Names are those of the pods that have a record, in no order.
func (r *Records) Names() iter.Seq[types.NamespacedName] { return maps.Keys(r.byPod) }

// All are the records in the order in which they began.
func (r *Records) All() []*Record { return r.records }

// Replace continues a pod's record with its replacement. The replacement of a preempted pod gets a new record.
func (r *Records) Replace(pod, next *corev1.Pod) {
	record := r.Of(pod)
	record.staying = nil
	delete(r.byPod, names.Of(pod))
	if record.preempted {
		record = r.Begin(next)
		record.ReplacesPreempted = true
	}
	r.byPod[names.Of(next)] = record
}

// End closes the pod's record. A preempted pod keeps that fate, with the reason why nothing replaces it.
func (r *Records) End(pod *corev1.Pod, kind outcome.Kind, why message.Sentence, until time.Duration) {
	record := r.Of(pod)
	delete(r.byPod, names.Of(pod))
	record.WaitingPod, record.staying, record.Fate.Why = nil, nil, why
	if !record.preempted {
		record.Fate.Kind, record.Fate.Until, record.Fate.To = kind, until, ""
	}
}

// MarkPreempted says that a pod was preempted. For a pod of the initial snapshot that is its fate, and its replacement gets a new
// record; a pod that was a replacement itself keeps its record. A pod that could not leave its node still counts as of the initial
// snapshot.
func (r *Records) MarkPreempted(pod *corev1.Pod, by change.Ref, until time.Duration) {
	record := r.Of(pod)
	if held := record.Fate.Kind == outcome.Waiting && record.Fate.To == pod.Spec.NodeName; record.Created || record.Fate.Kind != "" && !held {
		return
	}
	record.Fate = outcome.Fate{Pod: record.Fate.Pod, From: record.Fate.From}
	record.Fate.Kind, record.Fate.By, record.Fate.Until, record.preempted = outcome.Preempted, by, until, true
}

// MarkWaiting says that the pod is unschedulable. The reason is added at the end.
func (r *Records) MarkWaiting(pod *corev1.Pod) {
	record := r.Of(pod)
	record.Fate.Kind, record.Fate.To, record.Fate.Why, record.Fate.Until, record.WaitingPod = outcome.Waiting, "", message.Sentence{}, 0, pod
}

// MarkNotCreated says why a pod is not created, or not again, though its owner wants it.
func (r *Records) MarkNotCreated(pod *corev1.Pod, why message.Sentence) {
	record := r.Of(pod)
	record.Fate = outcome.Fate{Kind: outcome.Waiting, Pod: record.Fate.Pod, From: record.Fate.From, Why: why}
	if !record.Created { // It was there, pending, and is there no longer.
		record.Pending = false
	}
}

// MarkBound says that the pod is bound to a node and has not started there, and why.
func (r *Records) MarkBound(pod *corev1.Pod, why message.Sentence) {
	record := r.Of(pod)
	record.Fate, record.WaitingPod = outcome.Fate{Kind: outcome.Waiting, Pod: record.Fate.Pod, From: record.Fate.From, To: pod.Spec.NodeName, Why: why}, nil
}

// MarkStartPending says that the pod, if it is of the initial snapshot, is bound to a node and has not started there.
func (r *Records) MarkStartPending(pod *corev1.Pod) {
	if r.byPod[names.Of(pod)] == nil {
		record := r.Of(pod)
		record.Fate.From, record.Pending, record.attaching = "", true, true
	}
}

// MarkRunning says that the pod runs on a node.
func (r *Records) MarkRunning(pod *corev1.Pod, node string, until time.Duration) {
	record := r.Of(pod)
	record.WaitingPod = nil
	record.Fate = outcome.Fate{Kind: outcome.Moved, Pod: record.Fate.Pod, From: record.Fate.From, To: node, Until: until}
	switch {
	case record.Delay.Why.ID != "":
		record.Fate.Kind, record.Fate.Why, record.Fate.Until = outcome.Delayed, record.Delay.Why, record.Delay.Until
	case record.Created:
		record.Fate.Kind = outcome.Created
	}
}

// List are the fates of the pods that do not stay as they are, by namespace and name.
func (r *Records) List() []outcome.Fate { return Reported(slices.Clone(r.records)) }

// Reported are the fates of some records, without those of pods that stay as they are, by namespace and name.
func Reported(lines []*Record) []outcome.Fate {
	told := slices.DeleteFunc(lines, func(record *Record) bool {
		passing := record.Created && record.Fate.Kind == outcome.Ended // created and removed within the future
		asBefore := record.Pending && record.Fate.Kind == outcome.Waiting && (record.Fate.To == "" || record.attaching)
		return record.Fate.Kind == "" || passing || asBefore
	})
	fates := slices.Grow([]outcome.Fate(nil), len(told))
	for _, record := range told {
		fates = append(fates, record.Fate)
		if record.staying != nil {
			fates = append(fates, *record.staying)
		}
	}
	slices.SortStableFunc(fates, func(a, b outcome.Fate) int { return outcome.CompareRefs(a.Pod, b.Pod) })
	return fates
}

// MarkStaying says that a pod should leave its node and does not. If an earlier change moved it there, both are reported.
func (r *Records) MarkStaying(pod *corev1.Pod, why message.Sentence) {
	record := r.Of(pod)
	stays := outcome.Fate{Kind: outcome.Waiting, Pod: record.Fate.Pod, From: pod.Spec.NodeName, To: pod.Spec.NodeName, Why: why}
	if record.Fate.Kind == outcome.Moved || record.Fate.Kind == outcome.Delayed {
		stays.Pod = names.PodRef(pod)
		record.staying = &stays
		return
	}
	record.Fate = stays
}
