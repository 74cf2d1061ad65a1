package view

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
)

// MostListed bounds what one sentence or link enumerates.
const MostListed = 5

// Some names things for a sentence: the first few, and how many more there are.
func (v View) Some(refs []change.Ref) []string {
	names := facts.RefStrings(refs[:min(len(refs), MostListed)])
	if more := len(refs) - len(names); more > 0 {
		names = append(names, v.Say.Text(message.AndMore, message.Args{"n": more}))
	}
	return names
}
