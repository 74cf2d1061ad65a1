package scenario

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// WithNaosu is the name of the pass in which naosu is at work.
const WithNaosu = "naosu"

// Naosu is the pass in which naosu is at work. What it gives replaces the scenario's as a variant's does.
type Naosu struct {
	// Description says what naosu does about the incident.
	Description string `json:"description"`
	// Cluster is what differs about the cluster.
	Cluster *Cluster `json:"cluster,omitempty"`
	// Manifests are applied before the start, when naosu's own kinds are served: its policies.
	Manifests []Object `json:"manifests,omitempty"`
	// Steps replace the scenario's.
	Steps []Step `json:"steps,omitempty"`
	// Expect is what must be seen with naosu.
	Expect []Expectation `json:"expect"`
}

// Command is a run of the naosu program, with the lab's kubeconfig and AWS endpoint.
type Command struct {
	// Args are its arguments. One such as node/NAME means the node that cluster.nodes gives this name, and the duration in one
	// such as --timeout=5m is scenario time.
	Args []string `json:"args"`
	// Expect is an expression about "result", the JSON that it printed, and "exitCode". Without it the exit code must be 0.
	Expect string `json:"expect,omitempty"`
	// Within is the deadline by which it must have ended; without it, one minute of real time.
	Within *metav1.Duration `json:"within,omitempty"`
}

// NodeRepair changes what a group says of EKS's own repair of its nodes, as `aws eks update-nodegroup-config` does.
type NodeRepair struct {
	Group                  string `json:"group"`
	cloud.NodeRepairConfig `json:",inline"`
}

// String says what is changed, such as "switches EKS's own repair of group/workers off".
func (r NodeRepair) String() string {
	if r.Enabled {
		return "switches EKS's own repair of group/" + r.Group + " on"
	}
	return "switches EKS's own repair of group/" + r.Group + " off"
}

// naosuPass is the pass with naosu at work.
func (p Pass) naosuPass(n Naosu) Pass {
	p = p.vary(Variant{Name: WithNaosu, Description: n.Description, Cluster: n.Cluster, Steps: n.Steps, Expect: n.Expect}, "naosu")
	p.Policies = n.Manifests
	return p
}

// NeedsNaosu says whether a pass needs the naosu program.
func (p Pass) NeedsNaosu() bool {
	return p.With == WithNaosu || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Naosu != nil })
}

// named is the name in an argument such as node/NAME.
func named(arg string) (name string, ok bool) { return strings.CutPrefix(arg, "node/") }

// Resolve puts the names of Node objects in place of those that the scenario gives.
func (c Command) Resolve(nodes map[string]string) []string {
	args := slices.Clone(c.Args)
	for i, arg := range args {
		if name, ok := named(arg); ok && nodes[name] != "" {
			args[i] = "node/" + nodes[name]
		}
	}
	return args
}

func (c *checker) command(path string, command Command, p Pass, env *expr.Env) {
	if len(command.Args) == 0 {
		c.fail(path+".args", "is empty; give the command, such as [repair, check, -o, json]")
	}
	for _, arg := range command.Args {
		name, ok := named(arg)
		if _, known := p.Cluster.Nodes[name]; ok && !known {
			c.fail(path+".args", "node %q is not named under cluster.nodes; %s", name, choices("name it there", sortedKeys(p.Cluster.Nodes)))
		}
	}
	if command.Expect == "" {
		return
	}
	if _, err := env.Output(command.Expect); err != nil {
		c.fail(path+".expect", "%v", err)
	}
}

// naosu checks what the section says of its own manifests.
func (c *checker) naosu(n *Naosu) {
	if n == nil {
		return
	}
	if strings.TrimSpace(n.Description) == "" {
		c.fail("naosu.description", "is empty; say in words what happens")
	}
	c.objectsOnce(n.Manifests)
}
