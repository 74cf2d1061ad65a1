package compare

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// difference is a difference between the subject and an object that works.
type difference struct {
	finding.Difference
	// rank orders suspects, the most likely first.
	rank int
	// apply gives the subject the other's value; nil if that cannot be simulated.
	apply func(*modified)
}

// modified is the subject without some of its differences.
type modified struct {
	pod   *corev1.Pod
	node  *corev1.Node
	edits []cluster.Edit
}

// comparison builds the answer.
type comparison struct {
	query.Query
	finding.Comparison
	differences []difference
}

// Compare lists the differences between the Query's subject, a pod or node, and an object that works, and simulates the
// subject without each of them that can be simulated.
func Compare(ctx context.Context, q query.Query, good change.Ref) finding.Comparison {
	c := &comparison{Query: q, Comparison: finding.Comparison{Unlike: good}}
	c.Comparison.Subject = *q.Subject
	q.PresentOnly = true
	c.Explanation = diagnosis.Explain(ctx, q)
	bad := q.World.Object(cluster.Kind(q.Subject.Kind), q.Subject.Namespace, q.Subject.Name)
	other := q.World.Object(cluster.Kind(good.Kind), good.Namespace, good.Name)
	switch bad := bad.(type) {
	case *corev1.Pod:
		if good, ok := other.(*corev1.Pod); ok {
			c.pods(ctx, bad, good)
		}
	case *corev1.Node:
		if good, ok := other.(*corev1.Node); ok {
			c.nodes(ctx, bad, good)
		}
	}
	return c.complete()
}

func (c *comparison) complete() finding.Comparison {
	r := c.Comparison
	r.Causes, r.Suspects, r.RuledOut, r.Unknown = query.List(r.Causes), query.List(r.Suspects), query.List(r.RuledOut), query.List(r.Unknown)
	r.Observed, r.Explanation = query.CompleteLinks(r.Observed), query.Complete(r.Explanation)
	return r
}

// addDifference adds a difference between two values, if they differ.
func (c *comparison) addDifference(d difference) {
	if d.Value == d.OtherValue {
		return
	}
	if d.Message.IsZero() {
		d.Message = sentence.Differs(d.What(), d.Object, textutil.Truncate(d.Value, maxValueLength), d.Other, textutil.Truncate(d.OtherValue, maxValueLength))
	}
	c.differences = append(c.differences, d)
}

// maxValueLength is the length to which sentences shorten values.
const maxValueLength = 160

// classify sorts the differences into causes, suspects and those that are ruled out. Try returns how well the subject does
// without some of them; more is better. If it is nil, nothing can be simulated.
func (c *comparison) classify(try func([]difference) int) {
	slices.SortStableFunc(c.differences, func(a, b difference) int { return cmp.Compare(a.rank, b.rank) })
	var flippable, mend, vain []difference
	for _, d := range c.differences {
		if d.apply != nil && try != nil {
			flippable = append(flippable, d)
		} else {
			c.Suspects = append(c.Suspects, d.Difference)
		}
	}
	if len(flippable) == 0 {
		return
	}
	before := try(nil)
	for _, d := range flippable {
		if try([]difference{d}) > before {
			mend = append(mend, d)
		} else {
			vain = append(vain, d)
		}
	}
	if len(mend) == 0 && len(vain) > 1 {
		mend, vain = c.minimalSet(vain, before, try)
	}
	c.Causes, c.RuledOut = findings(mend), findings(vain)
}

// minimalSet splits differences into a minimal set that solves the problem only if all of it is removed, and the others.
// If removing all does not solve it, the set is empty.
func (c *comparison) minimalSet(all []difference, before int, try func([]difference) int) (mend, vain []difference) {
	after := try(all)
	if after <= before {
		return nil, all
	}
	mend = slices.Clone(all)
	for i := 0; i < len(mend); {
		without := slices.Delete(slices.Clone(mend), i, i+1)
		if try(without) < after {
			i++
			continue
		}
		vain, mend = append(vain, mend[i]), without
	}
	c.Together = true
	return mend, vain
}

func findings(all []difference) []finding.Difference {
	var some []finding.Difference
	for _, d := range all {
		some = append(some, d.Difference)
	}
	return some
}

// summarize sets the summary: about the causes, if there are any.
func (c *comparison) summarize(ofCauses func(subject, good change.Ref, what message.List) message.Sentence) {
	subject, why := c.Comparison.Subject, c.Explanation.Summary
	switch {
	case c.Explanation.Severity == "" && len(c.Causes) == 0:
		c.Summary = sentence.UnlikeWell(subject, why)
	case len(c.Causes) > 0:
		var what message.List
		for _, d := range c.Causes {
			what = append(what, d.What())
		}
		c.Summary = ofCauses(subject, c.Unlike, what)
	case !c.Summary.IsZero(): // It was set during the simulation.
	case len(c.Suspects) > 0:
		c.Summary = sentence.UnlikeSuspects(len(c.Suspects), subject, c.Unlike, c.Suspects[0].Message)
	default:
		c.Summary = sentence.UnlikeNothing(subject, c.Unlike, why)
	}
}

// podCause and nodeCause are the sentences for the difference that is the cause.
func podCause(subject, good change.Ref, what message.List) message.Sentence {
	return sentence.UnlikePodCause(subject, what, good)
}

func nodeCause(subject, good change.Ref, what message.List) message.Sentence {
	return sentence.UnlikeNodeCause(what, subject, good)
}

// addObservation adds what other objects show.
func (c *comparison) addObservation(said message.Sentence) {
	c.Observed = append(c.Observed, finding.Link{Message: said})
}

// addUntried adds why differences are only suspected.
func (c *comparison) addUntried() {
	c.Unknown = append(c.Unknown, finding.Gap{About: "scheduling", Message: sentence.UnlikeUntried()})
}
