package zonecoverage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

const namespace = "naosu-system"

// fixture is a Reconciler on a made API. A pod runs on the cordoned node of zone c, on a volume of that zone; a policy has an autoscaler add nodes.
type fixture struct {
	t     *testing.T
	clock *clocktesting.FakeClock
	api   client.WithWatch
	// write is called before each write, and after once it is done; what they return fails the reconcile.
	write, after func() error
	objects      w.Objects
	leads, ready bool
	// last is the controller that was at work last.
	last *Reconciler
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		t: t, clock: clocktesting.NewFakeClock(w.Epoch), leads: true, ready: true,
		objects: w.Of(w.Node("n1", "a"), w.Node("n3", "c", w.CordonedNode), w.ZonalClaim("data", "c"), w.Deployment("redis", w.Template("redis", "1", w.Mounting("data")), "n3"),
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.HeadroomAddNodesClass}, Value: v1alpha1.HeadroomAddNodesPriority}),
	}
	scheme := runtime.NewScheme()
	f.must(errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)))
	policy := &v1alpha1.HeadroomPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "zones", UID: "policy-1", Generation: 1},
		Spec:       v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto, Autoscaling: v1alpha1.AutoscalingAddNodes, ZoneCoverage: &v1alpha1.HeadroomZoneCoverage{}},
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: record.LeaseName, UID: "lease-1"}}
	f.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(policy, lease).WithStatusSubresource(policy).Build()
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// controller is one that takes over.
func (f *fixture) controller() *Reconciler {
	writing := func(write func() error) error {
		for _, step := range []func() error{f.write, write, f.after} {
			if step != nil {
				if err := step(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	api := interceptor.NewClient(f.api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			o.SetUID(types.UID("uid-" + o.GetName()))
			return writing(func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return writing(func() error { return c.Delete(ctx, o, opts...) })
		},
	})
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return &Reconciler{
		Snapshot: func() *cluster.Snapshot {
			return cluster.New(cluster.Contents{Taken: f.clock.Now(), Objects: f.objects, Knowledge: known})
		},
		Client: api, Reader: api, Records: &record.Records{Client: api, Reader: api, Clock: f.clock}, Clock: f.clock, Namespace: namespace,
		Leading: func(context.Context) (bool, error) { return f.leads, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := f.clock.Now()
			return guard.Facts{Now: now, Leading: guard.Known(f.leads, now), APIServer: guard.Known(guard.APIServer{Ready: f.ready, Leases: 2}, now)}
		},
	}
}

// pass reconciles for a time, and takes over with another controller after each error.
func (f *fixture) pass(d time.Duration) {
	f.t.Helper()
	c := f.controller()
	for end := f.clock.Now().Add(d); f.clock.Now().Before(end); {
		again, err := c.Reconcile(f.t.Context())
		if err != nil {
			c, again = f.controller(), time.Second
		}
		f.clock.Step(max(again, time.Second))
	}
	f.last = c
}

// edit changes the spec of the policy, as a person does.
func (f *fixture) edit(change func(*v1alpha1.HeadroomPolicySpec)) {
	f.t.Helper()
	p := &v1alpha1.HeadroomPolicy{}
	f.must(f.api.Get(f.t.Context(), client.ObjectKey{Name: "zones"}, p))
	change(&p.Spec)
	p.Generation++
	f.must(f.api.Update(f.t.Context(), p))
}

// says is what is held, and what the status says of zone c.
func (f *fixture) says() string {
	f.t.Helper()
	var held appsv1.DeploymentList
	f.must(f.api.List(f.t.Context(), &held, client.InNamespace(namespace)))
	said := fmt.Sprint(len(held.Items))
	for _, d := range held.Items {
		said += fmt.Sprintf(" of %s/%d", d.OwnerReferences[0].Name, *d.Spec.Replicas)
	}
	p := &v1alpha1.HeadroomPolicy{}
	f.must(f.api.Get(f.t.Context(), client.ObjectKey{Name: "zones"}, p))
	for _, z := range p.Status.Zones {
		said += fmt.Sprintf("; %s %s %d", z.Covered, z.Reason, z.Placeholders)
	}
	return said
}

// measures holds against what metrics report of zone c: whether it is covered, and its placeholder pods.
func (f *fixture) measures(want string) {
	f.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	f.must(registry.Register(f.last))
	families, err := registry.Gather()
	f.must(err)
	var got []string
	for _, family := range families {
		for _, m := range family.GetMetric() {
			got = append(got, fmt.Sprint(m.GetGauge().GetValue()))
		}
	}
	if strings.Join(got, " ") != want {
		f.t.Errorf("metrics report %q, want %q", got, want)
	}
}

// TestHold holds room for a pod whose node is not usable any more, and gives it back.
func TestHold(t *testing.T) {
	const held = "1 of naosu-controller/1; False ManagedByAutoscaler 1"
	f := newFixture(t)
	f.pass(30 * time.Second)
	if got := f.says(); got != "0; False Lacking 0" {
		t.Errorf("not for long enough: %s", got)
	}
	f.pass(5 * time.Minute)
	if got := f.says(); got != held {
		t.Fatalf("held is %s", got)
	}
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.Paused = true })
	f.pass(time.Minute)
	if got := f.says(); got != "1 of naosu-controller/1; False Paused 1" {
		t.Errorf("while the policy is paused: %s", got)
	}
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.Paused, s.Mode = false, v1alpha1.ModeReport })
	f.pass(time.Minute)
	if got := f.says(); got != "0; False ReportOnly 0" {
		t.Errorf("in mode Report: %s", got)
	}
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.Mode = v1alpha1.ModeAuto })
	f.pass(time.Minute)
	if got := f.says(); got != held {
		t.Errorf("in mode Auto again: %s", got)
	}
	f.measures("0 1")
	f.objects = append(f.objects, w.Node("n4", "c"))
	f.pass(time.Minute)
	f.measures("1 1")
	if got := f.says(); got != "1 of naosu-controller/1; True Covered 1" {
		t.Errorf("with a node: %s", got)
	}
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.ZoneCoverage, s.Survive.Nodes = nil, 1 })
	f.pass(time.Minute)
	if got := f.says(); got != "0" {
		t.Errorf("without zoneCoverage: %s", got)
	}
	f.measures("")
}

// TestHoldKilled kills the controller before and after each of its writes.
func TestHoldKilled(t *testing.T) {
	for _, before := range []bool{true, false} {
		f := newFixture(t)
		n := 0
		die := func() error {
			if n++; n == 1 {
				return errors.New("killed")
			}
			return nil
		}
		if f.write = die; !before {
			f.write, f.after = nil, die
		}
		f.pass(5 * time.Minute)
		if got := f.says(); got != "1 of naosu-controller/1; False ManagedByAutoscaler 1" || n == 0 {
			t.Errorf("killed at the first write of %d (before: %t): %s", n, before, got)
		}
	}
}

// TestHoldObstructed says why no room is held.
func TestHoldObstructed(t *testing.T) {
	forbidden := func() error {
		return apierrors.NewForbidden(schema.GroupResource{Group: "apps", Resource: "deployments"}, "", errors.New("denied"))
	}
	for name, tc := range map[string]struct {
		edit func(*fixture)
		want string
	}{
		"no PriorityClass": {func(f *fixture) { f.objects = f.objects[:len(f.objects)-1] }, "0; False NoPriorityClass 0"},
		"another value": {func(f *fixture) {
			f.objects = append(f.objects[:len(f.objects)-1:len(f.objects)-1], &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.HeadroomAddNodesClass}, Value: 7})
		}, "0; False NoPriorityClass 0"},
		"not permitted":           {func(f *fixture) { f.write = forbidden }, "0; False NotPermitted 0"},
		"the API server is ill":   {func(f *fixture) { f.ready = false }, "0; False Lacking 0"},
		"another controller does": {func(f *fixture) { f.leads = false }, "0"},
	} {
		f := newFixture(t)
		tc.edit(f)
		f.pass(5 * time.Minute)
		if got := f.says(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
