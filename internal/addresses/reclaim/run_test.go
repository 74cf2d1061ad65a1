package reclaim

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// script answers the calls of a run in their order, each of which takes a second.
type script struct {
	answers []any // an error, nil, or a cloud.Interface
	calls   []string
}

func (s *script) play(t *testing.T, r *Run, now time.Time) {
	t.Helper()
	for n := 0; ; n++ {
		call, more := r.Next(now)
		if !more {
			break
		}
		if n == len(s.answers) {
			t.Fatalf("%s %s is one call too many", call.Kind, call.ID)
		}
		if call.NotBefore.After(now) {
			s.calls = append(s.calls, fmt.Sprint("wait ", call.NotBefore.Sub(now)))
			now = call.NotBefore
		}
		s.calls = append(s.calls, fmt.Sprint(call.Kind, " ", call.ID))
		err, _ := s.answers[n].(error)
		switch call.Kind {
		case DryRun:
			r.Tried(err)
		case Describe:
			i, found := s.answers[n].(cloud.Interface)
			if !found {
				r.Described(nil, err, now)
			} else {
				r.Described(&i, nil, now)
			}
		case Delete:
			r.Deleted(err, now)
		}
	}
	if len(s.calls) == 0 {
		t.Error("no call was made")
	}
}

func TestRun(t *testing.T) {
	one, two := leaked(), leaked()
	two.ID = "eni-2"
	kept := two
	kept.Unmanaged = true
	denied := &cloud.RefusedError{Permission: "ec2:DeleteNetworkInterface", Err: errors.New("UnauthorizedOperation")}
	throttled := fmt.Errorf("%w: RequestLimitExceeded", cloud.ErrPassing)
	unsure := fmt.Errorf("%w: %w", cloud.ErrUnsure, cloud.ErrPassing)
	first := []string{"DryRun eni-1", "Describe eni-1", "Delete eni-1"}
	all := slices.Concat(first, []string{"wait 1s", "Describe eni-2", "Delete eni-2"})
	for name, tc := range map[string]struct {
		answers []any
		calls   []string
		results []Result
		stopped error
		kept    int
	}{
		"both":                           {[]any{nil, one, nil, two, nil}, all, []Result{{ID: "eni-1", Outcome: Deleted}, {ID: "eni-2", Outcome: Deleted}}, nil, 0},
		"the second is kept":             {[]any{nil, one, nil, kept}, all[:5], []Result{{ID: "eni-1", Outcome: Deleted}, {ID: "eni-2", Outcome: Spared, Reason: Reserved}}, nil, 0},
		"the second is gone":             {[]any{nil, one, nil, nil}, all[:5], []Result{{ID: "eni-1", Outcome: Deleted}, {ID: "eni-2", Outcome: Gone}}, nil, 0},
		"the first is in use":            {[]any{nil, one, cloud.ErrInterfaceInUse, two, nil}, all, []Result{{ID: "eni-1", Outcome: Refused, Err: cloud.ErrInterfaceInUse}, {ID: "eni-2", Outcome: Deleted}}, nil, 0},
		"the first is a service's":       {[]any{cloud.ErrInterfaceManaged, nil, two, nil}, []string{"DryRun eni-1", "DryRun eni-2", "Describe eni-2", "Delete eni-2"}, []Result{{ID: "eni-1", Outcome: Refused, Err: cloud.ErrInterfaceManaged}, {ID: "eni-2", Outcome: Deleted}}, nil, 0},
		"not allowed":                    {[]any{denied}, first[:1], nil, denied, 2},
		"not allowed in the end":         {[]any{nil, one, denied}, first, nil, denied, 2},
		"throttled at the start":         {[]any{throttled}, first[:1], nil, throttled, 2},
		"throttled at the description":   {[]any{nil, throttled}, first[:2], nil, throttled, 2},
		"throttled at the deletion":      {[]any{nil, one, throttled}, first, nil, throttled, 2},
		"no answer to the first's":       {[]any{nil, one, unsure}, first, []Result{{ID: "eni-1", Outcome: Unsure, Err: unsure}}, unsure, 1},
		"no answer to the second's":      {[]any{nil, one, nil, two, unsure}, all, []Result{{ID: "eni-1", Outcome: Deleted}, {ID: "eni-2", Outcome: Unsure, Err: unsure}}, unsure, 0},
		"an error that naosu knows not":  {[]any{nil, one, errors.ErrUnsupported}, first, nil, errors.ErrUnsupported, 2},
		"no description for other cause": {[]any{nil, denied}, first[:2], nil, denied, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := scope()
			earlier := []Observation{*seen(15 * time.Minute), *seen(15 * time.Minute)}
			earlier[1].ID = "eni-2"
			decisions, observed := s.Pass([]cloud.Interface{one, two}, earlier)
			r := s.NewRun(decisions, earlier)
			played := script{answers: tc.answers}
			played.play(t, r, noon)
			if diff := cmp.Diff(tc.calls, played.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.results, r.Results(), cmp.Comparer(errors.Is)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if !errors.Is(r.Stopped(), tc.stopped) || len(r.Keep(observed)) != tc.kept {
				t.Errorf("stopped by %v; %d observations are kept, want %d", r.Stopped(), len(r.Keep(observed)), tc.kept)
			}
		})
	}
}

// TestRunIsBounded: a run tries no more than MaxDeletions, the oldest first, and those that are refused count.
func TestRunIsBounded(t *testing.T) {
	s := scope()
	s.MaxDeletions = 1
	older, younger := leaked(), leaked()
	older.ID, older.CreatedAt = "eni-2", new(noon.Add(-2*time.Hour))
	earlier := []Observation{*seen(15 * time.Minute), *seen(15 * time.Minute)}
	earlier[1].ID = "eni-2"
	decisions, _ := s.Pass([]cloud.Interface{younger, older}, earlier)
	r := s.NewRun(decisions, earlier)
	(&script{answers: []any{nil, older, cloud.ErrInterfaceInUse}}).play(t, r, noon)
	if got := r.Results(); len(got) != 1 || got[0].ID != "eni-2" || got[0].Outcome != Refused {
		t.Errorf("%+v", got)
	}
}

// TestRunDescribesAgain: a description that has grown old is no reason to delete anything.
func TestRunDescribesAgain(t *testing.T) {
	s := scope()
	earlier := []Observation{*seen(15 * time.Minute)}
	decisions, _ := s.Pass([]cloud.Interface{leaked()}, earlier)
	r := s.NewRun(decisions, earlier)
	i := leaked()
	r.Tried(nil)
	r.Described(&i, nil, noon)
	for later, want := range map[time.Duration]CallKind{0: Delete, fresh: Delete, fresh + 1: Describe, -1: Describe, time.Hour: Describe} {
		if call, _ := r.Next(noon.Add(later)); call.Kind != want {
			t.Errorf("%s later: %s, want %s", later, call.Kind, want)
		}
	}
	r = s.NewRun(decisions, earlier)
	r.Tried(nil)
	if r.Described(&i, nil, noon.Add(2*time.Hour)); len(r.Results()) != 1 || r.Results()[0].Reason != SeenOnce {
		t.Errorf("two hours after it was seen: %+v", r.Results())
	}
	if len(s.NewRun(decisions, nil).queue) != 1 {
		t.Fatal("nothing is to be deleted")
	}
	r = s.NewRun(decisions, nil)
	(&script{answers: []any{nil, leaked()}}).play(t, r, noon)
	if got := r.Results(); len(got) != 1 || got[0].Outcome != Spared || got[0].Reason != SeenOnce {
		t.Errorf("without an observation: %+v", got)
	}
}
