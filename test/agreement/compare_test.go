package agreement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/scheduling"
)

// prediction is what the judge says of a pod.
type prediction struct {
	fit         scheduling.Fit
	preemptions []scheduling.Preemption
}

// predict runs both judges. If their answers are the same, one comparison with the scheduler counts for both.
func (s *session) predict(ctx context.Context, pod *corev1.Pod) (prediction, error) {
	p, err := predict(ctx, s.judge, pod)
	if err != nil {
		return prediction{}, err
	}
	plain, err := predict(ctx, s.plain, pod)
	if err != nil {
		return prediction{}, fmt.Errorf("without the fast path: %w", err)
	}
	if diff := cmp.Diff(plain, p, cmp.AllowUnexported(prediction{}), cmpopts.EquateEmpty()); diff != "" {
		return prediction{}, fmt.Errorf("the judge says something else than it does without its fast path (-plain +fast):\n%s", diff)
	}
	return p, nil
}

func predict(ctx context.Context, judge *scheduling.Judge, pod *corev1.Pod) (p prediction, err error) {
	if p.fit, err = judge.Fit(ctx, pod); err != nil {
		return p, err
	}
	if len(p.fit.Feasible) == 0 {
		if p.preemptions, err = judge.Preempt(ctx, pod); err != nil {
			return p, err
		}
	}
	placed, err := judge.Place(ctx, pod)
	if err != nil {
		return p, err
	}
	d := decision{node: placed.Node}
	if made := placed.Preemption; made != nil {
		d.nominated, d.victims = made.Node, victims(*made)
	}
	if !p.matches(d) {
		return p, fmt.Errorf("the judge contradicts itself: %s, and yet it decides: %s", p, d)
	}
	return p, nil
}

func (p prediction) String() string {
	switch {
	case len(p.fit.Feasible) > 0:
		return fmt.Sprintf("bound to one of %v of the feasible %v", p.fit.Best, p.fit.Feasible)
	case len(p.preemptions) > 0:
		var choices []string
		for _, choice := range p.preemptions {
			choices = append(choices, fmt.Sprintf("%v on %s", victims(choice), choice.Node))
		}
		return "preempts " + strings.Join(choices, " or ")
	default:
		return "pending"
	}
}

func (d decision) String() string {
	switch {
	case d.nominated != "":
		return fmt.Sprintf("preempts %v on %s, bound to %q", d.victims, d.nominated, d.node)
	case d.node != "":
		return "bound to " + d.node
	default:
		return "pending"
	}
}

func victims(p scheduling.Preemption) []string {
	var names []string
	for _, victim := range p.Victims {
		if victim.DeletionTimestamp == nil { // Those that end already need no preemption.
			names = append(names, nameOf(victim).String())
		}
	}
	slices.Sort(names)
	return names
}

// matches says whether the scheduler decided one of the things that were predicted.
func (p prediction) matches(d decision) bool {
	switch {
	case len(p.fit.Feasible) > 0:
		return d.nominated == "" && slices.Contains(p.fit.Best, d.node)
	case len(p.preemptions) > 0:
		return (d.node == "" || d.node == d.nominated) && slices.ContainsFunc(p.preemptions, func(choice scheduling.Preemption) bool {
			return choice.Node == d.nominated && slices.Equal(victims(choice), d.victims)
		})
	default:
		return d.node == "" && d.nominated == ""
	}
}

func TestPredictionMatches(t *testing.T) {
	pods := func(names ...string) (of []*corev1.Pod) {
		for _, name := range names {
			of = append(of, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "front", Name: name}})
		}
		return of
	}
	placed := prediction{fit: scheduling.Fit{Feasible: []string{"a", "b", "c"}, Best: []string{"a", "b"}}}
	preempting := prediction{preemptions: []scheduling.Preemption{
		{Node: "a", Victims: pods("x", "y")}, {Node: "a", Victims: pods("z")}, {Node: "b", Victims: pods("w")},
	}}
	for name, tc := range map[string]struct {
		predicted prediction
		happened  decision
		want      bool
	}{
		"one of the best":                {placed, decision{node: "b"}, true},
		"one that is not the best":       {placed, decision{node: "c"}, false},
		"pending though it fits":         {placed, decision{}, false},
		"preempts though it fits":        {placed, decision{node: "a", nominated: "a", victims: []string{"front/x"}}, false},
		"one of the choices":             {preempting, decision{node: "a", nominated: "a", victims: []string{"front/x", "front/y"}}, true},
		"one that waits for its victims": {preempting, decision{nominated: "b", victims: []string{"front/w"}}, true},
		"some of the victims":            {preempting, decision{node: "a", nominated: "a", victims: []string{"front/x"}}, false},
		"another node's victims":         {preempting, decision{node: "b", nominated: "b", victims: []string{"front/z"}}, false},
		"bound elsewhere at last":        {preempting, decision{node: "c", nominated: "a", victims: []string{"front/z"}}, false},
		"pending though it may preempt":  {preempting, decision{}, false},
		"pending":                        {prediction{}, decision{}, true},
		"bound though it fits nowhere":   {prediction{}, decision{node: "a"}, false},
		"preempts though it cannot":      {prediction{}, decision{nominated: "a", victims: []string{"front/x"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.predicted.matches(tc.happened); got != tc.want {
				t.Errorf("%s, happened: %s: got %v", tc.predicted, tc.happened, got)
			}
		})
	}
}
