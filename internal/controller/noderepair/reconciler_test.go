package noderepair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

func policy(mode v1alpha1.Mode) v1alpha1.NodeRepairPolicy {
	number := new(intstr.FromInt32(1))
	return v1alpha1.NodeRepairPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "links", Generation: 7},
		Spec: v1alpha1.NodeRepairPolicySpec{
			Mode: mode, Budgets: v1alpha1.Budgets{Zone: number, Group: number, Cluster: number}, Brake: v1alpha1.Brake{Nodes: 3, Percent: 20},
			Rules: []v1alpha1.RepairRule{{
				Name: "link", Condition: "NetworkingReady", Status: "False", For: metav1.Duration{Duration: 10 * time.Minute}, Action: v1alpha1.ActionReboot,
			}},
			NodeStartupGracePeriod: &metav1.Duration{Duration: 10 * time.Minute}, CoolDown: &metav1.Duration{Duration: 10 * time.Minute}, RememberFailure: &metav1.Duration{Duration: 24 * time.Hour},
		},
	}
}

// machines is a provider whose machines are all.
type machines struct {
	may       v1alpha1.May
	repairers []cloud.Repairer
	err       error
	asked     int
}

func (*machines) Name() string            { return "aws" }
func (*machines) Owns(cloud.Machine) bool { return true }
func (*machines) States(context.Context, ...cloud.Machine) ([]cloud.State, error) {
	return nil, errors.New("not asked in these tests")
}

func (*machines) Reboot(context.Context, cloud.Machine) (cloud.Operation, error) {
	return cloud.Operation{}, errors.New("not asked in these tests")
}

func (m *machines) May(context.Context, v1alpha1.Action, cloud.Machine) (cloud.Permission, error) {
	m.asked++
	return cloud.Permission{May: m.may, Why: sentence.CloudDryRunPassed("RebootInstances")}, nil
}

func (m *machines) Repairers(context.Context, []cloud.Machine) ([]cloud.Repairer, error) {
	m.asked++
	return m.repairers, m.err
}

// bench is a Reconciler on a made cluster and a made API.
type bench struct {
	*Reconciler
	clock  *clocktesting.FakePassiveClock
	events *events.FakeRecorder
	denied string // a resource that may not be written
}

// newBench puts naosu's own objects into the API, and all others into the world.
func newBench(t *testing.T, provider cloud.Provider, objects ...runtime.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{clock: clocktesting.NewFakePassiveClock(now), events: events.NewFakeRecorder(100)}
	var own []client.Object
	var others []runtime.Object
	for _, o := range objects {
		switch o := o.(type) {
		case *v1alpha1.NodeRepairPolicy:
			own = append(own, o)
		case *v1alpha1.Remediation:
			own = append(own, o)
		default:
			others = append(others, o)
		}
	}
	// Without managed fields, which would take two fifths of the time.
	tracker := clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithObjects(own...).WithStatusSubresource(&v1alpha1.NodeRepairPolicy{}, &v1alpha1.Remediation{}).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).
		WithInterceptorFuncs(interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if review, ok := o.(*authorizationv1.SelfSubjectAccessReview); ok { // which nothing keeps
				review.Status.Allowed = review.Spec.ResourceAttributes.Resource != b.denied
				return nil
			}
			return c.Create(ctx, o, opts...)
		}, Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, is := o.(*corev1.Pod); is && b.denied == "pods" {
				return apierrors.NewForbidden(corev1.Resource("pods"), key.Name, nil)
			}
			return c.Get(ctx, key, o, opts...)
		}}).Build()
	world := worldOf(others...)
	b.Reconciler = &Reconciler{
		World: func() *cluster.Snapshot { return world }, Client: api, Reader: api,
		Records: &record.Records{Client: api, Reader: api, Events: b.events, Clock: b.clock, Last: &record.LastLedger{}}, Clock: b.clock,
		Leading: func(context.Context) (bool, error) { return true, nil }, ServerReady: func(context.Context) error { return nil },
	}
	if provider != nil {
		b.Providers = cloud.Providers{provider}
	}
	return b
}

func (b *bench) plan(t *testing.T) time.Duration {
	t.Helper()
	again, err := b.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func (b *bench) status(t *testing.T) v1alpha1.NodeRepairPolicyStatus {
	t.Helper()
	var p v1alpha1.NodeRepairPolicy
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: "links"}, &p); err != nil {
		t.Fatal(err)
	}
	return p.Status
}

func (b *bench) remediations(t *testing.T) []v1alpha1.Remediation {
	t.Helper()
	own, err := b.objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return own.remediations
}

// told are the Events so far.
func (b *bench) told() []string {
	var all []string
	for {
		select {
		case one := <-b.events.Events:
			all = append(all, one)
		default:
			return all
		}
	}
}

func healthy(n int) []runtime.Object {
	var all []runtime.Object
	for i := range n {
		all = append(all, node(fmt.Sprintf("well-%d", i), "1a"))
	}
	return all
}

func TestPlanProposesOnce(t *testing.T) {
	p := policy(v1alpha1.ModeReport)
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(9), &p, node("n1", "1a", down(11*time.Minute)), node("n2", "1a", down(4*time.Minute)))...)
	if again := b.plan(t); again != resyncInterval {
		t.Errorf("again after %s, want %s: the next is due later", again, resyncInterval)
	}
	b.clock.SetTime(now.Add(5*time.Minute + 30*time.Second))
	if again := b.plan(t); again != 30*time.Second {
		t.Errorf("again after %s, want 30s: then the next is due", again)
	}
	all := b.remediations(t)
	if len(all) != 1 || all[0].Spec.Node.Name != "n1" || all[0].Spec.Action() != v1alpha1.ActionReboot || all[0].Spec.Policy.Rule != "link" {
		t.Fatalf("proposed: %+v", all)
	}
	if told := strings.Join(b.told(), "\n"); strings.Count(told, "Proposed") != 1 || !strings.Contains(told, "node/n1") {
		t.Errorf("told: %s", told)
	}
}

// In an outage a few Remediations show why nothing is repaired; once it is over, the others follow.
func TestPlanShowsAnOutage(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	objects := append(healthy(3), &p)
	for i := range 9 {
		objects = append(objects, node(fmt.Sprintf("unhealthy-%d", i), "1a", down(time.Hour)))
	}
	b := newBench(t, &machines{may: v1alpha1.MayYes}, objects...)
	for range 2 {
		b.plan(t)
		if n := len(b.remediations(t)); n != maxBrakedProposals {
			t.Errorf("%d Remediations, want %d", n, maxBrakedProposals)
		}
	}
	b.Checks = []guard.Check{}
	if b.plan(t); len(b.remediations(t)) != 9 {
		t.Errorf("%d Remediations, want all 9: nothing holds them back any more", len(b.remediations(t)))
	}
}

func TestReady(t *testing.T) {
	repairs := cloud.Repairer{By: change.Ref{Kind: "Group", Name: "workers"}, Nodes: []string{"well-0"}, Rules: []cloud.RepairerRule{
		{Condition: "NetworkingReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace},
	}}
	another, unknown := repairs, repairs
	another.Rules = []cloud.RepairerRule{{Condition: "KernelReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace}}
	unknown.Rules, unknown.Unknown = nil, sentence.CloudUnread("w", "x")
	leaves := repairs
	leaves.Rules = []cloud.RepairerRule{{Condition: "NetworkingReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionNone}}
	three := []runtime.Object{node("n1", "1a", down(0)), node("n2", "1a", down(0)), node("n3", "1a", down(0))}
	for name, tc := range map[string]struct {
		provider cloud.Provider
		nodes    []runtime.Object
		change   func(*bench, *v1alpha1.NodeRepairPolicy)
		want     string
		says     string
	}{
		"all is well":    {&machines{may: v1alpha1.MayYes}, healthy(9), nil, v1alpha1.PolicyReadyReason, "Nothing"},
		"nobody can say": {&machines{may: v1alpha1.MayUnknown}, healthy(9), nil, v1alpha1.PolicyReadyReason, "Nothing"},
		"paused":         {&machines{may: v1alpha1.MayYes}, healthy(9), func(_ *bench, p *v1alpha1.NodeRepairPolicy) { p.Spec.Paused = true }, v1alpha1.PolicyPausedReason, "paused"},
		"no node":        {&machines{may: v1alpha1.MayYes}, nil, nil, v1alpha1.PolicyNoNodesReason, "no node"},
		"no label can be so": {&machines{may: v1alpha1.MayYes}, healthy(9), func(_ *bench, p *v1alpha1.NodeRepairPolicy) {
			p.Spec.NodeSelector.MatchLabels = map[string]string{"role": "a worker"}
		}, v1alpha1.PolicyInvalidSelectorReason, `spec.nodeSelector.matchLabels`},
		"no label has such a key": {&machines{may: v1alpha1.MayYes}, healthy(9), func(_ *bench, p *v1alpha1.NodeRepairPolicy) {
			p.Spec.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a role", Operator: metav1.LabelSelectorOpExists}}
		}, v1alpha1.PolicyInvalidSelectorReason, `"a role"`},
		"two are unhealthy":           {&machines{may: v1alpha1.MayYes}, append(healthy(7), three[:2]...), nil, v1alpha1.PolicyReadyReason, "Nothing"},
		"three are unhealthy":         {&machines{may: v1alpha1.MayYes}, append(healthy(7), three...), nil, v1alpha1.PolicyBrakedReason, "zone/1a"},
		"three, but the check is out": {&machines{may: v1alpha1.MayYes}, append(healthy(7), three...), func(b *bench, _ *v1alpha1.NodeRepairPolicy) { b.Checks = []guard.Check{} }, v1alpha1.PolicyReadyReason, "Nothing"},
		"the API server is unhealthy": {&machines{may: v1alpha1.MayYes}, append(healthy(7), three[0]), func(b *bench, _ *v1alpha1.NodeRepairPolicy) {
			b.ServerReady = func(context.Context) error { return errors.New("no") }
		}, v1alpha1.PolicyBrakedReason, "API server"},
		"another repairs":                {&machines{may: v1alpha1.MayYes, repairers: []cloud.Repairer{repairs}}, healthy(9), nil, v1alpha1.PolicyCompetingReason, "group/workers"},
		"another repairs something else": {&machines{may: v1alpha1.MayYes, repairers: []cloud.Repairer{another}}, healthy(9), nil, v1alpha1.PolicyReadyReason, "Nothing"},
		"another leaves it alone":        {&machines{may: v1alpha1.MayYes, repairers: []cloud.Repairer{leaves}}, healthy(9), nil, v1alpha1.PolicyReadyReason, "Nothing"},
		"another may repair":             {&machines{may: v1alpha1.MayYes, repairers: []cloud.Repairer{unknown}}, healthy(9), nil, v1alpha1.PolicyCompetingReason, "group/workers"},
		"nobody runs the machines": {nil, healthy(9), func(b *bench, _ *v1alpha1.NodeRepairPolicy) {
			b.Gaps = []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
		}, v1alpha1.PolicyNoActuatorReason, "AWS_REGION"},
		"the cloud says no":   {&machines{may: v1alpha1.MayNo}, healthy(9), nil, v1alpha1.PolicyNoActuatorReason, "through aws"},
		"the cluster says no": {&machines{may: v1alpha1.MayYes}, healthy(9), func(b *bench, _ *v1alpha1.NodeRepairPolicy) { b.denied = "pods" }, v1alpha1.PolicyNoActuatorReason, "create pods/eviction"},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeReport)
			b := newBench(t, tc.provider, append(tc.nodes, &p)...)
			if tc.change != nil {
				tc.change(b, &p)
				if err := b.Client.Update(t.Context(), &p); err != nil {
					t.Fatal(err)
				}
			}
			b.plan(t)
			ready := meta.FindStatusCondition(b.status(t).Conditions, v1alpha1.PolicyReady)
			if ready == nil || ready.Reason != tc.want || !strings.Contains(ready.Message, tc.says) || (ready.Status == metav1.ConditionTrue) != (tc.want == v1alpha1.PolicyReadyReason) {
				t.Errorf("got %+v, want %s that says %q", ready, tc.want, tc.says)
			}
			if told := b.told(); (len(told) > 0) != (tc.want != v1alpha1.PolicyReadyReason) || len(told) > 0 && !strings.HasPrefix(told[0], "Warning "+tc.want) {
				t.Errorf("told %q of %s", told, tc.want)
			}
			b.plan(t)
			if told := b.told(); len(told) > 0 {
				t.Errorf("told again: %q", told)
			}
		})
	}
}

// blind is a provider that could not be asked.
type blind struct{}

func (blind) Name() string            { return "aws" }
func (blind) Owns(cloud.Machine) bool { return true }

// TestCloudIsFoundLater: as long as a cloud could not be asked, nobody acts and it is not known whether anybody may; once it can,
// it is asked, without a restart.
func TestCloudIsFoundLater(t *testing.T) {
	p := policy(v1alpha1.ModeReport)
	b := newBench(t, nil, append(healthy(9), &p)...)
	providers, gaps := cloud.Providers{blind{}}, []cloud.Gap{{Provider: "aws", Why: sentence.CloudNoRegion()}}
	b.Discovered = func() (cloud.Providers, []cloud.Gap) { return providers, gaps }
	look := func() (v1alpha1.Permission, metav1.Condition) {
		b.plan(t)
		status := b.status(t)
		return status.Permissions[0], *meta.FindStatusCondition(status.Conditions, v1alpha1.PolicyReady)
	}
	permission, ready := look()
	if permission.May != v1alpha1.MayUnknown || permission.Actuator != "None" || !strings.Contains(permission.Message, "AWS_REGION") {
		t.Errorf("permission %+v", permission)
	}
	if ready.Status != metav1.ConditionFalse || ready.Reason != v1alpha1.PolicyNoActuatorReason || !strings.Contains(ready.Message, "AWS_REGION") {
		t.Errorf("ready %+v", ready)
	}
	providers, gaps = cloud.Providers{&machines{may: v1alpha1.MayYes}}, nil
	permission, ready = look()
	if permission.May != v1alpha1.MayYes || permission.Actuator != "aws" || ready.Status != metav1.ConditionTrue {
		t.Errorf("found: permission %+v, ready %+v", permission, ready)
	}
}

func TestStatusCounts(t *testing.T) {
	p := policy(v1alpha1.ModeReport)
	p.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot}, {Action: v1alpha1.ActionReplace}}
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(7), &p, node("n1", "1a", down(0)), over("r1", "links", v1alpha1.RemediationAsForecastReason), over("r2", "links", v1alpha1.RemediationDidNotHelpReason),
		over("r3", "other", v1alpha1.RemediationAsForecastReason))...)
	b.plan(t)
	status := b.status(t)
	if *status.Nodes != 8 || *status.UnhealthyNodes != 1 || *status.AsForecast != 1 || status.ObservedGeneration != 7 {
		t.Errorf("%d nodes, %d unhealthy, %d as forecast, generation %d", *status.Nodes, *status.UnhealthyNodes, *status.AsForecast, status.ObservedGeneration)
	}
	want := []v1alpha1.ActionCount{{Action: v1alpha1.ActionReboot, Count: 1}, {Action: v1alpha1.ActionReplace}}
	if diff := cmp.Diff(want, status.AsForecastByAction); diff != "" {
		t.Errorf("as forecast, by action (-want +got):\n%s", diff)
	}
}

// TestEarnedByAction: reboots that went as forecast earn no replacement.
func TestEarnedByAction(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	p.Spec.EarnAuto = new(int32(2))
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(9), &p, node("n1", "1a", down(time.Hour)),
		over("r1", "links", v1alpha1.RemediationAsForecastReason), over("r2", "links", v1alpha1.RemediationAsForecastReason))...)
	for action, want := range map[v1alpha1.Action]guard.Decision{v1alpha1.ActionReboot: guard.Allow, v1alpha1.ActionReplace: guard.Delay, v1alpha1.ActionRestartService: guard.Delay} {
		r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "next"}, Spec: v1alpha1.RemediationSpec{
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "links", Rule: "link"}, Node: v1alpha1.NodeReference{Name: "n1", UID: "uid-n1"},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady"}, Plan: v1alpha1.NodePlan(action, ""),
		}}
		ruling, err := b.CheckGuard(t.Context(), r, &p, outcome.Outcome{World: b.World()}, guard.Known(ledger.Ledger{}, now))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range ruling.All {
			if one.Check == "mode" && one.Decision != want {
				t.Errorf("%s: %s %s, want %s", action, one.Decision, one.Reason, want)
			}
		}
	}
}

func over(name, policy, result string) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: ago(time.Hour)},
		Spec: v1alpha1.RemediationSpec{
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: policy}, Node: v1alpha1.NodeReference{Name: "gone"}, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, ""),
		},
		Status: v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseEnded, Conditions: []metav1.Condition{
			{Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: result, LastTransitionTime: ago(time.Hour)},
		}},
	}
}

func TestPermissionsAreAskedNowAndThen(t *testing.T) {
	p := policy(v1alpha1.ModeReport)
	p.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionRestartService}, {Action: v1alpha1.ActionReplace}}
	provider := &machines{may: v1alpha1.MayYes}
	b := newBench(t, provider, append(healthy(3), &p)...)
	b.plan(t)
	want := []v1alpha1.Permission{
		{Action: v1alpha1.ActionReboot, Actuator: "aws", May: v1alpha1.MayYes, Message: "The dry run of RebootInstances was permitted.", At: ago(0), Groups: []v1alpha1.GroupPermission{
			{Name: "workers", May: v1alpha1.MayYes, Message: "The dry run of RebootInstances was permitted."},
		}},
		{Action: v1alpha1.ActionRestartService, Actuator: "agent", May: v1alpha1.MayUnknown, Message: "No pod of naosu-agent was found.", At: ago(0)},
		{Action: v1alpha1.ActionReplace, Actuator: "None", May: v1alpha1.MayNo, Message: "No provider supports this action for node well-0.", At: ago(0), Groups: []v1alpha1.GroupPermission{
			{Name: "workers", May: v1alpha1.MayNo, Message: "No provider supports this action for node well-0."},
		}},
	}
	if diff := cmp.Diff(want, b.status(t).Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	asked := provider.asked
	b.clock.SetTime(now.Add(10 * time.Minute))
	b.plan(t)
	if provider.asked != asked {
		t.Error("a cloud is asked again within ten minutes")
	}
	b.clock.SetTime(now.Add(10*time.Minute + time.Second))
	b.plan(t)
	if provider.asked == asked || !b.status(t).Permissions[0].At.Equal(new(metav1.NewTime(now.Add(10*time.Minute+time.Second)))) {
		t.Error("a cloud is not asked again")
	}
}

func TestCheckGuard(t *testing.T) {
	rival := cloud.Repairer{By: change.Ref{Kind: "Group", Name: "workers"}, Nodes: []string{"n1"}, Rules: []cloud.RepairerRule{
		{Condition: "NetworkingReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionReboot},
	}}
	approved := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "r1"}, Spec: v1alpha1.RemediationSpec{
		Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "links", Rule: "link"}, Node: v1alpha1.NodeReference{Name: "n1", UID: "uid-n1"},
		Evidence: v1alpha1.Evidence{Condition: "NetworkingReady"}, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, ""),
	}}
	for name, tc := range map[string]struct {
		change   func(*bench)
		provider *machines
		mode     v1alpha1.Mode
		want     string // check/reason of what is not allowed
	}{
		"all allow":               {nil, &machines{}, v1alpha1.ModeAuto, ""},
		"only reported":           {nil, &machines{}, v1alpha1.ModeReport, "mode/ReportOnly"},
		"another leads":           {func(b *bench) { b.Leading = func(context.Context) (bool, error) { return false, nil } }, &machines{}, v1alpha1.ModeAuto, "lease/NotLeading"},
		"nobody knows who leads":  {func(b *bench) { b.Leading = func(context.Context) (bool, error) { return true, errors.New("no") } }, &machines{}, v1alpha1.ModeAuto, "lease/Unknown"},
		"the server is unhealthy": {func(b *bench) { b.ServerReady = func(context.Context) error { return errors.New("no") } }, &machines{}, v1alpha1.ModeAuto, "api-server/APIServerUnhealthy"},
		"another repairs":         {nil, &machines{repairers: []cloud.Repairer{rival}}, v1alpha1.ModeAuto, "competing/CompetingRepairer"},
		"nobody knows who does":   {nil, &machines{err: errors.New("throttled")}, v1alpha1.ModeAuto, "competing/Unknown"},
		"what is known is old":    {func(b *bench) { b.clock.SetTime(now.Add(2 * time.Minute)) }, &machines{}, v1alpha1.ModeAuto, "fresh/Stale"},
		"pods are not known": {func(b *bench) {
			world := cluster.New(cluster.Contents{Objects: []runtime.Object{node("n1", "1a", down(time.Hour))}, Taken: now, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete}})
			b.World = func() *cluster.Snapshot { return world }
		}, &machines{}, v1alpha1.ModeAuto, "budgets/Unknown"},
		"a cache that is behind": {func(b *bench) {
			stored := policy(v1alpha1.ModeAuto)
			if err := b.Client.Delete(context.Background(), &stored); err != nil {
				panic(err)
			}
			if err := b.Client.Create(context.Background(), &stored); err != nil {
				panic(err)
			}
		}, &machines{}, v1alpha1.ModeReport, "mode/ReportOnly"},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(tc.mode)
			b := newBench(t, tc.provider, append(healthy(9), &p, node("n1", "1a", down(time.Hour)))...)
			if tc.change != nil {
				tc.change(b)
			}
			ruling, err := b.CheckGuard(t.Context(), approved, &p, outcome.Outcome{World: b.World(), Compared: &outcome.Comparison{Futures: seeds}}, guard.Known(ledger.Ledger{}, b.clock.Now()))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, one := range ruling.All {
				if one.Decision != guard.Allow && got == "" {
					got = one.Check + "/" + string(one.Reason)
				}
			}
			if got != tc.want || (ruling.Decision == guard.Allow) != (tc.want == "") {
				t.Errorf("got %q (%s), want %q", got, ruling.Decision, tc.want)
			}
		})
	}
}

func TestNeedsRepair(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	p.Spec.Rules = append(p.Spec.Rules, v1alpha1.RepairRule{Name: "kernel", Condition: "KernelReady", Status: "False"},
		v1alpha1.RepairRule{Name: "gpu-by-hand", Condition: "AcceleratedHardwareReady", Status: "False", Action: v1alpha1.ActionNone})
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Policy: v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "links", Rule: "link"}, Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False"}}}
	acted := r.DeepCopy()
	acted.Status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepAct}}
	before := acted.DeepCopy()
	before.Status.Steps[0].Preexisting = []string{"AcceleratedHardwareReady"}
	kernel := corev1.NodeCondition{Type: "KernelReady", Status: corev1.ConditionFalse}
	gpu := corev1.NodeCondition{Type: "AcceleratedHardwareReady", Status: corev1.ConditionFalse}
	notReady := node("n1", "")
	notReady.Status.Conditions[0].Status = corev1.ConditionFalse
	for name, tc := range map[string]struct {
		r    *v1alpha1.Remediation
		node *corev1.Node
		want bool
	}{
		"the evidence holds":                     {r, node("n1", "", down(0)), true},
		"it does not":                            {r, node("n1", ""), false},
		"something else is unhealthy":            {r, node("n1", "", kernel), false},
		"afterwards, the evidence holds":         {acted, node("n1", "", down(0)), true},
		"afterwards, all is well":                {acted, node("n1", ""), false},
		"afterwards, another thing is unhealthy": {acted, node("n1", "", kernel), true},
		"afterwards, it is not Ready":            {acted, notReady, true},

		"what a person sees to was so before":     {before, node("n1", "", gpu), false},
		"it was, and the evidence holds":          {before, node("n1", "", gpu, down(0)), true},
		"it was, and another thing is unhealthy":  {before, node("n1", "", gpu, kernel), true},
		"it was, and the node is not Ready":       {before, notReady, true},
		"what a person sees to was not so before": {acted, node("n1", "", gpu), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := repairpolicy.NeedsRepair(p.Spec.Rules, tc.r, tc.node); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAssess(t *testing.T) {
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Node: v1alpha1.NodeReference{Name: "n1", UID: "uid-n1"}, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}}
	b := newBench(t, nil, append(web(), node("n1", "1a"), node("n2", "1a"), node("n3", "1a"))...)
	result, err := b.Assess(t.Context(), r, guard.Known(ledger.Ledger{}, now))
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Fates) != 1 || result.Fates[0].Pod.Name != "a" || result.Seeds != seeds {
		t.Errorf("fates %+v of %d seeds", result.Fates, result.Seeds)
	}
	if b.forecasts.expire(now.Add(judgeMaxAge)); b.forecasts.judge == nil {
		t.Error("a Judge is let go that the next question could use")
	}
	if b.forecasts.expire(now.Add(judgeMaxAge + 1)); b.forecasts.judge != nil {
		t.Error("a Judge of a world that is past is held")
	}
	r.Spec.Plan = v1alpha1.NodePlan(v1alpha1.ActionRestartService, "")
	if result, err := b.Assess(t.Context(), r, guard.Known(ledger.Ledger{}, now)); err != nil || len(result.Fates) > 0 || result.World == nil {
		t.Errorf("a restart moves %v (%v)", result.Fates, err)
	}
	r.Spec.Node.UID = "another"
	if _, err := b.Assess(t.Context(), r, guard.Known(ledger.Ledger{}, now)); err == nil {
		t.Error("another node of the same name is assessed")
	}
}
