// Package imports holds the rules on what the module's packages may reach through others, and the tests that defend
// them. What a package may import directly is the linter's part: see depguard in .golangci.yaml.
package imports

import (
	"fmt"
	"slices"
	"strings"
)

const own = "github.com/naosu-dev/naosu/"

// rule says what some packages must not reach by any chain of imports.
type rule struct {
	// why completes "A must not reach B: …".
	why string
	// from are packages of the module, unreachable are import paths of any; each includes what is below it.
	from, unreachable []string
	// tests adds what the packages' own test files import directly.
	tests bool
}

var (
	agentParts   = []string{own + "cmd/naosu-agent", own + "internal/agent"}
	controlPlane = []string{"k8s.io/kubernetes/cmd", "go.etcd.io/etcd/server/v3"}
)

// layers are the packages of internal/, the highest first. Each may import those below it and its neighbours.
var layers = [][]string{
	{own + "internal/cli", own + "internal/controller"},
	{own + "internal/action"},
	{own + "internal/diagnosis", own + "internal/record", own + "internal/zonecoverage", own + "internal/repaircheck"},
	{own + "internal/guard", own + "internal/repairpolicy", own + "internal/rebalance", own + "internal/rebalancepolicy", own + "internal/addresspolicy", own + "internal/headroom", own + "internal/headroompolicy"},
	{own + "internal/simulation", own + "internal/failoverpolicy", own + "internal/addresses"},
	{own + "internal/scheduling"},
	{own + "internal/cluster"},
	{own + "internal/change", own + "internal/finding", own + "internal/message", own + "internal/cloud", own + "internal/admission", own + "internal/merge", own + "internal/ledger"},
	{own + "api", own + "internal/kube", own + "internal/textutil", own + "internal/terminal", own + "internal/locale", own + "internal/heartbeat"},
}

// ofDiagnosis are those of internal/diagnosis, likewise (docs/adr/0003).
var ofDiagnosis = [][]string{
	{own + "internal/diagnosis/compare"},
	{own + "internal/diagnosis/unschedulable", own + "internal/diagnosis/rules"},
	{own + "internal/diagnosis/status"},
	{own + "internal/diagnosis/query"},
	{own + "internal/diagnosis/facts"},
}

// ofSimulation are those of internal/simulation, likewise (docs/adr/0015).
var ofSimulation = [][]string{
	{own + "internal/simulation/internal/manifest", own + "internal/simulation/internal/nodegroup"},
	{own + "internal/simulation/internal/nodelifecycle"},
	{own + "internal/simulation/verticalautoscaler"},
	{own + "internal/simulation/internal/workload"},
	{own + "internal/simulation/internal/engine"},
	{
		own + "internal/simulation/internal/disruption", own + "internal/simulation/internal/fates", own + "internal/simulation/internal/queue",
		own + "internal/simulation/internal/podtemplate",
	},
	{own + "internal/simulation/internal/pods", own + "internal/simulation/internal/randomness", own + "internal/simulation/internal/replicas"},
	{own + "internal/simulation/internal/names"},
	{own + "internal/simulation/outcome"},
}

// ofAgent are those of internal/agent, likewise (docs/adr/0004).
var ofAgent = [][]string{
	{own + "internal/agent/cli"},
	{own + "internal/agent/config"},
	{own + "internal/agent/tasks", own + "internal/agent/heartbeat"},
	{own + "internal/agent/report"},
	{own + "internal/agent/monitor"},
	{own + "internal/agent/source"},
	{own + "internal/agent/evidence", own + "internal/agent/host"},
	{own + "internal/agent/reason", own + "internal/agent/managedfields"},
}

var rules = slices.Concat(downward(layers), downward(ofDiagnosis), downward(ofSimulation), downward(ofAgent), []rule{
	{
		why:         "the control plane costs minutes of compiling and tens of MiB, and belongs to the lab",
		from:        []string{own + "cmd/naosu", own + "internal", own + "api"},
		unreachable: controlPlane,
	},
	{
		why:         "naosu-lab alone links the control plane, and whoever needs one runs it: linking takes half a minute",
		from:        []string{own + "lab", own + "test", own + "hack"},
		unreachable: []string{own + "lab/controlplane/inprocess", "k8s.io/kubernetes/cmd/kube-apiserver", "go.etcd.io/etcd/server/v3"},
		tests:       true,
	},
	{
		why:         "what judges and what is judged share no code",
		from:        []string{own + "cmd/naosu", own + "cmd/naosu-agent", own + "internal", own + "api"},
		unreachable: []string{own + "lab", own + "cmd/naosu-lab", own + "test"},
		tests:       true,
	},
	{
		why:         "what judges and what is judged share no code",
		from:        []string{own + "lab", own + "cmd/naosu-lab"},
		unreachable: []string{own + "internal", own + "cmd/naosu", own + "cmd/naosu-agent"},
		tests:       true,
	},
	{
		why:         "Helm installs naosu, and is no part of it",
		from:        []string{own + "cmd", own + "internal", own + "api", own + "lab"},
		unreachable: []string{"helm.sh/helm/v4"},
		tests:       true,
	},
	{
		why:         "html/template has the linker keep every exported method of every type, of all of EC2's API too, and gRPC imports it",
		from:        []string{own + "cmd/naosu"},
		unreachable: []string{"html/template", "google.golang.org/grpc"},
	},
	{
		why:         "what naosu did and what a policy asks for is data: only a forecast needs the scheduler",
		from:        []string{own + "internal/ledger", own + "internal/record", own + "internal/repairpolicy", own + "internal/failoverpolicy"},
		unreachable: []string{own + "internal/scheduling", "k8s.io/kubernetes", "k8s.io/kube-scheduler"},
	},
	{
		why:         "a forecast's outcome is data: to read one takes no scheduler",
		from:        []string{own + "internal/simulation/outcome", own + "internal/guard"},
		unreachable: []string{"k8s.io/kubernetes/pkg/scheduler", own + "internal/scheduling"},
	},
	{
		why:         "what an engine keeps knows neither the engine nor the scheduler",
		from:        slices.Concat(ofSimulation[5:]...),
		unreachable: []string{"k8s.io/kubernetes/pkg/scheduler", own + "internal/scheduling"},
	},
	{
		why:         "the agent stays small",
		from:        agentParts,
		unreachable: []string{"k8s.io/kubernetes", "k8s.io/kube-scheduler", "sigs.k8s.io/controller-runtime", "github.com/aws", own + "internal/cluster"},
	},
	{
		why:         "the agent is linked by itself: others read its catalogue of reasons, and whose a condition is",
		from:        slices.Concat(slices.Concat(layers...), []string{own + "cmd/naosu", own + "cmd/naosu-lab"}),
		unreachable: slices.Concat(ofAgent[:len(ofAgent)-1]...),
	},
})

// downward is one rule for each layer: it reaches nothing above it.
func downward(layers [][]string) []rule {
	var rules []rule
	var above []string
	for _, layer := range layers {
		rules = append(rules, rule{why: "imports run downward", from: layer, unreachable: above})
		above = append(above, layer...)
	}
	return rules
}

// graph holds the direct imports of every package, by import path.
type graph struct {
	imports, testImports map[string][]string
}

// violations lists every chain of imports from a package the rule is about to one it must not reach, the shortest
// chain for each of the former.
func (r rule) violations(g graph) []string {
	var found []string
	for path := range g.imports {
		if !below(path, r.from) || below(path, r.unreachable) {
			continue
		}
		if chain := r.chain(g, path); chain != nil {
			found = append(found, fmt.Sprintf("%s: %s", strings.Join(chain, " → "), r.why))
		}
	}
	slices.Sort(found)
	return found
}

// chain is the shortest chain of imports from a package to one it must not reach, or nil.
func (r rule) chain(g graph, from string) []string {
	importer := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if below(path, r.unreachable) {
			return unwind(importer, path)
		}
		next := g.imports[path]
		if path == from && r.tests {
			next = slices.Concat(next, g.testImports[path])
		}
		for _, imported := range next {
			if _, seen := importer[imported]; !seen {
				importer[imported] = path
				queue = append(queue, imported)
			}
		}
	}
	return nil
}

func unwind(importer map[string]string, path string) []string {
	var chain []string
	for ; path != ""; path = importer[path] {
		chain = append(chain, path)
	}
	slices.Reverse(chain)
	return chain
}

// below reports whether a package is one of the given ones or in a folder below them.
func below(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return path == folder || strings.HasPrefix(path, folder+"/")
	})
}
