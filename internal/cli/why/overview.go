package why

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostNamed bounds how many things a cause names.
const mostNamed = 8

// writeOverview writes each cause once, with the things that it concerns and the command that tells more.
func writeOverview(page *output.Page, in input.Input, scope diagnosis.Scope, found finding.Overview) error {
	say := in.Say
	w := writer{Page: page, say: say, now: in.World.Taken()}
	all, selector := "naosu why --all-namespaces", ""
	if scope.Selector != nil && !scope.Selector.Empty() {
		selector = scope.Selector.String()
		all += " --selector '" + selector + "'"
	}
	causes := diagnosis.Causes(found.Explanations)
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
		what = append(what, say.Text(message.OverviewPods, message.Args{"n": pods}))
	}
	if workloads > 0 {
		what = append(what, say.Text(message.OverviewWorkloads, message.Args{"n": workloads}))
	}
	w.Paragraph("", say.Text(message.OverviewCount, message.Args{
		"what": what, "n": pods + workloads, "namespace": scope.Namespace, "selector": selector, "causes": len(causes),
	}), output.Strong)
	for i, cause := range causes {
		w.cause(strconv.Itoa(i+1)+". ", cause, in.World, scope.Namespace == "")
	}
	if found.Elsewhere > 0 {
		w.Blank()
		w.Paragraph("", say.Text(message.OverviewElsewhere, message.Args{"n": found.Elsewhere, "command": all}), output.Plain)
	}
	w.gaps(message.HeadUnknown, found.Unknown)
	return w.written()
}

func (w writer) cause(mark string, cause []finding.Explanation, world *cluster.Snapshot, everywhere bool) {
	first := cause[0]
	w.Blank()
	w.Paragraph(mark, first.Summary, output.Strong)
	indent := strings.Repeat(" ", len(mark))
	if n := diagnosis.Concerned(cause); w.Wide {
		w.concerned(indent, cause, world)
	} else if n > 1 {
		w.Paragraph(indent, w.say.Text(message.OverviewConcerns, message.Args{"n": n, "names": w.named(cause, everywhere)}), output.Plain)
	}
	w.Remedies(w.say, indent, first.Remedies)
	for _, f := range first.Findings {
		if f.Message == first.Summary {
			w.Remedies(w.say, indent, f.Remedies)
		}
	}
	more := "naosu why " + first.Subject.String()
	if first.Subject.Namespace != "" {
		more += " --namespace " + first.Subject.Namespace
	}
	w.Paragraph(indent, w.say.Text(message.OverviewMore, message.Args{"command": more}), output.Faint)
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
	for _, id := range []message.ID{message.ColumnNamespace, message.ColumnSubject, message.ColumnState, message.ColumnNode} {
		heads = append(heads, w.say.Text(id, nil))
	}
	w.Table(indent, heads, table)
}

// named are the things that a cause concerns, the first few by name.
func (w writer) named(cause []finding.Explanation, everywhere bool) []string {
	var names []string
	total := diagnosis.Concerned(cause)
	for _, e := range cause {
		for _, ref := range append([]change.Ref{e.Subject}, e.Alike...) {
			if len(names) == mostNamed {
				return append(names, w.say.Text(message.AndMore, message.Args{"n": total - mostNamed}))
			}
			name := ref.String()
			if everywhere && ref.Namespace != "" {
				name = ref.Namespace + "/" + name
			}
			names = append(names, name)
		}
	}
	return names
}
