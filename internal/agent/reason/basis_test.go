package reason_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Because of a fatal reason, a node may be rebooted or replaced. Its evidence is never text that a workload can write, nor the name of a
// process in a log line.
func TestBasisIsNothingThatAWorkloadWrites(t *testing.T) {
	for _, r := range reason.Catalogue {
		if fatal := r.Severity == reason.Fatal; fatal != (r.Basis.Kind != "") || fatal != (r.Basis.Text.EN != "" && r.Basis.Text.JA != "") {
			t.Errorf("%s is %s, and its basis is %+v", r.ID, r.Severity, r.Basis)
		}
		switch r.Basis.Kind {
		case "":
		case reason.State:
			if len(r.Matches) > 0 {
				t.Errorf("%s: its basis is a state, but it matches lines: %v", r.ID, r.Matches)
			}
		case reason.Record, reason.Witness, reason.Driver:
			least := 2
			if r.Basis.Kind == reason.Driver {
				least = 1
			}
			if r.WritableByWorkloads() || r.Entity == "process" || r.Needs.Count < least || least == 1 && r.Hardware == "" {
				t.Errorf("%s: its basis is %v for the entity %q, %d times", r.ID, r.Matches, r.Entity, r.Needs.Count)
			}
			for _, m := range r.Matches {
				if !strings.HasPrefix(m.Pattern, "^") {
					t.Errorf("%s: %s matches in the middle of a line", r.ID, m.Pattern)
				}
			}
		default:
			t.Errorf("%s: unknown basis %q", r.ID, r.Basis.Kind)
		}
	}
}
