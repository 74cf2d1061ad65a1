package query

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/finding"
)

// UniqueGaps removes duplicates.
func UniqueGaps(gaps []finding.Gap) []finding.Gap {
	var unique []finding.Gap
	for _, gap := range gaps {
		if !slices.ContainsFunc(unique, gap.Equal) {
			unique = append(unique, gap)
		}
	}
	return unique
}

// Complete replaces nil lists with empty ones, so that the JSON has the same shape for every answer.
func Complete(e finding.Explanation) finding.Explanation {
	e.Causes, e.Findings = CompleteLinks(e.Causes), List(e.Findings)
	e.Unknown, e.NotModelled = List(e.Unknown), List(e.NotModelled)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Subjects, f.Remedies, f.Unknown = List(f.Subjects), List(f.Remedies), List(f.Unknown)
		f.Causes, f.RuledOut = CompleteLinks(f.Causes), CompleteLinks(f.RuledOut)
	}
	return e
}

// CompleteLinks replaces nil lists in links with empty ones.
func CompleteLinks(links []finding.Link) []finding.Link {
	for i := range links {
		links[i].Evidence = List(links[i].Evidence)
	}
	return List(links)
}

// List is the items, never nil.
func List[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
