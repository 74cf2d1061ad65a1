package play

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/pace"
)

// keyReasons are the Kubernetes Events that tell a part of the story which the objects do not. The others would drown it.
var keyReasons = []string{
	"Evicted", "FailedAttachVolume", "FailedMount", "FailedScheduling", "NotTriggerScaleUp", "Preempted", "ProvisioningFailed",
	"ScaleDown", "TriggeredScaleUp",
}

// timeline records what happens from the start on.
type timeline struct {
	pace    *pace.Pace
	observe Observer

	mu       sync.Mutex
	start    time.Time // zero before the point "start"
	events   []Event
	reported map[reportKey]*report
	pods     map[types.UID]string // names, for Events that contain UIDs
	impact   impactTracker
}

// reportKey is what makes two Kubernetes Events one line.
type reportKey struct{ kind, namespace, name, reason, message string }

// report is the line of a Kubernetes Event: its place in the timeline, and the count of each object that adds to it.
type report struct {
	index  int
	counts map[types.UID]int
}

func newTimeline(p *pace.Pace, o Observer) *timeline {
	if o == nil {
		o = func(Update) {}
	}
	return &timeline{pace: p, observe: o, reported: map[reportKey]*report{}, pods: map[types.UID]string{}}
}

func (t *timeline) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.start = time.Now()
}

// now is scenario time since the start.
func (t *timeline) now() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.elapsed()
}

func (t *timeline) elapsed() time.Duration {
	if t.start.IsZero() {
		return 0
	}
	return t.pace.Scenario(time.Since(t.start))
}

// reportActivity reports to the observer what the pass is doing.
func (t *timeline) reportActivity(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observe(Update{AtSeconds: seconds(t.elapsed()), Activity: what})
}

func (t *timeline) add(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.append(e)
}

func (t *timeline) append(e Event) {
	if t.start.IsZero() {
		return
	}
	e.AtSeconds = seconds(t.elapsed())
	t.events = append(t.events, e)
	t.observe(Update{AtSeconds: e.AtSeconds, Event: &e})
}

// expectation reports an expectation's result to the observer and the timeline.
func (t *timeline) expectation(e Expectation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	message := "not met: " + e.Problem
	if e.NotJudged {
		message = "not judged: " + e.Problem
	}
	if e.Met {
		message = "met"
		if held := t.elapsed().Seconds() - *e.AtSeconds; held >= 1 {
			message = fmt.Sprintf("met, true for %s", time.Duration(held*float64(time.Second)).Round(time.Second))
		}
	}
	t.append(Event{Sort: Expected, Object: e.Name, Message: message})
	t.observe(Update{AtSeconds: seconds(t.elapsed()), Expectation: &e})
}

// change takes in what an object was and is.
func (t *timeline) change(before, after any) {
	switch o := after.(type) {
	case *corev1.Event:
		t.report(o)
		return
	case *corev1.Pod:
		t.remember(o)
	}
	t.measure(before, after)
	for _, e := range observe(before, after) {
		t.add(e)
	}
}

// measure takes in what a change means for pods.
func (t *timeline) measure(before, after any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.impact.change(t.elapsed().Seconds(), !t.start.IsZero(), before, after)
}

// measured is the Impact so far.
func (t *timeline) measured() Impact {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.impact.impact(t.elapsed().Seconds())
}

func (t *timeline) remember(p *corev1.Pod) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pods[p.UID] = p.Namespace + "/" + p.Name
}

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// named is a message with pods called by their names, where the scheduler has only their UIDs.
func (t *timeline) named(message string) string {
	return uid.ReplaceAllStringFunc(message, func(u string) string { return cmp.Or(t.pods[types.UID(u)], u) })
}

// report gives a Kubernetes Event a line, or counts it on the line it has.
func (t *timeline) report(e *corev1.Event) {
	if !slices.Contains(keyReasons, e.Reason) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		return
	}
	about := e.InvolvedObject
	key := reportKey{about.Kind, about.Namespace, about.Name, e.Reason, e.Message}
	known := t.reported[key]
	if known == nil {
		known = &report{index: len(t.events), counts: map[types.UID]int{}}
		t.reported[key] = known
		t.append(Event{Sort: Reported, Object: objectName(about), Message: e.Reason + ": " + t.named(strings.TrimSpace(e.Message))})
	}
	known.counts[e.UID] = timesReported(e)
	total := 0
	for _, n := range known.counts {
		total += n
	}
	line := &t.events[known.index]
	line.Count, line.LastAtSeconds = total, seconds(t.elapsed())
}

func timesReported(e *corev1.Event) int {
	n := max(int(e.Count), 1)
	if e.Series != nil {
		n = max(n, int(e.Series.Count))
	}
	return n
}

func objectName(o corev1.ObjectReference) string {
	if o.Namespace == "" || o.Kind == "Node" {
		return strings.ToLower(o.Kind) + "/" + o.Name
	}
	return strings.ToLower(o.Kind) + "/" + o.Namespace + "/" + o.Name
}

// recorded is a copy of the events so far.
func (t *timeline) recorded() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}
