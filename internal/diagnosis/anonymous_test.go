package diagnosis_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
)

// readsCommand is the example whose answer is what a container's command does; no command stays in an anonymous snapshot.
const readsCommand = "testdata/upstream/kubernetes-127339.yaml"

// TestAnonymousTellsTheSame audits each example cluster as it is and under other names, which stand in another order: the
// findings are of the same shape, so that none of them hangs on what things are called.
func TestAnonymousTellsTheSame(t *testing.T) {
	var inputs []string
	for _, pattern := range []string{"testdata/audit/*.yaml", "testdata/upstream/*.yaml", "testdata/status/*.yaml", "testdata/stories/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no input (%v)", pattern, err)
		}
		inputs = append(inputs, found...)
	}
	for _, input := range inputs {
		if input == readsCommand {
			continue
		}
		t.Run(input, func(t *testing.T) {
			world := worldOf(clustertest.Load(t, input))
			want := shapes(t, world)
			for range 3 { // The new names are drawn by lot.
				anonymous, err := world.Anonymize()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, shapes(t, anonymous)); diff != "" {
					t.Errorf("under its names (-) and under others (+):\n%s", diff)
				}
			}
		})
	}
}

// shapes are the findings of an audit without their names.
func shapes(t *testing.T, world *cluster.Snapshot) []string {
	t.Helper()
	var all []string
	for _, f := range diagnosis.Audit(t.Context(), query.Query{World: world, Judge: judgeOf(t, world)}, nil).Findings {
		all = append(all, shape(f))
	}
	slices.Sort(all)
	return all
}

func shape(f finding.Finding) string {
	said := fmt.Sprintf("%s %s: %d subjects, %d causes, %d ruled out;", f.Code, f.Severity, len(f.Subjects), len(f.Causes), len(f.RuledOut))
	for _, r := range f.Remedies {
		said += fmt.Sprintf(" %T verified %t;", r.Change, r.Verified)
	}
	return said
}
