package reason_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A fatal reason may have a node rebooted or replaced. None rests on text that a workload can have written, nor on the name of a
// process in a line, and each says what it rests on.
func TestFatalReasonsRestOnNothingThatAWorkloadWrites(t *testing.T) {
	for _, r := range reason.Catalogue {
		if fatal := r.Severity == reason.Fatal; fatal != (r.Rests.On != "") || fatal != (r.Rests.Says.EN != "" && r.Rests.Says.JA != "") {
			t.Errorf("%s is %s, and rests on %+v", r.ID, r.Severity, r.Rests)
		}
		switch r.Rests.On {
		case "":
		case reason.State:
			if len(r.Matches) > 0 {
				t.Errorf("%s rests on lines: %v", r.ID, r.Matches)
			}
		case reason.Record, reason.Witness, reason.Driver:
			least := 2
			if r.Rests.On == reason.Driver {
				least = 1
			}
			if r.Written() || r.Entity == "process" || r.Needs.Count < least || least == 1 && r.Hardware == "" {
				t.Errorf("%s rests on %v, of %q, %d times", r.ID, r.Matches, r.Entity, r.Needs.Count)
			}
			for _, m := range r.Matches {
				if !strings.HasPrefix(m.Pattern, "^") {
					t.Errorf("%s: %s begins anywhere", r.ID, m.Pattern)
				}
			}
		default:
			t.Errorf("%s rests on %q", r.ID, r.Rests.On)
		}
	}
}
