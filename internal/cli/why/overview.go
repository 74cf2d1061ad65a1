package why

import (
	"context"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mostNamed bounds how many things a cause names.
const mostNamed = 8

// writeOverview writes each cause once, with the things that it concerns and the command that tells more.
func writeOverview(ctx context.Context, page *output.Page, in input.Input, scope diagnosis.Scope, found finding.Overview) error {
	say := in.Say
	w := writer{Page: page, say: say, now: in.World.Taken()}
	all, selector := "naosu why --all-namespaces", ""
	if scope.Selector != nil && !scope.Selector.Empty() {
		selector = scope.Selector.String()
		all += " --selector '" + selector + "'"
	}
	causes := diagnosis.RootCauses(in.World, found.Explanations)
	pods, workloads := 0, 0
	for _, e := range found.Explanations {
		if e.Subject.Kind == string(cluster.Pod) {
			pods += 1 + len(e.Alike)
		} else {
			workloads++
		}
	}
	var what []string
	if pods > 0 {
		what = append(what, say.Say(sentence.OverviewPods(pods)))
	}
	if workloads > 0 {
		what = append(what, say.Say(sentence.OverviewWorkloads(workloads)))
	}
	w.Paragraph("", say.Say(sentence.OverviewCount(message.ListOf(what), pods+workloads, scope.Namespace, selector, len(causes))), output.Strong)
	rest := func(w writer) {
		if found.Elsewhere > 0 {
			w.Blank()
			w.Paragraph("", say.Say(sentence.OverviewElsewhere(found.Elsewhere, w.Aimed(all))), output.Plain)
		}
		w.gaps(sentence.HeadUnknown(), found.Unknown)
	}
	q := query.Query{World: in.World, Judge: in.Judge}
	each := func(w writer) {
		for i, cause := range causes {
			w.cause(ctx, q, strconv.Itoa(i+1)+". ", cause, scope.Namespace == "")
		}
		rest(w)
	}
	if !w.Wide && len(causes) > 1 && w.Lines(func(page *output.Page) { each(writer{page, say, w.now}) }) > screen {
		w.brief(diagnosis.MergeSimilar(causes), scope)
		rest(w)
		return w.written()
	}
	each(w)
	return w.written()
}

// screen is how many lines of causes a page holds; with more, each cause has two.
const screen = 36

// mostCauses is how many causes have their two lines on a page.
const mostCauses = 14

// brief writes each cause in two lines: what it is, and whom it concerns with the command that tells more.
func (w writer) brief(causes []diagnosis.RootCause, scope diagnosis.Scope) {
	w.Blank()
	shown := causes[:min(len(causes), mostCauses)]
	for i, cause := range shown {
		mark := strconv.Itoa(i+1) + ". "
		w.Line(mark, w.say.Say(cause.Explanations[0].Summary), output.Strong)
		w.Paragraph(strings.Repeat(" ", len(mark)), w.say.Say(sentence.OverviewBrief(cause.Concerned(), w.Aimed(moreOf(cause.Explanations[0].Subject)))), output.Faint)
	}
	n := 0
	for _, cause := range causes[len(shown):] {
		n += cause.Concerned()
	}
	all := "naosu why -A -o wide"
	if scope.Namespace != "" {
		all = "naosu why -n " + scope.Namespace + " -o wide"
	}
	if scope.Selector != nil && !scope.Selector.Empty() {
		all += " -l '" + scope.Selector.String() + "'"
	}
	if n > 0 {
		w.Paragraph("", w.say.Say(sentence.OverviewLeft(len(causes)-len(shown), n)), output.Plain)
	}
	w.Paragraph("", w.say.Say(sentence.OverviewAll(w.Aimed(all))), output.Plain)
}

// moreOf is the command that tells more of a thing.
func moreOf(ref change.Ref) string {
	command := "naosu why " + ref.String()
	if ref.Namespace != "" {
		command += " --namespace " + ref.Namespace
	}
	return command
}

func (w writer) cause(ctx context.Context, q query.Query, mark string, cause diagnosis.RootCause, everywhere bool) {
	first := cause.Explanations[0]
	w.Blank()
	w.Paragraph(mark, w.say.Say(first.Summary), output.Strong)
	indent := strings.Repeat(" ", len(mark))
	if w.Wide {
		w.concerned(indent, slices.Concat(cause.Explanations, cause.Dependents), q.World)
	} else {
		// The summary names the first one.
		if others := diagnosis.SubjectsOf(cause.Explanations)[1:]; len(others) > 0 {
			w.Paragraph(indent, w.say.Say(sentence.OverviewAlso(len(others), message.ListOf(w.named(others, everywhere)))), output.Plain)
		}
		if waiting := diagnosis.SubjectsOf(cause.Dependents); len(waiting) > 0 {
			w.Paragraph(indent, w.say.Say(sentence.OverviewDependents(len(waiting), message.ListOf(w.named(waiting, everywhere)))), output.Plain)
		}
	}
	w.Remedies(w.say, indent, diagnosis.RootRemedies(ctx, q, cause))
	w.Paragraph(indent, w.say.Say(sentence.OverviewMore(w.Aimed(moreOf(first.Subject)))), output.Faint)
}

// concerned is a row for each thing that a cause concerns.
func (w writer) concerned(indent string, cause []finding.Explanation, world *cluster.Snapshot) {
	var table [][]string
	for _, e := range cause {
		for _, ref := range append([]change.Ref{e.Subject}, e.Alike...) {
			node := ""
			if pod, ok := world.Object(cluster.Pod, ref.Namespace, ref.Name).(*corev1.Pod); ok {
				node = pod.Spec.NodeName
			}
			table = append(table, []string{ref.Namespace, ref.String(), e.State, node})
		}
	}
	var heads []string
	for _, column := range []message.Sentence{sentence.ColumnNamespace(), sentence.ColumnSubject(), sentence.ColumnState(), sentence.ColumnNode()} {
		heads = append(heads, w.say.Say(column))
	}
	w.Table(indent, heads, table)
}

// named are the names of these objects, of the first few if there are many.
func (w writer) named(all []change.Ref, everywhere bool) []string {
	var names []string
	for _, ref := range all[:min(len(all), mostNamed)] {
		name := ref.String()
		if everywhere && ref.Namespace != "" {
			name = ref.Namespace + "/" + name
		}
		names = append(names, name)
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, w.say.Say(sentence.AndMore(more)))
	}
	return names
}
