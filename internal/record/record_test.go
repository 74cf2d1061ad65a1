package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func records(t *testing.T, objects ...client.Object) *Records {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.Remediation{}, &v1alpha1.NodeRepairPolicy{}).Build()
	return &Records{Client: c, Reader: c, Clock: clocktesting.NewFakePassiveClock(now)}
}

func remediation() *v1alpha1.Remediation {
	return &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "mend"}, Spec: v1alpha1.RemediationSpec{Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}}
}

func TestCreateTwiceIsOnce(t *testing.T) {
	r, ctx := records(t), t.Context()
	first, err := r.Create(ctx, remediation())
	if err != nil {
		t.Fatal(err)
	}
	if first, err = r.UpdateStatus(ctx, first, func(s *v1alpha1.RemediationStatus) { s.Phase = v1alpha1.PhaseRunning }); err != nil {
		t.Fatal(err)
	}
	second, err := r.Create(ctx, remediation())
	if err != nil || second.Status.Phase != v1alpha1.PhaseRunning || second.ResourceVersion != first.ResourceVersion {
		t.Errorf("made again: %+v, %v", second, err)
	}
	if all, err := r.List(ctx); err != nil || len(all) != 1 {
		t.Errorf("%d Remediations, %v", len(all), err)
	}
	if _, err := r.Create(ctx, &v1alpha1.Remediation{}); err == nil {
		t.Error("one without a name is made")
	}
}

func TestUpdateStatus(t *testing.T) {
	r, ctx := records(t, remediation()), t.Context()
	read, err := r.Get(ctx, "mend")
	if err != nil {
		t.Fatal(err)
	}
	changed := func(s *v1alpha1.RemediationStatus) { s.Phase = v1alpha1.PhaseWaiting }

	approved := read.DeepCopy()
	approved.Spec.Approval = v1alpha1.Rejected
	if err := r.Client.Update(ctx, approved); err != nil {
		t.Fatal(err)
	}
	if _, err := r.UpdateStatus(ctx, read, changed); !apierrors.IsConflict(err) {
		t.Errorf("over a spec that was not read: %v, want a conflict", err)
	}
	if read.Status.Phase != "" {
		t.Error("what was read is changed")
	}

	if read, err = r.Get(ctx, "mend"); err != nil {
		t.Fatal(err)
	}
	after, err := r.UpdateStatus(ctx, read, changed)
	if err != nil || after.Status.Phase != v1alpha1.PhaseWaiting {
		t.Errorf("wrote %+v, %v", after, err)
	}
	again, err := r.UpdateStatus(ctx, after, changed)
	if err != nil || again.ResourceVersion != after.ResourceVersion {
		t.Errorf("nothing changed, and it was written: %v", err)
	}
}

func TestUpdateStatusLeavesTheAgentsWord(t *testing.T) {
	r, ctx := records(t, remediation()), t.Context()
	read, err := r.Get(ctx, "mend")
	if err != nil {
		t.Fatal(err)
	}
	said := read.DeepCopy()
	said.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentAccepted, At: metav1.NewMicroTime(now)}
	if err := r.Client.Status().Update(ctx, said); err != nil {
		t.Fatal(err)
	}
	if read, err = r.Get(ctx, "mend"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.UpdateStatus(ctx, read, func(s *v1alpha1.RemediationStatus) { *s = v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseWaiting} }); err != nil {
		t.Fatal(err)
	}
	if read, err = r.Get(ctx, "mend"); err != nil || read.Status.Agent == nil || read.Status.Phase != v1alpha1.PhaseWaiting {
		t.Errorf("read %+v, %v", read.Status, err)
	}
}

func entry(name string, ended time.Time) ledger.Entry {
	return ledger.Entry{Remediation: name, Node: "n1", Action: v1alpha1.ActionReboot, Began: now.Add(-time.Hour), Ended: ended}
}

func TestLedger(t *testing.T) {
	r, ctx := records(t), t.Context()
	read := func() Ledger {
		t.Helper()
		l, err := r.ReadLedger(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first, second := read(), read()
	if err := r.WriteLedger(ctx, first, first.Reserve(entry("a", time.Time{}))); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteLedger(ctx, second, second.Reserve(entry("b", time.Time{}))); !apierrors.IsConflict(err) {
		t.Errorf("the second to make it: %v, want a conflict", err)
	}
	first, second = read(), read()
	if err := r.WriteLedger(ctx, first, first.Reserve(entry("b", time.Time{}))); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteLedger(ctx, second, second.Reserve(entry("c", time.Time{}))); !apierrors.IsConflict(err) {
		t.Errorf("the second to change it: %v, want a conflict", err)
	}
	want := ledger.Ledger{Entries: []ledger.Entry{entry("a", time.Time{}), entry("b", time.Time{})}}
	stale := read()
	if diff := cmp.Diff(want, stale.Ledger); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	if err := r.Client.Delete(ctx, stale.stored); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteLedger(ctx, stale, stale.Ledger); !apierrors.IsConflict(err) {
		t.Errorf("one that was deleted: %v, want a conflict", err)
	}
}

func TestDamagedLedger(t *testing.T) {
	for name, data := range map[string]map[string]string{
		"cut":        {ledgerKey: `{"entries":[{"remediation":`},
		"empty":      {ledgerKey: ``},
		"without":    nil,
		"other type": {ledgerKey: `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			r := records(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: DefaultNamespace, Name: LedgerName}, Data: data})
			if l, err := r.ReadLedger(t.Context()); !errors.Is(err, ErrDamaged) {
				t.Errorf("%v; it is read as %v", err, l.Ledger)
			}
		})
	}
}

// TestOldLedger reads what versions wrote that knew neither refusals nor nodes that leave.
func TestOldLedger(t *testing.T) {
	r := records(t, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: DefaultNamespace, Name: LedgerName},
		Data: map[string]string{ledgerKey: `{"entries":[{"remediation":"a","node":"n1","zone":"1a","action":"Reboot","began":"2026-03-04T11:00:00Z",` +
			`"ended":"2026-03-04T12:00:00Z","result":"NotHelped"},{"remediation":"b","node":"n2","action":"Replace","began":"2026-03-04T11:00:00Z"}]}`},
	})
	read, err := r.ReadLedger(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	over, goesOn := entry("a", now), entry("b", time.Time{})
	over.Zone, over.Result, goesOn.Node, goesOn.Action = "1a", ledger.NotHelped, "n2", v1alpha1.ActionReplace
	if diff := cmp.Diff([]ledger.Entry{over, goesOn}, read.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestLedgerIsBounded(t *testing.T) {
	r, ctx := records(t), t.Context()
	var l ledger.Ledger
	for i := range 6000 {
		l.Entries = append(l.Entries, entry(fmt.Sprintf("%s-%d", strings.Repeat("n", 50), i), now.Add(time.Duration(i)*time.Second-24*time.Hour)))
	}
	l = l.Reserve(entry("goes-on", time.Time{})).Reserve(entry("ancient", now.Add(-ledger.Retention-time.Hour)))
	empty, err := r.ReadLedger(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteLedger(ctx, empty, l); err != nil {
		t.Fatal(err)
	}
	kept, err := r.ReadLedger(ctx)
	if err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(kept.Entries, func(e ledger.Entry) bool { return strings.HasSuffix(e.Remediation, name) })
	}
	if size := len(kept.stored.Data[ledgerKey]); size > maxLedger || size < maxLedger/2 {
		t.Errorf("%d bytes", size)
	}
	if !has("goes-on") || !has("-5999") || has("-0") || has("ancient") {
		t.Errorf("kept what goes on: %t, the youngest: %t, the oldest: %t, what nobody asks about: %t", has("goes-on"), has("-5999"), has("-0"), has("ancient"))
	}

	var busy ledger.Ledger
	for i := range 6000 {
		busy.Entries = append(busy.Entries, entry(fmt.Sprintf("%s-%d", strings.Repeat("n", 50), i), time.Time{}))
	}
	if err := r.WriteLedger(ctx, kept, busy); err == nil {
		t.Error("a ledger that is too large is written")
	}
}

func TestEvent(t *testing.T) {
	r := records(t)
	r.Event(remediation(), corev1.EventTypeNormal, "Began", "Reboot", "nobody hears")
	recorder := events.NewFakeRecorder(1)
	r.Events = recorder
	r.Event(remediation(), corev1.EventTypeWarning, "RepairGaveUp", "Reboot", "100% of it")
	if got, want := <-recorder.Events, "Warning RepairGaveUp 100% of it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
