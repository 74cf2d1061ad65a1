package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// Kubernetes is the name of the pass that plays a scenario with Kubernetes alone.
const Kubernetes = "kubernetes"

// reserved are names that no variant may take.
var reserved = []string{Kubernetes, WithNaosu}

// Start is the point of every scenario at which the cluster is built and running.
const Start = "start"

// Pass is one way to play a scenario, with its variant's changes made.
type Pass struct {
	// With is the variant's name, or Kubernetes.
	With string
	// Title is what the pass shows in a line.
	Title   string
	Counter bool
	Cluster Cluster
	Steps   []Step
	Expect  []Expectation
	// Policies are the manifests of naosu's own kinds.
	Policies []Object

	// groups say where each of the cloud's was written, and renamed which nodes the variant names.
	groups  []string
	renamed map[string]bool
	// variant is the path of the variant or of the section for naosu, or "".
	variant string
}

// Passes are all ways to play the scenario, the one with Kubernetes alone first.
func (s *Scenario) Passes() []Pass {
	base := Pass{With: Kubernetes, Title: s.Title, Cluster: s.Cluster, Steps: s.Steps, Expect: s.Expect}
	for i := range s.Cluster.Cloud.Groups {
		base.groups = append(base.groups, fmt.Sprintf("cluster.cloud.groups[%d]", i))
	}
	passes := []Pass{base}
	if s.Naosu != nil {
		passes = append(passes, base.naosuPass(*s.Naosu))
	}
	for i, v := range s.Variants {
		passes = append(passes, base.vary(v, fmt.Sprintf("variants[%d]", i)))
	}
	return passes
}

// Pass is the one of that name.
func (s *Scenario) Pass(with string) (Pass, error) {
	var names []string
	for _, p := range s.Passes() {
		if p.With == with {
			return p, nil
		}
		names = append(names, p.With)
	}
	return Pass{}, fmt.Errorf("scenario %s has no pass %q; it has %q", s.Name, with, names)
}

func (p Pass) vary(v Variant, path string) Pass {
	p.With, p.Title, p.Counter, p.variant = v.Name, v.Description, v.Counter, path
	if v.Cluster != nil {
		p.Cluster, p.groups = p.Cluster.vary(*v.Cluster, p.groups, path)
		p.renamed = map[string]bool{}
		for name := range v.Cluster.Nodes {
			p.renamed[name] = true
		}
	}
	if v.Steps != nil {
		p.Steps = v.Steps
	}
	if v.Expect != nil {
		p.Expect = v.Expect
	}
	return p
}

// vary changes a copy of the cluster.
func (c Cluster) vary(v Cluster, groups []string, path string) (Cluster, []string) {
	c.Cloud, groups = varyCloud(c.Cloud, v.Cloud, slices.Clone(groups), path)
	c.Nodes = merged(c.Nodes, v.Nodes)
	c.FeatureGates = merged(c.FeatureGates, v.FeatureGates)
	c.Flags = maps.Clone(c.Flags)
	for component, flags := range v.Flags {
		c.Flags = merged(c.Flags, map[string]map[string]FlagValue{component: merged(c.Flags[component], flags)})
	}
	if v.Addons != nil {
		c.Addons = v.Addons
	}
	c.Manifests = slices.Clone(c.Manifests)
	for _, o := range v.Manifests {
		at := slices.IndexFunc(c.Manifests, func(known Object) bool { return known.key() == o.key() })
		if at < 0 {
			c.Manifests = append(c.Manifests, o)
		} else {
			c.Manifests[at] = o
		}
	}
	return c, groups
}

func varyCloud(c, v cloud.Spec, groups []string, path string) (cloud.Spec, []string) {
	if v.Region != "" {
		c.Region = v.Region
	}
	if v.Zones != nil {
		c.Zones = v.Zones
	}
	if v.Subnets != nil {
		c.Subnets = v.Subnets
	}
	if v.NetworkInterfaces != nil {
		c.NetworkInterfaces = v.NetworkInterfaces
	}
	if v.DetachTime != nil {
		c.DetachTime = v.DetachTime
	}
	if v.InstanceTypes != nil {
		c.InstanceTypes = v.InstanceTypes
	}
	if v.RepairSwitchedOff != nil {
		c.RepairSwitchedOff = v.RepairSwitchedOff
	}
	if v.Seed != 0 {
		c.Seed = v.Seed
	}
	c.Groups = slices.Clone(c.Groups)
	for i, g := range v.Groups {
		from := fmt.Sprintf("%s.cluster.cloud.groups[%d]", path, i)
		at := slices.IndexFunc(c.Groups, func(known cloud.GroupSpec) bool { return known.Name == g.Name })
		if at < 0 {
			c.Groups, groups = append(c.Groups, g), append(groups, from)
		} else {
			c.Groups[at], groups[at] = g, from
		}
	}
	return c, groups
}

// merged is a copy of a map with another's entries put over its own.
func merged[V any](base, over map[string]V) map[string]V {
	if len(over) == 0 {
		return base
	}
	result := maps.Clone(base)
	if result == nil {
		result = map[string]V{}
	}
	maps.Copy(result, over)
	return result
}

// Env compiles the expressions of the pass.
func (p Pass) Env() (*expr.Env, error) { return expr.NewEnv(sortedKeys(p.Cluster.Nodes)) }

// Points are the names that --until takes in this pass, in order.
func (p Pass) Points() []string {
	points := []string{Start}
	for _, s := range p.Steps {
		if name := s.Point(); name != "" {
			points = append(points, name)
		}
	}
	return points
}

// Point is the name of the moment at which the step is done, or "".
func (s Step) Point() string {
	if s.Mark != "" {
		return s.Mark
	}
	return s.Name
}

// Label is what the step is called for a reader: its name, or what it does.
func (s Step) Label() string {
	if point := s.Point(); point != "" {
		return point
	}
	return strings.Join(s.Actions(), ", ")
}

// String is the target as kubectl would write it, such as "group/general in zone/us-east-1c".
func (t Target) String() string {
	switch {
	case t.Node != "":
		return "node/" + t.Node
	case t.Group != "" && t.Zone != "":
		return "group/" + t.Group + " in zone/" + t.Zone
	case t.Group != "":
		return "group/" + t.Group
	}
	return "zone/" + t.Zone
}

// String says what is set, such as "group/general to desired 6".
func (r Resize) String() string {
	var sizes []string
	for _, size := range []struct {
		name  string
		given *int
	}{{"min", r.Min}, {"desired", r.Desired}, {"max", r.Max}} {
		if size.given != nil {
			sizes = append(sizes, fmt.Sprintf("%s %d", size.name, *size.given))
		}
	}
	return "group/" + r.Group + " to " + strings.Join(sizes, ", ")
}
