// Package live holds the tests that let internal/action perform on the real API server, with the custom resources as they
// are shipped: what it writes there must be taken.
package live

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/repair/drillcondition"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// Controllers would find nodes without kubelets dead, count budgets anew, and make and end pods.
func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Flags: map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--controllers=-node-lifecycle-controller,-disruption-controller,-pod-garbage-collector-controller,-replicaset-controller"},
	}})
}

// fixture is an API server, a clock that the test sets, and a cloud of one machine.
type fixture struct {
	*testing.T
	client client.Client
	clock  *clocktesting.FakePassiveClock
	policy *v1alpha1.NodeRepairPolicy
	// denied is what the guard says; nil allows.
	denied  *guard.Verdict
	reboots int
}

func newFixture(t *testing.T) *fixture {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, policyv1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(testbed.Shared(t).AdminConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	b := &fixture{T: t, client: c, clock: clocktesting.NewFakePassiveClock(time.Now().Add(-time.Hour))}
	b.install()
	b.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: record.DefaultNamespace}})
	b.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}})
	b.policy = &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto,
		Rules: []v1alpha1.RepairRule{{
			Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, For: metav1.Duration{Duration: time.Minute}, Action: v1alpha1.ActionReboot,
		}},
	}}
	b.create(b.policy)
	return b
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *fixture) create(o client.Object) {
	b.Helper()
	b.must(client.IgnoreAlreadyExists(b.client.Create(b.Context(), o)))
}

// install applies naosu's CRDs and waits until the API server serves them.
func (b *fixture) install() {
	b.Helper()
	paths, err := filepath.Glob("../../../config/crd/*.yaml")
	if err != nil || len(paths) == 0 {
		b.Fatalf("CRDs: %v, %v", paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		b.must(err)
		crd := &unstructured.Unstructured{}
		b.must(yaml.Unmarshal(data, crd))
		b.create(crd)
	}
	b.must(wait.PollUntilContextTimeout(b.Context(), 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		return b.client.List(ctx, &v1alpha1.RemediationList{}) == nil && b.client.List(ctx, &v1alpha1.NodeRepairPolicyList{}) == nil, nil
	}))
}

func (b *fixture) node(name, bootID string, well corev1.ConditionStatus) *corev1.Node {
	b.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: "a"}}}
	b.create(n)
	b.status(n, bootID, well)
	return n
}

func (b *fixture) status(n *corev1.Node, bootID string, well corev1.ConditionStatus) {
	b.Helper()
	b.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := b.client.Get(b.Context(), client.ObjectKeyFromObject(n), n); err != nil {
			return err
		}
		n.Status.NodeInfo.BootID = bootID
		at := metav1.NewTime(b.clock.Now())
		n.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: at},
			{Type: "NetworkingReady", Status: well, Reason: "InterfaceNotUp", Message: "eth1 is down", LastTransitionTime: at},
		}
		return b.client.Status().Update(b.Context(), n)
	}))
}

func (b *fixture) pod(name, node string, owner *appsv1.ReplicaSet) *corev1.Pod {
	b.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "web"}, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")),
		}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	b.create(p)
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	b.must(b.client.Status().Update(b.Context(), p))
	return p
}

func (b *fixture) performer() *action.Performer {
	return &action.Performer{
		Client: b.client, Reader: b.client, Records: b.records(), Providers: cloud.Providers{machine{b}}, Advisor: advisor{b}, Clock: b.clock,
		Leading: func(context.Context) (bool, error) { return true, nil },
	}
}

func (b *fixture) records() *record.Records {
	return &record.Records{Client: b.client, Reader: b.client, Clock: b.clock}
}

type advisor struct{ *fixture }

func (a advisor) Assess(context.Context, *v1alpha1.Remediation, guard.Fact[ledger.Ledger]) (outcome.Outcome, error) {
	return outcome.Outcome{Fates: []outcome.Fate{
		{Kind: outcome.Moved, Pod: change.Ref{Kind: "Pod", Namespace: "default", Name: "web-a"}, From: "n1", To: "n2"},
		{Kind: outcome.Lost, Pod: change.Ref{Kind: "Pod", Namespace: "default", Name: "nobody-knows"}, From: "n1"},
	}}, nil
}

func (a advisor) CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.NodeRepairPolicy, outcome.Outcome, guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	var all []guard.Check
	for _, check := range guard.Checks() {
		all = append(all, guard.Check{Name: check.Name, Decide: func(guard.Proposal, guard.Facts) guard.Verdict {
			if a.denied != nil {
				return *a.denied
			}
			return guard.Verdict{Decision: guard.Allow}
		}})
	}
	return guard.Decide(all, guard.Proposal{}, guard.Facts{}), nil
}

type machine struct{ *fixture }

func (machine) Name() string { return "machines" }

func (machine) Owns(cloud.Machine) bool { return true }

func (machine) States(context.Context, ...cloud.Machine) ([]cloud.State, error) { return nil, nil }

func (m machine) Reboot(context.Context, cloud.Machine) (cloud.Operation, error) {
	m.reboots++
	return cloud.Operation{ID: "op-1"}, nil
}

// TestReboot performs a whole repair, held back by the guard first, and by a PodDisruptionBudget.
func TestReboot(t *testing.T) {
	b, ctx := newFixture(t), t.Context()
	node := b.node("n1", "boot-1", corev1.ConditionFalse)
	b.node("n2", "boot-1", corev1.ConditionTrue)
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: appsv1.ReplicaSetSpec{
		Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}
	b.create(rs)
	pod := b.pod("web-a", "n1", rs)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: rs.Spec.Selector}}
	b.create(budget)
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, ExpectedPods: 1, DesiredHealthy: 1, CurrentHealthy: 1}
	b.must(b.client.Status().Update(ctx, budget))

	proposed, err := b.records().Create(ctx, &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "mend"}, Spec: v1alpha1.RemediationSpec{
		Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "default", Rule: "network"},
		Node:     v1alpha1.NodeReference{Name: "n1", UID: node.UID},
		Evidence: repairpolicy.EvidenceOf(node.Status.Conditions[1]), Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, ""),
	}})
	b.must(err)
	advance := func(d time.Duration) *v1alpha1.Remediation {
		t.Helper()
		b.clock.SetTime(b.clock.Now().Add(d))
		_, err := b.performer().Advance(ctx, "mend", b.policy)
		b.must(err)
		r, err := b.records().Get(ctx, "mend")
		b.must(err)
		return r
	}

	b.denied = &guard.Verdict{Reason: guard.ReportOnly, Message: sentence.GuardReportOnly()}
	forRule := b.policy.Spec.Rules[0].For.Duration
	if r := advance(forRule); r.Status.Phase != v1alpha1.PhaseProposed || len(r.Status.Verdicts) == 0 || r.Status.Forecast.Pods[0].Owner == nil {
		t.Fatalf("denied: %+v", r.Status)
	}
	b.denied = nil
	advance(time.Minute)
	if r := advance(time.Minute); at(r) != v1alpha1.StepDrain || b.reboots > 0 {
		t.Fatalf("held by a budget, it is at %s", at(r))
	}
	budget.Status.DisruptionsAllowed, budget.Status.DesiredHealthy = 1, 0
	b.must(b.client.Status().Update(ctx, budget))
	advance(time.Minute)
	b.must(b.client.Get(ctx, client.ObjectKeyFromObject(pod), pod))
	if pod.DeletionTimestamp == nil {
		t.Fatal("the pod was not evicted")
	}
	b.must(b.client.Delete(ctx, pod, client.GracePeriodSeconds(0)))
	if r := advance(time.Second); at(r) != v1alpha1.StepWait || b.reboots != 1 {
		t.Fatalf("drained, it is at %s; %d reboots", at(r), b.reboots)
	}
	b.pod("web-b", "n2", rs)
	b.status(node, "boot-2", corev1.ConditionTrue)
	advance(time.Minute)
	r := advance(10 * time.Minute)
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	if r.Status.Phase != v1alpha1.PhaseEnded || end == nil || end.Reason != v1alpha1.RemediationAsForecastReason {
		t.Fatalf("it ended as %+v", r.Status)
	}
	var steps []v1alpha1.StepName
	for _, s := range r.Status.Steps {
		steps = append(steps, s.Name)
	}
	want := []v1alpha1.StepName{"Assess", "Guard", "Cordon", "Drain", "Act", "Wait", "Dwell", "Verify", "Uncordon"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	b.must(b.client.Get(ctx, client.ObjectKeyFromObject(node), node))
	if node.Spec.Unschedulable || node.Annotations[action.CordonedByAnnotation] != "" {
		t.Errorf("it is left cordoned: %v", node.Annotations)
	}
	read, err := b.records().ReadLedger(ctx)
	b.must(err)
	if e := read.Entries; len(e) != 1 || e[0].Result != ledger.Helped || e[0].Remediation != proposed.Name {
		t.Errorf("the ledger has %v", e)
	}
	same := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "mend"}, Spec: proposed.Spec}
	if again, err := b.records().Create(ctx, same); err != nil || again.UID != proposed.UID {
		t.Errorf("made again it is %v, %v", again, err)
	}
	b.must(b.performer().CollectGarbage(ctx))
}

func at(r *v1alpha1.Remediation) v1alpha1.StepName { return r.Status.Steps[len(r.Status.Steps)-1].Name }

// TestRaised raises a condition that a node has, and one that it has not, and takes them back.
func TestRaised(t *testing.T) {
	b, ctx := newFixture(t), t.Context()
	n := b.node("raised", "boot-1", corev1.ConditionTrue)
	before := slices.Clone(n.Status.Conditions)
	for _, kind := range []corev1.NodeConditionType{"NetworkingReady", "StorageReady"} {
		r := drillcondition.Condition{Client: b.client, Node: v1alpha1.NodeReference{Name: n.Name, UID: n.UID}, Condition: corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionFalse, Reason: "InterfaceNotUp", Message: "drill abcdefgh", LastTransitionTime: metav1.NewTime(b.clock.Now().Truncate(time.Second)),
		}}
		for range 2 {
			_, err := r.Set(ctx)
			b.must(err)
		}
		b.must(b.client.Get(ctx, client.ObjectKeyFromObject(n), n))
		if !slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return cmp.Equal(c, r.Condition) }) {
			t.Errorf("%s does not stand: %v", kind, n.Status.Conditions)
		}
		b.must(r.Restore(ctx))
		b.must(b.client.Get(ctx, client.ObjectKeyFromObject(n), n))
		byType := func(a, b corev1.NodeCondition) int { return len(a.Type) - len(b.Type) }
		slices.SortFunc(n.Status.Conditions, byType)
		slices.SortFunc(before, byType)
		if diff := cmp.Diff(before, n.Status.Conditions); diff != "" {
			t.Errorf("%s, taken back (-before +after):\n%s", kind, diff)
		}
	}
}
