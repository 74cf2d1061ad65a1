package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// Reasons of conditions that are not False.
const (
	// noFault is the reason of a condition that is True.
	noFault = "NoFault"
	// notKnown is that of one that is Unknown, because it is unknown whether some fatal reason stands, and none does.
	notKnown = "NotKnown"
	// notWatched is that of one that is Unknown, because no fatal reason of it is configured.
	notWatched = "NotWatched"
)

// Verdict is a condition as it would be written now for a Snapshot, if the Node had none of that type yet. Reasons are the effective ones.
func Verdict(p evidence.Snapshot, kind reason.Condition, reasons ...reason.Reason) kube.Condition {
	byID := map[reason.ID]reason.Reason{}
	for _, r := range reasons {
		byID[r.ID] = r
	}
	return dated(judgeOne(kind, p, byID), kube.Condition{}, p.At)
}

// judge is what the conditions should be, without times, in the order of reason.Conditions. Reasons are the effective ones. An optional
// condition is left out on hosts that none of its fatal reasons applies to, and as long as that is unknown.
func judge(p evidence.Snapshot, reasons map[reason.ID]reason.Reason) []kube.Condition {
	verdicts := make([]kube.Condition, 0, len(reason.Conditions))
	for _, kind := range reason.Conditions {
		if !kind.Optional() || turns(kind, p, reasons) {
			verdicts = append(verdicts, judgeOne(kind, p, reasons))
		}
	}
	return verdicts
}

// turns says whether a fatal reason of a condition is known to apply to this host.
func turns(kind reason.Condition, p evidence.Snapshot, reasons map[reason.ID]reason.Reason) bool {
	for id, r := range reasons {
		if r.Condition == kind && r.Severity == reason.Fatal && !slices.Contains(p.Inapplicable, id) && !slices.Contains(p.Unreported, id) {
			return true
		}
	}
	return false
}

func judgeOne(kind reason.Condition, p evidence.Snapshot, reasons map[reason.ID]reason.Reason) kube.Condition {
	fatal := func(id reason.ID) bool {
		r := reasons[id]
		return r.Severity == reason.Fatal && r.Condition == kind
	}
	lines, gaps, watched := standing(p, fatal), unknown(p, fatal), 0
	for id := range reasons {
		if fatal(id) {
			watched++
		}
	}
	verdict := kube.Condition{Type: string(kind)}
	switch {
	case len(lines) > 0:
		verdict.Status, verdict.Reason, verdict.Message = kube.False, string(lines[0].Reason), reason.Format(lines)+prefixed("\n", gaps)
	case len(gaps) > 0:
		verdict.Status, verdict.Reason, verdict.Message = kube.Unknown, notKnown, prefixed("", gaps)
	case watched == 0:
		verdict.Status, verdict.Reason, verdict.Message = kube.Unknown, notWatched, "no fatal reason of this condition is on"
	default:
		verdict.Status, verdict.Reason, verdict.Message = kube.True, noFault, fmt.Sprintf("none of %d fatal reasons stands", watched)
	}
	return verdict
}

// standing are the reasons that stand, the longest-standing first.
func standing(p evidence.Snapshot, fatal func(reason.ID) bool) []reason.Line {
	var lines []reason.Line
	for _, s := range p.Standing {
		if fatal(s.Reason) {
			lines = append(lines, reason.Line{Reason: s.Reason, Entity: s.Entity, Since: s.Since, Raw: s.Raw})
		}
	}
	slices.SortStableFunc(lines, func(a, b reason.Line) int { return a.Since.Compare(b.Since) })
	return lines
}

// maxGaps bounds how many unknown reasons a message lists; most often all have the same cause.
const maxGaps = 8

// unknown is a line for each reason of which it is not known whether it stands.
func unknown(p evidence.Snapshot, fatal func(reason.ID) bool) []string {
	var lines []string
	more := 0
	for _, gap := range p.Unknown {
		switch {
		case !fatal(gap.Reason):
		case len(lines) == maxGaps:
			more++
		default:
			lines = append(lines, string(gap.Reason)+" unknown: "+reason.OneLine(gap.Why))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more unknown", more))
	}
	return lines
}

func prefixed(with string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return with + strings.Join(lines, "\n")
}

// dated is a verdict with its times: it keeps the transition time of the shown condition if the status is the same.
func dated(verdict, shown kube.Condition, now time.Time) kube.Condition {
	verdict.LastHeartbeatTime = now.UTC().Truncate(time.Second)
	verdict.LastTransitionTime = verdict.LastHeartbeatTime
	if shown.Status == verdict.Status && !shown.LastTransitionTime.IsZero() {
		verdict.LastTransitionTime = shown.LastTransitionTime
	}
	return verdict
}

// says tells whether two conditions are equal but for times and raw evidence, which changes with every look that reads a number.
func says(a, b kube.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && slices.Equal(gist(a.Message), gist(b.Message))
}

// gist are the lines of a message without raw evidence.
func gist(message string) []string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		if parsed := reason.Parse(line); len(parsed) == 1 {
			parsed[0].Raw = ""
			lines[i] = parsed[0].String()
		} else if what, _, is := strings.Cut(line, " unknown: "); is {
			lines[i] = what
		}
	}
	slices.SortFunc(lines, cmp.Compare)
	return lines
}
