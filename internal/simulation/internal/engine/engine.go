package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/internal/disruption"
	"github.com/naosu-dev/naosu/internal/simulation/internal/fates"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/pods"
	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/verticalpodautoscaler"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Engine simulates one future: a clock, events by time, the scheduling queue, and the state of the cluster's controllers. Every
// change of pods and nodes goes through it, so that the Judge, the budgets and the fates agree.
type Engine struct {
	Judge   *scheduling.Judge
	Initial *cluster.Snapshot
	// objects is the initial snapshot with all changes except those of pods and budgets.
	objects    *cluster.Snapshot
	Pods       pods.Index
	Randomness randomness.Source
	owners     Owners

	// now is the time since the change began.
	now time.Duration
	// timeUnknown says that now is not known: it depends on something without a known time, such as the removal of an unreachable
	// node.
	timeUnknown bool
	events      []event
	// terminating are those of the due events that end a terminating pod.
	terminating []func(context.Context) error
	Queue       queue.Queue

	quotas quotas

	// attaching are pods on nodes that wait for a volume attached to another node; attachPending says that attachVolumes is
	// scheduled.
	attaching     []*corev1.Pod
	attachPending bool

	addresses addressing

	// rollingOut says that a rollout runs, which waits for its own pods only; delayedReady are pods that are not healthy yet.
	rollingOut   bool
	delayedReady []*corev1.Pod

	Fates   fates.Records
	Budgets *disruption.Budgets
	Gaps    outcome.Gaps
	Names   names.Generator
	// admissionControllers are those that the API server would call for new and updated objects.
	admissionControllers admissionControllers
	// verticalPodAutoscalers set the requests of new pods.
	verticalPodAutoscalers verticalpodautoscaler.ByTarget
	// provisionedAt is when volumes were provisioned for a pod that the scheduler has placed, by its UID.
	provisionedAt map[types.UID]time.Duration
	// activePods is the number of active pods of each controller, by its UID, once it was asked for.
	activePods map[types.UID]int
}

// Owners are the controllers of workloads, as far as an engine depends on them.
type Owners interface {
	// ReplacePod has the owner of a removed pod react.
	ReplacePod(ctx context.Context, pod *corev1.Pod) error
	// ReplacedOnTermination reports whether a pod's owner creates another as soon as the pod is being deleted,
	// ReplacedAfterRemoval whether it does so only once the pod is removed.
	ReplacedOnTermination(pod *corev1.Pod) bool
	ReplacedAfterRemoval(pod *corev1.Pod) bool
	// ContinueStatefulSet has a StatefulSet go on that may have waited for a pod, which runs now.
	ContinueStatefulSet(pod *corev1.Pod) error
	// DeferIfBlocked reports whether the owner of a pod that a quota refused must not create it again yet, and has it do so
	// later.
	DeferIfBlocked(pod *corev1.Pod) bool
	// Sync does what controllers do without time passing. It reports whether anything follows from it.
	Sync() (again bool, err error)
	// NoteSettled notes what controllers cannot do, once nothing happens any more.
	NoteSettled()
	// Rebase moves all times, which count from the change, by the time that has passed before it.
	Rebase(lag time.Duration)
}

// event is a function that runs at a given time.
type event struct {
	at  time.Duration
	run func(context.Context) error
}

// New is an engine at the beginning of a future of the Judge's world. It needs owners (SetOwners) before it runs.
func New(judge *scheduling.Judge, seed uint64) *Engine {
	world := judge.World()
	e := &Engine{
		Judge: judge, Initial: world, Randomness: randomness.New(seed), objects: world, Pods: pods.New(world), Fates: fates.New(), Gaps: newGaps(judge),
		Names: names.NewGenerator(world), activePods: map[types.UID]int{}, provisionedAt: map[types.UID]time.Duration{},
		quotas: newQuotas(), addresses: newAddressing(world), Queue: queue.New(len(world.Pods())), admissionControllers: newAdmissionControllers(world),
		verticalPodAutoscalers: verticalpodautoscaler.Of(world),
	}
	e.Budgets = disruption.New(&e.Pods)
	e.noteAddresses()
	return e
}

// SetOwners sets the controllers that react to what happens to pods. An engine does not run without.
func (e *Engine) SetOwners(owners Owners) { e.owners = owners }

// QueuePending queues the pods of the initial snapshot that wait for the scheduler.
func (e *Engine) QueuePending() {
	for _, pod := range e.Initial.PodsOn("") {
		if WaitsForScheduler(pod) {
			e.Queue.AddExisting(pod)
		}
	}
}

// WaitsForScheduler reports whether an existing pod is in the scheduling queue.
func WaitsForScheduler(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && !cluster.Ended(pod)
}

// World is the current state without pods and budgets, which the engine keeps apart.
func (e *Engine) World() *cluster.Snapshot { return e.objects }

// Edit edits the world.
func (e *Engine) Edit(edits ...cluster.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	if err := e.Judge.Apply(edits...); err != nil {
		return fmt.Errorf("editing the world: %w", err)
	}
	var others []cluster.Edit
	var gone []*corev1.Pod
	for _, edit := range edits {
		switch o := edit.Object().(type) {
		case *corev1.Pod:
			if before := e.Pods.Get(o.Namespace, o.Name); edit.Removes() || cluster.Ended(o) {
				e.releaseAddress(before)
			}
			if edit.Removes() {
				e.Pods.Remove(o)
				e.releaseQuota(o)
				gone = append(gone, o)
			} else {
				e.Pods.Put(o)
			}
		case *policyv1.PodDisruptionBudget: // kept by budgets
		case *corev1.Node:
			if edit.Removes() {
				e.releaseNode(o)
			}
			others = append(others, edit)
		case *appsv1.DaemonSet:
			e.configureAddresses(o)
			others = append(others, edit)
		default:
			others = append(others, edit)
		}
	}
	if len(others) > 0 {
		e.objects = e.objects.With(others...)
	}
	return e.releaseVolumes(gone)
}

// After schedules an event.
func (e *Engine) After(delay time.Duration, do func(context.Context) error) {
	e.events = append(e.events, event{e.now + delay, do})
}

// Settle schedules pods and runs events until none are left.
func (e *Engine) Settle(ctx context.Context) error {
	for {
		again, err := e.reconcile(ctx)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if e.delayedGetReady() {
			if err := e.markDelayedHealthy(); err != nil {
				return err
			}
			continue
		}
		if len(e.events) == 0 {
			e.owners.NoteSettled()
			return nil
		}
		if err := e.runNext(ctx); err != nil {
			return err
		}
	}
}

// SettleStep settles before the next step of a drain or a rollout or, in some futures and if the step is ready then, only
// schedules pods: what takes time, as a Job's next pod, comes after the step.
func (e *Engine) SettleStep(ctx context.Context, ready func() bool) error {
	if e.Randomness.Delayed() {
		if err := e.Schedule(ctx); err != nil || ready() {
			return err
		}
	}
	return e.Settle(ctx)
}

// reconcile does what takes no time. It reports whether more follows from it at once.
func (e *Engine) reconcile(ctx context.Context) (again bool, err error) {
	if err := e.Schedule(ctx); err != nil {
		return false, err
	}
	again, err = e.owners.Sync()
	return again || err == nil && e.retryRefused(), err
}

// runNext runs the events that come next.
func (e *Engine) runNext(ctx context.Context) error {
	slices.SortStableFunc(e.events, func(a, b event) int { return int(a.at - b.at) })
	e.now = e.events[0].at
	due := 0
	for due < len(e.events) && e.events[due].at == e.now {
		due++
	}
	events := e.events[:due]
	e.events = e.events[due:]
	e.terminating = nil
	for _, next := range events {
		if err := next.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Elapse runs the events of the time between the snapshot and the change, which begins at zero.
func (e *Engine) Elapse(ctx context.Context, lag time.Duration) error {
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
	e.owners.Rebase(lag)
	return nil
}

// nextEvent is when the next event comes, after any other time if there is none.
func (e *Engine) nextEvent() time.Duration {
	next := time.Duration(math.MaxInt64)
	for _, event := range e.events {
		next = min(next, event.at)
	}
	return next
}

// APITime is the current time as the API's type.
func (e *Engine) APITime() *metav1.Time {
	return &metav1.Time{Time: e.Initial.Taken().Add(e.now)}
}

// Elapsed is the time since the change began, zero if it is not known.
func (e *Engine) Elapsed() time.Duration {
	if e.timeUnknown {
		return 0
	}
	return e.now
}

// newGaps are what the Judge does not model.
func newGaps(judge *scheduling.Judge) outcome.Gaps {
	g := outcome.Gaps{}
	for _, what := range judge.Basis().NotModelled {
		g.Note(what, sentence.GapNotJudged(what))
	}
	return g
}

// PutBudget creates or updates a PodDisruptionBudget.
func (e *Engine) PutBudget(pdb *policyv1.PodDisruptionBudget) error {
	edit := e.Budgets.Put(pdb)
	e.objects = e.objects.With(edit)
	return e.Edit(edit)
}

// WithUnknownTime runs what happens at no known time.
func (e *Engine) WithUnknownTime(run func() error) error {
	e.timeUnknown = true
	defer func() { e.timeUnknown = false }()
	return run()
}

// StartChange begins the time of the next change.
func (e *Engine) StartChange() {
	e.now = 0
	e.RetryUnschedulable()
}

// Clock is the time since the change began.
func (e *Engine) Clock() time.Duration { return e.now }

// IsTimeUnknown reports whether what happens now happens at no known time.
func (e *Engine) IsTimeUnknown() bool { return e.timeUnknown }
