package aws

import (
	"slices"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

// TestGroupSizesOverTheWire asks why a pod waits whose volume is in us-east-1c, with what AWS tells of the node group, and carries the remedy out.
func TestGroupSizesOverTheWire(t *testing.T) {
	atMaximum, elsewhere := general(), general()
	atMaximum.Max = 2
	elsewhere.Zones, elsewhere.ZoneOrder = []string{"us-east-1a", "us-east-1b"}, nil
	zero := cloud.GroupSpec{Name: "zero", InstanceType: "m5.large", Max: 3}
	for name, tc := range map[string]struct {
		groups []cloud.GroupSpec
		denied []string
		nobody bool // no credentials
		// sizes are those of the remedy; empty if there is none.
		sizes string
		says  []string
		not   []string
	}{
		"there is room":          {groups: []cloud.GroupSpec{general()}, sizes: "desiredSize=3", says: []string{"a desired size of 2 and a maximum of 6"}, not: []string{"does not show", "not visible", "could not be read"}},
		"the maximum is reached": {groups: []cloud.GroupSpec{atMaximum}, sizes: "maxSize=3,desiredSize=3", says: []string{"its maximum is 2"}, not: []string{"does not show"}},
		"no subnet in the zone":  {groups: []cloud.GroupSpec{elsewhere}, says: []string{"group/general has no subnet there, only in us-east-1a and us-east-1b"}},
		"one is scaled to zero":  {groups: []cloud.GroupSpec{general(), zero}, sizes: "desiredSize=3", says: []string{"group/zero has no node and could launch one in us-east-1c"}, not: []string{"not visible"}},
		"groups are denied":      {groups: []cloud.GroupSpec{general()}, denied: []string{"autoscaling:DescribeAutoScalingGroups"}, sizes: "desiredSize=3", says: []string{"does not show the minimum", "lacks the permission autoscaling:DescribeAutoScalingGroups"}},
		"instances are denied":   {groups: []cloud.GroupSpec{general()}, denied: []string{"ec2:DescribeInstances"}, sizes: "desiredSize=3", says: []string{"does not show the minimum", "lacks the permission ec2:DescribeInstances"}},
		"subnets are denied":     {groups: []cloud.GroupSpec{atMaximum}, denied: []string{"ec2:DescribeSubnets"}, sizes: "maxSize=3,desiredSize=3", says: []string{"does not show which zones", "lacks the permission ec2:DescribeSubnets"}},
		"no credentials":         {groups: []cloud.GroupSpec{general()}, nobody: true, sizes: "desiredSize=3", says: []string{"does not show the minimum", "could not be read from AWS: "}, not: []string{"lacks the permission"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newCoverage(t, tc.groups...)
			if len(tc.denied) > 0 {
				endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: f.cloud, ClusterName: "shop", Keys: []lab.Key{{ID: operator, Secret: secret, Denied: tc.denied}}})
				f.must(err)
				serve(t, endpoint)
				point(t, endpoint)
			}
			if tc.nobody {
				f.as("", "")
			}
			says, sizes := f.why()
			if sizes != tc.sizes {
				t.Errorf("the remedy's sizes are %q, want %q", sizes, tc.sizes)
			}
			for _, words := range tc.says {
				if !strings.Contains(says, words) {
					t.Errorf("%q is missing in:\n%s", words, says)
				}
			}
			for _, words := range tc.not {
				if strings.Contains(says, words) {
					t.Errorf("%q is in:\n%s", words, says)
				}
			}
		})
	}
}

// why is the answer about the waiting pod, and the sizes of its verified remedy.
func (f *coverage) why() (says, sizes string) {
	f.t.Helper()
	world := f.world()
	var machines []naosu.Machine
	for _, node := range world.Nodes() {
		machines = append(machines, naosu.MachineOf(node))
	}
	calls := len(f.server.Calls())
	n, offered := discover.ReadScalingGroups(f.t.Context(), machines)
	if !offered {
		f.t.Fatal("the nodes are of no cloud")
	}
	for _, call := range f.server.Calls()[calls:] {
		if slices.Contains([]string{"DescribeNetworkInterfaces", "DescribeInstanceTypes"}, call.Action) {
			f.t.Errorf("%s was called", call.Action)
		}
	}
	world = world.WithScalingGroups(n)
	judge, err := scheduling.New(f.t.Context(), world, scheduling.Options{})
	f.must(err)
	about := change.Ref{Kind: string(cluster.Pod), Namespace: "shop", Name: "redis"}
	for _, one := range diagnosis.Explain(f.t.Context(), query.Query{World: world, Judge: judge, Subject: &about}).Findings {
		if one.Code != finding.N101 {
			continue
		}
		text, err := finding.EncodeJSON(message.English(), one)
		f.must(err)
		says += string(text)
		for _, r := range one.Remedies {
			if r.Verified {
				_, sizes, _ = strings.Cut(r.Command, "--scaling-config ")
			}
		}
	}
	return says, sizes
}
