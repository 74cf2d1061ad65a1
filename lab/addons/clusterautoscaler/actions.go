package clusterautoscaler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// actions are all that a scan wants done, in the order in which it is done: events that explain, then sizes, taints,
// evictions and terminations.
type actions struct {
	events    []event
	resizes   []resize
	remove    []leaving // taint, so that nothing new lands there
	untaint   []*corev1.Node
	soft      []*corev1.Node // mark as candidates for deletion
	hard      []*corev1.Node // no longer candidates
	evict     []*corev1.Pod
	terminate []termination
}

// event is one to record. Without a subject it is about Cluster Autoscaler itself and goes to its status ConfigMap.
type event struct {
	subject         runtime.Object
	warning         bool
	reason, message string
}

// resize sets a group's desired size. An increase is a scale-up for some pods; a decrease takes back one that timed out.
type resize struct {
	group         string
	from, to, max int
	pods          []*corev1.Pod
}

// String is the form in which events show a scale-up.
func (r resize) String() string {
	return fmt.Sprintf("{%s %d->%d (max: %d)}", r.group, r.from, r.to, r.max)
}

// termination ends a drained node's instance and makes its group one smaller.
type termination struct {
	node     *corev1.Node
	instance string
	drain    bool
}

func (a *actions) event(subject runtime.Object, reason, format string, args ...any) {
	a.events = append(a.events, event{subject: subject, reason: reason, message: fmt.Sprintf(format, args...)})
}

func (a *actions) warn(subject runtime.Object, reason, format string, args ...any) {
	a.events = append(a.events, event{subject: subject, warning: true, reason: reason, message: fmt.Sprintf(format, args...)})
}
