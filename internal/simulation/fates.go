package simulation

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// fateRecord follows a pod of the initial snapshot and its successive replacements: a person asks about the pod they know.
type fateRecord struct {
	fate outcome.Fate
	// pending says that the first pod was pending in the initial snapshot.
	pending bool
	// attaching says that the first pod was bound in the initial snapshot, and waited there for a volume.
	attaching bool
	// created says that the first pod was created in this future.
	created bool
	// delay, if set, is what must happen before the pod runs.
	delay outcome.Fate
	// replacesPreempted says that the first pod was created in place of a preempted one.
	replacesPreempted bool
	// preempted says that the first pod was preempted: its replacement has a record of its own.
	preempted bool
	// waitingPod is the current pod while it waits.
	waitingPod *corev1.Pod
}

// fateRecords are the records by their current pods.
type fateRecords struct {
	records []*fateRecord
	byPod   map[types.NamespacedName]*fateRecord
}

func newFateRecords() fateRecords { return fateRecords{byPod: map[types.NamespacedName]*fateRecord{}} }

// of is the pod's record, a new one if it has none.
func (r *fateRecords) of(pod *corev1.Pod) *fateRecord {
	if record := r.byPod[nameOf(pod)]; record != nil {
		return record
	}
	record := &fateRecord{fate: outcome.Fate{Pod: podRef(pod), From: pod.Spec.NodeName}, pending: pod.Spec.NodeName == ""}
	r.records = append(r.records, record)
	r.byPod[nameOf(pod)] = record
	return record
}

// begin adds a record for a pod that was created in this future.
func (r *fateRecords) begin(pod *corev1.Pod) *fateRecord {
	record := &fateRecord{fate: outcome.Fate{Pod: podRef(pod)}, created: true}
	r.records = append(r.records, record)
	r.byPod[nameOf(pod)] = record
	return record
}

// replace continues a pod's record with its replacement. The replacement of a preempted pod gets a new record.
func (r *fateRecords) replace(pod, next *corev1.Pod) {
	record := r.of(pod)
	delete(r.byPod, nameOf(pod))
	if record.preempted {
		record = r.begin(next)
		record.replacesPreempted = true
	}
	r.byPod[nameOf(next)] = record
}

// end closes the pod's record. A preempted pod keeps that fate, with the reason why nothing replaces it.
func (r *fateRecords) end(pod *corev1.Pod, kind outcome.Kind, why message.Sentence, until time.Duration) {
	record := r.of(pod)
	delete(r.byPod, nameOf(pod))
	record.waitingPod, record.fate.Why = nil, why
	if !record.preempted {
		record.fate.Kind, record.fate.Until, record.fate.To = kind, until, ""
	}
}

// markPreempted says that a pod was preempted. For a pod of the initial snapshot that is its fate, and its replacement gets a new
// record; a pod that was a replacement itself keeps its record. A pod that could not leave its node still counts as of the initial
// snapshot.
func (r *fateRecords) markPreempted(pod *corev1.Pod, by change.Ref, until time.Duration) {
	record := r.of(pod)
	if held := record.fate.Kind == outcome.Waiting && record.fate.To == pod.Spec.NodeName; record.created || record.fate.Kind != "" && !held {
		return
	}
	record.fate = outcome.Fate{Pod: record.fate.Pod, From: record.fate.From}
	record.fate.Kind, record.fate.By, record.fate.Until, record.preempted = outcome.Preempted, by, until, true
}

// markWaiting says that the pod is unschedulable. The reason is added at the end.
func (r *fateRecords) markWaiting(pod *corev1.Pod) {
	record := r.of(pod)
	record.fate.Kind, record.fate.To, record.fate.Why, record.fate.Until, record.waitingPod = outcome.Waiting, "", message.Sentence{}, 0, pod
}

// markNotCreated says why a pod is not created, though its owner wants it.
func (r *fateRecords) markNotCreated(pod *corev1.Pod, why message.Sentence) {
	record := r.of(pod)
	record.fate = outcome.Fate{Kind: outcome.Waiting, Pod: record.fate.Pod, From: record.fate.From, Why: why}
}

// markAttaching says that the pod is bound to a node and waits there for a volume.
func (r *fateRecords) markAttaching(pod *corev1.Pod, why message.Sentence) {
	record := r.of(pod)
	record.fate, record.waitingPod = outcome.Fate{Kind: outcome.Waiting, Pod: record.fate.Pod, From: record.fate.From, To: pod.Spec.NodeName, Why: why}, nil
}

// markStartPending says that the pod, if it is of the initial snapshot, is bound to a node and has not started there.
func (r *fateRecords) markStartPending(pod *corev1.Pod) {
	if r.byPod[nameOf(pod)] == nil {
		record := r.of(pod)
		record.fate.From, record.pending, record.attaching = "", true, true
	}
}

// markRunning says that the pod runs on a node.
func (r *fateRecords) markRunning(pod *corev1.Pod, node string, until time.Duration) {
	record := r.of(pod)
	record.waitingPod = nil
	record.fate = outcome.Fate{Kind: outcome.Moved, Pod: record.fate.Pod, From: record.fate.From, To: node, Until: until}
	switch {
	case record.delay.Why.ID != "":
		record.fate.Kind, record.fate.Why, record.fate.Until = outcome.Delayed, record.delay.Why, record.delay.Until
	case record.created:
		record.fate.Kind = outcome.Created
	}
}

// list are the fates of the pods that do not stay as they are, by namespace and name.
func (r *fateRecords) list() []outcome.Fate { return reportedFates(slices.Clone(r.records)) }

func reportedFates(lines []*fateRecord) []outcome.Fate {
	told := slices.DeleteFunc(lines, func(record *fateRecord) bool {
		passing := record.created && record.fate.Kind == outcome.Ended // created and removed within the future
		asBefore := record.pending && record.fate.Kind == outcome.Waiting && (record.fate.To == "" || record.attaching)
		return record.fate.Kind == "" || passing || asBefore
	})
	slices.SortStableFunc(told, func(a, b *fateRecord) int { return outcome.CompareRefs(a.fate.Pod, b.fate.Pod) })
	fates := slices.Grow([]outcome.Fate(nil), len(told))
	for _, record := range told {
		fates = append(fates, record.fate)
	}
	return fates
}

// markStaying says that a pod should leave its node and does not.
func (r *fateRecords) markStaying(pod *corev1.Pod, why message.Sentence) {
	record := r.of(pod)
	record.fate = outcome.Fate{Kind: outcome.Waiting, Pod: record.fate.Pod, From: pod.Spec.NodeName, To: pod.Spec.NodeName, Why: why}
}
