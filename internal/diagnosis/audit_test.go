package diagnosis_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/golden"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestAudit compares the audit of each testdata/audit/CODE-NAME.yaml, as far as it is about CODE, with its .json. A name
// that begins with story is compared as a whole.
func TestAudit(t *testing.T) {
	for _, input := range auditInputs(t) {
		name := strings.TrimSuffix(filepath.Base(input), ".yaml")
		t.Run(name, func(t *testing.T) {
			got, err := finding.EncodeJSON(message.English(), auditOf(t, input))
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, strings.TrimSuffix(input, ".yaml")+".json", got)
		})
	}
}

// TestAuditInJapanese sees to it that no sentence falls back to its ID, and that each is in Japanese.
func TestAuditInJapanese(t *testing.T) {
	ideas := regexp.MustCompile(`\p{Hiragana}`)
	for _, input := range auditInputs(t) {
		said := auditOf(t, input)
		var texts []string
		for _, f := range said.Findings {
			texts = append(texts, message.Japanese().Say(f.Message))
			for _, link := range slices.Concat(f.Causes, f.RuledOut) {
				texts = append(texts, message.Japanese().Say(link.Message))
			}
			for _, way := range f.Remedies {
				texts = append(texts, message.Japanese().Say(way.Message))
				if !way.Risk.IsZero() {
					texts = append(texts, message.Japanese().Say(way.Risk))
				}
			}
			for _, gap := range f.Unknown {
				texts = append(texts, message.Japanese().Say(gap.Message))
			}
		}
		for _, text := range texts {
			if !ideas.MatchString(text) {
				t.Errorf("%s: not Japanese: %s", input, text)
			}
		}
	}
}

func auditInputs(t *testing.T) []string {
	t.Helper()
	inputs, err := filepath.Glob("testdata/audit/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no input found: %v", err)
	}
	return inputs
}

// auditOf audits a file's cluster, and keeps what is about the code in the file's name.
func auditOf(t *testing.T, input string) finding.Audit {
	t.Helper()
	a := audit(t, clustertest.Load(t, input))
	code, _, _ := strings.Cut(filepath.Base(input), "-")
	if !strings.HasPrefix(code, "story") {
		a.Findings = about(a, finding.Code(strings.ToUpper(code)))
	}
	return a
}

// about is never nil, so that it is written as an empty list.
func about(a finding.Audit, code finding.Code) []finding.Finding {
	found := []finding.Finding{}
	for _, f := range a.Findings {
		if f.Code == code {
			found = append(found, f)
		}
	}
	return found
}

func audit(t *testing.T, objects []runtime.Object) finding.Audit {
	t.Helper()
	world := worldOf(objects)
	return diagnosis.Audit(t.Context(), query.Query{World: world, Judge: judgeOf(t, world)}, nil)
}

// worldOf is a world that is wholly known, the network of a cloud only if there are objects of it.
func worldOf(objects []runtime.Object) *cluster.Snapshot {
	known := map[cluster.Kind]cluster.Knowledge{}
	kinds := cluster.Kinds()
	if slices.ContainsFunc(objects, func(o runtime.Object) bool { return o.GetObjectKind().GroupVersionKind().Group == custom.NetworkGroup }) {
		kinds = append(kinds, cluster.NetworkKinds()...)
	}
	for _, kind := range kinds {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: now, Server: "v1.36.3"})
}
