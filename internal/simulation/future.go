package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// UnknownError is a change that names what the world does not hold.
type UnknownError struct{ Ref change.Ref }

func (e UnknownError) Error() string {
	if e.Ref.Namespace != "" {
		return fmt.Sprintf("%s in namespace %s does not exist", e.Ref, e.Ref.Namespace)
	}
	return fmt.Sprintf("%s does not exist", e.Ref)
}

// future is one course of events: a clock, an agenda of what comes at its time, and the scheduler's queue. All that
// happens to pods and nodes goes through it, so that the Judge, the budgets and the book of fates agree.
type future struct {
	judge   *scheduling.Judge
	present *cluster.Snapshot
	// things is the present with what has changed, but for pods and budgets.
	things *cluster.Snapshot
	pods   pods
	chance chance

	// now is the time since the change began.
	now time.Duration
	// sometime says that now is not known: something must happen first that has no time, such as a dead node's removal.
	sometime bool
	agenda   []event
	queue    queue

	// successors are pods of StatefulSets that are made once those before them run.
	successors []successor

	// left are nodes that are gone, dark the zones that are lost: it is in the others that groups bring up new nodes.
	left []*corev1.Node
	dark map[string]bool

	quotas quotas

	// attaching are pods on nodes where a volume is to be attached that another node has; attachDue says that they are to be
	// looked at again.
	attaching []*corev1.Pod
	attachDue bool

	// rolling says that a rollout goes on that waits for its own pods only; slow are the others that are not healthy yet.
	rolling bool
	slow    []*corev1.Pod

	book    book
	budgets *budgets
	gaps    gaps
	names   names
	// admitters are who would be asked about what is created.
	admitters admitters
	// active counts the pods of a controller that it counts itself, by its UID, once that is asked.
	active map[types.UID]int
	// stuck are Deployments, by their UIDs, whose rollouts this future has begun and not ended.
	stuck map[types.UID]bool
	// failures counts each Job's failed pods in this future.
	failures map[types.UID]int
	// backoffs are when each Job's back-off ends, since the beginning.
	backoffs map[types.UID]time.Duration
}

// event is something that comes at its time.
type event struct {
	at time.Duration
	do func(context.Context) error
}

func begin(judge *scheduling.Judge, seed uint64) *future {
	world := judge.World()
	f := &future{
		judge: judge, present: world, chance: chanceOf(seed), things: world, pods: newPods(world), book: newBook(), gaps: newGaps(judge),
		names: newNames(world), active: map[types.UID]int{}, failures: map[types.UID]int{}, backoffs: map[types.UID]time.Duration{}, dark: map[string]bool{},
		stuck:  map[types.UID]bool{},
		quotas: newQuotas(), admitters: newAdmitters(world),
	}
	f.budgets = newBudgets(&f.pods)
	f.queue.most = attemptsPerPod * (len(world.Pods()) + 100)
	return f
}

// resume puts on the agenda what goes on already.
func (f *future) resume() error {
	for _, pod := range f.present.PodsOn("") {
		if waitsForScheduler(pod) {
			f.queue.hold(&offer{pod: pod, priority: priorityOf(pod), tried: never, shown: true})
		}
	}
	if err := f.continueRefused(); err != nil {
		return err
	}
	f.continueJobs()
	f.continueEvictions()
	return nil
}

// waitsForScheduler says whether the scheduler would look at a pod that is there already.
func waitsForScheduler(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && !cluster.Ended(pod)
}

// world is what there is by now but for pods and budgets, which pods and budgets tell.
func (f *future) world() *cluster.Snapshot { return f.things }

// apply edits the world.
func (f *future) apply(edits ...cluster.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	if err := f.judge.Apply(edits...); err != nil {
		return fmt.Errorf("editing the world: %w", err)
	}
	var others []cluster.Edit
	var gone []*corev1.Pod
	for _, e := range edits {
		switch o := e.Object().(type) {
		case *corev1.Pod:
			if e.Removes() {
				f.pods.remove(o)
				f.uncharge(o)
				gone = append(gone, o)
			} else {
				f.pods.put(o)
			}
		case *policyv1.PodDisruptionBudget: // The budgets know.
		default:
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		f.things = f.things.With(others...)
	}
	return f.vacate(gone)
}

// in puts something on the agenda.
func (f *future) in(delay time.Duration, do func(context.Context) error) {
	f.agenda = append(f.agenda, event{f.now + delay, do})
}

// settle lets time pass until nothing moves any more.
func (f *future) settle(ctx context.Context) error {
	for {
		if err := f.schedule(ctx); err != nil {
			return err
		}
		if f.callUp() || f.askAgain() {
			continue
		}
		if len(f.agenda) == 0 {
			return nil
		}
		slices.SortStableFunc(f.agenda, func(a, b event) int { return int(a.at - b.at) })
		f.now = f.agenda[0].at
		due := 0
		for due < len(f.agenda) && f.agenda[due].at == f.now {
			due++
		}
		events := f.agenda[:due]
		f.agenda = f.agenda[due:]
		for _, e := range events {
			if err := e.do(ctx); err != nil {
				return err
			}
		}
	}
}

// moment is the clock as a time of the API.
func (f *future) moment() *metav1.Time {
	return &metav1.Time{Time: f.present.Taken().Add(f.now)}
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func podRef(pod *corev1.Pod) change.Ref {
	return change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
}

func nodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// until is now, as far as it is known.
func (f *future) until() time.Duration {
	if f.sometime {
		return 0
	}
	return f.now
}
