package query

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Limits narrow an audit or a forecast. Rules that take several things together leave out those that the limits exclude.
type Limits struct {
	// Scope reports whether a thing of a world is asked about; nil is everything.
	Scope func(*cluster.Snapshot, change.Ref) bool
	// Accepted says that somebody has agreed to live with a code's finding about a thing; nil is nothing.
	Accepted func(finding.Code, change.Ref) bool
}

// Excludes reports whether a code's findings are to leave a thing out.
func (q Query) Excludes(code finding.Code, ref change.Ref) bool {
	return !q.InScope(ref) || q.Limits.Accepted != nil && q.Limits.Accepted(code, ref)
}

// InScope reports whether a thing is asked about.
func (q Query) InScope(ref change.Ref) bool {
	return q.Limits.Scope == nil || q.Limits.Scope(q.World, ref)
}

// WithinLimits keeps a finding none of whose subjects was accepted and, if it is about things of namespaces at all, one
// of which is asked about.
func (q Query) WithinLimits(f finding.Finding) bool {
	accepted := func(r change.Ref) bool { return q.Limits.Accepted != nil && q.Limits.Accepted(f.Code, r) }
	namespaced := func(r change.Ref) bool { return r.Namespace != "" }
	switch {
	case slices.ContainsFunc(f.Subjects, accepted):
		return false
	case !slices.ContainsFunc(f.Subjects, namespaced):
		return true
	default:
		return slices.ContainsFunc(f.Subjects, func(r change.Ref) bool { return namespaced(r) && q.InScope(r) })
	}
}
