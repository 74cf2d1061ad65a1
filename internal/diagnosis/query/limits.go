package query

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Limits restrict an audit or a forecast. Rules that combine several objects omit those that the limits exclude.
type Limits struct {
	// Scope reports whether an object of a world is in scope; nil includes everything.
	Scope func(*cluster.Snapshot, change.Ref) bool
	// Accepted reports whether a code's finding about an object has been accepted; nil accepts nothing.
	Accepted func(finding.Code, change.Ref) bool
}

// Excludes reports whether a code's findings omit an object.
func (q Query) Excludes(code finding.Code, ref change.Ref) bool {
	return !q.InScope(ref) || q.Limits.Accepted != nil && q.Limits.Accepted(code, ref)
}

// InScope reports whether an object is in scope.
func (q Query) InScope(ref change.Ref) bool {
	return q.Limits.Scope == nil || q.Limits.Scope(q.World, ref)
}

// WithinLimits keeps a finding if none of its subjects is accepted and, if it has namespaced subjects, one of them is in
// scope.
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
