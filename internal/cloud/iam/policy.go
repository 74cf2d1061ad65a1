package iam

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Policy is an IAM policy for a cluster that is named my-cluster.
type Policy struct {
	// Name is that of its file in config/iam.
	Name       string
	Statements []Statement
}

// Statement allows actions on resources, of those only if their tags have the values.
type Statement struct {
	Resources []string
	Actions   []Action
	Tags      map[string]string
}

// The resources of statements.
const (
	nodegroups = "arn:aws:eks:*:*:nodegroup/my-cluster/*/*"
	groups     = "arn:aws:autoscaling:*:*:autoScalingGroup:*"
)

// managed is the tag that EKS adds to instances and groups of managed node groups.
var managed = map[string]string{"eks:cluster-name": "my-cluster"}

// Policies are those that docs and config/iam have: for reading addresses, for an AddressPolicy, for repairs, and for the zone coverage of a HeadroomPolicy.
var Policies = []Policy{
	{"addresses", []Statement{
		onAll(DescribeInstances, DescribeInstanceTypes, DescribeNetworkInterfaces, DescribeSubnets, GetSubnetCidrReservations, DescribeAutoScalingGroups),
	}},
	{"address-policy", []Statement{
		onAll(DescribeInstances, DescribeNetworkInterfaces, DescribeSubnets),
		{[]string{"arn:aws:ec2:*:*:network-interface/*"}, []Action{DeleteNetworkInterface}, map[string]string{
			"cluster.k8s.amazonaws.com/name": "my-cluster", "eks:eni:owner": "amazon-vpc-cni",
		}},
	}},
	{"repair", []Statement{
		onAll(DescribeInstances, DescribeInstanceStatus, DescribeAutoScalingInstances, DescribeAutoScalingGroups),
		{[]string{nodegroups}, []Action{DescribeNodegroup}, nil},
		{[]string{"arn:aws:ec2:*:*:instance/*"}, []Action{RebootInstances}, managed},
		{[]string{groups}, []Action{TerminateInstanceInGroup}, managed},
	}},
	{"zone-coverage", []Statement{
		onAll(DescribeInstances, DescribeAutoScalingGroups, DescribeAutoScalingInstances),
		{[]string{nodegroups, "arn:aws:eks:*:*:cluster/my-cluster"}, []Action{DescribeNodegroup, UpdateNodegroupConfig, DescribeUpdate}, nil},
		{[]string{groups}, []Action{UpdateAutoScalingGroup}, map[string]string{"kubernetes.io/cluster/my-cluster": "owned"}},
	}},
}

func onAll(actions ...Action) Statement {
	return Statement{Resources: []string{"*"}, Actions: actions}
}

// JSON is the policy as IAM takes it, a line for each part of a statement.
func (p Policy) JSON() string {
	var statements []string
	for _, s := range p.Statements {
		lines := []string{`  {"Effect": "Allow", "Resource": ` + oneOrList(s.Resources), `    "Action": ` + oneOrList(s.Actions)}
		if len(s.Tags) > 0 {
			var tags []string
			for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
				tags = append(tags, quoted("aws:ResourceTag/"+key)+": "+quoted(s.Tags[key]))
			}
			lines = append(lines, `    "Condition": {"StringEquals": {`+strings.Join(tags, ", ")+"}}")
		}
		statements = append(statements, strings.Join(lines, ",\n")+"}")
	}
	return "{\"Version\": \"2012-10-17\", \"Statement\": [\n" + strings.Join(statements, ",\n") + "]}\n"
}

// oneOrList is a string, or a list of several, which is broken before it is too long.
func oneOrList(all []string) string {
	if len(all) == 1 {
		return quoted(all[0])
	}
	const perLine = 3
	var lines []string
	for some := range slices.Chunk(all, perLine) {
		words := make([]string, 0, perLine)
		for _, one := range some {
			words = append(words, quoted(one))
		}
		lines = append(lines, strings.Join(words, ", "))
	}
	return "[" + strings.Join(lines, ",\n      ") + "]"
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // A string always can be.
	return string(text)
}

// Insert replaces the JSON after a page's marks of policies. Its error says which policy has no mark.
func Insert(page string, policies ...Policy) (string, error) {
	for _, p := range policies {
		before, rest, marked := strings.Cut(page, p.Mark()+"\n")
		_, after, ended := strings.Cut(strings.TrimPrefix(rest, fence), "```\n")
		if !marked || !ended || !strings.HasPrefix(rest, fence) {
			return "", fmt.Errorf("the page has no policy after %s", p.Mark())
		}
		page = before + p.Mark() + "\n" + fence + p.JSON() + "```\n" + after
	}
	return page, nil
}

const fence = "```json\n"

// Mark is the line of a page before the policy.
func (p Policy) Mark() string { return "<!-- Generated from internal/cloud/iam: " + p.Name + " -->" }

// Pages are the pages of docs, in each language, that have policies.
var Pages = map[string][]string{"addresses.md": {"addresses", "address-policy"}, "actuators.md": {"repair"}, "headroom.md": {"zone-coverage"}}

// Named are the policies of some names.
func Named(names ...string) []Policy {
	return slices.DeleteFunc(slices.Clone(Policies), func(p Policy) bool { return !slices.Contains(names, p.Name) })
}
