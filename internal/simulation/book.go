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
type line struct {
	fate Fate
	// pending says that the first pod waited already in the present.
	pending bool
	// attaching says that the first pod has its node in the present already, and waits there for a volume.
	attaching bool
	// born says that the first pod is new in this future.
	born bool
	// delay, if it says something, is what must happen before the pod runs.
	delay Fate
	// instead says that the first pod is new, and replaces one that was preempted.
	instead bool
	// gaveWay says that the first pod was preempted: what replaces it has a line of its own.
	gaveWay bool
	// pod is the one that waits, while one does.
	pod *corev1.Pod
}

// book keeps the lines by the pod that is there now.
type book struct {
	lines []*line
	now   map[types.NamespacedName]*line
}

func newBook() book { return book{now: map[types.NamespacedName]*line{}} }

// lineOf is the pod's line, which begins with it if it has none.
func (b *book) lineOf(pod *corev1.Pod) *line {
	if l := b.now[nameOf(pod)]; l != nil {
		return l
	}
	l := &line{fate: Fate{Pod: podRef(pod), From: pod.Spec.NodeName}, pending: pod.Spec.NodeName == ""}
	b.lines = append(b.lines, l)
	b.now[nameOf(pod)] = l
	return l
}

// bears begins a line with a pod that is new.
func (b *book) bears(pod *corev1.Pod) *line {
	l := &line{fate: Fate{Pod: podRef(pod)}, born: true}
	b.lines = append(b.lines, l)
	b.now[nameOf(pod)] = l
	return l
}

// succeeds continues a pod's line with another, unless that line has come to its end.
func (b *book) succeeds(pod, next *corev1.Pod) {
	l := b.lineOf(pod)
	delete(b.now, nameOf(pod))
	if l.gaveWay {
		l = b.bears(next)
		l.instead = true
	}
	b.now[nameOf(next)] = l
}

// ends closes the pod's line. One that gave way to another has had its fate; the reason why nothing replaces it is added.
func (b *book) ends(pod *corev1.Pod, kind Kind, why message.Sentence, until time.Duration) {
	l := b.lineOf(pod)
	delete(b.now, nameOf(pod))
	l.pod, l.fate.Why = nil, why
	if !l.gaveWay {
		l.fate.Kind, l.fate.Until, l.fate.To = kind, until, ""
	}
}

// preempted says that a pod gave way. If it is of the present, that is its fate, and its replacement begins a line of its
// own; one that was itself a replacement goes on. One that something held on its node is still the one of the present.
func (b *book) preempted(pod *corev1.Pod, by change.Ref, until time.Duration) {
	l := b.lineOf(pod)
	if held := l.fate.Kind == Waiting && l.fate.To == pod.Spec.NodeName; l.born || l.fate.Kind != "" && !held {
		return
	}
	l.fate = Fate{Pod: l.fate.Pod, From: l.fate.From}
	l.fate.Kind, l.fate.By, l.fate.Until, l.gaveWay = Preempted, by, until, true
}

// waits says that the pod fits nowhere. Why is asked at the end.
func (b *book) waits(pod *corev1.Pod) {
	l := b.lineOf(pod)
	l.fate.Kind, l.fate.To, l.fate.Why, l.fate.Until, l.pod = Waiting, "", message.Sentence{}, 0, pod
}

// unmade says why a pod is not made, though its owner wants it.
func (b *book) unmade(pod *corev1.Pod, why message.Sentence) {
	l := b.lineOf(pod)
	l.fate = Fate{Kind: Waiting, Pod: l.fate.Pod, From: l.fate.From, Why: why}
}

// attaches says that the pod got a node and waits there for a volume.
func (b *book) attaches(pod *corev1.Pod, why message.Sentence) {
	l := b.lineOf(pod)
	l.fate, l.pod = Fate{Kind: Waiting, Pod: l.fate.Pod, From: l.fate.From, To: pod.Spec.NodeName, Why: why}, nil
}

// startsLate says that the pod, if it is of the present, has a node and did not run there.
func (b *book) startsLate(pod *corev1.Pod) {
	if b.now[nameOf(pod)] == nil {
		l := b.lineOf(pod)
		l.fate.From, l.pending, l.attaching = "", true, true
	}
}

// lands says that the pod runs on a node.
func (b *book) lands(pod *corev1.Pod, node string, until time.Duration) {
	l := b.lineOf(pod)
	l.pod = nil
	l.fate = Fate{Kind: Moved, Pod: l.fate.Pod, From: l.fate.From, To: node, Until: until}
	switch {
	case l.delay.Why.ID != "":
		l.fate.Kind, l.fate.Why, l.fate.Until = Delayed, l.delay.Why, l.delay.Until
	case l.born:
		l.fate.Kind = Created
	}
}

// fates are those of the pods that do not stay as they are, by namespace and name.
func (b *book) fates() []Fate { return fatesOf(slices.Clone(b.lines)) }

func fatesOf(lines []*line) []Fate {
	told := slices.DeleteFunc(lines, func(l *line) bool {
		passing := l.born && l.fate.Kind == Ended // It came and went, and nobody misses it.
		asBefore := l.pending && l.fate.Kind == Waiting && (l.fate.To == "" || l.attaching)
		return l.fate.Kind == "" || passing || asBefore
	})
	slices.SortStableFunc(told, func(a, b *line) int { return compareRefs(a.fate.Pod, b.fate.Pod) })
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
func (b *book) stays(pod *corev1.Pod, why message.Sentence) {
	l := b.lineOf(pod)
	l.fate = Fate{Kind: Waiting, Pod: l.fate.Pod, From: pod.Spec.NodeName, To: pod.Spec.NodeName, Why: why}
}
