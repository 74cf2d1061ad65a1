package npd

import (
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/config"
)

// File returns the reasons as a file of own reasons. If comment is not empty, it precedes each pattern to which ^ was added.
func (r Result) File(comment string) []byte {
	var b strings.Builder
	b.WriteString("reasons:\n")
	if len(r.Reasons) == 0 {
		return []byte("reasons: []\n")
	}
	for _, own := range r.Reasons {
		r.write(&b, own, comment)
	}
	return []byte(b.String())
}

func (r Result) write(b *strings.Builder, own config.OwnReason, comment string) {
	fmt.Fprintf(b, "- name: %s\n  means: %s\n  condition: %s\n", quoted(own.Name), quoted(own.Means), own.Condition)
	if own.Severity != "" {
		fmt.Fprintf(b, "  severity: %s\n", own.Severity)
	}
	b.WriteString("  matches:\n")
	for _, m := range own.Matches {
		if r.anchored[m.Pattern] && comment != "" {
			fmt.Fprintf(b, "  # %s\n", comment)
		}
		fmt.Fprintf(b, "  - {log: %s, pattern: %s}\n", quoted(string(m.Log)), quoted(m.Pattern))
	}
	if n := own.Needs; n != (config.OwnNeeds{}) {
		fmt.Fprintf(b, "  needs: {%s}\n", fields("count", n.Count > 0, n.Count, "within", n.Within > 0, n.Within))
	}
	if own.Clears.Quiet > 0 {
		fmt.Fprintf(b, "  clears: {quiet: %s}\n", own.Clears.Quiet)
	}
	if w := own.Witness; w != (config.OwnWitness{}) {
		fmt.Fprintf(b, "  witness: {%s}\n", fields("unit", w.Unit != "", quoted(w.Unit), "counter", w.Counter != "", quoted(w.Counter)))
	}
}

// fields formats "name: value" pairs. The arguments are triples of name, whether to include it, and value.
func fields(triples ...any) string {
	var all []string
	for i := 0; i < len(triples); i += 3 {
		if triples[i+1] == true {
			all = append(all, fmt.Sprintf("%v: %v", triples[i], triples[i+2]))
		}
	}
	return strings.Join(all, ", ")
}

// quoted returns text as a YAML scalar in single quotes.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
