package rebalance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// fixture is a Reconciler on a made API, whose Snapshot is read from it anew each time. Kubernetes' controllers are played between its reconciles.
type fixture struct {
	*Reconciler
	clock *clocktesting.FakeClock
	api   client.WithWatch
	// objects are what api serves. Listing them here spares writing and reading them as JSON, which took most of the time.
	objects clienttesting.ObjectTracker
	leads   bool
	// refuse is what the API server answers to evictions; nil grants them.
	refuse error
	// write is called before each write of the Reconciler; what it returns fails the write.
	write func() error
	// place is where a pod is placed instead of where the scheduler would; empty leaves it to that.
	place func(*corev1.Pod) string
	// unready says that new pods do not become Ready.
	unready bool
	// evicting is called before each eviction is granted; may be nil.
	evicting func(client.Object)
	// stale is what the Reconciler knows of the cluster instead of what is so; may be nil.
	stale *cluster.Snapshot
	// evicted are the names of evicted pods.
	evicted []string
	created int
}

func policy(edit func(*v1alpha1.RebalancePolicySpec)) *v1alpha1.RebalancePolicy {
	p := &v1alpha1.RebalancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "policy-1", Generation: 1},
		Spec:       v1alpha1.RebalancePolicySpec{Mode: v1alpha1.ModeAuto, MaxSharePercent: 33, DwellSeconds: 15, MaxEvictions: 10},
	}
	if edit != nil {
		edit(&p.Spec)
	}
	return p
}

// story2 is the second incident once the node n3 is back: two Deployments of three, nothing on n3.
func story2() w.Objects {
	var all w.Objects
	for i, name := range []string{"n1", "n2", "n3"} {
		all = append(all, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i)))
	}
	all = append(all, w.Deployment("httpd", w.Template("httpd", "100m"), "n1", "n2", "n2")...)
	return append(all, w.Deployment("nginx", w.Template("nginx", "100m"), "n1", "n2", "n2")...)
}

func newFixture(t *testing.T, objects w.Objects, more ...client.Object) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	f := &fixture{clock: clocktesting.NewFakeClock(w.Epoch), leads: true}
	all := append(slices.Clone(more), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{corev1.LabelMetadataName: "default"}}})
	for _, o := range objects {
		if node, is := o.(*corev1.Node); is {
			for i := range node.Status.Conditions {
				node.Status.Conditions[i].LastTransitionTime = metav1.NewTime(w.Epoch) // n3 is ready since now
			}
		}
		all = append(all, o.(client.Object))
	}
	f.objects = clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	f.api = fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(f.objects).WithObjects(all...).WithStatusSubresource(&v1alpha1.RebalancePolicy{}, &v1alpha1.Remediation{}).Build()
	writing := func() error {
		if f.write == nil {
			return nil
		}
		return f.write()
	}
	api := interceptor.NewClient(f.api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			o.SetUID(types.UID("uid-" + o.GetName()))
			return errors.Join(writing(), c.Create(ctx, o, opts...))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := writing(); err != nil {
				return err
			}
			return c.SubResource(sub).Patch(ctx, o, patch, opts...)
		},
		SubResourceCreate: func(ctx context.Context, c client.Client, sub string, o, eviction client.Object, opts ...client.SubResourceCreateOption) error {
			if f.refuse != nil {
				return f.refuse
			}
			if f.evicting != nil {
				f.evicting(o)
			}
			err := c.SubResource(sub).Create(ctx, o, eviction, opts...)
			if err == nil {
				f.evicted = append(f.evicted, o.GetName())
			}
			return errors.Join(err, writing())
		},
	})
	f.Reconciler = f.another(t, api)
	return f
}

// another is a Reconciler that takes over.
func (f *fixture) another(t *testing.T, api client.Client) *Reconciler {
	return &Reconciler{
		Snapshot: func() *cluster.Snapshot {
			if f.stale != nil {
				return f.stale
			}
			return f.world(t)
		},
		Client: api, Reader: api, Clock: f.clock,
		Records: &record.Records{Client: api, Reader: api, Events: events.NewFakeRecorder(1000), Clock: f.clock},
		Leading: func(context.Context) (bool, error) { return f.leads, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := f.clock.Now()
			return guard.Facts{
				Now: now, Leading: guard.Known(f.leads, now), ShiftedZones: guard.Known([]string(nil), now), APIServer: guard.Known(guard.APIServer{Ready: true, Leases: 3}, now),
				Ledger: guard.Known(ledger.Ledger{}, now),
			}
		},
	}
}

func list[T any, L client.ObjectList](t *testing.T, f *fixture, list L, items func(L) []T) []T {
	t.Helper()
	kind, err := apiutil.GVKForObject(list, f.api.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	all, err := f.objects.List(resource, kind, metav1.NamespaceAll)
	if err != nil {
		t.Fatal(err)
	}
	return items(all.(L))
}

func (f *fixture) pods(t *testing.T) []corev1.Pod {
	return list(t, f, &corev1.PodList{}, func(l *corev1.PodList) []corev1.Pod { return l.Items })
}

func (f *fixture) remediations(t *testing.T) []v1alpha1.Remediation {
	return list(t, f, &v1alpha1.RemediationList{}, func(l *v1alpha1.RemediationList) []v1alpha1.Remediation { return l.Items })
}

func (f *fixture) world(t *testing.T) *cluster.Snapshot {
	t.Helper()
	contents := cluster.Contents{Taken: f.clock.Now(), Knowledge: map[cluster.Kind]cluster.Knowledge{}}
	for _, kind := range append(slices.Clone(plannedBy), cluster.PriorityClass) {
		contents.Knowledge[kind] = cluster.Complete
	}
	for _, one := range []client.ObjectList{&corev1.PodList{}, &corev1.NodeList{}, &corev1.NamespaceList{}, &appsv1.ReplicaSetList{}, &appsv1.DeploymentList{}, &policyv1.PodDisruptionBudgetList{}} {
		objects := list(t, f, one, func(l client.ObjectList) []runtime.Object {
			all, err := meta.ExtractList(l)
			if err != nil {
				t.Fatal(err)
			}
			return all
		})
		contents.Objects = append(contents.Objects, objects...)
	}
	return cluster.New(contents)
}

// play lets ReplicaSets create the pods that lack, the scheduler place them, and kubelets start them.
func (f *fixture) play(t *testing.T) {
	t.Helper()
	have := map[types.UID]int{}
	for _, pod := range f.pods(t) {
		have[pod.OwnerReferences[0].UID]++
	}
	for _, set := range list(t, f, &appsv1.ReplicaSetList{}, func(l *appsv1.ReplicaSetList) []appsv1.ReplicaSet { return l.Items }) {
		for range int(*set.Spec.Replicas) - have[set.UID] {
			f.created++
			pod := w.Placed(fmt.Sprintf("%s-new-%d", set.Name, f.created), "", set.Spec.Template, w.OwnedBy("apps/v1", "ReplicaSet", set.Name))
			pod.CreationTimestamp = metav1.NewTime(f.clock.Now().Truncate(time.Second))
			node := f.nodeFor(t, pod)
			there := w.Placed(pod.Name, node, set.Spec.Template, pod.OwnerReferences...)
			there.CreationTimestamp = pod.CreationTimestamp
			if f.unready {
				there.Status.Conditions[0].Status = corev1.ConditionFalse
			}
			if err := f.api.Create(t.Context(), there); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (f *fixture) nodeFor(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	if f.place != nil {
		return f.place(pod)
	}
	judge, err := scheduling.New(t.Context(), f.world(t), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := judge.Place(t.Context(), pod)
	if err != nil || placed.Node == "" {
		t.Fatalf("the scheduler places %s on %q: %v", pod.Name, placed.Node, err)
	}
	return placed.Node
}

// pass reconciles again and again for a time, while Kubernetes goes on.
func (f *fixture) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for end := f.clock.Now().Add(d); f.clock.Now().Before(end); {
		again, _ := f.Reconcile(t.Context()) // Errors are tried again.
		f.clock.Step(min(max(again, time.Second), resyncInterval, end.Sub(f.clock.Now())))
		f.play(t)
	}
}

// counts are the numbers of pods by node.
func (f *fixture) counts(t *testing.T) string {
	t.Helper()
	n := map[string]int{}
	for _, pod := range f.pods(t) {
		n[pod.Spec.NodeName]++
	}
	var all []string
	for _, node := range slices.Sorted(maps.Keys(n)) {
		all = append(all, fmt.Sprintf("%s:%d", node, n[node]))
	}
	return strings.Join(all, " ")
}

// ends are phase, outcome and steps of each Remediation.
func (f *fixture) ends(t *testing.T) []string {
	t.Helper()
	var all []string
	remediations := f.remediations(t)
	slices.SortFunc(remediations, func(a, b v1alpha1.Remediation) int { return a.Spec.Evidence.Since.Compare(b.Spec.Evidence.Since.Time) })
	for _, r := range remediations {
		end := string(r.Status.Phase)
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); c != nil {
			end += " " + c.Reason
		}
		for _, step := range r.Status.Steps {
			end += fmt.Sprintf(" %s%d:%s", step.Name, step.Change, step.Result)
		}
		all = append(all, end)
	}
	return all
}

var errRefusedByBudget = apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10)

func TestReconcile(t *testing.T) {
	const balanced, lopsided = "n1:2 n2:2 n3:2", "n1:2 n2:4"
	steps := " Act0:Done Act1:Done Wait0:Done Wait1:Done"
	for name, tc := range map[string]struct {
		spec    func(*v1alpha1.RebalancePolicySpec)
		prepare func(*fixture)
		pass    time.Duration
		counts  string
		ends    []string
	}{
		"within the dwell time": {pass: 14 * time.Second, counts: lopsided},
		"after it":              {pass: 25 * time.Second, counts: balanced, ends: []string{"Ended AsForecast" + steps}},
		"and then no more":      {pass: 30 * time.Minute, counts: balanced, ends: []string{"Ended AsForecast" + steps}},
		"mode Report": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.Mode = v1alpha1.ModeReport },
			pass: 30 * time.Minute, counts: lopsided, ends: []string{"Proposed"},
		},
		"mode Approve": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.Mode = v1alpha1.ModeApprove },
			pass: 30 * time.Minute, counts: lopsided, ends: []string{"Proposed"},
		},
		"a role that does not permit it": {
			prepare: func(f *fixture) {
				f.Permit = func(_ context.Context, _ *v1alpha1.Remediation, ruling guard.Ruling) guard.Ruling {
					denied := guard.Named{Check: "permission", Verdict: guard.Verdict{Decision: guard.Deny, Reason: "NotPermitted", Message: sentence.PermissionAutomate()}}
					ruling.All, ruling.Named = append(ruling.All, denied), denied
					return ruling
				}
			},
			pass: 30 * time.Minute, counts: lopsided, ends: []string{"Proposed"},
		},
		"paused": {spec: func(s *v1alpha1.RebalancePolicySpec) { s.Paused = true }, pass: time.Minute, counts: lopsided},
		"another's pods": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.PodSelector.MatchLabels = map[string]string{"app": "db"} },
			pass: time.Minute, counts: lopsided,
		},
		"one workload of two": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.PodSelector.MatchLabels = map[string]string{"app": "httpd"} },
			pass: time.Minute, counts: "n1:2 n2:3 n3:1", ends: []string{"Ended AsForecast Act0:Done Wait0:Done"},
		},
		"one eviction at a time": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.MaxEvictions = 1 }, pass: 2 * time.Minute, counts: balanced,
			ends: []string{"Ended AsForecast Act0:Done Wait0:Done", "Ended AsForecast Act0:Done Wait0:Done"},
		},
		"pods that are too young": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.MinPodAgeSeconds = 7200 }, pass: 2 * time.Minute, counts: lopsided,
		},
		"pods of too high a priority": {
			spec: func(s *v1alpha1.RebalancePolicySpec) { s.MaxPriority = new(int32(-1)) }, pass: 2 * time.Minute, counts: lopsided,
		},
		"outside of the window": { // The clock says 12:00 on a Wednesday.
			spec: func(s *v1alpha1.RebalancePolicySpec) {
				s.MaintenanceWindow = &v1alpha1.MaintenanceWindow{Start: "02:00", OpenForMinutes: 60, TimeZone: "UTC"}
			},
			pass: time.Minute, counts: lopsided, ends: []string{"Waiting"},
		},
		"a process that does not lead": {prepare: func(f *fixture) { f.leads = false }, pass: time.Minute, counts: lopsided},
		"refused evictions": {
			prepare: func(f *fixture) { f.refuse = errRefusedByBudget },
			pass:    30 * time.Minute, counts: lopsided, ends: []string{"Ended GaveUp Act0:Failed"},
		},
		"pods that do not become Ready": {
			prepare: func(f *fixture) { f.unready = true },
			pass:    30 * time.Minute, counts: balanced, ends: []string{"Ended DidNotHelp Act0:Done Act1:Done Wait0:Failed Wait1:Failed"},
		},
		"pods that are placed elsewhere": {
			prepare: func(f *fixture) { f.place = func(*corev1.Pod) string { return "n2" } },
			pass:    30 * time.Minute, counts: lopsided, ends: []string{"Ended NotAsForecast" + steps},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, story2(), policy(tc.spec))
			if tc.prepare != nil {
				tc.prepare(f)
			}
			f.pass(t, tc.pass)
			if got := f.counts(t); got != tc.counts {
				t.Errorf("pods are on %s, want %s", got, tc.counts)
			}
			if diff := cmp.Diff(tc.ends, f.ends(t)); diff != "" {
				t.Errorf("Remediations (-want +got):\n%s", diff)
			}
		})
	}
}

// edit changes the only Remediation.
func (f *fixture) edit(t *testing.T, change func(*v1alpha1.Remediation)) {
	t.Helper()
	all := f.remediations(t)
	if len(all) != 1 {
		t.Fatalf("%d Remediations", len(all))
	}
	all[0].Generation++
	change(&all[0])
	if err := f.api.Update(t.Context(), &all[0]); err != nil {
		t.Fatal(err)
	}
}

func TestApproval(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1alpha1.Remediation)
		pass   time.Duration
		want   string
	}{
		"approved": {func(r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Approved }, time.Minute, "Ended AsForecast Act0:Done Act1:Done Wait0:Done Wait1:Done"},
		"rejected": {func(r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Rejected }, 23 * time.Hour, "Ended Rejected"},
		"aborted": {func(r *v1alpha1.Remediation) {
			r.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
		}, time.Hour, "Ended Aborted"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, story2(), policy(func(s *v1alpha1.RebalancePolicySpec) { s.Mode = v1alpha1.ModeApprove }))
			f.pass(t, time.Minute)
			f.edit(t, tc.change)
			f.pass(t, tc.pass)
			if got := f.ends(t); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("Remediations: %q, want %s", got, tc.want)
			}
		})
	}
}

// A plan that is not needed any more is given up before anything is evicted, and another follows.
func TestObsolete(t *testing.T) {
	f := newFixture(t, story2(), policy(func(s *v1alpha1.RebalancePolicySpec) { s.Mode = v1alpha1.ModeApprove }))
	f.pass(t, time.Minute)
	subject := f.remediations(t)[0].Spec.Changes[0].Subject
	if err := f.api.Delete(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: subject.Namespace, Name: subject.Name}}); err != nil {
		t.Fatal(err)
	}
	f.play(t)
	f.pass(t, time.Minute)
	if got := f.ends(t); !slices.Equal(got, []string{"Ended NotNeeded", "Proposed"}) {
		t.Errorf("Remediations: %q", got)
	}
}

// A wave begins once the pods of the one before it have been replaced, and no wave follows one that did not turn out as forecast, or after the policy was
// paused.
func TestWaves(t *testing.T) {
	objects := func() w.Objects {
		var all w.Objects
		for i, name := range []string{"n1", "n2", "n3"} {
			all = append(all, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i)))
		}
		return append(all, w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1", "n2", "n2", "n2")...)
	}
	for name, tc := range map[string]struct {
		meanwhile func(*testing.T, *fixture)
		want      string
	}{
		"both": {want: "Ended AsForecast Act0:Done Wait0:Done Act1:Done Wait1:Done"},
		"paused after the first": {func(t *testing.T, f *fixture) {
			p := &v1alpha1.RebalancePolicy{}
			if err := f.api.Get(t.Context(), client.ObjectKey{Name: "all"}, p); err != nil {
				t.Fatal(err)
			}
			p.Spec.Paused = true
			if err := f.api.Update(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}, "Ended NotAsked Act0:Done Wait0:Done"},
		"another selector after the first": {func(t *testing.T, f *fixture) {
			p := &v1alpha1.RebalancePolicy{}
			if err := f.api.Get(t.Context(), client.ObjectKey{Name: "all"}, p); err != nil {
				t.Fatal(err)
			}
			p.Spec.PodSelector.MatchLabels = map[string]string{"app": "db"}
			if err := f.api.Update(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}, "Ended GaveUp Act0:Done Wait0:Done"},
		"the policy is gone": {func(t *testing.T, f *fixture) {
			if err := f.api.Delete(t.Context(), policy(nil)); err != nil {
				t.Fatal(err)
			}
		}, "Ended NotAsked Act0:Done Wait0:Skipped"},
		"placed elsewhere": {func(_ *testing.T, f *fixture) {
			f.place = func(*corev1.Pod) string { return "n1" }
		}, "Ended NotAsForecast Act0:Done Wait0:Done"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects(), policy(nil))
			for len(f.evicted) == 0 {
				if _, err := f.Reconcile(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.clock.Step(time.Second)
			}
			if tc.meanwhile != nil {
				tc.meanwhile(t, f)
			}
			f.play(t)
			f.pass(t, time.Minute)
			if got := f.ends(t); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("Remediations: %q, want %s", got, tc.want)
			}
		})
	}
}

// Where more nodes are equally good than the forecast has futures, a pod that runs on another of them helps as well: what counts is the balance.
func TestElsewhere(t *testing.T) {
	for name, tc := range map[string]struct {
		place func(forecast []string) string
		want  string
	}{
		"on a node as good":           {otherThan, "Ended AsForecast"},
		"on a node that is full then": {func([]string) string { return "n01" }, "Ended NotAsForecast"},
	} {
		t.Run(name, func(t *testing.T) {
			var objects w.Objects
			for _, node := range manyNodes() {
				objects = append(objects, w.Node(node, "zone-a"))
			}
			f := newFixture(t, append(objects, w.Deployment("web", w.Template("web", "100m"), "n00", "n00", "n00", "n01", "n01", "n01")...), policy(nil))
			f.place = func(*corev1.Pod) string { return tc.place(f.remediations(t)[0].Status.Forecast.Pods[0].Nodes) }
			f.pass(t, 2*time.Minute)
			if got := f.ends(t); len(got) != 1 || !strings.HasPrefix(got[0], tc.want) {
				t.Errorf("Remediations: %q, want %s", got, tc.want)
			}
		})
	}
}

func manyNodes() (names []string) {
	for i := range 60 {
		names = append(names, fmt.Sprintf("n%02d", i))
	}
	return names
}

// otherThan is a node without pods that a forecast does not name.
func otherThan(forecast []string) string {
	nodes := manyNodes()[2:]
	return nodes[slices.IndexFunc(nodes, func(node string) bool { return !slices.Contains(forecast, node) })]
}

// A controller that is killed at any write, before or after it, is followed by another that evicts no pod twice and ends what was begun.
func TestKilled(t *testing.T) {
	killed := errors.New("killed")
	writes := 0
	count := newFixture(t, story2(), policy(nil))
	count.write = func() error { writes++; return nil }
	count.pass(t, time.Minute)
	if writes < 8 {
		t.Fatalf("%d writes in all", writes)
	}
	for at := 1; at <= writes; at++ {
		f := newFixture(t, story2(), policy(nil))
		n := 0
		f.write = func() error {
			if n++; n == at {
				f.Reconciler = f.another(t, f.Client)
				return killed
			}
			return nil
		}
		f.pass(t, 5*time.Minute)
		if got := f.counts(t); got != "n1:2 n2:2 n3:2" {
			t.Errorf("killed at write %d: pods are on %s", at, got)
		}
		if slices.Sort(f.evicted); len(f.evicted) != 2 || f.evicted[0] == f.evicted[1] {
			t.Errorf("killed at write %d: evicted are %v", at, f.evicted)
		}
		for _, end := range f.ends(t) {
			if !strings.HasPrefix(end, "Ended") {
				t.Errorf("killed at write %d: %s", at, end)
			}
		}
	}
}
