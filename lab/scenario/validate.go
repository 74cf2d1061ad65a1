package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/scenario/expr"
	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// components are those of the control plane that take flags.
var components = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

var plainName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// checker gathers what is wrong with a scenario that could be decoded.
type checker struct {
	doc    *strictyaml.Document
	errors strictyaml.Errors
}

func (c *checker) fail(path, format string, args ...any) {
	c.errors = append(c.errors, c.doc.Errorf(path, format, args...))
}

func (c *checker) name(path, name string) {
	if !plainName.MatchString(name) || len(name) > 63 {
		c.fail(path, "%q is not a name; use lower-case letters, digits and dashes", name)
	}
}

func validate(s *Scenario) error {
	c := &checker{doc: s.doc}
	c.name("name", s.Name)
	for path, text := range map[string]string{"title": s.Title, "description": s.Description} {
		if strings.TrimSpace(text) == "" {
			c.fail(path, "is empty; say in words what happens")
		}
	}
	c.variants(s)
	c.naosu(s.Naosu)
	for _, cluster := range clusters(s) {
		c.cluster(cluster.path, cluster.Cluster)
	}
	for _, p := range s.Passes() {
		c.pass(p)
	}
	return c.errors.OrNil()
}

type clusterAt struct {
	path string
	*Cluster
}

// clusters are the scenario's own and what its other passes say of theirs.
func clusters(s *Scenario) []clusterAt {
	all := []clusterAt{{"cluster", &s.Cluster}}
	if s.Naosu != nil && s.Naosu.Cluster != nil {
		all = append(all, clusterAt{"naosu.cluster", s.Naosu.Cluster})
	}
	for i, v := range s.Variants {
		if v.Cluster != nil {
			all = append(all, clusterAt{fmt.Sprintf("variants[%d].cluster", i), v.Cluster})
		}
	}
	return all
}

func (c *checker) variants(s *Scenario) {
	var names []string
	counter := false
	for i, v := range s.Variants {
		path := fmt.Sprintf("variants[%d]", i)
		c.name(path+".name", v.Name)
		if slices.Contains(reserved, v.Name) {
			c.fail(path+".name", "%q is the name of a pass that every scenario has; choose another", v.Name)
		}
		if slices.Contains(names, v.Name) {
			c.fail(path+".name", "%q is the name of another variant; choose another", v.Name)
		}
		names = append(names, v.Name)
		counter = counter || v.Counter
		if v.Counter && len(v.Expect) == 0 {
			c.fail(path+".expect", "is missing; a counter-run needs expectations of its own that say the incident does not happen")
		}
	}
	if !counter {
		c.fail("variants", "has no counter-run; add a variant with counter: true in which the cause is removed and the incident does not happen")
	}
}

func (c *checker) cluster(path string, cluster *Cluster) {
	for _, component := range slices.Sorted(maps.Keys(cluster.Flags)) {
		at := strictyaml.Join(path+".flags", component)
		if !slices.Contains(components, component) {
			c.fail(at, "is not a component that takes flags; it can be one of: %s", strings.Join(components, ", "))
		}
		for _, flag := range slices.Sorted(maps.Keys(cluster.Flags[component])) {
			if !plainName.MatchString(flag) {
				c.fail(strictyaml.Join(at, flag), "is not a flag's name; write it in lower case and without the leading dashes")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cluster.Nodes)) {
		c.name(strictyaml.Join(path+".nodes", name), name)
	}
	c.objectsOnce(cluster.Manifests)
}

func (c *checker) objectsOnce(manifests []Object) {
	keys := map[string]string{}
	for _, o := range manifests {
		if first, twice := keys[o.key()]; twice {
			c.fail(o.path, "%s %s is given twice; the first is %s", o.GetKind(), o.GetName(), first)
		}
		keys[o.key()] = o.path
	}
}

// pass checks what can only be known once a variant's changes are made.
func (c *checker) pass(p Pass) {
	clouds := c.cloud(p)
	env, err := p.Env()
	if err != nil {
		c.fail("", "%v", err)
		return
	}
	points := c.steps(p, env)
	if len(p.Expect) == 0 {
		c.fail(strings.TrimPrefix(p.variant+".expect", "."), "is empty; say what must be seen")
	}
	names := map[string]bool{}
	for _, e := range p.Expect {
		c.name(e.path+".name", e.Name)
		if names[e.Name] {
			c.fail(e.path+".name", "%q is the name of another expectation; choose another", e.Name)
		}
		names[e.Name] = true
		c.expectation(e, env, points)
	}
	if clouds != nil {
		c.checkCloudRequests(p, clouds)
	}
}

func (c *checker) expectation(e Expectation, env *expr.Env, points []string) {
	if e.From != "" && !slices.Contains(points, e.From) {
		c.fail(e.path+".from", "there is no step or mark named %q in this pass; it can be one of: %s", e.From, strings.Join(points, ", "))
	}
	c.condition(e.path+".that", e.That, env)
	c.deadline(e.path, e.Within.Duration, e.RealSeconds)
	if e.NotBefore != nil && e.NotBefore.Duration > e.Within.Duration {
		c.fail(e.path+".notBefore", "is after the deadline of %s; nothing could meet it", e.Within.Duration)
	}
}

func (c *checker) deadline(path string, within time.Duration, realSeconds int) {
	if within == 0 {
		c.fail(path+".within", "must be more than 0s; give the cluster time to show it")
	}
	if realSeconds < 0 {
		c.fail(path+".realSeconds", "is negative; give whole seconds or leave it out")
	}
}

func (c *checker) condition(path, source string, env *expr.Env) {
	if _, err := env.Condition(source); err != nil {
		c.fail(path, "%v", err)
	}
}

func (c *checker) objects(path, source string, env *expr.Env) {
	if _, err := env.Objects(source); err != nil {
		c.fail(path, "%v", err)
	}
}
