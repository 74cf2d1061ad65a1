package failover

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// newSilent is a bench with a pod on a silent node, n2, for which a policy decides that declares nodes out of service.
func newSilent(t *testing.T, edits ...func(*v1alpha1.FailoverPolicy)) *bench {
	t.Helper()
	p := policy(v1alpha1.ModeAuto)
	p.Spec.OutOfService = v1alpha1.OutOfServiceWhenOff
	for _, edit := range edits {
		edit(p)
	}
	silent := node("n2", corev1.ConditionUnknown)
	silent.UID, silent.Spec.ProviderID, silent.Status.NodeInfo.BootID = "u2", "aws:///a/i-2", "b2"
	silent.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now)
	held := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: "n2"}, Spec: coordinationv1.LeaseSpec{RenewTime: new(metav1.NewMicroTime(now))},
	}
	b := newBench(t, p, silent, held, pod("web-2", "n2"), node("n1", corev1.ConditionTrue))
	b.machines = map[string]cloud.Running{"n2": cloud.Off}
	return b
}

func (b *bench) outOfServiceNode(t *testing.T) bool {
	t.Helper()
	var n corev1.Node
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: "n2"}, &n); err != nil {
		t.Fatal(err)
	}
	_, declared := failoverpolicy.DeclarationOf(&n)
	if declared != kube.IsOutOfService(&n) {
		t.Errorf("declared %t, taints %v", declared, n.Spec.Taints)
	}
	return declared
}

// pass reconciles for some time whenever it is asked to, and ignores errors, which the next attempt gets over.
func (b *bench) pass(t *testing.T, of time.Duration) {
	t.Helper()
	for end := b.clock.Now().Add(of); b.clock.Now().Before(end); {
		b.start.Do(func() { b.init() })
		again, err := b.Reconcile(t.Context())
		if err != nil || again == 0 {
			again = 5 * time.Second
		}
		b.clock.Step(min(again, end.Sub(b.clock.Now())))
	}
}

// boot gives the machine of a node another boot ID.
func boot(t *testing.T, b *bench) {
	t.Helper()
	var n corev1.Node
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: "n2"}, &n); err != nil {
		t.Fatal(err)
	}
	n.Status.NodeInfo.BootID += "-again"
	if err := b.Client.Status().Update(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
}

func edit[T client.Object](t *testing.T, b *bench, key client.ObjectKey, o T, change func(T)) {
	t.Helper()
	if err := b.Client.Get(t.Context(), key, o); err != nil {
		t.Fatal(err)
	}
	change(o)
	if err := b.Client.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func TestOutOfService(t *testing.T) {
	for name, tc := range map[string]struct {
		policy func(*v1alpha1.FailoverPolicy)
		edit   func(*bench)
		want   bool
	}{
		"stopped":              {want: true},
		"terminated":           {edit: func(b *bench) { b.machines["n2"] = cloud.Gone }, want: true},
		"running":              {edit: func(b *bench) { b.machines["n2"] = cloud.On }},
		"stopping":             {edit: func(b *bench) { b.machines["n2"] = cloud.Changes }},
		"no record of it":      {edit: func(b *bench) { b.machines["n2"] = cloud.NotFound }},
		"no response":          {edit: func(b *bench) { clear(b.machines) }},
		"no provider owns it":  {edit: func(b *bench) { b.Providers = func() (cloud.Providers, []cloud.Gap) { return nil, nil } }},
		"another leads":        {edit: func(b *bench) { b.leads = false }},
		"old facts":            {edit: func(b *bench) { b.stale = 2 * maxWorldAge }},
		"may not be written":   {edit: func(b *bench) { b.refuse["n2"] = errors.New("forbidden") }},
		"Report":               {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }},
		"paused":               {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }},
		"Never":                {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.OutOfService = v1alpha1.OutOfServiceNever }},
		"another app's policy": {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.PodSelector.MatchLabels = map[string]string{"app": "db"} }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSilent(t, func(p *v1alpha1.FailoverPolicy) {
				if tc.policy != nil {
					tc.policy(p)
				}
			})
			if tc.edit != nil {
				tc.edit(b)
			}
			b.pass(t, 5*time.Minute)
			if got := b.outOfServiceNode(t); got != tc.want {
				t.Errorf("out of service: %t, want %t", got, tc.want)
			}
			close(b.events.Events)
			told := slices.ContainsFunc(slices.Collect(b.said()), func(e string) bool { return strings.HasPrefix(e, "Warning OutOfService ") })
			if told != tc.want {
				t.Errorf("an Event says so: %t, want %t", told, tc.want)
			}
		})
	}
}

func (b *bench) said() func(func(string) bool) {
	return func(yield func(string) bool) {
		for e := range b.events.Events {
			if !yield(e) {
				return
			}
		}
	}
}

// A proof takes two readings, and what happens between or after them ends it.
func TestOutOfServiceTakesTwoReadings(t *testing.T) {
	policyKey, leaseKey := client.ObjectKey{Name: "web"}, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: "n2"}
	for name, between := range map[string]func(*testing.T, *bench){
		"another controller begins": func(_ *testing.T, b *bench) { clear(b.readings) },
		"no response": func(t *testing.T, b *bench) {
			clear(b.machines)
			b.clock.Step(proofDelay)
			_, _ = b.Reconcile(t.Context())
			b.machines["n2"] = cloud.Off
		},
		"it was starting": func(t *testing.T, b *bench) {
			b.machines["n2"] = cloud.Changes
			b.clock.Step(proofDelay)
			b.reconcile(t)
			b.machines["n2"] = cloud.Off
		},
		"its Lease was renewed": func(t *testing.T, b *bench) {
			edit(t, b, leaseKey, &coordinationv1.Lease{}, func(l *coordinationv1.Lease) { l.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(time.Second))) })
		},
		"it has booted": boot,
		"the policy was paused": func(t *testing.T, b *bench) {
			edit(t, b, policyKey, &v1alpha1.FailoverPolicy{}, func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSilent(t)
			b.reconcile(t)
			if b.outOfServiceNode(t) {
				t.Fatal("out of service after one reading")
			}
			between(t, b)
			b.clock.Step(proofDelay)
			if b.reconcile(t); b.outOfServiceNode(t) {
				t.Error("out of service")
			}
		})
	}
	b := newSilent(t)
	if again := b.reconcile(t); again != proofDelay {
		t.Errorf("again in %s, want %s", again, proofDelay)
	}
	b.clock.Step(proofDelay)
	if b.reconcile(t); !b.outOfServiceNode(t) {
		t.Error("not out of service after two readings")
	}
}

// The policy is read anew before the node is written: what a cache has may be old.
func TestOutOfServiceReadsThePolicyAnew(t *testing.T) {
	b := newSilent(t)
	b.reconcile(t)
	fresh := newSilent(t, func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true })
	b.Reader = fresh.Client
	b.clock.Step(proofDelay)
	b.reconcile(t)
	b.Reader = b.Client
	if b.outOfServiceNode(t) {
		t.Error("out of service although the policy is paused by now")
	}
}

// When the machine is back, the node gets its pods back, also without the policy; and then nothing is read or written any more.
func TestBackInService(t *testing.T) {
	b := newSilent(t)
	b.pass(t, time.Minute)
	if !b.outOfServiceNode(t) {
		t.Fatal("not out of service")
	}
	before := b.reads
	b.pass(t, time.Hour)
	if !b.outOfServiceNode(t) || b.reads != before {
		t.Errorf("out of service %t, %d readings more", b.outOfServiceNode(t), b.reads-before)
	}
	if err := b.Client.Delete(t.Context(), policy(v1alpha1.ModeAuto)); err != nil {
		t.Fatal(err)
	}
	boot(t, b)
	b.pass(t, resyncInterval)
	if b.outOfServiceNode(t) {
		t.Error("out of service after its machine has booted")
	}
	if again := b.reconcile(t); again != 0 || len(b.requests) > 0 {
		t.Errorf("again in %s after %v", again, b.requests)
	}
}

// What fails is tried ever more seldom, and succeeds once nothing prevents it.
func TestOutOfServiceBackoff(t *testing.T) {
	b := newSilent(t)
	b.refuse["n2"] = errors.New("forbidden")
	b.pass(t, 24*time.Hour)
	if b.reads > 2*24*60 {
		t.Errorf("%d readings in a day", b.reads)
	}
	delete(b.refuse, "n2")
	if b.pass(t, 2*maxBackoff); !b.outOfServiceNode(t) {
		t.Error("not out of service when nothing prevents it any more")
	}
}

// The machines of nodes that stay silent are read ever more seldom.
func TestReadingsOfRunningMachines(t *testing.T) {
	b := newSilent(t)
	b.machines["n2"] = cloud.On
	b.pass(t, 10*time.Minute)
	first := b.reads
	b.pass(t, 24*time.Hour)
	if perDay := b.reads - first; first < 15 || first > 60 || perDay > 800 {
		t.Errorf("%d readings in ten minutes, %d in the day after", first, perDay)
	}
}
