package action

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// deletions is a Remediation of two interfaces.
func deletions(phase v1alpha1.Phase, steps ...v1alpha1.Step) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	r.Spec.Changes = []v1alpha1.Change{v1alpha1.Deletion("eni-1"), v1alpha1.Deletion("eni-2")}
	r.Status.Phase, r.Status.Steps = phase, steps
	return r
}

func addressPolicy(edit func(*v1alpha1.AddressPolicySpec)) *v1alpha1.AddressPolicy {
	p := &v1alpha1.AddressPolicy{Spec: v1alpha1.AddressPolicySpec{Mode: v1alpha1.ModeAuto}}
	if edit != nil {
		edit(&p.Spec)
	}
	return p
}

func TestNextDeletion(t *testing.T) {
	const running = v1alpha1.PhaseRunning
	paused := addressPolicy(func(s *v1alpha1.AddressPolicySpec) { s.Paused = true })
	act := func(i int32, result v1alpha1.StepResult) v1alpha1.Step { return over(v1alpha1.StepAct, i, result, "") }
	long := func(s v1alpha1.Step) v1alpha1.Step {
		s.StartedAt, s.EndedAt = metav1.NewMicroTime(rebalanceStart.Add(-time.Minute)), new(metav1.NewMicroTime(rebalanceStart.Add(-time.Minute)))
		return s
	}
	for name, tc := range map[string]struct {
		r      *v1alpha1.Remediation
		policy *v1alpha1.AddressPolicy
		change func(*v1alpha1.Remediation, *reclaimObservation)
		want   string
	}{
		"proposed":                  {r: deletions(v1alpha1.PhaseProposed), want: "start"},
		"never processed":           {r: deletions(""), want: "start"},
		"waiting":                   {r: deletions(v1alpha1.PhaseWaiting), want: "start"},
		"ended":                     {r: deletions(v1alpha1.PhaseEnded)},
		"obsolete":                  {r: deletions(v1alpha1.PhaseWaiting), change: func(_ *v1alpha1.Remediation, s *reclaimObservation) { s.obsolete = true }, want: "NotNeeded"},
		"at its first":              {r: deletions(running, open(v1alpha1.StepAct, 0, 0)), want: "delete"},
		"at its second, too soon":   {r: deletions(running, act(0, v1alpha1.StepDone), open(v1alpha1.StepAct, 1, 0)), want: "wait 1s"},
		"at its second":             {r: deletions(running, long(act(0, v1alpha1.StepDone)), open(v1alpha1.StepAct, 1, 0)), want: "delete"},
		"after its first":           {r: deletions(running, act(0, v1alpha1.StepDone)), want: "begin Act 1"},
		"after a first that failed": {r: deletions(running, act(0, v1alpha1.StepFailed)), want: "begin Act 1"},
		"after both":                {r: deletions(running, act(0, v1alpha1.StepSkipped), act(1, v1alpha1.StepDone)), want: "begin Verify 1"},
		"after none":                {r: deletions(running, act(0, v1alpha1.StepSkipped), act(1, v1alpha1.StepFailed)), want: "NotNeeded"},
		"just deleted":              {r: deletions(running, act(0, v1alpha1.StepDone), act(1, v1alpha1.StepDone), open(v1alpha1.StepVerify, 1, time.Second)), want: "wait 4s"},
		"deleted":                   {r: deletions(running, act(0, v1alpha1.StepDone), act(1, v1alpha1.StepDone), open(v1alpha1.StepVerify, 1, 5*time.Second)), want: "verify"},
		"paused at its first":       {r: deletions(running, open(v1alpha1.StepAct, 0, 0)), policy: paused, want: "end Skipped NotAsked"},
		"paused after its first":    {r: deletions(running, act(0, v1alpha1.StepDone)), policy: paused, want: "NotAsked"},
		"paused after both":         {r: deletions(running, act(0, v1alpha1.StepDone), act(1, v1alpha1.StepDone)), policy: paused, want: "begin Verify 1"},
		"paused before":             {r: deletions(v1alpha1.PhaseWaiting), policy: paused, want: "start"},
		"mode Approve, approved": {
			r: deletions(running, open(v1alpha1.StepAct, 0, 0)), policy: addressPolicy(func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeApprove }),
			change: func(r *v1alpha1.Remediation, _ *reclaimObservation) { r.Spec.Approval = v1alpha1.Approved }, want: "delete",
		},
		"mode Approve": {
			r: deletions(running, open(v1alpha1.StepAct, 0, 0)), policy: addressPolicy(func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeApprove }), want: "end Skipped NotAsked",
		},
		"rejected": {
			r: deletions(running, open(v1alpha1.StepAct, 0, 0)), change: func(r *v1alpha1.Remediation, _ *reclaimObservation) { r.Spec.Approval = v1alpha1.Rejected }, want: "end Skipped Rejected",
		},
		"aborted": {
			r: deletions(running, act(0, v1alpha1.StepDone)), want: "Aborted",
			change: func(r *v1alpha1.Remediation, _ *reclaimObservation) {
				r.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
			},
		},
		"no policy":      {r: deletions(v1alpha1.PhaseProposed), change: func(_ *v1alpha1.Remediation, s *reclaimObservation) { s.policy = nil }, want: "NotAsked"},
		"no steps":       {r: deletions(running), want: "GaveUp"},
		"a wrong step":   {r: deletions(running, open(v1alpha1.StepWait, 0, 0)), want: "end Skipped GaveUp"},
		"a step too far": {r: deletions(running, open(v1alpha1.StepAct, 7, 0)), want: "end Skipped GaveUp"},
		"a wrong action": {
			r: deletions(running, open(v1alpha1.StepAct, 0, 0)), change: func(r *v1alpha1.Remediation, _ *reclaimObservation) { r.Spec.Changes[1].Subject = nil }, want: "end Skipped GaveUp",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := reclaimObservation{now: rebalanceStart, policy: tc.policy}
			if s.policy == nil {
				s.policy = addressPolicy(nil)
			}
			if tc.change != nil {
				tc.change(tc.r, &s)
			}
			if got := toldDeletion(nextDeletion(tc.r, s)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// toldDeletion is a transition in words.
func toldDeletion(t reclaimTransition) string {
	told := string(t.effect)
	add := func(format string, args ...any) {
		if told != "" {
			told += " "
		}
		told += fmt.Sprintf(format, args...)
	}
	if t.end != nil {
		add("end %s", t.end.result)
	}
	if t.begin != nil {
		add("begin %s %d", t.begin.Name, t.begin.Change)
	}
	if t.conclude != nil {
		add("%s", t.conclude.reason)
	}
	if t.requeueAfter > 0 {
		add("wait %s", t.requeueAfter)
	}
	return told
}

func TestVerified(t *testing.T) {
	unread := errors.New("unread")
	for name, tc := range map[string]struct {
		since time.Duration
		left  []string
		err   error
		first v1alpha1.StepResult
		want  string
	}{
		"gone":                 {since: 5 * time.Second, first: v1alpha1.StepDone, want: "end Done AsForecast"},
		"one was spared":       {since: 5 * time.Second, first: v1alpha1.StepSkipped, want: "end Done NotAsForecast"},
		"one is left":          {since: 5 * time.Second, left: []string{"eni-1"}, first: v1alpha1.StepDone, want: "wait 10s"},
		"one stays":            {since: 2 * time.Minute, left: []string{"eni-1"}, first: v1alpha1.StepDone, want: "end Failed DidNotHelp"},
		"unread":               {since: 5 * time.Second, err: unread, first: v1alpha1.StepDone, want: "wait 10s"},
		"unread for too long":  {since: 2 * time.Minute, err: unread, first: v1alpha1.StepDone, want: "end Failed GaveUp"},
		"read at the last try": {since: time.Hour, first: v1alpha1.StepDone, want: "end Done AsForecast"},
	} {
		t.Run(name, func(t *testing.T) {
			r := deletions(v1alpha1.PhaseRunning, over(v1alpha1.StepAct, 0, tc.first, ""), over(v1alpha1.StepAct, 1, v1alpha1.StepDone, ""), open(v1alpha1.StepVerify, 1, tc.since))
			if got := toldDeletion(verified(r, tc.left, tc.err, rebalanceStart)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestNextDeletionOfAnything: whatever a status holds, nothing but an open step of an interface of the plan leads to a deletion.
func TestNextDeletionOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := deletions(rapid.SampledFrom([]v1alpha1.Phase{"", v1alpha1.PhaseProposed, v1alpha1.PhaseWaiting, v1alpha1.PhaseRunning, v1alpha1.PhaseEnded}).Draw(t, "phase"))
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			name := rapid.SampledFrom([]v1alpha1.StepName{v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepVerify}).Draw(t, "name")
			step := open(name, rapid.Int32Range(0, 3).Draw(t, "change"), time.Minute)
			if rapid.Bool().Draw(t, "ended") {
				step.EndedAt, step.Result = new(metav1.NewMicroTime(rebalanceStart)), v1alpha1.StepDone
			}
			r.Status.Steps = append(r.Status.Steps, step)
		}
		s := reclaimObservation{now: rebalanceStart.Add(time.Hour), policy: addressPolicy(func(s *v1alpha1.AddressPolicySpec) {
			s.Mode = rapid.SampledFrom([]v1alpha1.Mode{v1alpha1.ModeReport, v1alpha1.ModeApprove, v1alpha1.ModeAuto}).Draw(t, "mode")
			s.Paused = rapid.Bool().Draw(t, "paused")
		})}
		got := nextDeletion(r, s)
		if got.effect != deleteInterface {
			return
		}
		last := lastStep(r)
		if r.Status.Phase != v1alpha1.PhaseRunning || s.policy.Spec.Mode != v1alpha1.ModeAuto || s.policy.Spec.Paused || last.EndedAt != nil || last.Name != v1alpha1.StepAct || int(last.Change) != len(r.Status.Steps)-1 {
			t.Fatalf("it deletes: %+v", r.Status)
		}
	})
}
