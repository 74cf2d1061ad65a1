package agreement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// session is a world on the lab, and the judge that knows it as it is after the last decision.
type session struct {
	*lab
	world *world
	judge *scheduling.Judge
	// plain is a judge without the fast path.
	plain *scheduling.Judge

	// pods are the cluster's as the watch has delivered them. The scheduler gets the same events in the same order, so that
	// whatever is done to pods before one is created is known to it when it decides on that one.
	pods  map[types.NamespacedName]*corev1.Pod
	watch watch.Interface
	edits []cluster.Edit
	store *store
	// started is when pods that the scheduler binds are said to start.
	started time.Time
}

// patience is for what happens at once or never. A scheduler that is not woken by what makes room for a pod looks again after
// five minutes: that of 1.36 sleeps through the end of a victim whose anti-affinity has a namespace selector.
//
// Source: flushUnschedulablePodsLeftover in kubernetes pkg/scheduler/backend/queue/scheduling_queue.go, and
// isSchedulableAfterPodChange in pkg/scheduler/framework/plugins/interpodaffinity/plugin.go.
const patience = 6 * time.Minute

func open(ctx context.Context, l *lab, w *world, o scheduling.Options) (*session, error) {
	if err := l.build(ctx, w); err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	s := &session{lab: l, world: w, pods: map[types.NamespacedName]*corev1.Pod{}, started: began.Add(time.Hour)}
	snapshot, err := cluster.Read(ctx, l.client, cluster.ReadOptions{Clock: clock.RealClock{}})
	if err != nil {
		return nil, fmt.Errorf("read the cluster: %w", err)
	}
	if s.judge, err = scheduling.New(ctx, snapshot, o); err != nil {
		return nil, fmt.Errorf("ask for a judge: %w", err)
	}
	o.Plain = true
	if s.plain, err = scheduling.New(ctx, snapshot, o); err != nil {
		return nil, fmt.Errorf("ask for a plain judge: %w", err)
	}
	list, err := l.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		s.pods[nameOf(&list.Items[i])] = &list.Items[i]
	}
	s.watch, err = l.client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return nil, err
	}
	if s.store, err = watchStore(ctx, l, snapshot); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *session) close(ctx context.Context) error {
	s.watch.Stop()
	s.store.stop()
	return s.leave(ctx)
}

func nameOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// decision is what became of a pod.
type decision struct {
	// node is where the pod was bound.
	node string
	// nominated is the node on which the scheduler made room for it, and victims whom it preempted there, sorted.
	nominated string
	victims   []string
}

// create creates a pod and returns it as the scheduler gets it.
func (s *session) create(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	return s.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
}

// watchDecision follows a pod until the scheduler has decided. Victims end at once; if there is a function held, they are
// left to end, and it says when the scheduler has done what it was going to do.
func (s *session) watchDecision(ctx context.Context, pod *corev1.Pod, held func(d decision) bool) (decision, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := decision{}
	name := nameOf(pod)
	for {
		event, err := s.next(ctx)
		if err != nil {
			return d, err
		}
		changed, ok := event.Object.(*corev1.Pod)
		if !ok {
			return d, fmt.Errorf("watch pods: %v", event.Object)
		}
		switch own := nameOf(changed) == name; {
		case own && event.Type == watch.Deleted:
			return d, errors.New("the pod is gone")
		case own && changed.Spec.NodeName != "":
			d.node = changed.Spec.NodeName
			return d, s.run(ctx, changed)
		case own:
			// One that is only being bound has its node as a nomination too, while its volumes are bound.
			if refused(changed) && changed.Status.NominatedNodeName != "" {
				d.nominated = changed.Status.NominatedNodeName
			}
			if refused(changed) && d.nominated == "" {
				return d, nil
			}
		case changed.DeletionTimestamp != nil || event.Type == watch.Deleted:
			if slices.Contains(d.victims, nameOf(changed).String()) {
				break
			}
			d.victims = append(d.victims, nameOf(changed).String())
			slices.Sort(d.victims)
			if event.Type != watch.Deleted && held == nil {
				if err := s.finish(ctx, changed); err != nil {
					return d, err
				}
			}
		}
		if held != nil && d.nominated != "" && held(d) {
			return d, nil
		}
	}
}

// refused says that the scheduler found no place for a pod, or does not look for one.
func refused(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse &&
			(c.Reason == corev1.PodReasonUnschedulable || c.Reason == corev1.PodReasonSchedulingGated)
	})
}

// next is the next change to a pod; volumes are made and bound meanwhile.
func (s *session) next(ctx context.Context) (watch.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return watch.Event{}, context.Cause(ctx)
		case event := <-s.store.claims.ResultChan():
			if err := s.store.claimChanged(ctx, event); err != nil {
				return watch.Event{}, fmt.Errorf("make a volume: %w", err)
			}
		case event := <-s.store.volumes.ResultChan():
			if err := s.store.volumeChanged(ctx, event); err != nil {
				return watch.Event{}, fmt.Errorf("bind a claim: %w", err)
			}
		case event := <-s.watch.ResultChan():
			s.learn(event)
			return event, nil
		}
	}
}

func (s *session) learn(event watch.Event) {
	pod, ok := event.Object.(*corev1.Pod)
	if !ok {
		return
	}
	if event.Type == watch.Deleted {
		delete(s.pods, nameOf(pod))
		s.edits = append(s.edits, cluster.Remove(pod))
		return
	}
	s.pods[nameOf(pod)] = pod
	s.edits = append(s.edits, cluster.Put(pod))
}

// run does what a kubelet does with a pod it was given: it starts a minute after the last.
func (s *session) run(ctx context.Context, pod *corev1.Pod) error {
	s.started = s.started.Add(time.Minute)
	// A patch, for the scheduler writes there too.
	running := fmt.Appendf(nil, `{"status":{"phase":%q,"startTime":%q}}`, corev1.PodRunning, s.started.UTC().Format(time.RFC3339))
	updated, err := s.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, running, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("start the pod: %w", err)
	}
	return s.until(ctx, func() bool { return s.pods[nameOf(pod)].ResourceVersion == updated.ResourceVersion })
}

// finish ends a pod as a kubelet does once its containers have stopped.
func (s *session) finish(ctx context.Context, pod *corev1.Pod) error {
	err := s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("end pod %s: %w", pod.Name, err)
	}
	return nil
}

// remove takes a pod away that found no place.
func (s *session) remove(ctx context.Context, pod *corev1.Pod) error {
	if err := s.finish(ctx, pod); err != nil {
		return err
	}
	return s.until(ctx, func() bool { return s.pods[nameOf(pod)] == nil })
}

// until processes events until a condition is met.
func (s *session) until(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !so() {
		if _, err := s.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tell passes changes to the judge.
func (s *session) tell(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Spec.Volumes) > 0 || len(pod.Spec.ResourceClaims) > 0 {
		edits, err := s.store.changes(ctx)
		if err != nil {
			return fmt.Errorf("read volumes and claims: %w", err)
		}
		s.edits = append(s.edits, edits...)
	}
	edits := s.edits
	s.edits = nil
	return errors.Join(s.judge.Apply(edits...), s.plain.Apply(edits...))
}
