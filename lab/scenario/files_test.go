package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestFiles reads the project's own scenarios.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("found %d scenarios (%v), want those of stories 1, 2 and 5 at least", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSuffix(filepath.Base(file), ".yaml"); s.Name != want {
				t.Errorf("name = %q, want %q like the file", s.Name, want)
			}
		})
	}
}

// TestDocumentedScenario reads the one that the documentation shows.
func TestDocumentedScenario(t *testing.T) {
	text, err := os.ReadFile("../../docs/en/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\nname:")
	example, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("the documentation shows no scenario")
	}
	if _, err := Parse("scenarios.md", []byte("name:"+example)); err != nil {
		t.Error(err)
	}
}

// TestAdmissionPolicyOfTheChart has the story of the preempted Jobs play with the admission policy that the chart installs.
func TestAdmissionPolicyOfTheChart(t *testing.T) {
	text, err := os.ReadFile("../../config/protection/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load("../../scenarios/preempted-jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var want map[string]any
		if err := yaml.Unmarshal([]byte(document), &want); err != nil {
			t.Fatal(err)
		}
		for _, o := range s.Naosu.Manifests {
			if o.GetKind() != want["kind"] {
				continue
			}
			compared++
			if diff := cmp.Diff(want, o.Object); diff != "" {
				t.Errorf("%s differs from the chart's (-chart +scenario):\n%s", o.GetKind(), diff)
			}
		}
	}
	if compared != 2 {
		t.Errorf("%d objects are compared, want the policy and its binding", compared)
	}
}
