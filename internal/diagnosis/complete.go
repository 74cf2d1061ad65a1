package diagnosis

import "github.com/naosu-dev/naosu/internal/finding"

// complete makes every list an empty one rather than none, so that the JSON has the same shape for every answer.
func complete(e finding.Explanation) finding.Explanation {
	e.Causes, e.Findings = completeLinks(e.Causes), list(e.Findings)
	e.Unknown, e.NotModelled = list(e.Unknown), list(e.NotModelled)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Subjects, f.Remedies, f.Unknown = list(f.Subjects), list(f.Remedies), list(f.Unknown)
		f.Causes, f.RuledOut = completeLinks(f.Causes), completeLinks(f.RuledOut)
	}
	return e
}

func completeLinks(links []finding.Link) []finding.Link {
	for i := range links {
		links[i].Evidence = list(links[i].Evidence)
	}
	return list(links)
}

func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
