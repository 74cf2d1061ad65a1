package query

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Limits narrow an audit or a forecast. Rules that take several things together leave out those that the limits exclude.
type Limits struct {
	// Scope says whether a thing of a world is asked about; nil is everything.
	Scope func(*cluster.Snapshot, change.Ref) bool
	// Accepted says that somebody has agreed to live with a code's finding about a thing; nil is nothing.
	Accepted func(finding.Code, change.Ref) bool
}

// PassesOver says whether a code's findings are to leave a thing out.
func (v View) PassesOver(code finding.Code, ref change.Ref) bool {
	return !v.InScope(ref) || v.Limits.Accepted != nil && v.Limits.Accepted(code, ref)
}

// InScope says whether a thing is asked about.
func (v View) InScope(ref change.Ref) bool {
	return v.Limits.Scope == nil || v.Limits.Scope(v.World, ref)
}

// WithinLimits keeps a finding none of whose subjects was accepted and, if it is about things of namespaces at all, one
// of which is asked about.
func (v View) WithinLimits(f finding.Finding) bool {
	accepted := func(r change.Ref) bool { return v.Limits.Accepted != nil && v.Limits.Accepted(f.Code, r) }
	namespaced := func(r change.Ref) bool { return r.Namespace != "" }
	switch {
	case slices.ContainsFunc(f.Subjects, accepted):
		return false
	case !slices.ContainsFunc(f.Subjects, namespaced):
		return true
	default:
		return slices.ContainsFunc(f.Subjects, func(r change.Ref) bool { return namespaced(r) && v.InScope(r) })
	}
}
