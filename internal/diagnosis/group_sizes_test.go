package diagnosis_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// groupFigures are the Auto Scaling groups of a world whose nodes run on instances: each group of nodes is of the Auto Scaling group of its name.
type groupFigures struct {
	groups []cloud.ScalingGroup
	unread map[cloud.NetworkPart]cloud.Unread
}

// asg is a group with subnets in zones of us-east-1, of which each letter is one.
func asg(name, zones string, lowest, desired, highest int) cloud.ScalingGroup {
	g := cloud.ScalingGroup{Name: name, Min: lowest, Desired: desired, Max: highest, Cluster: "shop", NodeGroup: name}
	for zone := range strings.SplitSeq(zones, "") {
		g.Subnets = append(g.Subnets, "subnet-"+zone)
	}
	return g
}

func (f groupFigures) network(objects []runtime.Object) cloud.Network {
	n := cloud.Network{Groups: f.groups, Unread: f.unread}
	for _, zone := range []string{"a", "b", "c"} {
		n.Subnets = append(n.Subnets, cloud.Subnet{ID: "subnet-" + zone, Zone: "us-east-1" + zone})
	}
	for _, o := range objects {
		if node, ok := o.(*corev1.Node); ok {
			node.Spec.ProviderID = "aws:///us-east-1a/i-" + node.Name
			n.Instances = append(n.Instances, cloud.Instance{ID: "i-" + node.Name, Group: cluster.GroupName(node)})
		}
	}
	for part := range f.unread {
		switch part {
		case cloud.Instances:
			n.Instances = nil
		case cloud.Subnets:
			n.Subnets = nil
		case cloud.ScalingGroups:
			n.Groups = nil
		}
	}
	return n
}

// answers are the answers to a question about a world with figures: the findings in words, and the commands of the remedies.
func (f groupFigures) answers(t *testing.T, input string, code finding.Code, about *change.Ref) (says string, commands []string) {
	t.Helper()
	objects := clustertest.Load(t, input)
	n := f.network(objects)
	world := cluster.New(cluster.Contents{Objects: objects, Knowledge: everything(), Taken: now, Server: "v1.36.3"}).WithScalingGroups(n)
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if world.HasNetwork() {
		t.Error("the groups count as the network of pods")
	}
	q := query.Query{World: world, Judge: judge, Subject: about}
	var found []finding.Finding
	if about == nil {
		found = diagnosis.Audit(t.Context(), q, func(int, int) {}).Findings
	} else {
		found = diagnosis.Explain(t.Context(), q).Findings
	}
	for _, one := range found {
		if one.Code != code {
			continue
		}
		text, err := finding.EncodeJSON(message.English(), one)
		if err != nil {
			t.Fatal(err)
		}
		says += string(text)
		for _, r := range one.Remedies {
			if r.Verified {
				commands = append(commands, r.Command)
			}
		}
	}
	return says, commands
}

// TestGroupSizes asks about story 1 with what AWS tells of the group, which has a node in each of 1a and 1b: the volume is in 1c.
func TestGroupSizes(t *testing.T) {
	const gapZones, gapBounds, gapEmpty = "does not show which zones", "does not show the minimum and maximum size", "a group without nodes is not visible"
	const resize = "aws eks update-nodegroup-config --region us-east-1 --cluster-name shop --nodegroup-name redash --scaling-config "
	denied := func(permission string, parts ...cloud.NetworkPart) map[cloud.NetworkPart]cloud.Unread {
		unread := map[cloud.NetworkPart]cloud.Unread{}
		for _, part := range parts {
			unread[part] = cloud.Unread{Permission: permission, Err: "not allowed"}
		}
		return unread
	}
	for name, tc := range map[string]struct {
		figures groupFigures
		command string
		says    []string
		not     []string
	}{
		"all is known": {
			groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 4)}},
			resize + "desiredSize=3",
			[]string{"group/redash launches nodes in us-east-1a, us-east-1b and us-east-1c; it has a minimum of 1, a desired size of 2 and a maximum of 4.", `"us-east-1a, us-east-1b, us-east-1c"`, "maxSize"},
			[]string{gapZones, gapBounds, gapEmpty, "is refused above", "If it spans more zones"},
		},
		"the maximum is reached": {
			groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 2)}},
			resize + "maxSize=3,desiredSize=3",
			[]string{"certain to add a node in us-east-1c only at a size of 3, and its maximum is 2", "Resize group/redash to 3, and raise its maximum from 2 to 3"},
			[]string{gapBounds},
		},
		"the maximum is just enough":   {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 3)}}, resize + "desiredSize=3", nil, []string{"raise its maximum"}},
		"no subnet in the zone":        {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "ab", 1, 2, 4)}}, "", []string{"group/redash has no subnet there, only in us-east-1a and us-east-1b"}, []string{gapZones, "Resize group/redash", "a maximum of"}},
		"a subnet in the zone alone":   {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "c", 1, 2, 4)}}, resize + "desiredSize=3", []string{"launches nodes in us-east-1c;"}, nil},
		"an instance is starting":      {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 3, 4)}}, "", []string{"group/redash has 2 of its 3 nodes"}, []string{"Resize group/redash"}},
		"groups may not be read":       {groupFigures{unread: denied("autoscaling:DescribeAutoScalingGroups", cloud.ScalingGroups)}, strings.Replace(resize, "shop", "<cluster>", 1) + "desiredSize=3", []string{gapZones, gapBounds, gapEmpty, "naosu lacks the permission autoscaling:DescribeAutoScalingGroups"}, nil},
		"instances may not be read":    {groupFigures{unread: denied("ec2:DescribeInstances", cloud.Instances, cloud.ScalingGroups, cloud.Subnets)}, strings.Replace(resize, "shop", "<cluster>", 1) + "desiredSize=3", []string{gapZones, gapBounds, "ec2:DescribeInstances"}, nil},
		"subnets may not be read":      {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 2)}, unread: denied("ec2:DescribeSubnets", cloud.Subnets)}, resize + "maxSize=3,desiredSize=3", []string{gapZones, "ec2:DescribeSubnets", "group/redash has a minimum of 1", "If it spans more zones"}, []string{gapBounds}},
		"a subnet is not known":        {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abx", 1, 2, 4)}}, resize + "desiredSize=3", []string{gapZones}, []string{gapBounds, "no subnet there"}},
		"a group is scaled to zero":    {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 4), asg("zero", "c", 0, 0, 4)}}, resize + "desiredSize=3", []string{"group/zero has no node and could launch one in us-east-1c. Whether new nodes would suit the pod is not known"}, []string{gapEmpty}},
		"one is scaled to zero beside": {groupFigures{groups: []cloud.ScalingGroup{asg("redash", "abc", 1, 2, 4), asg("zero", "a", 0, 0, 4)}}, resize + "desiredSize=3", nil, []string{gapEmpty, "group/zero"}},
	} {
		t.Run(name, func(t *testing.T) {
			says, commands := tc.figures.answers(t, "testdata/stranded.yaml", finding.N101, &change.Ref{Kind: "Pod", Namespace: "redash", Name: "redash-redis-6c5d"})
			if got := strings.Join(commands, "; "); got != tc.command {
				t.Errorf("the remedy is %q, want %q", got, tc.command)
			}
			expectWords(t, says, tc.says, tc.not)
		})
	}
}

// TestGroupSizesForeseen audits a group of three nodes, of which the one in 1c is the only one that volumes can be used on.
func TestGroupSizesForeseen(t *testing.T) {
	for name, tc := range map[string]struct {
		group   cloud.ScalingGroup
		command string
		says    []string
		not     []string
	}{
		"there is room":          {asg("general", "abc", 3, 3, 6), "desiredSize=6", []string{"it has a minimum of 3, a desired size of 3 and a maximum of 6"}, []string{"does not show the minimum size"}},
		"the maximum is reached": {asg("general", "abc", 3, 3, 4), "maxSize=6,desiredSize=6", []string{"only at a size of 6, and its maximum is 4", "raise its maximum from 4 to 6"}, nil},
		"a zone more":            {asg("general", "abcd", 3, 3, 8), "desiredSize=6", []string{"does not show which zones"}, nil},
		"two zones":              {asg("general", "bc", 3, 3, 8), "desiredSize=5", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			says, commands := groupFigures{groups: []cloud.ScalingGroup{tc.group}}.answers(t, "testdata/audit/n102-one-node.yaml", finding.N102, nil)
			if len(commands) == 0 || !strings.HasSuffix(commands[len(commands)-1], " "+tc.command) {
				t.Errorf("the remedies are %q, want %q", commands, tc.command)
			}
			expectWords(t, says, tc.says, tc.not)
		})
	}
}

// TestGroupSizesForALoss audits a cluster in which the pods of a lost zone would find no node: the group is to grow, beyond its maximum if need be.
func TestGroupSizesForALoss(t *testing.T) {
	for name, tc := range map[string]struct {
		largest int
		command string
		says    []string
		not     []string
	}{
		"there is room":          {9, "desiredSize=4", nil, []string{"raise its maximum", "is refused above"}},
		"the maximum is reached": {3, "maxSize=4,desiredSize=4", []string{"raise its maximum from 3 to 4"}, []string{"is refused above"}},
	} {
		t.Run(name, func(t *testing.T) {
			figures := groupFigures{groups: []cloud.ScalingGroup{asg("workers", "ab", 2, 2, tc.largest)}}
			says, commands := figures.answers(t, "testdata/audit/n103-full.yaml", finding.N103, nil)
			if len(commands) == 0 || !strings.HasSuffix(commands[len(commands)-1], " "+tc.command) {
				t.Errorf("the remedies are %q, want %q", commands, tc.command)
			}
			expectWords(t, says, tc.says, tc.not)
		})
	}
}

func expectWords(t *testing.T, text string, says, not []string) {
	t.Helper()
	for _, words := range says {
		if !strings.Contains(text, words) {
			t.Errorf("%q is missing in:\n%s", words, text)
		}
	}
	for _, words := range not {
		if strings.Contains(text, words) {
			t.Errorf("%q is in:\n%s", words, text)
		}
	}
}
