package forecasts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
)

const (
	// timeScale is how much faster than reality the lab is.
	timeScale = 20
	// patience bounds every wait, on the wall clock.
	patience = 6 * time.Minute
	group    = "workers"
	marker   = "marker"
	// nodeGrace is for how long a node must not have reported to be dead, in real time. On a machine that runs many labs, one has been silent for twelve seconds.
	nodeGrace = 24 * time.Second
)

// flags have a node be dead after a time, and its pods bear that for a second only.
func flags(grace time.Duration) map[controlplane.Component][]string {
	return map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--node-monitor-grace-period=" + grace.String()},
		controlplane.APIServer:         {"--default-not-ready-toleration-seconds=1", "--default-unreachable-toleration-seconds=1"},
	}
}

// fixture is a running lab that changes are made on, one after another.
type fixture struct {
	*testing.T
	kubernetes.Interface
	lab     *lab.Lab
	dynamic dynamic.Interface

	history *podHistory
	// folder holds what naosu and kubectl read; empty where neither is run.
	folder string
	// stuck is what was under way and went on no more when all else came to rest.
	stuck map[string]bool
}

// podHistory are pods as they were last seen.
type podHistory struct {
	mu   sync.Mutex
	last map[types.UID]*corev1.Pod
}

// newFixture is a lab of six nodes. If no machine is to end, no node is dead that does not report for long.
func newFixture(t *testing.T, loses bool) *fixture {
	t.Helper()
	grace := time.Hour
	if loses {
		grace = nodeGrace
	}
	l := labtest.Start(t, lab.Options{
		Pace:  pace.New(timeScale),
		Flags: flags(grace),
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{{
			Name: group, InstanceType: "m5.large", Desired: 6, Max: 12, ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"},
		}}},
	})
	b := &fixture{T: t, lab: l, Interface: kubernetes.NewForConfigOrDie(l.Plane.AdminConfig()), dynamic: dynamic.NewForConfigOrDie(l.Plane.AdminConfig()), history: &podHistory{last: map[types.UID]*corev1.Pod{}}}
	b.watch()
	b.await("six nodes", func() error { return b.ready(6) })
	b.apply("testdata/cluster.yaml")
	return b
}

// watch remembers every pod as it was last seen.
func (b *fixture) watch() {
	factory := informers.NewSharedInformerFactory(b, 0)
	note := func(o any) {
		if gone, is := o.(cache.DeletedFinalStateUnknown); is {
			o = gone.Obj
		}
		pod := o.(*corev1.Pod)
		b.history.mu.Lock()
		defer b.history.mu.Unlock()
		b.history.last[pod.UID] = pod
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: note, UpdateFunc: func(_, o any) { note(o) }, DeleteFunc: note,
	})
	b.must(err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	factory.Start(ctx.Done())
	b.Cleanup(func() { cancel(); factory.Shutdown() })
	factory.WaitForCacheSync(ctx.Done())
}

func (b *fixture) lastSeen(pod *corev1.Pod) *corev1.Pod {
	b.history.mu.Lock()
	defer b.history.mu.Unlock()
	if seen := b.history.last[pod.UID]; seen != nil {
		return seen
	}
	return pod
}

// snapshot is what naosu would read.
func (b *fixture) snapshot() *cluster.Snapshot {
	b.Helper()
	s, err := cluster.Read(b.Context(), b, cluster.ReadOptions{Clock: clock.RealClock{}, Applied: true})
	b.must(err)
	return s
}

// awaitSettled waits until nothing is under way: every pod that has a node runs there, and the scheduler has tried every other.
// What was there comes before the marker in each controller's queue and in the scheduler's, which takes the least important
// last. What is on dead nodes cannot come to rest.
func (b *fixture) awaitSettled(dead ...string) {
	b.Helper()
	b.await("nothing is under way", func() error { return b.underWay(dead...) })
	b.mark()
	b.await("nothing is under way", func() error { return b.underWay(dead...) })
}

func (b *fixture) underWay(dead ...string) error {
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch {
		case slices.Contains(dead, pod.Spec.NodeName):
			continue
		case pod.DeletionTimestamp != nil:
			return fmt.Errorf("pod %s is being deleted", pod.Name)
		case pod.Spec.NodeName != "" && condition(pod, corev1.PodReady) != corev1.ConditionTrue:
			return fmt.Errorf("pod %s is not ready", pod.Name)
		case yetToBePlaced(pod):
			return fmt.Errorf("pod %s is yet to be placed", pod.Name)
		}
	}
	if len(dead) == 0 {
		return errors.Join(b.setsUnderWay(), b.statefulSetsUnderWay(pods.Items))
	}
	return nil
}

// yetToBePlaced says that the scheduler has yet to try a pod, or tries it again by itself: after an error, which includes that
// another pod preempted it while it was being bound, it does so a second later or more, and lets other pods go first.
//
// Source: pkg/scheduler/backend/queue of Kubernetes (podErrorBackoffQ), pkg/scheduler/framework/preemption (PreemptPod).
func yetToBePlaced(pod *corev1.Pod) bool {
	c := kube.PodCondition(pod, corev1.PodScheduled)
	rejected := c != nil && c.Status == corev1.ConditionFalse && c.Reason != corev1.PodReasonSchedulerError
	return pod.Spec.NodeName == "" && (!rejected || pod.Status.NominatedNodeName != "")
}

// setsUnderWay says whether a controller has yet to make or end pods of a ReplicaSet or DaemonSet.
func (b *fixture) setsUnderWay() error {
	replicaSets, err := b.AppsV1().ReplicaSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range replicaSets.Items {
		if s.Status.ObservedGeneration != s.Generation || s.Status.Replicas != *s.Spec.Replicas {
			return fmt.Errorf("ReplicaSet %s has %d pods of %d", s.Name, s.Status.Replicas, *s.Spec.Replicas)
		}
	}
	daemonSets, err := b.AppsV1().DaemonSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range daemonSets.Items {
		if s.Status.ObservedGeneration != s.Generation || s.Status.CurrentNumberScheduled != s.Status.DesiredNumberScheduled {
			return fmt.Errorf("DaemonSet %s is on %d nodes of %d", s.Name, s.Status.CurrentNumberScheduled, s.Status.DesiredNumberScheduled)
		}
	}
	return nil
}

// statefulSetsUnderWay says whether the controller has yet to see that a pod is ready, upon which it makes the next.
func (b *fixture) statefulSetsUnderWay(pods []corev1.Pod) error {
	sets, err := b.AppsV1().StatefulSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range sets.Items {
		var made, ready int32
		for i := range pods {
			if metav1.IsControlledBy(&pods[i], &s) {
				made++
				if condition(&pods[i], corev1.PodReady) == corev1.ConditionTrue {
					ready++
				}
			}
		}
		seen := s.Status.ObservedGeneration == s.Generation && s.Status.Replicas == made && s.Status.ReadyReplicas == ready
		if !seen || made == ready && made != *s.Spec.Replicas {
			return fmt.Errorf("StatefulSet %s has %d pods of %d, of which %d are ready", s.Name, made, *s.Spec.Replicas, ready)
		}
	}
	return nil
}

// jobStarted says whether the Job has its pod: it waits a moment before it makes one, with nothing to be seen.
func (b *fixture) jobStarted() error {
	job, err := b.BatchV1().Jobs("default").Get(b.Context(), "report", metav1.GetOptions{})
	if err == nil && job.Status.Active == 0 {
		return errors.New("the Job has no pod")
	}
	return err
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// mark creates a Deployment of one unimportant pod and deletes it again.
func (b *fixture) mark() {
	b.Helper()
	b.apply("testdata/marker.yaml")
	b.await("the marker runs", func() error {
		d, err := b.AppsV1().Deployments("default").Get(b.Context(), marker, metav1.GetOptions{})
		if err == nil && d.Status.ReadyReplicas == 0 {
			return errors.New("it does not run yet")
		}
		return err
	})
	background := metav1.DeletePropagationBackground
	b.must(b.AppsV1().Deployments("default").Delete(b.Context(), marker, metav1.DeleteOptions{PropagationPolicy: &background}))
	b.await("the marker is gone", func() error {
		left, err := b.CoreV1().Pods("default").List(b.Context(), metav1.ListOptions{LabelSelector: "app=" + marker})
		if err == nil && len(left.Items) > 0 {
			return errors.New("it is still there")
		}
		return err
	})
}

// ready says whether so many nodes are, and no taint is left on them.
func (b *fixture) ready(want int) error {
	nodes, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	usable := 0
	for _, node := range nodes.Items {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
				usable++
			}
		}
	}
	if usable != want {
		return fmt.Errorf("%d nodes are ready, want %d", usable, want)
	}
	return nil
}

// evict evicts every pod of a node that a drain would, all at once as kubectl does, and leaves those whose budget does not
// allow it.
func (b *fixture) evict(node string) error {
	return b.evictWhere(node, func(*corev1.Pod) bool { return true })
}

// evictJobsLast is evict, but evicts the pods of Jobs only once the others have their replacements: a Job's back-off of ten seconds is
// longer than that takes, but half a second at the lab's scale is not on a busy machine.
func (b *fixture) evictJobsLast(node string) error {
	ofJob := func(pod *corev1.Pod) bool {
		owner := metav1.GetControllerOf(pod)
		return owner != nil && owner.Kind == "Job"
	}
	if err := b.evictWhere(node, func(pod *corev1.Pod) bool { return !ofJob(pod) }); err != nil {
		return err
	}
	if err := b.underWay(); err != nil {
		return err
	}
	return b.evictWhere(node, ofJob)
}

func (b *fixture) evictWhere(node string, selected func(*corev1.Pod) bool) error {
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return err
	}
	var evictions errgroup.Group
	for _, pod := range pods.Items {
		owner := metav1.GetControllerOf(&pod)
		if owner != nil && owner.Kind == "DaemonSet" || pod.DeletionTimestamp != nil || !selected(&pod) {
			continue
		}
		evictions.Go(func() error { return b.evictPod(pod.Namespace, pod.Name) })
	}
	return evictions.Wait()
}

func (b *fixture) cordon(node string, on bool) {
	b.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, on)
	_, err := b.CoreV1().Nodes().Patch(b.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{})
	b.must(err)
}

// collectPods deletes the pods of nodes that are gone, marked as failed by a disruption, as Kubernetes' pod garbage collector does
// after up to a minute, which no flag shortens.
//
// Source: pkg/controller/podgc (gcOrphaned).
func (b *fixture) collectPods() error {
	nodes, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range pods.Items {
		there := func(n corev1.Node) bool { return n.Name == pod.Spec.NodeName }
		if pod.Spec.NodeName == "" || slices.ContainsFunc(nodes.Items, there) {
			continue
		}
		failed := []byte(`{"status":{"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByPodGC"}]}}`)
		_, err := b.CoreV1().Pods(pod.Namespace).Patch(b.Context(), pod.Name, types.StrategicMergePatchType, failed, metav1.PatchOptions{}, "status")
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		err = b.CoreV1().Pods(pod.Namespace).Delete(b.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return err
		}
	}
	return nil
}

// apply creates what a file says, in the namespace default.
func (b *fixture) apply(file string) {
	b.Helper()
	for _, o := range b.read(file) {
		resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		var target dynamic.ResourceInterface = b.dynamic.Resource(resource)
		if !slices.Contains([]string{"PriorityClass", "StorageClass", "RuntimeClass", "Namespace"}, o.GetKind()) {
			target = b.dynamic.Resource(resource).Namespace(o.GetNamespace())
		}
		// A namespace's first pods wait for its service account, and a name for what had it before.
		b.await(o.GetKind()+" "+o.GetName()+" can be made", func() error {
			_, err := target.Create(b.Context(), o, metav1.CreateOptions{})
			return err
		})
	}
}

func (b *fixture) read(file string) []*unstructured.Unstructured {
	b.Helper()
	text, err := os.Open(file)
	b.must(err)
	defer text.Close()
	var objects []*unstructured.Unstructured
	for decoder := utilyaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			b.Fatal(err)
		}
		if o.GetNamespace() == "" {
			o.SetNamespace("default")
		}
		objects = append(objects, o)
	}
}

// logDecisions says what the scheduler knew of the pods it may preempt, and what it did, in order.
func (b *fixture) logDecisions(before *cluster.Snapshot) {
	b.Helper()
	for _, pod := range before.Pods() {
		b.Log(pod.Spec.NodeName, pod.Name, pod.Status.StartTime, "made", pod.CreationTimestamp)
	}
	for _, budget := range before.Budgets() {
		b.Log("budget", budget.Name, "allows", budget.Status.DisruptionsAllowed)
	}
	events, err := b.CoreV1().Events("").List(b.Context(), metav1.ListOptions{FieldSelector: "reportingComponent=default-scheduler"})
	b.must(err)
	slices.SortFunc(events.Items, func(a, b corev1.Event) int { return a.EventTime.Compare(b.EventTime.Time) })
	for _, e := range events.Items {
		b.Log(e.EventTime.Format(time.StampMilli), e.InvolvedObject.Name, e.Reason, e.Message)
	}
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *fixture) await(what string, check func() error) {
	b.Helper()
	if err := b.try(check); err != nil {
		b.Fatalf("waited %v until %s: %v", patience, what, err)
	}
}

// try is the last thing that check found wrong, nil once nothing is. Many checks read the whole cluster.
func (b *fixture) try(check func() error) error {
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	return testbed.Poll(ctx, 500*time.Millisecond, check)
}

func TestYetToBePlaced(t *testing.T) {
	scheduled := func(status corev1.ConditionStatus, reason string) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: corev1.PodScheduled, Status: status, Reason: reason}}
	}
	for name, c := range map[string]struct {
		node, nominated string
		conditions      []corev1.PodCondition
		want            bool
	}{
		"not tried yet":                       {want: true},
		"no node fits":                        {conditions: scheduled(corev1.ConditionFalse, corev1.PodReasonUnschedulable)},
		"gated":                               {conditions: scheduled(corev1.ConditionFalse, corev1.PodReasonSchedulingGated)},
		"it waits for those that it preempts": {nominated: "n1", conditions: scheduled(corev1.ConditionFalse, corev1.PodReasonUnschedulable), want: true},
		"preempted while it was being bound":  {conditions: scheduled(corev1.ConditionFalse, corev1.PodReasonSchedulerError), want: true},
		"placed":                              {node: "n1", conditions: scheduled(corev1.ConditionTrue, "")},
		"a client placed it":                  {node: "n1"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: c.node}, Status: corev1.PodStatus{NominatedNodeName: c.nominated, Conditions: c.conditions}}
			if got := yetToBePlaced(pod); got != c.want {
				t.Errorf("yetToBePlaced: %t, want %t", got, c.want)
			}
		})
	}
}
