package rebalance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/rebalancepolicy"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// requested is what naosu rebalance apply creates in the world of a fixture; nil if nothing helps.
func (f *fixture) requested(t *testing.T) *v1alpha1.Remediation {
	t.Helper()
	return f.requestedWith(t, 0)
}

// requestedWith is what it creates with --max-utilization-deviation.
func (f *fixture) requestedWith(t *testing.T, deviation int) *v1alpha1.Remediation {
	t.Helper()
	judge, err := scheduling.New(t.Context(), f.world(t), scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rebalance.New(t.Context(), judge, rebalance.Options{MaxEvictions: v1alpha1.MaxPolicyEvictions, MaxUtilizationDeviation: deviation})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := rebalancepolicy.Settle(t.Context(), v1alpha1.Request{By: "jane", MaxSharePercent: 33, MaxUtilizationDeviationPercent: int32(deviation)}, judge, plan, f.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Spec.Changes) == 0 {
		return nil
	}
	r.UID, r.Generation = types.UID("uid-"+r.Name), 1
	return r
}

// request creates what a person requests and has approved.
func (f *fixture) request(t *testing.T, edit func(*v1alpha1.Remediation)) {
	t.Helper()
	r := f.requested(t)
	r.Spec.Approval, r.Spec.ApprovedBy = v1alpha1.Approved, "jane"
	if edit != nil {
		edit(r)
	}
	if err := f.api.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// TestRequest carries out what a person requested without any policy, and nothing but that.
func TestRequest(t *testing.T) {
	const balanced, lopsided = "n1:2 n2:2 n3:2", "n1:2 n2:4"
	steps := " Act0:Done Act1:Done Wait0:Done Wait1:Done"
	held := func(edit func(*guard.Facts)) func(*testing.T, *fixture) {
		return func(_ *testing.T, f *fixture) {
			facts := f.ClusterFacts
			f.ClusterFacts = func(ctx context.Context, world *cluster.Snapshot) guard.Facts {
				got := facts(ctx, world)
				edit(&got)
				return got
			}
		}
	}
	for name, tc := range map[string]struct {
		request func(*v1alpha1.Remediation)
		prepare func(*testing.T, *fixture)
		policy  *v1alpha1.RebalancePolicy
		counts  string
		end     string
	}{
		"at once, although a node has just come back": {counts: balanced, end: "Ended AsForecast" + steps},
		"nobody has approved": {
			request: func(r *v1alpha1.Remediation) { r.Spec.Approval, r.Spec.ApprovedBy = "", "" }, counts: lopsided, end: "Proposed",
		},
		"somebody rejects it":               {request: func(r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Rejected }, counts: lopsided, end: "Ended Rejected"},
		"a pod that nobody would plan":      {request: func(r *v1alpha1.Remediation) { r.Spec.Changes[1].Subject = podOn(t, "n1") }, counts: lopsided, end: "Ended NotNeeded"},
		"a status that says that it runs":   {request: func(r *v1alpha1.Remediation) { r.Status.Phase = v1alpha1.PhaseRunning }, counts: lopsided, end: "Ended GaveUp"},
		"a policy that is paused":           {policy: policy(func(s *v1alpha1.RebalancePolicySpec) { s.Paused = true }), counts: balanced, end: "Ended AsForecast" + steps},
		"a policy that only reports":        {policy: policy(func(s *v1alpha1.RebalancePolicySpec) { s.Mode, s.DwellSeconds = v1alpha1.ModeReport, 86400 }), counts: balanced, end: "Ended AsForecast" + steps},
		"a process that does not lead":      {prepare: func(_ *testing.T, f *fixture) { f.leads = false }, counts: lopsided, end: ""},
		"evictions that budgets refuse":     {prepare: func(_ *testing.T, f *fixture) { f.refuse = errRefusedByBudget }, counts: lopsided, end: "Ended GaveUp Act0:Failed"},
		"pods that do not become Ready":     {prepare: func(_ *testing.T, f *fixture) { f.unready = true }, counts: balanced, end: "Ended DidNotHelp Act0:Done Act1:Done Wait0:Failed Wait1:Failed"},
		"pods that are placed elsewhere":    {prepare: func(_ *testing.T, f *fixture) { f.place = func(*corev1.Pod) string { return "n2" } }, counts: lopsided, end: "Ended NotAsForecast" + steps},
		"an API server that is not ready":   {prepare: held(func(f *guard.Facts) { f.APIServer.Value.Ready = false }), counts: lopsided, end: "Waiting"},
		"traffic that is shifted from zone": {prepare: held(func(f *guard.Facts) { f.ShiftedZones.Value = []string{"zone-a"} }), counts: lopsided, end: "Waiting"},
		"a role that does not permit it": {
			prepare: func(_ *testing.T, f *fixture) {
				f.Permit = func(_ context.Context, _ *v1alpha1.Remediation, ruling guard.Ruling) guard.Ruling {
					denied := guard.Named{Check: "permission", Verdict: guard.Verdict{Decision: guard.Deny, Reason: "NotPermitted", Message: sentence.PermissionAutomate()}}
					ruling.All, ruling.Named = append(ruling.All, denied), denied
					return ruling
				}
			}, counts: lopsided, end: "Proposed",
		},
		"a pod that somebody protects": {prepare: func(t *testing.T, f *fixture) {
			for _, pod := range f.pods(t) {
				if pod.Spec.NodeName == "n2" {
					metav1.SetMetaDataAnnotation(&pod.ObjectMeta, v1alpha1.DoNotDisruptAnnotation, "true")
					if err := f.api.Update(t.Context(), &pod); err != nil {
						t.Fatal(err)
					}
				}
			}
		}, counts: lopsided, end: "Ended NotNeeded"},
		"a node that is cordoned again": {prepare: func(t *testing.T, f *fixture) {
			node := &corev1.Node{}
			if err := f.api.Get(t.Context(), client.ObjectKey{Name: "n3"}, node); err != nil {
				t.Fatal(err)
			}
			node.Spec.Unschedulable = true
			if err := f.api.Update(t.Context(), node); err != nil {
				t.Fatal(err)
			}
		}, counts: lopsided, end: "Ended NotNeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, story2())
			if tc.policy != nil {
				if err := f.api.Create(t.Context(), tc.policy); err != nil {
					t.Fatal(err)
				}
			}
			f.request(t, tc.request)
			if tc.prepare != nil {
				tc.prepare(t, f)
			}
			f.pass(t, 15*time.Minute)
			if got := f.counts(t); got != tc.counts {
				t.Errorf("pods are on %s, want %s", got, tc.counts)
			}
			if got := f.ends(t); len(got) == 0 || got[0] != tc.end {
				t.Errorf("Remediations: %q, want %q first", got, tc.end)
			}
		})
	}
}

// podOn is the first pod of story2 on a node.
func podOn(t *testing.T, node string) *v1alpha1.Subject {
	t.Helper()
	for _, o := range story2() {
		if pod, is := o.(*corev1.Pod); is && pod.Spec.NodeName == node {
			return &v1alpha1.Subject{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
		}
	}
	t.Fatalf("no pod is on %s", node)
	return nil
}

// TestRequestAndPolicy: while a policy's Remediation evicts pods, what a person requested waits, and is not needed then.
func TestRequestAndPolicy(t *testing.T) {
	f := newFixture(t, story2(), policy(nil))
	f.clock.Step(15 * time.Second)
	for len(f.evicted) == 0 {
		if _, err := f.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(f.evicted) == 0 && len(f.remediations(t)) == 1 {
			f.request(t, func(r *v1alpha1.Remediation) { r.Spec.Approval = "" })
		}
		f.clock.Step(time.Second)
	}
	for _, r := range f.remediations(t) {
		if r.Spec.Request != nil {
			r.Spec.Approval = v1alpha1.Approved
			if err := f.api.Update(t.Context(), &r); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.play(t)
	f.pass(t, 10*time.Minute)
	ends := f.ends(t)
	slices.Sort(ends)
	if len(ends) != 2 || !strings.HasPrefix(ends[0], "Ended AsForecast") || ends[1] != "Ended NotNeeded" || len(f.evicted) != 2 {
		t.Errorf("Remediations: %q; evicted are %v", ends, f.evicted)
	}
}

// TestOneRuns: of two requests that may both begin, one begins, and the other one when that has ended.
func TestOneRuns(t *testing.T) {
	f := newFixture(t, story2())
	both := f.requested(t)
	for i := range both.Spec.Changes {
		one := both.DeepCopy()
		one.Name, one.UID, one.Spec.Approval = fmt.Sprint("one-", i), types.UID(fmt.Sprint("one-", i)), v1alpha1.Approved
		one.Spec.Changes, one.Spec.Subjects = one.Spec.Changes[i:i+1], one.Spec.Subjects[i:i+1]
		if err := f.api.Create(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		if _, err := f.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		running := slices.DeleteFunc(f.remediations(t), func(r v1alpha1.Remediation) bool { return !isRunning(r) })
		if len(running) > 1 {
			t.Fatalf("%d run at once", len(running))
		}
		f.clock.Step(time.Second)
		f.play(t)
	}
	const end = "Ended AsForecast Act0:Done Wait0:Done"
	if got := f.ends(t); !slices.Equal(got, []string{end, end}) || f.counts(t) != "n1:2 n2:2 n3:2" {
		t.Errorf("Remediations: %q; pods are on %s", got, f.counts(t))
	}
}

// TestRequestKilled: a controller that is killed at any write of a request is followed by another that evicts no pod twice and ends what was begun.
func TestRequestKilled(t *testing.T) {
	writes := 0
	count := newFixture(t, story2())
	count.request(t, nil)
	count.write = func() error { writes++; return nil }
	count.pass(t, time.Minute)
	if writes < 8 {
		t.Fatalf("%d writes in all", writes)
	}
	for at := 1; at <= writes; at++ {
		f := newFixture(t, story2())
		f.request(t, nil)
		n := 0
		f.write = func() error {
			if n++; n == at {
				f.Reconciler = f.another(t, f.Client)
				return errors.New("killed")
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
		if got := f.ends(t); len(got) != 1 || !strings.HasPrefix(got[0], "Ended AsForecast") {
			t.Errorf("killed at write %d: %q", at, got)
		}
	}
}
