package imports

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModule(t *testing.T) {
	g := load(t)
	for _, r := range rules {
		for _, violation := range r.violations(g) {
			t.Error(violation)
		}
	}
}

// A graph of which nothing is read, or not all, would satisfy every rule. The lab does reach the control plane, through
// several packages, so this rule must be seen broken.
func TestModuleIsReadWhole(t *testing.T) {
	r := rule{from: []string{module + "cmd/naosu-lab"}, unreachable: controlPlane}
	if got := r.violations(load(t)); len(got) == 0 {
		t.Error("cmd/naosu-lab was not seen to reach the control plane")
	}
}

func TestViolations(t *testing.T) {
	tests := []struct {
		name                 string
		imports, testImports map[string][]string
		want                 []string
	}{
		{
			name: "the CLI reaches the API server through another package",
			imports: map[string][]string{
				module + "cmd/naosu":       {"fmt", module + "internal/cli"},
				module + "internal/cli":    {"example.com/handy"},
				"example.com/handy":        {"k8s.io/kubernetes/cmd/kube-apiserver/app"},
				module + "cmd/naosu-lab":   {"k8s.io/kubernetes/cmd/kube-apiserver/app"},
				module + "internal/change": {"fmt"},
			},
			want: []string{
				module + "cmd/naosu → " + module + "internal/cli → example.com/handy → k8s.io/kubernetes/cmd/kube-apiserver/app: " + "the control plane costs minutes of compiling and tens of MiB, and belongs to the lab",
				module + "internal/cli → example.com/handy → k8s.io/kubernetes/cmd/kube-apiserver/app: " + "the control plane costs minutes of compiling and tens of MiB, and belongs to the lab",
			},
		},
		{
			name:    "the lab imports what it judges",
			imports: map[string][]string{module + "lab/scenario": {module + "internal/finding"}},
			want:    []string{module + "lab/scenario → " + module + "internal/finding: " + "what judges and what is judged share no code"},
		},
		{
			name:        "a test of the judge uses the lab",
			imports:     map[string][]string{module + "internal/diagnosis": {"fmt"}},
			testImports: map[string][]string{module + "internal/diagnosis": {"testing", module + "lab"}},
			want:        []string{module + "internal/diagnosis → " + module + "lab: " + "what judges and what is judged share no code"},
		},
		{
			name: "the world knows who diagnoses it",
			imports: map[string][]string{
				module + "internal/cluster":   {module + "internal/finding"},
				module + "internal/finding":   {module + "internal/diagnosis/zone"},
				module + "internal/diagnosis": {module + "internal/cluster"},
			},
			want: []string{
				module + "internal/cluster → " + module + "internal/finding → " + module + "internal/diagnosis/zone: imports run downward",
				module + "internal/finding → " + module + "internal/diagnosis/zone: imports run downward",
			},
		},
		{
			name:    "the agent links the scheduler",
			imports: map[string][]string{module + "cmd/naosu-agent": {"k8s.io/kubernetes/pkg/scheduler"}},
			want:    []string{module + "cmd/naosu-agent → k8s.io/kubernetes/pkg/scheduler: " + "the agent stays small"},
		},
		{
			name: "names that only begin alike, and what tests of others import, are allowed",
			imports: map[string][]string{
				module + "cmd/naosu":    {module + "internal/cli"},
				module + "internal/cli": {module + "labels", "k8s.io/kubernetes/pkg/apis/core"},
			},
			testImports: map[string][]string{"example.com/handy": {"k8s.io/kubernetes/cmd/kube-apiserver/app"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, r := range rules {
				got = append(got, r.violations(graph{test.imports, test.testImports})...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// load asks go for the packages of the module and all that they depend on.
func load(t *testing.T) graph {
	t.Helper()
	root := filepath.Join("..", "..")
	visit(t, root)

	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	var failure strings.Builder
	cmd.Stderr = &failure
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, failure.String())
	}
	g := graph{imports: map[string][]string{}, testImports: map[string][]string{}}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return g
		} else if err != nil {
			t.Fatalf("read what go list printed: %v", err)
		}
		g.imports[p.ImportPath] = p.Imports
		g.testImports[p.ImportPath] = append(p.TestImports, p.XTestImports...)
	}
}

// visit looks at every folder of the module, so that go test, which keeps the results of tests, knows that this one
// depends on all of them.
func visit(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err == nil && entry.IsDir() && (name == ".git" || name == "bin") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatalf("look at the module: %v", err)
	}
}
