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
type engine struct {
	judge   *scheduling.Judge
	initial *cluster.Snapshot
	// things is the present with what has changed, but for pods and budgets.
	objects    *cluster.Snapshot
	pods       pods
	randomness randomness

	// now is the time since the change began.
	now time.Duration
	// sometime says that now is not known: something must happen first that has no time, such as a dead node's removal.
	timeUnknown bool
	events      []event
	queue       queue

	// successors are pods of StatefulSets that are made once those before them run.
	deferredReplicas []deferredReplica

	// left are nodes that are gone, dark the zones that are lost: it is in the others that groups bring up new nodes.
	removedNodes []*corev1.Node
	lostZones    map[string]bool

	quotas quotas

	// attaching are pods on nodes where a volume is to be attached that another node has; attachDue says that they are to be
	// looked at again.
	attaching     []*corev1.Pod
	attachPending bool

	// rolling says that a rollout goes on that waits for its own pods only; slow are the others that are not healthy yet.
	rollingOut   bool
	delayedReady []*corev1.Pod

	fates   fateRecords
	budgets *budgets
	gaps    gaps
	names   nameGenerator
	// admitters are who would be asked about what is created.
	admissionControllers admissionControllers
	// active counts the pods of a controller that it counts itself, by its UID, once that is asked.
	activePods map[types.UID]int
	// stuck are Deployments, by their UIDs, whose rollouts this future has begun and not ended.
	unfinishedRollouts map[types.UID]bool
	// failures counts each Job's failed pods in this future.
	jobFailures map[types.UID]int
	// backoffs are when each Job's back-off ends, since the beginning.
	jobBackoffs map[types.UID]time.Duration
}

// event is something that comes at its time.
type event struct {
	at  time.Duration
	run func(context.Context) error
}

func newEngine(judge *scheduling.Judge, seed uint64) *engine {
	world := judge.World()
	e := &engine{
		judge: judge, initial: world, randomness: newRandomness(seed), objects: world, pods: newPods(world), fates: newFateRecords(), gaps: newGaps(judge),
		names: newNameGenerator(world), activePods: map[types.UID]int{}, jobFailures: map[types.UID]int{}, jobBackoffs: map[types.UID]time.Duration{}, lostZones: map[string]bool{},
		unfinishedRollouts: map[types.UID]bool{},
		quotas:             newQuotas(), admissionControllers: newAdmissionControllers(world),
	}
	e.budgets = newBudgets(&e.pods)
	e.queue.maxAttempts = maxAttemptsPerPod * (len(world.Pods()) + 100)
	return e
}

// resume puts on the agenda what goes on already.
func (e *engine) startOngoing() error {
	for _, pod := range e.initial.PodsOn("") {
		if waitsForScheduler(pod) {
			e.queue.addUnschedulable(&queuedPod{pod: pod, priority: priorityOf(pod), triedCycle: notTried, stored: true})
		}
	}
	if err := e.continueQuotaRefused(); err != nil {
		return err
	}
	e.continueJobs()
	e.continueEvictions()
	return nil
}

// waitsForScheduler says whether the scheduler would look at a pod that is there already.
func waitsForScheduler(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && !cluster.Ended(pod)
}

// world is what there is by now but for pods and budgets, which pods and budgets tell.
func (e *engine) world() *cluster.Snapshot { return e.objects }

// apply edits the world.
func (e *engine) edit(edits ...cluster.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	if err := e.judge.Apply(edits...); err != nil {
		return fmt.Errorf("editing the world: %w", err)
	}
	var others []cluster.Edit
	var gone []*corev1.Pod
	for _, edit := range edits {
		switch o := edit.Object().(type) {
		case *corev1.Pod:
			if edit.Removes() {
				e.pods.remove(o)
				e.releaseQuota(o)
				gone = append(gone, o)
			} else {
				e.pods.put(o)
			}
		case *policyv1.PodDisruptionBudget: // The budgets know.
		default:
			others = append(others, edit)
		}
	}
	if len(others) > 0 {
		e.objects = e.objects.With(others...)
	}
	return e.releaseVolumes(gone)
}

// in puts something on the agenda.
func (e *engine) after(delay time.Duration, do func(context.Context) error) {
	e.events = append(e.events, event{e.now + delay, do})
}

// settle lets time pass until nothing moves any more.
func (e *engine) settle(ctx context.Context) error {
	for {
		if err := e.schedule(ctx); err != nil {
			return err
		}
		if e.createDeferredReplicas() || e.retryRefused() {
			continue
		}
		if len(e.events) == 0 {
			return nil
		}
		slices.SortStableFunc(e.events, func(a, b event) int { return int(a.at - b.at) })
		e.now = e.events[0].at
		due := 0
		for due < len(e.events) && e.events[due].at == e.now {
			due++
		}
		events := e.events[:due]
		e.events = e.events[due:]
		for _, next := range events {
			if err := next.run(ctx); err != nil {
				return err
			}
		}
	}
}

// moment is the clock as a time of the API.
func (e *engine) apiTime() *metav1.Time {
	return &metav1.Time{Time: e.initial.Taken().Add(e.now)}
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func podRef(pod *corev1.Pod) change.Ref {
	return change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
}

func nodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// until is now, as far as it is known.
func (e *engine) elapsed() time.Duration {
	if e.timeUnknown {
		return 0
	}
	return e.now
}
