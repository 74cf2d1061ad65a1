package diagnosis_test

import (
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestAuditFindsWhatIsBroken audits each example cluster: all that is broken there by `naosu why -A` is the subject of a finding.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no input (%v)", err)
	}
	broken := 0
	for _, input := range inputs {
		t.Run(input, func(t *testing.T) {
			world := worldOf(clustertest.Load(t, input))
			q := query.Query{World: world, Judge: judgeOf(t, world)}
			found := map[change.Ref]bool{}
			for _, f := range diagnosis.Audit(t.Context(), q, nil).Findings {
				for _, ref := range f.Subjects {
					found[ref] = true
				}
			}
			for _, e := range diagnosis.Overview(t.Context(), q, diagnosis.Scope{}).Explanations {
				for _, ref := range append([]change.Ref{e.Subject}, e.Alike...) {
					broken++
					if !found[ref] {
						t.Errorf("audit says nothing of %s: %s", ref, message.English().Say(e.Summary))
					}
				}
			}
		})
	}
	if broken == 0 {
		t.Error("nothing is broken in any example")
	}
}
