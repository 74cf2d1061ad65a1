package repair

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	command "github.com/naosu-dev/naosu/internal/cli/repair"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// abortWorld has two Remediations: one drains n1, the other is a proposal; a third has ended.
type abortWorld struct {
	t       *testing.T
	api     *memory.API
	records *record.Records
	out     bytes.Buffer
}

func newAbortWorld(t *testing.T) *abortWorld {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, coordinationv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	of := func(name, node string, phase v1alpha1.Phase) *v1alpha1.Remediation {
		r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.RemediationFinalizer}}}
		r.Spec.Plan, r.Spec.Node = v1alpha1.NodePlan(v1alpha1.ActionReboot, ""), v1alpha1.NodeReference{Name: node, UID: "uid-of-" + "n1"}
		r.Status.Phase = phase
		return r
	}
	at := metav1.NewMicroTime(time.Now())
	runs := of("runs", "n1", v1alpha1.PhaseRunning)
	runs.Status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepCordon, StartedAt: at, EndedAt: &at, Result: v1alpha1.StepDone}, {Name: v1alpha1.StepDrain, StartedAt: at}}
	ended := of("ended", "n1", v1alpha1.PhaseEnded)
	ended.Finalizers = nil
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "uid-of-n1", Annotations: map[string]string{action.CordonedByAnnotation: "runs"}}}
	node.Spec.Unschedulable = true
	w := &abortWorld{t: t}
	w.api = memory.New(scheme, []client.Object{&v1alpha1.Remediation{}, &corev1.Node{}}, runs, of("proposal", "n1", v1alpha1.PhaseProposed), ended, node)
	w.records = &record.Records{Client: w.api.Direct, Reader: w.api.Direct, Clock: clock.RealClock{}}
	stored := w.remediation("runs")
	w.must(w.records.WriteLedger(t.Context(), w.ledger(), w.ledger().Reserve(ledger.Entry{Remediation: "runs", UID: stored.UID, Node: "n1", Action: v1alpha1.ActionReboot, Began: time.Now()})))
	return w
}

func (w *abortWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *abortWorld) remediation(name string) *v1alpha1.Remediation {
	w.t.Helper()
	r, err := w.records.Get(w.t.Context(), name)
	w.must(err)
	return r
}

func (w *abortWorld) ledger() record.Ledger {
	w.t.Helper()
	l, err := w.records.ReadLedger(w.t.Context())
	w.must(err)
	return l
}

func (w *abortWorld) cordoned() bool {
	w.t.Helper()
	var node corev1.Node
	w.must(w.api.Direct.Get(w.t.Context(), client.ObjectKey{Name: "n1"}, &node))
	return node.Spec.Unschedulable
}

func (w *abortWorld) run(o command.AbortOptions, args ...string) error {
	o.IOStreams = genericiooptions.IOStreams{Out: &w.out, ErrOut: &w.out}
	o.Clock, o.Client, o.Say = clock.RealClock{}, w.api.Client, message.English()
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	if err := o.Complete(args); err != nil {
		return err
	}
	return o.Run(w.t.Context())
}

// lead has a controller hold the Lease, and renew it as long as it is its own.
func (w *abortWorld) lead(ctx context.Context, perform func(context.Context)) {
	w.t.Helper()
	_, err := w.records.TakeLease(ctx, nil, "controller", 15*time.Second)
	w.must(err)
	go func() {
		for ctx.Err() == nil {
			lease, err := w.records.Lease(ctx)
			if err != nil || record.Holder(lease, time.Now()) != "controller" {
				return
			}
			lease.Spec.RenewTime = new(metav1.NewMicroTime(time.Now()))
			if w.api.Direct.Update(ctx, lease) == nil {
				perform(ctx)
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	}()
}

func (w *abortWorld) aborted(names ...string) {
	w.t.Helper()
	for _, name := range names {
		r := w.remediation(name)
		if len(r.Finalizers) > 0 || r.Status.Phase != v1alpha1.PhaseEnded || r.Status.Conditions[0].Reason != v1alpha1.RemediationAbortedReason {
			w.t.Errorf("%s: phase %s, conditions %v, finalizers %v", name, r.Status.Phase, r.Status.Conditions, r.Finalizers)
		}
	}
}

func TestAbortWithoutAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newAbortWorld(t)
		w.must(w.run(command.AbortOptions{All: true}))
		w.aborted("runs", "proposal")
		if e := w.ledger().Entries; w.cordoned() || len(e) != 1 || e[0].Result != ledger.Stopped {
			t.Errorf("cordoned: %t, ledger %v", w.cordoned(), e)
		}
		lease, err := w.records.Lease(t.Context())
		w.must(err)
		if holder := record.Holder(lease, time.Now()); holder != "" {
			t.Errorf("the Lease is still held, by %s", holder)
		}
		w.must(w.run(command.AbortOptions{All: true}))
		if !strings.HasSuffix(w.out.String(), "There is nothing to abort.\n") {
			t.Errorf("it says:\n%s", w.out.String())
		}
	})
}

// TestAbortOfAReplacement leaves a node cordoned and counted whose machine a provider has accepted to replace, whether the
// Remediation is aborted or deleted: the promise cannot be taken back.
func TestAbortOfAReplacement(t *testing.T) {
	for name, options := range map[string]struct {
		deleted bool
		args    []string
		o       command.AbortOptions
	}{
		"aborted":         {args: []string{"runs"}},
		"all are aborted": {o: command.AbortOptions{All: true}},
		"deleted":         {deleted: true, args: []string{"runs"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newAbortWorld(t)
				w.promiseReplacement("runs")
				if options.deleted {
					w.must(w.api.Direct.Delete(t.Context(), w.remediation("runs")))
				}
				w.must(w.run(options.o, options.args...))
				if !options.deleted {
					w.aborted("runs")
				}
				l := w.ledger()
				if !w.cordoned() || len(l.Entries) != 1 || !l.IsReplacing("uid-of-n1") {
					t.Errorf("cordoned: %t, ledger %v", w.cordoned(), l.Entries)
				}
			})
		})
	}
}

// promiseReplacement makes of a Remediation one whose act, a replacement, was accepted.
func (w *abortWorld) promiseReplacement(name string) {
	w.t.Helper()
	r := w.remediation(name)
	r.Spec.Plan = v1alpha1.NodePlan(v1alpha1.ActionReplace, "")
	w.must(w.api.Direct.Update(w.t.Context(), r))
	at := metav1.NewMicroTime(time.Now())
	drain := &r.Status.Steps[len(r.Status.Steps)-1]
	drain.EndedAt, drain.Result = &at, v1alpha1.StepDone
	r.Status.Steps = append(r.Status.Steps,
		v1alpha1.Step{Name: v1alpha1.StepAct, StartedAt: at, EndedAt: &at, Result: v1alpha1.StepDone}, v1alpha1.Step{Name: v1alpha1.StepWait, StartedAt: at})
	w.must(w.api.Direct.Status().Update(w.t.Context(), r))
	l := w.ledger()
	w.must(w.records.WriteLedger(w.t.Context(), l, l.SetReplacing(ledger.HolderOf(r), "uid-of-n1")))
}

func TestAbortOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newAbortWorld(t)
		w.must(w.run(command.AbortOptions{}, "remediation/runs"))
		w.aborted("runs")
		if r := w.remediation("proposal"); r.Status.Phase != v1alpha1.PhaseProposed || len(r.Annotations) > 0 {
			t.Errorf("the other: phase %s, annotations %v", r.Status.Phase, r.Annotations)
		}
	})
}

// TestAbortBetweenChanges ends Remediations that are about no node: between two evictions, and between two deletions of interfaces.
func TestAbortBetweenChanges(t *testing.T) {
	for name, spec := range map[string]v1alpha1.RemediationSpec{
		"evictions": {
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.RebalancePolicyKind, Name: "all", Rule: v1alpha1.RebalanceRule},
			Plan:   v1alpha1.Plan{Changes: []v1alpha1.Change{v1alpha1.Eviction("shop", "web-1", "u1", 1), v1alpha1.Eviction("shop", "web-2", "u2", 2)}},
		},
		"deletions": {
			Policy: v1alpha1.PolicyReference{Kind: v1alpha1.AddressPolicyKind, Name: "all", Rule: v1alpha1.AddressRule},
			Plan:   v1alpha1.Plan{Changes: []v1alpha1.Change{v1alpha1.Deletion("eni-1"), v1alpha1.Deletion("eni-2")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newAbortWorld(t)
				r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
				w.must(w.api.Direct.Create(t.Context(), r))
				r.Status.Phase, r.Status.Steps = v1alpha1.PhaseRunning, []v1alpha1.Step{{Name: v1alpha1.StepAct, StartedAt: metav1.NewMicroTime(time.Now())}}
				w.must(w.api.Direct.Status().Update(t.Context(), r))
				began := time.Now()
				w.must(w.run(command.AbortOptions{}, name))
				w.aborted(name)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestAbortBesideAController leaves it to the controller that leads.
func TestAbortBesideAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newAbortWorld(t), t.Context()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		performer := &action.Performer{
			Client: w.api.Direct, Reader: w.api.Direct, Records: w.records, Advisor: action.AbortOnly{}, Clock: clock.RealClock{},
			Leading: func(context.Context) (bool, error) { return true, nil },
		}
		w.api.Before = func(c memory.Call) error {
			if c.Kind == "Node" && c.Writes() || c.Kind == "Lease" && c.Writes() {
				t.Errorf("the command itself did %s", c)
			}
			return nil
		}
		w.lead(ctx, func(ctx context.Context) {
			for _, name := range []string{"runs", "proposal"} {
				if r, err := w.records.Get(ctx, name); err == nil && r.Annotations[v1alpha1.RemediationAbortAnnotation] == "true" {
					_, _ = performer.Advance(ctx, name, nil)
				}
			}
		})
		w.must(w.run(command.AbortOptions{}, "runs", "proposal"))
		w.aborted("runs", "proposal")
	})
}

// TestAbortBesideADeafController says what it could not do, and takes over only when it is forced to.
func TestAbortBesideADeafController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newAbortWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.lead(ctx, func(context.Context) {})
		if err := w.run(command.AbortOptions{All: true}); err == nil || !w.cordoned() {
			t.Errorf("error %v, cordoned: %t", err, w.cordoned())
		}
		w.must(w.run(command.AbortOptions{All: true, Force: true}))
		w.aborted("runs", "proposal")
		lease, err := w.records.Lease(ctx)
		w.must(err)
		if holder := record.Holder(lease, time.Now()); !strings.HasPrefix(holder, "naosu-repair-abort") {
			t.Errorf("the Lease is held by %q: a controller leads again", holder)
		}
	})
}

// TestAbortWhatCannotBePutBack removes the record's finalizer only with --force.
func TestAbortWhatCannotBePutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newAbortWorld(t)
		w.api.Before = func(c memory.Call) error {
			if c.Kind == "Node" && c.Writes() {
				return errors.New("nodes may not be changed")
			}
			return nil
		}
		if err := w.run(command.AbortOptions{All: true}); err == nil || len(w.remediation("runs").Finalizers) == 0 {
			t.Errorf("error %v, finalizers %v", err, w.remediation("runs").Finalizers)
		}
		w.must(w.run(command.AbortOptions{All: true, Force: true}))
		if f := w.remediation("runs").Finalizers; len(f) > 0 || !strings.Contains(w.out.String(), "nodes may not be changed") {
			t.Errorf("finalizers %v, it says:\n%s", f, w.out.String())
		}
	})
}

// With --all --force, an uninstallation follows, after which nobody would remove the finalizer of a Node: it is removed also if nothing is to be aborted.
func TestAbortRemovesNodeFinalizers(t *testing.T) {
	for name, tc := range map[string]struct {
		o    command.AbortOptions
		args []string
		want []string
	}{
		"one":             {command.AbortOptions{}, []string{"runs"}, []string{"example.com/other", failoverpolicy.Finalizer}},
		"all":             {command.AbortOptions{All: true}, nil, []string{"example.com/other", failoverpolicy.Finalizer}},
		"all, with force": {command.AbortOptions{All: true, Force: true}, nil, []string{"example.com/other"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newAbortWorld(t)
				var node corev1.Node
				key := client.ObjectKey{Name: "n1"}
				w.must(w.api.Direct.Get(t.Context(), key, &node))
				node.Finalizers = []string{"example.com/other", failoverpolicy.Finalizer}
				w.must(w.api.Direct.Update(t.Context(), &node))
				for range 2 {
					w.must(w.run(tc.o, tc.args...))
					w.must(w.api.Direct.Get(t.Context(), key, &node))
					if !slices.Equal(node.Finalizers, tc.want) {
						t.Errorf("finalizers %v, want %v", node.Finalizers, tc.want)
					}
				}
			})
		})
	}
}

// TestAbortNothing has nothing to abort: no leader steps down, and nothing is waited for, also where the kinds have no
// definition any more.
func TestAbortNothing(t *testing.T) {
	undefined := func(c memory.Call) error {
		if strings.HasPrefix(c.Kind, "Remediation") || strings.HasPrefix(c.Kind, "NodeRepairPolicy") {
			return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("").GroupResource(), "")
		}
		return nil
	}
	for name, tc := range map[string]struct {
		before func(memory.Call) error
		delete []string
	}{
		"all have ended":  {delete: []string{"runs", "proposal"}},
		"no definitions":  {before: undefined},
		"no kinds at all": {before: func(c memory.Call) error { return map[bool]error{true: &meta.NoKindMatchError{}}[undefined(c) != nil] }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newAbortWorld(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for _, name := range tc.delete {
					r := w.remediation(name)
					r.Finalizers = nil
					w.must(w.api.Direct.Update(ctx, r))
					w.must(w.api.Direct.Delete(ctx, r))
				}
				w.lead(ctx, func(context.Context) {})
				w.api.Before = func(c memory.Call) error {
					if c.Writes() {
						t.Errorf("it did %s", c)
					}
					if tc.before != nil {
						return tc.before(c)
					}
					return nil
				}
				began := time.Now()
				w.must(w.run(command.AbortOptions{All: true, Force: true}))
				if took := time.Since(began); took > 0 || w.out.String() != "There is nothing to abort.\n" {
					t.Errorf("it took %v and says %q", took, w.out.String())
				}
			})
		})
	}
}

// TestAbortWhatMayBeProposed has a policy by which a controller would propose a repair while it is uninstalled: it is made to step
// down first.
func TestAbortWhatMayBeProposed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newAbortWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.must(w.run(command.AbortOptions{All: true}))
		w.must(w.api.Direct.Create(ctx, &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "nodes"}}))
		left, err := w.records.Lease(ctx)
		w.must(err)
		w.must(w.api.Direct.Delete(ctx, left))
		w.lead(ctx, func(context.Context) {})
		// Before the controller has noticed that it leads no more.
		time.AfterFunc(5*time.Second, func() {
			w.must(w.api.Direct.Create(ctx, &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "late", Finalizers: []string{v1alpha1.RemediationFinalizer}}}))
		})
		w.must(w.run(command.AbortOptions{All: true, Force: true}))
		w.aborted("late")
		lease, err := w.records.Lease(ctx)
		w.must(err)
		if holder := record.Holder(lease, time.Now()); !strings.HasPrefix(holder, "naosu-repair-abort") {
			t.Errorf("the Lease is held by %q", holder)
		}
	})
}

func TestAbortBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		o    command.AbortOptions
		args []string
	}{
		"nothing":               {},
		"names and --all":       {command.AbortOptions{All: true}, []string{"runs"}},
		"another kind":          {command.AbortOptions{}, []string{"node/n1"}},
		"one that is not there": {command.AbortOptions{}, []string{"runs", "gone"}},
		"no time":               {command.AbortOptions{All: true, Timeout: -time.Second}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAbortWorld(t)
			w.api.Before = func(c memory.Call) error {
				if c.Writes() {
					t.Errorf("it did %s", c)
				}
				return nil
			}
			if err := w.run(tc.o, tc.args...); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}
