package diagnosis

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
)

// joined makes one finding of two that tell one trouble. What N601 says of pods becomes part of the finding whose code names the
// reason: that they are stuck in Terminating, or that Kueue does not admit their Workload. What is found about a NodePool becomes
// part of the finding about pods that wait for its nodes.
func joined(all []finding.Finding) []finding.Finding {
	all = joinInto(all, finding.N601, namesReason, func(named, notRunning finding.Finding) finding.Finding {
		told := withDetails(notRunning, named)
		told.Code, told.Subjects = named.Code, union(named.Subjects, notRunning.Subjects)
		if named.Severity.AtLeast(told.Severity) {
			told.Severity = named.Severity
		}
		return told
	})
	return joinInto(all, finding.N611, waitsForNodePool, withDetails)
}

// joinInto joins each finding of a code into the first that it belongs to, unless another was before.
func joinInto(all []finding.Finding, code finding.Code, belongs func(to, f finding.Finding) bool, join func(to, f finding.Finding) finding.Finding) []finding.Finding {
	var left, single []finding.Finding
	for _, f := range all {
		if f.Code == code {
			single = append(single, f)
		} else {
			left = append(left, f)
		}
	}
	taken := map[int]bool{}
	for _, f := range single {
		at := slices.IndexFunc(left, func(to finding.Finding) bool { return belongs(to, f) })
		if at < 0 || taken[at] {
			left = append(left, f)
			continue
		}
		left[at], taken[at] = join(left[at], f), true
	}
	return left
}

// namesReason reports whether a finding's code names why the pods of an N601 finding do not run.
func namesReason(named, notRunning finding.Finding) bool {
	switch named.Code {
	case finding.N205:
		pods := slices.DeleteFunc(slices.Clone(named.Subjects), func(ref change.Ref) bool { return ref.Kind != string(cluster.Pod) })
		return len(pods) == len(notRunning.Subjects) && len(union(pods, notRunning.Subjects)) == len(pods)
	case finding.N613:
		return notRunning.Message.Contains(named.Message) || len(named.Remedies) > 0 && len(lackingRemedies(notRunning, named)) == 0
	}
	return false
}

// waitsForNodePool reports whether pods wait for a NodePool's nodes: what would help them is what would help it.
func waitsForNodePool(pending, pool finding.Finding) bool {
	return pending.Code == finding.N504 && len(pool.Remedies) > 0 && len(lackingRemedies(pending, pool)) == 0
}

// withDetails is a finding with what another tells of the same trouble and it does not.
func withDetails(f, other finding.Finding) finding.Finding {
	f.Causes = slices.Concat(f.Causes, slices.DeleteFunc(slices.Clone(other.Causes), func(link finding.Link) bool {
		return slices.ContainsFunc(f.Causes, func(has finding.Link) bool { return has.Message.Equal(link.Message) })
	}))
	f.Remedies = slices.Concat(f.Remedies, lackingRemedies(f, other))
	f.DependsOn = union(f.DependsOn, other.DependsOn)
	f.Unknown = query.UniqueGaps(slices.Concat(f.Unknown, other.Unknown))
	return f
}

// lackingRemedies are the remedies of another finding that a finding has not.
func lackingRemedies(f, other finding.Finding) []finding.Remedy {
	return slices.DeleteFunc(slices.Clone(other.Remedies), func(remedy finding.Remedy) bool {
		return slices.ContainsFunc(f.Remedies, func(has finding.Remedy) bool {
			return has.Command == remedy.Command && has.Message.Equal(remedy.Message)
		})
	})
}

// union are references and those of others that are not among them.
func union(refs, others []change.Ref) []change.Ref {
	return slices.Concat(refs, slices.DeleteFunc(slices.Clone(others), func(ref change.Ref) bool { return slices.Contains(refs, ref) }))
}
