package simulation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// UnknownError is a change that names an object which the world does not have.
type UnknownError struct{ Ref change.Ref }

func (e UnknownError) Error() string {
	if e.Ref.Namespace != "" {
		return fmt.Sprintf("%s in namespace %s does not exist", e.Ref, e.Ref.Namespace)
	}
	return fmt.Sprintf("%s does not exist", e.Ref)
}

// engine simulates one future: a clock, events by time, the scheduling queue, and the state of the cluster's controllers. Every
// change of pods and nodes goes through it, so that the Judge, the budgets and the fates agree.
type engine struct {
	judge   *scheduling.Judge
	initial *cluster.Snapshot
	// objects is the initial snapshot with all changes except those of pods and budgets.
	objects    *cluster.Snapshot
	pods       pods
	randomness randomness

	// now is the time since the change began.
	now time.Duration
	// timeUnknown says that now is not known: it depends on something without a known time, such as the removal of an unreachable
	// node.
	timeUnknown bool
	events      []event
	queue       queue

	// deferredReplicas are pods of StatefulSets that are created once those before them are ready.
	deferredReplicas []deferredReplica
	// scalingDown are StatefulSets that remove surplus pods one by one.
	scalingDown []types.NamespacedName

	// removedNodes are nodes that are gone, lostZones the zones that are lost: groups launch new nodes in the others.
	removedNodes []*corev1.Node
	lostZones    map[string]bool

	quotas quotas

	// attaching are pods on nodes that wait for a volume attached to another node; attachPending says that attachVolumes is
	// scheduled.
	attaching     []*corev1.Pod
	attachPending bool

	// rollingOut says that a rollout runs, which waits for its own pods only; delayedReady are pods that are not healthy yet.
	rollingOut   bool
	delayedReady []*corev1.Pod

	fates   fateRecords
	budgets *budgets
	gaps    gaps
	names   nameGenerator
	// admissionControllers are those that the API server would call for new and updated objects.
	admissionControllers admissionControllers
	// activePods is the number of active pods of each controller, by its UID, once it was asked for.
	activePods map[types.UID]int
	// unfinishedRollouts are Deployments, by their UIDs, whose rollouts began in this future and have not ended.
	unfinishedRollouts map[types.UID]bool
	// jobFailures is the number of each Job's pods that failed in this future.
	jobFailures map[types.UID]int
	// deletedByUser are pods, by their UIDs, that were deleted without being disrupted: they get no condition DisruptionTarget.
	deletedByUser map[types.UID]bool
	// jobBackoffs are when each Job's back-off ends, as time since the change began.
	jobBackoffs map[types.UID]time.Duration
}

// event is a function that runs at a given time.
type event struct {
	at  time.Duration
	run func(context.Context) error
}

func newEngine(judge *scheduling.Judge, seed uint64) *engine {
	world := judge.World()
	e := &engine{
		judge: judge, initial: world, randomness: newRandomness(seed), objects: world, pods: newPods(world), fates: newFateRecords(), gaps: newGaps(judge),
		names: newNameGenerator(world), activePods: map[types.UID]int{}, jobFailures: map[types.UID]int{}, jobBackoffs: map[types.UID]time.Duration{}, lostZones: map[string]bool{},
		unfinishedRollouts: map[types.UID]bool{}, deletedByUser: map[types.UID]bool{},
		quotas: newQuotas(), admissionControllers: newAdmissionControllers(world),
	}
	e.budgets = newBudgets(&e.pods)
	e.queue.maxAttempts = maxAttemptsPerPod * (len(world.Pods()) + 100)
	return e
}

// startOngoing queues the pods that are pending and the events that follow from the initial state.
func (e *engine) startOngoing() error {
	for _, pod := range e.initial.PodsOn("") {
		if waitsForScheduler(pod) {
			e.queue.addUnschedulable(&queuedPod{pod: pod, priority: corev1helpers.PodPriority(pod), triedCycle: notTried, stored: true})
		}
	}
	if err := e.continueQuotaRefused(); err != nil {
		return err
	}
	e.continueScaleDowns()
	e.continueJobs()
	e.continueEvictions()
	return nil
}

// waitsForScheduler says whether an existing pod is in the scheduling queue.
func waitsForScheduler(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && !cluster.Ended(pod)
}

// world is the current state without pods and budgets, which the engine keeps apart.
func (e *engine) world() *cluster.Snapshot { return e.objects }

// edit edits the world.
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
		case *policyv1.PodDisruptionBudget: // kept by budgets
		default:
			others = append(others, edit)
		}
	}
	if len(others) > 0 {
		e.objects = e.objects.With(others...)
	}
	return e.releaseVolumes(gone)
}

// after schedules an event.
func (e *engine) after(delay time.Duration, do func(context.Context) error) {
	e.events = append(e.events, event{e.now + delay, do})
}

// settle schedules pods and runs events until none are left.
func (e *engine) settle(ctx context.Context) error {
	for {
		again, err := e.reconcile(ctx)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if len(e.events) == 0 {
			e.noteScaleDowns()
			return nil
		}
		if err := e.runNext(ctx); err != nil {
			return err
		}
	}
}

// reconcile does what takes no time. It says whether more follows from it at once.
func (e *engine) reconcile(ctx context.Context) (again bool, err error) {
	if err := e.schedule(ctx); err != nil {
		return false, err
	}
	removed, err := e.removeNextSurplus()
	if err != nil {
		return false, err
	}
	return removed || e.createDeferredReplicas() || e.retryRefused(), nil
}

// runNext runs the events that come next.
func (e *engine) runNext(ctx context.Context) error {
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
	return nil
}

// elapse runs the events of the time between the snapshot and the change, which begins at zero.
func (e *engine) elapse(ctx context.Context, lag time.Duration) error {
	for lag > 0 && e.nextEvent() <= lag {
		if err := e.runNext(ctx); err != nil {
			return err
		}
		for again := true; again; {
			var err error
			if again, err = e.reconcile(ctx); err != nil {
				return err
			}
		}
	}
	e.now = 0
	for i := range e.events {
		e.events[i].at -= lag
	}
	for job := range e.jobBackoffs {
		e.jobBackoffs[job] -= lag
	}
	for i := range e.deferredReplicas {
		e.deferredReplicas[i].deferredAt = 0
	}
	return nil
}

// nextEvent is when the next event comes, after any other time if there is none.
func (e *engine) nextEvent() time.Duration {
	next := time.Duration(math.MaxInt64)
	for _, event := range e.events {
		next = min(next, event.at)
	}
	return next
}

// apiTime is the current time as the API's type.
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

// elapsed is the time since the change began, zero if it is not known.
func (e *engine) elapsed() time.Duration {
	if e.timeUnknown {
		return 0
	}
	return e.now
}
