package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// States are what a fault may bring a machine into.
var States = []string{"off", "kubelet-down", "cut-off", "link-down", "no-addresses"}

// Actions are the fields of a step of which it has exactly one.
var Actions = []string{"apply", "delete", "patch", "resize", "rotate", "terminate", "fault", "recover", "nodeRepair", "naosu", "wait", "mark"}

// Actions are those that are given.
func (s Step) Actions() []string {
	given := map[string]bool{
		"apply": s.Apply != nil, "delete": s.Delete != nil, "patch": s.Patch != nil, "resize": s.Resize != nil,
		"rotate": s.Rotate != nil, "terminate": s.Terminate != nil, "fault": s.Fault != nil, "recover": s.Recover != nil,
		"nodeRepair": s.NodeRepair != nil, "naosu": s.Naosu != nil, "wait": s.Wait != nil, "mark": s.Mark != "",
	}
	return slices.DeleteFunc(slices.Clone(Actions), func(action string) bool { return !given[action] })
}

// steps checks those of a pass and returns the points that expectations may refer to.
func (c *checker) steps(p Pass, env *expr.Env) []string {
	points := []string{Start}
	var latest time.Duration
	for _, s := range p.Steps {
		switch given := s.Actions(); {
		case len(given) == 0:
			c.fail(s.path, "does nothing; give it one of: %s", strings.Join(Actions, ", "))
		case len(given) > 1:
			c.fail(s.path, "has %s; give each a step of its own", strings.Join(given, " and "))
		}
		if s.At != nil && s.After != nil {
			c.fail(s.path+".after", "stands beside at; give one of the two")
		}
		if s.At != nil {
			if s.At.Duration < latest {
				c.fail(s.path+".at", "is before the step before it, at %s; steps happen in their order", latest)
			}
			latest = max(latest, s.At.Duration)
		}
		points = c.point(s, points)
		c.step(s, p, env)
	}
	return points
}

func (c *checker) point(s Step, points []string) []string {
	field, name := s.path+".name", s.Name
	if s.Mark != "" {
		if s.Name != "" {
			c.fail(field, "stands beside mark, which names the step already; leave it out")
		}
		field, name = s.path+".mark", s.Mark
	}
	if name == "" {
		return points
	}
	c.name(field, name)
	if slices.Contains(points, name) {
		c.fail(field, "%q is the name of an earlier point; choose another", name)
	}
	return append(points, name)
}

// step checks what a step does, as far as the cloud need not be asked.
func (c *checker) step(s Step, p Pass, env *expr.Env) {
	switch {
	case s.Delete != nil:
		c.objects(s.path+".delete.objects", s.Delete.Objects, env)
	case s.Patch != nil:
		c.objects(s.path+".patch.objects", s.Patch.Objects, env)
	case s.Resize != nil:
		if s.Resize.Desired == nil && s.Resize.Min == nil && s.Resize.Max == nil {
			c.fail(s.path+".resize", "changes nothing; give one of: desired, min, max")
		}
	case s.Fault != nil:
		c.target(s.path+".fault", s.Fault.Target, p)
		if !slices.Contains(States, s.Fault.State) {
			c.fail(s.path+".fault.state", "%q is not a state of a machine; it can be one of: %s", s.Fault.State, strings.Join(States, ", "))
		}
	case s.Recover != nil:
		c.target(s.path+".recover", *s.Recover, p)
	case s.Terminate != nil:
		c.target(s.path+".terminate", s.Terminate.Target, p)
	case s.Naosu != nil:
		c.command(s.path+".naosu", *s.Naosu, p, env)
	case s.Wait != nil:
		c.condition(s.path+".wait.until", s.Wait.Until, env)
		c.deadline(s.path+".wait", s.Wait.Within.Duration, s.Wait.RealSeconds)
	}
}

func (c *checker) target(path string, t Target, p Pass) {
	if t.Node == "" && t.Group == "" && t.Zone == "" {
		c.fail(path, "does not say whom it strikes; give a node, a group, a zone, or a group and a zone")
		return
	}
	if t.Node != "" {
		if t.Group != "" || t.Zone != "" {
			c.fail(path+".node", "stands beside a group or zone; a node's name says which it is already")
		}
		if _, known := p.Cluster.Nodes[t.Node]; !known {
			c.fail(path+".node", "node %q is not named under cluster.nodes; %s", t.Node, choices("name it there", sortedKeys(p.Cluster.Nodes)))
		}
	}
	if t.Group != "" {
		c.group(path+".group", t.Group, p)
	}
}
