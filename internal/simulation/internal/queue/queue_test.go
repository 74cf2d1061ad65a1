package queue_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

func pod(name string, priority int32) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", UID: "web", Controller: new(true)}}},
		Spec:       corev1.PodSpec{Priority: &priority},
	}
}

// drain takes the pods out of the queue, none of which can be scheduled.
func drain(q *queue.Queue) (names []string) {
	for next := q.Next(randomness.Source{}); next != nil; next = q.Next(randomness.Source{}) {
		names = append(names, next.Pod.Name)
		q.AddTried(next)
	}
	return names
}

func TestOrder(t *testing.T) {
	q := queue.New(0)
	q.Add(pod("late", 0), 2, false)
	q.Add(pod("early", 0), 1, false)
	q.Add(pod("slow", 9), 0, true)
	q.Add(pod("high", 5), 3, false)
	q.Add(pod("gone", 7), 3, false)
	q.Remove(pod("gone", 7))
	if got := drain(&q); !slices.Equal(got, []string{"high", "early", "late", "slow"}) {
		t.Errorf("order: %v", got)
	}
}

// An unschedulable pod is tried again only after an event, and one that depends on other pods after one was bound, too.
func TestRetry(t *testing.T) {
	q := queue.New(0)
	spread := pod("spread", 0)
	spread.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{TopologyKey: corev1.LabelHostname}}
	q.Add(pod("plain", 0), 0, false)
	q.Add(spread, 0, false)
	for _, step := range []struct {
		event func()
		want  []string
	}{
		{func() {}, []string{"plain", "spread"}},
		{func() {}, nil},
		{q.MarkBound, []string{"spread"}},
		{q.Retry, []string{"plain", "spread"}},
	} {
		step.event()
		if got := drain(&q); !slices.Equal(got, step.want) {
			t.Errorf("tried %v, want %v", got, step.want)
		}
	}
	if got := len(q.PodsOf("web")); got != 2 {
		t.Errorf("%d pods of the controller", got)
	}
}

func TestClasses(t *testing.T) {
	q := queue.New(0)
	class, other := queue.ClassOf(pod("a", 0)), pod("b", 0)
	if queue.ClassOf(other) != class {
		t.Error("two pods of a controller with the same requests are of different classes")
	}
	q.MarkUnschedulable(class)
	if !q.KnownUnschedulable(class) {
		t.Error("the class is not known to be unschedulable")
	}
	if q.Retry(); q.KnownUnschedulable(class) {
		t.Error("the class is known to be unschedulable after an event")
	}
	claimed := pod("c", 0)
	claimed.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{}}}}
	if q.MarkUnschedulable(queue.ClassOf(claimed)); q.KnownUnschedulable(queue.ClassOf(claimed)) {
		t.Error("a pod with a claim is like others")
	}
}

func TestAttempts(t *testing.T) {
	q := queue.New(0)
	n := 0
	for q.Attempt() {
		n++
	}
	if n != q.MaxAttempts {
		t.Errorf("%d attempts, want %d", n, q.MaxAttempts)
	}
}
