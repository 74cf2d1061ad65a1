package failover

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

func attachment() *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: storagev1.VolumeAttachmentSpec{NodeName: "n2"}}
}

// newVolume is newSilent with a volume on n2, whose machine runs according to its provider.
func newVolume(t *testing.T, edits ...func(*v1alpha1.FailoverPolicy)) *bench {
	t.Helper()
	b := newSilent(t, edits...)
	b.machines["n2"] = cloud.On
	if err := b.Client.Create(t.Context(), attachment()); err != nil {
		t.Fatal(err)
	}
	return b
}

// kept says whether n2 has the finalizer; gone is whether it is gone.
func (b *bench) kept(t *testing.T) (kept, gone bool) {
	t.Helper()
	var n corev1.Node
	err := b.Client.Get(t.Context(), client.ObjectKey{Name: "n2"}, &n)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return failoverpolicy.HasFinalizer(&n), apierrors.IsNotFound(err)
}

func (b *bench) wantKept(t *testing.T, want bool) {
	t.Helper()
	if kept, gone := b.kept(t); gone || kept != want {
		t.Fatalf("kept %t, gone %t, want kept %t", kept, gone, want)
	}
}

func (b *bench) deleteNode(t *testing.T) {
	t.Helper()
	if err := b.Client.Delete(t.Context(), node("n2", corev1.ConditionUnknown)); err != nil {
		t.Fatal(err)
	}
}

func TestNodeIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		policy func(*v1alpha1.FailoverPolicy)
		edit   func(*bench)
		want   bool
	}{
		"runs":                {want: true},
		"terminated":          {edit: func(b *bench) { b.machines["n2"] = cloud.Gone }, want: true},
		"no record of it":     {edit: func(b *bench) { b.machines["n2"] = cloud.NotFound }},
		"no response":         {edit: func(b *bench) { clear(b.machines) }},
		"no provider owns it": {edit: func(b *bench) { b.Providers = func() (cloud.Providers, []cloud.Gap) { return nil, nil } }},
		"another leads":       {edit: func(b *bench) { b.leads = false }},
		"old facts":           {edit: func(b *bench) { b.stale = 2 * maxWorldAge }},
		"Report":              {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }},
		"paused":              {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }},
		"Never":               {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.OutOfService = v1alpha1.OutOfServiceNever }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newVolume(t, func(p *v1alpha1.FailoverPolicy) {
				if tc.policy != nil {
					tc.policy(p)
				}
			})
			if tc.edit != nil {
				tc.edit(b)
			}
			_, _ = b.Reconcile(t.Context())
			b.wantKept(t, tc.want)
		})
	}
}

// The finalizer goes when what it is for is over, and then nothing is asked any more.
func TestNodeIsKeptNoMore(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *bench){
		"the machine is back": func(t *testing.T, b *bench) {
			var n corev1.Node
			if err := b.Client.Get(t.Context(), client.ObjectKey{Name: "n2"}, &n); err != nil {
				t.Fatal(err)
			}
			n.Status.Conditions[0].Status = corev1.ConditionTrue
			if err := b.Client.Status().Update(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
		},
		"the volume is detached": func(t *testing.T, b *bench) {
			if err := b.Client.Delete(t.Context(), attachment()); err != nil {
				t.Fatal(err)
			}
		},
		"the policy is paused": func(t *testing.T, b *bench) {
			edit(t, b, client.ObjectKey{Name: "web"}, &v1alpha1.FailoverPolicy{}, func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true })
		},
		"the policy is deleted": func(t *testing.T, b *bench) {
			if err := b.Client.Delete(t.Context(), policy(v1alpha1.ModeAuto)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newVolume(t)
			b.reconcile(t)
			b.wantKept(t, true)
			end(t, b)
			b.pass(t, time.Minute)
			b.wantKept(t, false)
		})
	}
}

// The cloud controller deletes the Node of a machine that was terminated; it stays until its volume is detached.
func TestDeletionOfNodeIsDelayed(t *testing.T) {
	b := newVolume(t)
	b.reconcile(t)
	b.clock.SetTime(time.Now()) // The API in memory dates deletions itself.
	b.machines["n2"] = cloud.Gone
	b.deleteNode(t)
	b.pass(t, proofDelay+time.Second)
	b.wantKept(t, true)
	if !b.outOfServiceNode(t) {
		t.Fatal("a node is not out of service that is kept, and whose machine is terminated")
	}
	b.pass(t, 8*time.Minute)
	b.wantKept(t, true)
	if err := b.Client.Delete(t.Context(), attachment()); err != nil {
		t.Fatal(err)
	}
	b.pass(t, spokenInterval+time.Second)
	if _, gone := b.kept(t); !gone {
		t.Error("the node is kept although its volume is detached")
	}
}

// Nothing delays the deletion for long: not a machine that runs, one of which nothing is known, a volume that is never detached, or another
// controller that takes the lead.
func TestDeletionOfNodeIsNotDelayedForLong(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*bench)
		want time.Duration
	}{
		"the machine runs":             {func(*bench) {}, 5 * time.Second},
		"no record":                    {func(b *bench) { b.machines["n2"] = cloud.NotFound }, 5 * time.Second},
		"the provider has no response": {func(b *bench) { clear(b.machines) }, 10*time.Minute + 10*time.Second},
		"the volume stays":             {func(b *bench) { b.machines["n2"] = cloud.Gone }, 10*time.Minute + 10*time.Second},
		"another controller leads":     {func(b *bench) { clear(b.readings) }, 10 * time.Second},
		"the machine runs, and the clock is an hour slow": {func(b *bench) { b.clock.SetTime(time.Now().Add(-time.Hour)) }, 5 * time.Second},
		"the volume stays, and the clock is an hour slow": {func(b *bench) {
			b.machines["n2"] = cloud.Gone
			b.clock.SetTime(time.Now().Add(-time.Hour))
		}, 10*time.Minute + 10*time.Second},
		"the volume stays, and the clock is an hour fast": {func(b *bench) { // Kubernetes releases the volume then, as without naosu.
			b.machines["n2"] = cloud.Gone
			b.clock.SetTime(time.Now().Add(time.Hour))
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			b := newVolume(t)
			b.reconcile(t)
			b.clock.SetTime(time.Now()) // The API in memory dates deletions itself.
			tc.edit(b)
			b.deleteNode(t)
			b.clock.Step(time.Second)
			b.pass(t, tc.want)
			if _, gone := b.kept(t); !gone {
				t.Errorf("the node is kept for longer than %v", tc.want)
			}
		})
	}
}
