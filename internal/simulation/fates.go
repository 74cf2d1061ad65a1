package simulation

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// line is a pod and what replaces it, one after another: what a person asks about is what becomes of the pod they know.
type fateRecord struct {
	fate Fate
	// pending says that the first pod waited already in the present.
	pending bool
	// attaching says that the first pod has its node in the present already, and waits there for a volume.
	attaching bool
	// born says that the first pod is new in this future.
	created bool
	// delay, if it says something, is what must happen before the pod runs.
	delay Fate
	// instead says that the first pod is new, and replaces one that was preempted.
	replacesPreempted bool
	// gaveWay says that the first pod was preempted: what replaces it has a line of its own.
	preempted bool
	// pod is the one that waits, while one does.
	waitingPod *corev1.Pod
}

// book keeps the lines by the pod that is there now.
type fateRecords struct {
	records []*fateRecord
	byPod   map[types.NamespacedName]*fateRecord
}

func newFateRecords() fateRecords { return fateRecords{byPod: map[types.NamespacedName]*fateRecord{}} }

// lineOf is the pod's line, which begins with it if it has none.
func (b *fateRecords) of(pod *corev1.Pod) *fateRecord {
	if l := b.byPod[nameOf(pod)]; l != nil {
		return l
	}
	l := &fateRecord{fate: Fate{Pod: podRef(pod), From: pod.Spec.NodeName}, pending: pod.Spec.NodeName == ""}
	b.records = append(b.records, l)
	b.byPod[nameOf(pod)] = l
	return l
}

// bears begins a line with a pod that is new.
func (b *fateRecords) begin(pod *corev1.Pod) *fateRecord {
	l := &fateRecord{fate: Fate{Pod: podRef(pod)}, created: true}
	b.records = append(b.records, l)
	b.byPod[nameOf(pod)] = l
	return l
}

// succeeds continues a pod's line with another, unless that line has come to its end.
func (b *fateRecords) replace(pod, next *corev1.Pod) {
	l := b.of(pod)
	delete(b.byPod, nameOf(pod))
	if l.preempted {
		l = b.begin(next)
		l.replacesPreempted = true
	}
	b.byPod[nameOf(next)] = l
}

// ends closes the pod's line. One that gave way to another has had its fate; the reason why nothing replaces it is added.
func (b *fateRecords) end(pod *corev1.Pod, kind Kind, why message.Sentence, until time.Duration) {
	l := b.of(pod)
	delete(b.byPod, nameOf(pod))
	l.waitingPod, l.fate.Why = nil, why
	if !l.preempted {
		l.fate.Kind, l.fate.Until, l.fate.To = kind, until, ""
	}
}

// preempted says that a pod gave way. If it is of the present, that is its fate, and its replacement begins a line of its
// own; one that was itself a replacement goes on. One that something held on its node is still the one of the present.
func (b *fateRecords) markPreempted(pod *corev1.Pod, by change.Ref, until time.Duration) {
	l := b.of(pod)
	if held := l.fate.Kind == Waiting && l.fate.To == pod.Spec.NodeName; l.created || l.fate.Kind != "" && !held {
		return
	}
	l.fate = Fate{Pod: l.fate.Pod, From: l.fate.From}
	l.fate.Kind, l.fate.By, l.fate.Until, l.preempted = Preempted, by, until, true
}

// waits says that the pod fits nowhere. Why is asked at the end.
func (b *fateRecords) markWaiting(pod *corev1.Pod) {
	l := b.of(pod)
	l.fate.Kind, l.fate.To, l.fate.Why, l.fate.Until, l.waitingPod = Waiting, "", message.Sentence{}, 0, pod
}

// unmade says why a pod is not made, though its owner wants it.
func (b *fateRecords) markNotCreated(pod *corev1.Pod, why message.Sentence) {
	l := b.of(pod)
	l.fate = Fate{Kind: Waiting, Pod: l.fate.Pod, From: l.fate.From, Why: why}
}

// attaches says that the pod got a node and waits there for a volume.
func (b *fateRecords) markAttaching(pod *corev1.Pod, why message.Sentence) {
	l := b.of(pod)
	l.fate, l.waitingPod = Fate{Kind: Waiting, Pod: l.fate.Pod, From: l.fate.From, To: pod.Spec.NodeName, Why: why}, nil
}

// startsLate says that the pod, if it is of the present, has a node and did not run there.
func (b *fateRecords) markStartPending(pod *corev1.Pod) {
	if b.byPod[nameOf(pod)] == nil {
		l := b.of(pod)
		l.fate.From, l.pending, l.attaching = "", true, true
	}
}

// lands says that the pod runs on a node.
func (b *fateRecords) markRunning(pod *corev1.Pod, node string, until time.Duration) {
	l := b.of(pod)
	l.waitingPod = nil
	l.fate = Fate{Kind: Moved, Pod: l.fate.Pod, From: l.fate.From, To: node, Until: until}
	switch {
	case l.delay.Why.ID != "":
		l.fate.Kind, l.fate.Why, l.fate.Until = Delayed, l.delay.Why, l.delay.Until
	case l.created:
		l.fate.Kind = Created
	}
}

// fates are those of the pods that do not stay as they are, by namespace and name.
func (b *fateRecords) list() []Fate { return reportedFates(slices.Clone(b.records)) }

func reportedFates(lines []*fateRecord) []Fate {
	told := slices.DeleteFunc(lines, func(l *fateRecord) bool {
		passing := l.created && l.fate.Kind == Ended // It came and went, and nobody misses it.
		asBefore := l.pending && l.fate.Kind == Waiting && (l.fate.To == "" || l.attaching)
		return l.fate.Kind == "" || passing || asBefore
	})
	slices.SortStableFunc(told, func(a, b *fateRecord) int { return compareRefs(a.fate.Pod, b.fate.Pod) })
	fates := slices.Grow([]Fate(nil), len(told))
	for _, l := range told {
		fates = append(fates, l.fate)
	}
	return fates
}

// compareFates orders fates by pod; that one gave way comes before what became of the next of its name.
func compareFates(a, b Fate) int {
	return cmp.Or(compareRefs(a.Pod, b.Pod), compareBools(a.Kind != Preempted, b.Kind != Preempted), cmp.Compare(a.Kind, b.Kind))
}

func compareRefs(a, b change.Ref) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// stays says that a pod should leave its node and does not.
func (b *fateRecords) markStaying(pod *corev1.Pod, why message.Sentence) {
	l := b.of(pod)
	l.fate = Fate{Kind: Waiting, Pod: l.fate.Pod, From: pod.Spec.NodeName, To: pod.Spec.NodeName, Why: why}
}
