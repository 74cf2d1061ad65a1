package headroom

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

const namespace = "naosu-system"

// fixture is a Reconciler on a made API, whose Snapshot is read from it anew each time. Kubernetes' controllers are played between its reconciles.
type fixture struct {
	*Reconciler
	clock  *clocktesting.FakeClock
	api    client.WithWatch
	client client.Client
	events *events.FakeRecorder
	leads  bool
	// ready is whether the API server is.
	ready bool
	// write is called before each write of the Reconciler; what it returns fails the write.
	write  func() error
	writes int
}

func policy(edits ...func(*v1alpha1.HeadroomPolicy)) *v1alpha1.HeadroomPolicy {
	p := &v1alpha1.HeadroomPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "policy-1", Generation: 1},
		Spec: v1alpha1.HeadroomPolicySpec{
			Mode: v1alpha1.ModeAuto, Autoscaling: v1alpha1.AutoscalingIgnore, Survive: v1alpha1.HeadroomFailures{Nodes: 1},
			MaxRoom: v1alpha1.HeadroomAmount{CPU: resource.MustParse("10"), Memory: resource.MustParse("10Gi"), Placeholders: new(int32(20))},
		},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

// twoApps are two Deployments of different sizes on the first of three nodes.
func twoApps() w.Objects {
	return w.Of(w.Node("n1", "a", w.CPU("1")), w.Node("n2", "a", w.CPU("1")), w.Node("n3", "a", w.CPU("1")),
		w.Deployment("web", w.Template("web", "600m"), "n1"), w.Deployment("api", w.Template("api", "300m"), "n1"))
}

func newFixture(t *testing.T, objects w.Objects, more ...client.Object) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	f := &fixture{clock: clocktesting.NewFakeClock(w.Epoch), leads: true, ready: true, events: events.NewFakeRecorder(1000)}
	all := append(slices.Clone(more),
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: record.LeaseName, UID: "lease-1"}},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.HeadroomIgnoreClass}, Value: v1alpha1.HeadroomIgnorePriority})
	for _, o := range objects {
		all = append(all, o.(client.Object))
	}
	f.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(all...).WithStatusSubresource(&v1alpha1.HeadroomPolicy{}).Build()
	writing := func() error {
		f.writes++
		if f.write == nil {
			return nil
		}
		return f.write()
	}
	f.client = interceptor.NewClient(f.api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := writing(); err != nil {
				return err
			}
			o.SetUID(types.UID("uid-" + o.GetName()))
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return errors.Join(writing(), c.Update(ctx, o, opts...))
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if err := writing(); err != nil {
				return err
			}
			return c.Delete(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if f.write != nil {
				if err := writing(); err != nil {
					return err
				}
			}
			return c.SubResource(sub).Patch(ctx, o, patch, opts...)
		},
	})
	f.Reconciler = f.another(t)
	return f
}

// another is a Reconciler that takes over.
func (f *fixture) another(t *testing.T) *Reconciler {
	return &Reconciler{
		Snapshot: func() *cluster.Snapshot { return f.world(t) }, Client: f.client, Reader: f.client, Clock: f.clock, Namespace: namespace,
		Records: &record.Records{Client: f.client, Reader: f.client, Events: f.events, Clock: f.clock},
		Leading: func(context.Context) (bool, error) { return f.leads, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := f.clock.Now()
			return guard.Facts{Now: now, Leading: guard.Known(f.leads, now), APIServer: guard.Known(guard.APIServer{Ready: f.ready, Leases: 3}, now)}
		},
	}
}

// world is the cluster, with what Kubernetes makes of Deployments: pods that the scheduler's own plugins place, unless they exist already.
func (f *fixture) world(t *testing.T) *cluster.Snapshot {
	t.Helper()
	contents := cluster.Contents{Taken: f.clock.Now(), Knowledge: map[cluster.Kind]cluster.Knowledge{}}
	for _, kind := range cluster.Kinds() {
		contents.Knowledge[kind] = cluster.Complete
	}
	for _, one := range []client.ObjectList{&corev1.PodList{}, &corev1.NodeList{}, &appsv1.ReplicaSetList{}, &appsv1.DeploymentList{}, &appsv1.DaemonSetList{}, &schedulingv1.PriorityClassList{}} {
		if err := f.api.List(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		objects, err := meta.ExtractList(one)
		if err != nil {
			t.Fatal(err)
		}
		contents.Objects = append(contents.Objects, objects...)
	}
	return cluster.New(contents)
}

// play lets Kubernetes create the placeholder pods that lack, place them, and delete those that are too many.
func (f *fixture) play(t *testing.T) {
	t.Helper()
	world := f.world(t)
	wanted := map[string]bool{}
	for _, d := range f.deployments(t) {
		for i := range *d.Spec.Replicas {
			name := fmt.Sprintf("%s-%d", d.Name, i)
			wanted[name] = true
			if world.Pod(namespace, name) != nil {
				continue
			}
			pod := &corev1.Pod{ObjectMeta: *d.Spec.Template.ObjectMeta.DeepCopy(), Spec: *d.Spec.Template.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending}}
			pod.Name, pod.Namespace, pod.UID = name, namespace, types.UID(name+f.clock.Now().String())
			pod.Spec.Priority, pod.Spec.SchedulerName = new(v1alpha1.HeadroomIgnorePriority), corev1.DefaultSchedulerName
			judge, err := scheduling.New(t.Context(), f.world(t), scheduling.Options{})
			if err != nil {
				t.Fatal(err)
			}
			node, err := judge.First(t.Context(), pod)
			if err != nil {
				t.Fatal(err)
			}
			if pod.Spec.NodeName = node; node != "" {
				pod.Status.Phase = corev1.PodRunning
			}
			if err := f.api.Create(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, pod := range world.Pods() {
		if pod.Namespace == namespace && !wanted[pod.Name] {
			if err := f.api.Delete(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// deployments are the Deployments in naosu's namespace.
func (f *fixture) deployments(t *testing.T) []appsv1.Deployment {
	t.Helper()
	var list appsv1.DeploymentList
	if err := f.api.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func (f *fixture) reconcile(t *testing.T) time.Duration {
	t.Helper()
	again, err := f.Reconcile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// settle reconciles and lets Kubernetes act until nothing changes.
func (f *fixture) settle(t *testing.T) {
	t.Helper()
	for range 8 {
		f.reconcile(t)
		f.play(t)
		f.clock.Step(20 * time.Second)
	}
}

func (f *fixture) policy(t *testing.T) *v1alpha1.HeadroomPolicy {
	t.Helper()
	var p v1alpha1.HeadroomPolicy
	if err := f.api.Get(t.Context(), client.ObjectKey{Name: "all"}, &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func (f *fixture) edit(t *testing.T, edit func(*v1alpha1.HeadroomPolicy)) {
	t.Helper()
	p := f.policy(t)
	edit(p)
	p.Generation++
	if err := f.api.Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) expect(t *testing.T, status metav1.ConditionStatus, reason string, deployments int) {
	t.Helper()
	c := meta.FindStatusCondition(f.policy(t).Status.Conditions, v1alpha1.HeadroomCovered)
	if c == nil || c.Status != status || c.Reason != reason {
		t.Errorf("the policy is %+v, want %s, %s", c, status, reason)
	}
	if got := f.deployments(t); len(got) != deployments {
		t.Errorf("%d Deployments hold room, want %d", len(got), deployments)
	}
}

// TestHolds has the room held once, and left as it is; another Reconciler finds nothing to do.
func TestHolds(t *testing.T) {
	f := newFixture(t, twoApps(), policy())
	f.settle(t)
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 2)
	writes := f.writes
	f.Reconciler = f.another(t)
	f.settle(t)
	if f.writes != writes {
		t.Errorf("%d writes to a room that is as it should be", f.writes-writes)
	}
	if p := f.policy(t); p.Status.Bound.Placeholders != 2 || p.Status.Pending.Placeholders != 0 || len(p.Status.Failures) != 1 || p.Status.LackingSince != nil {
		t.Errorf("the status is %+v", p.Status)
	}
	var said []string
	for range len(f.events.Events) {
		said = append(said, <-f.events.Events)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "HeadroomResized") || !strings.Contains(all, "HeadroomCovered") {
		t.Errorf("the Events are %s", all)
	}
	if err := testutil.CollectAndCompare(f.Reconciler, strings.NewReader(`
# HELP naosu_headroom_covered Whether the bound placeholder pods of a HeadroomPolicy survive every failure that it states: 1 or 0; left out if it is not known.
# TYPE naosu_headroom_covered gauge
naosu_headroom_covered{policy="all"} 1
`), "naosu_headroom_covered"); err != nil {
		t.Error(err)
	}
}

// TestLongAssessment holds the room although its assessment takes longer than what is known of a cluster stays fresh.
func TestLongAssessment(t *testing.T) {
	f := newFixture(t, twoApps(), policy())
	long := f.Snapshot
	assessing := true
	f.Snapshot = func() *cluster.Snapshot {
		world := long()
		if assessing {
			f.clock.Step(10 * time.Minute)
		}
		assessing = !assessing
		return world
	}
	f.reconcile(t)
	f.expect(t, metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason, 2)
}

// TestModes holds nothing in mode Report, gives room back that is changed to it, and keeps it where the policy is paused.
func TestModes(t *testing.T) {
	f := newFixture(t, twoApps(), policy(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport }))
	f.settle(t)
	f.expect(t, metav1.ConditionFalse, v1alpha1.HeadroomReportOnlyReason, 0)
	f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeAuto })
	f.settle(t)
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 2)
	f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode, p.Spec.Paused = v1alpha1.ModeReport, true })
	f.settle(t)
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 2)
	f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Paused = false })
	f.settle(t)
	f.expect(t, metav1.ConditionFalse, v1alpha1.HeadroomReportOnlyReason, 0)
}

// TestObstacles holds no room where it must not, and says why.
func TestObstacles(t *testing.T) {
	for name, tc := range map[string]struct {
		obstacle func(*testing.T, *fixture)
		reason   string
	}{
		"no PriorityClass": {func(t *testing.T, f *fixture) {
			if err := f.api.Delete(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.HeadroomIgnoreClass}}); err != nil {
				t.Fatal(err)
			}
		}, v1alpha1.HeadroomNoPriorityClassReason},
		"no permission": {func(_ *testing.T, f *fixture) {
			f.write = func() error {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "x", errors.New("no"))
			}
		}, ""},
		"an API server that is not ready": {func(_ *testing.T, f *fixture) { f.ready = false }, v1alpha1.HeadroomNotBoundReason},
		"too small a maximum": {func(t *testing.T, f *fixture) {
			f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.MaxRoom.CPU = resource.MustParse("100m") })
		}, v1alpha1.HeadroomMaximumReachedReason},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, twoApps(), policy())
			tc.obstacle(t, f)
			_, _ = f.Reconcile(t.Context()) // Without permission, the status is not written either.
			if len(f.deployments(t)) > 0 {
				t.Error("room is held")
			}
			if tc.reason != "" {
				f.expect(t, metav1.ConditionFalse, tc.reason, 0)
			}
		})
	}
	f := newFixture(t, twoApps(), policy())
	f.leads = false
	f.settle(t)
	if f.writes > 0 {
		t.Errorf("%d writes without the lease", f.writes)
	}
}

// TestGone gives back the room of a policy that is gone, and of another of its name, and nothing else.
func TestGone(t *testing.T) {
	foreign := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "foreign", Namespace: namespace, Labels: map[string]string{v1alpha1.HeadroomPolicyLabel: "gone"}},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(0))},
	}
	f := newFixture(t, twoApps(), policy(), foreign)
	f.settle(t)
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 3)
	if err := f.api.Delete(t.Context(), f.policy(t)); err != nil {
		t.Fatal(err)
	}
	f.Reconciler = f.another(t)
	f.settle(t)
	if left := f.deployments(t); len(left) != 1 || left[0].Name != "foreign" {
		t.Errorf("%d Deployments are left", len(left))
	}
}

// TestKilled has the Reconciler die at each of its writes: the next one ends with the same room.
func TestKilled(t *testing.T) {
	for at := range 8 {
		f := newFixture(t, twoApps(), policy())
		n := 0
		f.write = func() error {
			if n++; n == at {
				return errors.New("killed")
			}
			return nil
		}
		for range 10 {
			if _, err := f.Reconcile(t.Context()); err != nil {
				f.Reconciler = f.another(t)
			}
			f.play(t)
			f.clock.Step(30 * time.Second)
		}
		f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 2)
	}
}

// TestPreempted measures how long it takes until a pod is bound in place of a placeholder pod, and until the room is there again: on another node.
func TestPreempted(t *testing.T) {
	f := newFixture(t, w.Of(w.Node("n1", "a", w.CPU("1")), w.Node("n2", "a", w.CPU("1")), w.Node("n3", "a", w.CPU("1")),
		w.Deployment("web", w.Template("web", "600m"), "n1")), policy())
	f.settle(t)
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 1)
	var pods corev1.PodList
	if err := f.api.List(t.Context(), &pods, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	victim := pods.Items[0].DeepCopy()
	if err := f.api.Delete(t.Context(), &pods.Items[0]); err != nil {
		t.Fatal(err)
	}
	victim.Status.Conditions = append(victim.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler, LastTransitionTime: metav1.NewTime(f.clock.Now()),
	})
	f.see(victim)
	f.clock.Step(2 * time.Second)
	big := w.Placed("big", victim.Spec.NodeName, w.Template("big", "900m"))
	big.Status.Conditions = append(big.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(f.clock.Now())})
	if err := f.api.Create(t.Context(), big); err != nil {
		t.Fatal(err)
	}
	f.play(t)
	f.clock.Step(10 * time.Second)
	f.settle(t)
	if f.counts.bound.count != 1 || f.counts.bound.sum != 2 {
		t.Errorf("measured are %+v, want once 2 seconds", f.counts.bound)
	}
	f.expect(t, metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason, 1) // On the third node.
	if f.counts.restored.count != 1 {
		t.Errorf("restored are %+v", f.counts.restored)
	}
}
