package failover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/record"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func seconds(s int64) []corev1.Toleration {
	var all []corev1.Toleration
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		all = append(all, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(s)})
	}
	return all
}

func policy(mode v1alpha1.Mode) *v1alpha1.FailoverPolicy {
	return &v1alpha1.FailoverPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Generation: 3},
		Spec:       v1alpha1.FailoverPolicySpec{Mode: mode, NotReadySeconds: 60, UnreachableSeconds: 60},
	}
}

func node(name string, ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}},
	}
}

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID(name),
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: "web", Controller: new(true)}},
		},
		Spec: corev1.PodSpec{NodeName: node, Tolerations: seconds(300)},
	}
}

// bench is a Reconciler on a made API, whose Snapshot is read from it anew each time.
type bench struct {
	*Reconciler
	clock  *clocktesting.FakeClock
	events *events.FakeRecorder
	leads  bool
	stale  time.Duration
	// refuse fails patches of pods by name.
	refuse map[string]error
	// machines are the states of machines by node name; without one, the provider does not respond.
	machines map[string]cloud.Running
	// reads counts the machines that were read.
	reads int
	// onDelete is called before each deletion.
	onDelete func()
	// requests are those sent, but for reads of naosu's own objects, which come from a cache.
	requests []string
}

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{clock: clocktesting.NewFakeClock(now), events: events.NewFakeRecorder(10_000), leads: true, refuse: map[string]error{}}
	objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web"}})
	plain := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.FailoverPolicy{}).Build()
	var mu sync.Mutex
	note := func(verb string, o client.Object) {
		mu.Lock()
		defer mu.Unlock()
		b.requests = append(b.requests, fmt.Sprintf("%s %T", verb, o))
	}
	api := interceptor.NewClient(plain, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			note("get", o)
			return c.Get(ctx, key, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			note("patch", o)
			if err := b.refuse[o.GetName()]; err != nil {
				return err
			}
			return c.Patch(ctx, o, patch, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, _ ...client.DeleteOption) error {
			if b.onDelete != nil {
				b.onDelete()
			}
			return c.Delete(ctx, o)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			note("patch "+sub, o)
			return c.SubResource(sub).Patch(ctx, o, patch, opts...)
		},
	})
	b.Reconciler = &Reconciler{
		World: func() *cluster.Snapshot { return b.world(t, plain) }, Client: api, Reader: api, Clock: b.clock,
		Records:   &record.Records{Client: api, Reader: api, Events: b.events, Clock: b.clock},
		Providers: func() (cloud.Providers, []cloud.Gap) { return cloud.Providers{(*provider)(b)}, nil },
		Leading:   func(context.Context) (bool, error) { return b.leads, nil },
	}
	return b
}

// provider reports the machines of a bench.
type provider bench

func (*provider) Name() string              { return "aws" }
func (*provider) Owns(m cloud.Machine) bool { return m.ProviderID != "" }

func (*provider) Reboot(context.Context, cloud.Machine) (cloud.Operation, error) {
	return cloud.Operation{}, cloud.ErrNotOffered
}

func (p *provider) States(_ context.Context, machines ...cloud.Machine) ([]cloud.State, error) {
	var all []cloud.State
	for _, m := range machines {
		p.reads++
		state, there := p.machines[m.Node]
		if !there {
			return nil, cloud.ErrPassing
		}
		all = append(all, cloud.State{Running: state, Message: string(state)})
	}
	return all, nil
}

func (b *bench) world(t *testing.T, api client.Client) *cluster.Snapshot {
	t.Helper()
	contents := cluster.Contents{Taken: b.clock.Now().Add(-b.stale), Knowledge: map[cluster.Kind]cluster.Knowledge{
		cluster.Pod: cluster.Complete, cluster.Node: cluster.Complete, cluster.Namespace: cluster.Complete,
		cluster.ReplicaSet: cluster.Complete, cluster.Deployment: cluster.Complete,
	}}
	var pods corev1.PodList
	var nodes corev1.NodeList
	var sets appsv1.ReplicaSetList
	var leases coordinationv1.LeaseList
	var attachments storagev1.VolumeAttachmentList
	for _, list := range []client.ObjectList{&pods, &nodes, &sets, &leases, &attachments} {
		if err := api.List(context.Background(), list); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pods.Items {
		contents.Objects = append(contents.Objects, &pods.Items[i])
	}
	for i := range nodes.Items {
		contents.Objects = append(contents.Objects, &nodes.Items[i])
	}
	for i := range sets.Items {
		contents.Objects = append(contents.Objects, &sets.Items[i])
	}
	for i := range leases.Items {
		contents.Objects = append(contents.Objects, &leases.Items[i])
	}
	for i := range attachments.Items {
		contents.Objects = append(contents.Objects, &attachments.Items[i])
	}
	return cluster.New(contents)
}

// reconcile reconciles once. The limit is not waited for, since the clock stands still but for the test.
func (b *bench) reconcile(t *testing.T) time.Duration {
	t.Helper()
	b.start.Do(func() {
		b.init()
		b.limiter = unlimited{}
	})
	b.requests = nil
	again, err := b.Reconcile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

type unlimited struct{}

func (unlimited) TryAccept() bool            { return true }
func (unlimited) Accept()                    {}
func (unlimited) Stop()                      {}
func (unlimited) QPS() float32               { return 0 }
func (unlimited) Wait(context.Context) error { return nil }

func (b *bench) status(t *testing.T) v1alpha1.FailoverPolicyStatus {
	t.Helper()
	var p v1alpha1.FailoverPolicy
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: "web"}, &p); err != nil {
		t.Fatal(err)
	}
	return p.Status
}

// ready is the reason of the condition Ready, and the counts: pods, covered, due, waiting.
func (b *bench) ready(t *testing.T) string {
	t.Helper()
	s := b.status(t)
	return fmt.Sprintf("%s %d %d %d %d", s.Conditions[0].Reason, *s.Pods, *s.CoveredPods, *s.DuePods, *s.WaitingPods)
}

func (b *bench) toleration(t *testing.T, name string) int64 {
	t.Helper()
	var p corev1.Pod
	if err := b.Client.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, &p); err != nil {
		t.Fatal(err)
	}
	return *p.Spec.Tolerations[0].TolerationSeconds
}

func TestReconcile(t *testing.T) {
	for name, tc := range map[string]struct {
		edit  func(*bench, *v1alpha1.FailoverPolicy)
		again time.Duration
		want  int64 // of the pod on the healthy node
		ready string
	}{
		"Auto":          {func(*bench, *v1alpha1.FailoverPolicy) {}, nextBatch, 60, "Ready 2 1 0 1"},
		"Report":        {func(_ *bench, p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }, resyncInterval, 300, "Ready 2 0 1 1"},
		"paused":        {func(_ *bench, p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }, resyncInterval, 300, "Paused 2 0 1 1"},
		"another leads": {func(b *bench, _ *v1alpha1.FailoverPolicy) { b.leads = false }, minBackoff, 300, "Ready 2 0 1 1"},
		"old facts":     {func(b *bench, _ *v1alpha1.FailoverPolicy) { b.stale = 2 * maxWorldAge }, minBackoff, 300, "Ready 2 0 1 1"},
		"no pods": {func(_ *bench, p *v1alpha1.FailoverPolicy) {
			p.Spec.PodSelector = *metav1.SetAsLabelSelector(map[string]string{"a": "b"})
		}, resyncInterval, 300, "NoPods 0 0 0 0"},
		"an invalid selector": {func(_ *bench, p *v1alpha1.FailoverPolicy) {
			p.Spec.PodSelector = *metav1.SetAsLabelSelector(map[string]string{"a b": "b"})
		}, resyncInterval, 300, "InvalidSelector 0 0 0 0"},
		"the pod may not be written": {func(b *bench, _ *v1alpha1.FailoverPolicy) {
			b.refuse["web-1"] = apierrors.NewForbidden(corev1.Resource("pods"), "web-1", errors.New("no"))
		}, minBackoff, 300, "NotPermitted 2 0 1 1"},
		"the pod is rejected": {func(b *bench, _ *v1alpha1.FailoverPolicy) {
			b.refuse["web-1"] = apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "web-1", nil)
		}, nextBatch, 300, "ChangesLost 2 0 1 1"},
		"somebody else has written it": {func(b *bench, _ *v1alpha1.FailoverPolicy) {
			b.refuse["web-1"] = apierrors.NewConflict(corev1.Resource("pods"), "web-1", nil)
		}, nextBatch, 300, "Ready 2 0 1 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeAuto)
			b := newBench(t, pod("web-1", "n1"), pod("web-2", "n2"), node("n1", corev1.ConditionTrue), node("n2", corev1.ConditionUnknown))
			tc.edit(b, p)
			if err := b.Client.Create(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if again := b.reconcile(t); again != tc.again {
				t.Errorf("again in %s, want %s", again, tc.again)
			}
			if got := b.toleration(t, "web-1"); got != tc.want {
				t.Errorf("the pod has %d seconds, want %d", got, tc.want)
			}
			if got := b.toleration(t, "web-2"); got != 300 {
				t.Errorf("the pod on the failed node has %d seconds", got)
			}
			b.reconcile(t) // After a change, the status has it.
			if got := b.ready(t); got != tc.ready {
				t.Errorf("status %s, want %s", got, tc.ready)
			}
			if s := b.status(t); s.ObservedGeneration != 3 || *s.Pods != *s.CoveredPods+*s.DuePods+*s.WaitingPods+*s.ExplicitPods+*s.UnsupportedPods {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// While nothing changes, no request is sent; nor is one without a policy.
func TestNoRequestsAtRest(t *testing.T) {
	b := newBench(t, policy(v1alpha1.ModeAuto), pod("web-1", "n1"), pod("web-2", "n2"), node("n1", corev1.ConditionTrue), node("n2", corev1.ConditionFalse))
	b.reconcile(t)
	b.reconcile(t)
	for range 10 {
		b.clock.Step(resyncInterval)
		if again := b.reconcile(t); again != resyncInterval || len(b.requests) > 0 {
			t.Fatalf("again in %s after %v", again, b.requests)
		}
	}
	none := newBench(t, pod("web-1", "n1"), node("n1", corev1.ConditionTrue))
	if again := none.reconcile(t); again != 0 || len(none.requests) > 0 {
		t.Errorf("without a policy: again in %s after %v", again, none.requests)
	}
}

// A pod that cannot be changed is tried ever more seldom, and others meanwhile; what is forbidden holds up all.
func TestBackoff(t *testing.T) {
	patches := func(b *bench, of time.Duration) int {
		tried := 0
		for range of / time.Second {
			b.clock.Step(time.Second)
			b.reconcile(t)
			for _, request := range b.requests {
				if request == "patch *v1.Pod" {
					tried++
				}
			}
		}
		return tried
	}
	for name, tc := range map[string]struct {
		err   error
		other int64
	}{
		"rejected":  {apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "web-1", nil), 60},
		"forbidden": {apierrors.NewForbidden(corev1.Resource("pods"), "web-1", nil), 60},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, policy(v1alpha1.ModeAuto), pod("web-1", "n1"), pod("web-2", "n1"), node("n1", corev1.ConditionTrue))
			b.refuse["web-1"] = tc.err
			if tried := patches(b, 10*time.Minute); tried < 3 || tried > 20 {
				t.Errorf("%d attempts in ten minutes", tried)
			}
			if got := b.toleration(t, "web-2"); got != tc.other {
				t.Errorf("the other pod has %d seconds", got)
			}
			delete(b.refuse, "web-1")
			patches(b, 2*maxBackoff)
			if got := b.toleration(t, "web-1"); got != 60 {
				t.Errorf("the pod has %d seconds when nothing holds it up any more", got)
			}
			if got := b.ready(t); got != "Ready 2 2 0 0" {
				t.Errorf("status %s", got)
			}
		})
	}
}

// A large cluster is changed in batches, and each pod once.
func TestBatches(t *testing.T) {
	objects := []client.Object{policy(v1alpha1.ModeAuto), node("n1", corev1.ConditionTrue)}
	for i := range 3*batchSize - 1 {
		objects = append(objects, pod(fmt.Sprintf("web-%d", i), "n1"))
	}
	b := newBench(t, objects...)
	changed := 0
	for range 3 {
		if again := b.reconcile(t); again != nextBatch {
			t.Fatalf("again in %s", again)
		}
		for _, request := range b.requests {
			if request == "patch *v1.Pod" {
				changed++
			}
		}
	}
	b.reconcile(t)
	if got := b.ready(t); got != "Ready 149 149 0 0" || changed != 149 {
		t.Errorf("%d changes, status %s", changed, got)
	}
	if got := scrape(t, b.Reconciler); !cmp.Equal(got, map[string]float64{
		"naosu_failover_pods web Covered": 149, "naosu_failover_pods web Due": 0, "naosu_failover_pods web Waiting": 0,
		"naosu_failover_pods web Explicit": 0, "naosu_failover_pods web Unsupported": 0, "naosu_failover_changes_total web changed": 149,
	}) {
		t.Errorf("metrics %v", got)
	}
	b.Elected = func() bool { return false }
	if got := scrape(t, b.Reconciler); len(got) > 0 {
		t.Errorf("metrics where another leads: %v", got)
	}
}

func scrape(t *testing.T, c *Reconciler) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			words := []string{family.GetName()}
			for _, label := range metric.GetLabel() {
				words = append(words, label.GetValue())
			}
			found[strings.Join(words, " ")] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		}
	}
	return found
}

func TestPodChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*corev1.Pod)
		want bool
	}{
		"what the kubelet reports": {func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }, false},
		"an annotation":            {func(p *corev1.Pod) { p.Annotations = map[string]string{"a": "b"} }, false},
		"its node":                 {func(p *corev1.Pod) { p.Spec.NodeName = "n2" }, true},
		"its tolerations":          {func(p *corev1.Pod) { p.Spec.Tolerations = seconds(60) }, true},
		"its labels":               {func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, true},
		"its owner":                {func(p *corev1.Pod) { p.OwnerReferences = nil }, true},
		"its end":                  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, true},
		"its deletion":             {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, true},
	} {
		before, after := pod("web-1", "n1"), pod("web-1", "n1")
		tc.edit(after)
		if got := podChanged.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
