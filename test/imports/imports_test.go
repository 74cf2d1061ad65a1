package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/test/module"
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
	r := rule{from: []string{own + "cmd/naosu-lab"}, unreachable: controlPlane}
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
				own + "cmd/naosu":       {"fmt", own + "internal/cli"},
				own + "internal/cli":    {"example.com/handy"},
				"example.com/handy":     {"k8s.io/kubernetes/cmd/kube-apiserver/app"},
				own + "cmd/naosu-lab":   {"k8s.io/kubernetes/cmd/kube-apiserver/app"},
				own + "internal/change": {"fmt"},
			},
			want: []string{
				own + "cmd/naosu → " + own + "internal/cli → example.com/handy → k8s.io/kubernetes/cmd/kube-apiserver/app: " + "the control plane costs minutes of compiling and tens of MiB, and belongs to the lab",
				own + "internal/cli → example.com/handy → k8s.io/kubernetes/cmd/kube-apiserver/app: " + "the control plane costs minutes of compiling and tens of MiB, and belongs to the lab",
			},
		},
		{
			name: "a test links the control plane",
			imports: map[string][]string{
				own + "test/why":                   {"fmt"},
				own + "lab":                        {own + "lab/controlplane"},
				own + "lab/controlplane":           {"fmt"},
				own + "lab/controlplane/inprocess": {own + "lab/controlplane", "k8s.io/kubernetes/cmd/kube-apiserver/app"},
				"k8s.io/kubernetes/cmd/kubelet":    {"fmt"},
				own + "test/kubelet":               {"k8s.io/kubernetes/cmd/kubelet"},
			},
			testImports: map[string][]string{own + "test/why": {own + "lab/controlplane/inprocess"}},
			want: []string{
				own + "test/why → " + own + "lab/controlplane/inprocess: naosu-lab alone links the control plane, and whoever needs one runs it: linking takes half a minute",
			},
		},
		{
			name:    "the lab imports what it judges",
			imports: map[string][]string{own + "lab/scenario": {own + "internal/finding"}},
			want:    []string{own + "lab/scenario → " + own + "internal/finding: " + "what judges and what is judged share no code"},
		},
		{
			name:        "a test of the judge uses the lab",
			imports:     map[string][]string{own + "internal/diagnosis": {"fmt"}},
			testImports: map[string][]string{own + "internal/diagnosis": {"testing", own + "lab"}},
			want:        []string{own + "internal/diagnosis → " + own + "lab: " + "what judges and what is judged share no code"},
		},
		{
			name:    "the CLI installs naosu",
			imports: map[string][]string{own + "internal/cli": {"helm.sh/helm/v4/pkg/action"}},
			want:    []string{own + "internal/cli → helm.sh/helm/v4/pkg/action: Helm installs naosu, and is no part of it"},
		},
		{
			name:    "the CLI links gRPC",
			imports: map[string][]string{own + "cmd/naosu": {"example.com/handy"}, "example.com/handy": {"google.golang.org/grpc/status"}},
			want: []string{
				own + "cmd/naosu → example.com/handy → google.golang.org/grpc/status: " +
					"html/template has the linker keep every exported method of every type, of all of EC2's API too, and gRPC imports it",
			},
		},
		{
			name: "the world knows who diagnoses it",
			imports: map[string][]string{
				own + "internal/cluster":   {own + "internal/finding"},
				own + "internal/finding":   {own + "internal/diagnosis/zone"},
				own + "internal/diagnosis": {own + "internal/cluster"},
			},
			want: []string{
				own + "internal/cluster → " + own + "internal/finding → " + own + "internal/diagnosis/zone: imports run downward",
				own + "internal/finding → " + own + "internal/diagnosis/zone: imports run downward",
			},
		},
		{
			name: "the guard links the scheduler",
			imports: map[string][]string{
				own + "internal/guard":      {own + "internal/simulation"},
				own + "internal/simulation": {own + "internal/scheduling"},
			},
			want: []string{
				own + "internal/guard → " + own + "internal/simulation → " + own + "internal/scheduling: a forecast's outcome is data: to read one takes no scheduler",
			},
		},
		{
			name:    "a workload's controller knows groups of nodes",
			imports: map[string][]string{own + "internal/simulation/internal/workload": {own + "internal/simulation/internal/nodegroup"}},
			want: []string{
				own + "internal/simulation/internal/workload → " + own + "internal/simulation/internal/nodegroup: imports run downward",
			},
		},
		{
			name:    "the queue asks the scheduler",
			imports: map[string][]string{own + "internal/simulation/internal/queue": {own + "internal/scheduling"}},
			want: []string{
				own + "internal/simulation/internal/queue → " + own + "internal/scheduling: what an engine keeps knows neither the engine nor the scheduler",
			},
		},
		{
			name:    "a state asks a rule",
			imports: map[string][]string{own + "internal/diagnosis/status": {own + "internal/diagnosis/rules"}},
			want:    []string{own + "internal/diagnosis/status → " + own + "internal/diagnosis/rules: imports run downward"},
		},
		{
			name:    "the agent links the scheduler",
			imports: map[string][]string{own + "cmd/naosu-agent": {"k8s.io/kubernetes/pkg/scheduler"}},
			want:    []string{own + "cmd/naosu-agent → k8s.io/kubernetes/pkg/scheduler: " + "the agent stays small"},
		},
		{
			name: "names that only begin alike, and what tests of others import, are allowed",
			imports: map[string][]string{
				own + "cmd/naosu":    {own + "internal/cli"},
				own + "internal/cli": {own + "labels", "k8s.io/kubernetes/pkg/apis/core"},
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

// load lists the packages of the module and all that they depend on.
func load(t *testing.T) graph {
	t.Helper()
	module.Visit(t)

	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join("..", "..")
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
