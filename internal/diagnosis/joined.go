package diagnosis

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// joined makes one finding of those that tell one trouble. What N601 says of pods is part of the finding whose code names the
// reason: that they are stuck in Terminating, or that Kueue does not admit their Workload. A NodePool's limit is no finding
// beside the one about pods that wait for it.
func joined(all []finding.Finding) []finding.Finding {
	var others, notRunning []finding.Finding
	for _, f := range all {
		if f.Code == finding.N601 {
			notRunning = append(notRunning, f)
		} else {
			others = append(others, f)
		}
	}
	others = slices.DeleteFunc(others, func(f finding.Finding) bool {
		return f.Code == finding.N611 && slices.ContainsFunc(others, func(other finding.Finding) bool { return other.Code == finding.N504 && offersAll(other, f.Remedies) })
	})
	for _, f := range notRunning {
		if i := slices.IndexFunc(others, func(other finding.Finding) bool { return namesReason(other, f) }); i >= 0 {
			others[i] = join(others[i], f)
		} else {
			others = append(others, f)
		}
	}
	return others
}

// namesReason reports whether a finding's code names why the pods of an N601 finding do not run.
func namesReason(f, notRunning finding.Finding) bool {
	switch f.Code {
	case finding.N205:
		pods := slices.DeleteFunc(slices.Clone(f.Subjects), func(ref change.Ref) bool { return ref.Kind != string(cluster.Pod) })
		return len(pods) == len(notRunning.Subjects) && !slices.ContainsFunc(pods, func(pod change.Ref) bool { return !slices.Contains(notRunning.Subjects, pod) })
	case finding.N613:
		return offersAll(notRunning, f.Remedies)
	}
	return false
}

// offersAll reports whether a finding has all of some remedies, of which there are any.
func offersAll(f finding.Finding, remedies []finding.Remedy) bool {
	return len(remedies) > 0 && len(lackingRemedies(f.Remedies, remedies)) == 0
}

// lackingRemedies are those of some remedies that others have not.
func lackingRemedies(has, wanted []finding.Remedy) []finding.Remedy {
	return slices.DeleteFunc(slices.Clone(wanted), func(remedy finding.Remedy) bool {
		return slices.ContainsFunc(has, func(other finding.Remedy) bool {
			return other.Command == remedy.Command && other.Message.Equal(remedy.Message)
		})
	})
}

// join adds what an N601 finding says about the same trouble, which is more: it comes first.
func join(f, notRunning finding.Finding) finding.Finding {
	if notRunning.Severity.AtLeast(f.Severity) {
		f.Severity = notRunning.Severity
	}
	f.Message = notRunning.Message
	for _, subject := range notRunning.Subjects {
		if !slices.Contains(f.Subjects, subject) {
			f.Subjects = append(slices.Clip(f.Subjects), subject)
		}
	}
	f.Causes = slices.Concat(notRunning.Causes, f.Causes)
	f.Remedies = slices.Concat(notRunning.Remedies, lackingRemedies(notRunning.Remedies, f.Remedies))
	f.DependsOn = slices.Concat(notRunning.DependsOn, f.DependsOn)
	f.Unknown = slices.Concat(notRunning.Unknown, f.Unknown)
	return f
}
