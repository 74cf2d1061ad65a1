package diagnosis

import (
	"context"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
)

// subjects is the rule that finds the objects of one kind that are not as they should be, as `why` explains each of them. It
// is about the whole world only: who asks about one gets that explanation itself.
type subjects struct {
	code finding.Code
	kind cluster.Kind
}

// Codes are those of the findings.
func (r subjects) Codes() []finding.Code { return []finding.Code{r.code} }

// Needs is the kind.
func (r subjects) Needs() []cluster.Kind { return []cluster.Kind{r.kind} }

// Concerns a question without a subject.
func (subjects) Concerns(v query.View) bool { return v.Subject == nil }

// Find leaves out what is told of the things that an object depends on.
func (r subjects) Find(ctx context.Context, v query.View) []finding.Finding {
	v.Now, v.Whole = true, Explain
	var all []finding.Finding
	for _, o := range v.World.Objects(r.kind) {
		ref := facts.RefTo(r.kind, o)
		if ctx.Err() != nil || v.PassesOver(r.code, ref) {
			continue
		}
		v.Subject = &ref
		s := status.Of(ctx, v)
		if s.Severity == "" || s.Told {
			continue
		}
		f := finding.Finding{Code: r.code, Severity: s.Severity, Message: s.Summary, Causes: s.Causes, Remedies: s.Remedies, Unknown: query.UniqueGaps(s.Unknown)}
		f.Subjects = append(f.Subjects, ref)
		all = append(all, f)
	}
	return all
}
