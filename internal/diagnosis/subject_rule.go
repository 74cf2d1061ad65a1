package diagnosis

import (
	"context"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
)

// subjectRule is a rule that finds the objects of one kind that have a problem according to their explanation in `why`. It
// applies to the whole world only: a question about one object is answered by its explanation.
type subjectRule struct {
	code finding.Code
	kind cluster.Kind
}

// Codes are the codes of the findings.
func (r subjectRule) Codes() []finding.Code { return []finding.Code{r.code} }

// RequiredKinds is the kind.
func (r subjectRule) RequiredKinds() []cluster.Kind { return []cluster.Kind{r.kind} }

// Applies to a question without a subject.
func (subjectRule) Applies(q query.Query) bool { return q.Subject == nil }

// Find omits objects whose problem is reported for objects that they depend on.
func (r subjectRule) Find(ctx context.Context, q query.Query) []finding.Finding {
	q.PresentOnly, q.ExplainFunc = true, Explain
	var all []finding.Finding
	for _, o := range q.World.Objects(r.kind) {
		ref := facts.RefTo(r.kind, o)
		if ctx.Err() != nil || q.Excludes(r.code, ref) {
			continue
		}
		q.Subject = &ref
		s := status.Of(ctx, q)
		if s.Severity == "" || s.ToldElsewhere {
			continue
		}
		f := finding.Finding{Code: r.code, Severity: s.Severity, Message: s.Summary, Causes: s.Causes, Remedies: s.Remedies, Unknown: query.UniqueGaps(s.Unknown)}
		f.Subjects = append(f.Subjects, ref)
		all = append(all, f)
	}
	return all
}
