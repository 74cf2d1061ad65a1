package cluster_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// grouped is a world of nodes, each on the instance of its name.
func grouped(nodes ...string) *cluster.Snapshot {
	var objects []runtime.Object
	for _, name := range nodes {
		objects = append(objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"eks.amazonaws.com/nodegroup": name[:1]}},
			Spec:       corev1.NodeSpec{ProviderID: "aws:///us-east-1a/i-" + name},
		})
	}
	return cluster.New(cluster.Contents{Objects: objects, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete}})
}

// TestSizesOf: the sizes of a group of nodes are those of the Auto Scaling group of their instances, if it is one.
func TestSizesOf(t *testing.T) {
	n := cloud.Network{
		Subnets: []cloud.Subnet{{ID: "s1", Zone: "b"}, {ID: "s2", Zone: "a"}, {ID: "s3", Zone: "a"}},
		Instances: []cloud.Instance{
			{ID: "i-w1", Group: "eks-w"}, {ID: "i-w2", Group: "eks-w"}, {ID: "i-x1", Group: "eks-x"}, {ID: "i-y1", Group: "eks-w"}, {ID: "i-y2", Group: "eks-x"}, {ID: "i-z1"},
		},
		Groups: []cloud.ScalingGroup{
			{Name: "eks-m", Max: 7, NodeGroup: "m"},
			{Name: "eks-t1", NodeGroup: "t"},
			{Name: "eks-t2", NodeGroup: "t"},
			{Name: "eks-w", Min: 1, Desired: 2, Max: 3, Subnets: []string{"s1", "s2", "s3"}, Cluster: "c"},
			{Name: "eks-x", Max: 1, Subnets: []string{"s1", "unknown"}},
			{Name: "zero", Cluster: "c"},
		},
	}
	for name, tc := range map[string]struct{ nodes, want string }{
		"with its zones":               {"w", "1 2 3 [a b]"},
		"without a node that is known": {"v", "unknown"},
		"with an unknown subnet":       {"x", "0 0 1 []"},
		"of two groups":                {"y", "unknown"},
		"of no group":                  {"z", "unknown"},
		"of a managed node group":      {"m", "0 0 7 []"},
		"of one with two groups":       {"t", "unknown"},
	} {
		for at, world := range map[string]*cluster.Snapshot{"as read": grouped("w1", "w2", "w3", "v1", "x1", "y1", "y2", "z1", "m1", "t1").WithScalingGroups(n), "from a file": written(t, grouped("w1", "w2", "w3", "v1", "x1", "y1", "y2", "z1", "m1", "t1").WithNetwork(n))} {
			for _, g := range world.Groups() {
				if g.Name != tc.nodes {
					continue
				}
				got := "unknown"
				if sizes, known := world.SizesOf(g.Nodes); known {
					got = fmt.Sprintf("%d %d %d %v", sizes.Min, sizes.Desired, sizes.Max, sizes.Zones)
				}
				if got != tc.want {
					t.Errorf("%s, %s: %s, want %s", name, at, got, tc.want)
				}
			}
		}
	}
	if _, known := grouped("w1").SizesOf(grouped("w1").Nodes()); known {
		t.Error("sizes are known of a world whose cloud was not asked")
	}
}

// TestEmptyGroups are those of the cluster that are scaled to zero; without a tag of the cluster they were not looked for.
func TestEmptyGroups(t *testing.T) {
	group := func(name, of string, desired int) cloud.ScalingGroup {
		return cloud.ScalingGroup{Name: name, Cluster: of, Desired: desired}
	}
	for name, tc := range map[string]struct {
		groups []cloud.ScalingGroup
		want   []string
		known  bool
	}{
		"one":                          {[]cloud.ScalingGroup{group("eks-w", "c", 1), group("zero", "c", 0), group("other", "", 0)}, []string{"zero"}, true},
		"one that starts":              {[]cloud.ScalingGroup{group("eks-w", "c", 1), group("starts", "c", 1)}, nil, true},
		"one whose last node is there": {[]cloud.ScalingGroup{group("eks-w", "c", 0)}, nil, true},
		"no tag":                       {[]cloud.ScalingGroup{group("eks-w", "", 1)}, nil, false},
		"nothing":                      {nil, nil, false},
	} {
		world := grouped("w1").WithScalingGroups(cloud.Network{Instances: []cloud.Instance{{ID: "i-w1", Group: "eks-w"}}, Groups: tc.groups})
		empty, known := world.EmptyGroups()
		var got []string
		for _, g := range empty {
			got = append(got, g.Name)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || known != tc.known {
			t.Errorf("%s: known %t (-want +got):\n%s", name, known, diff)
		}
	}
}

// TestWithScalingGroups: a world that knows node groups alone does not have the network of pods.
func TestWithScalingGroups(t *testing.T) {
	n := cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{cloud.ScalingGroups: {Permission: "autoscaling:DescribeAutoScalingGroups"}}}
	world := grouped("w1").WithScalingGroups(n)
	if world.HasNetwork() || !world.HasScalingGroups() || world.Knowledge(cluster.NetworkInterface) != cluster.Absent || world.Knowledge(cluster.AutoScalingGroup) != cluster.Forbidden {
		t.Errorf("network %t, groups %t, interfaces are known as %s, groups as %s", world.HasNetwork(), world.HasScalingGroups(), world.Knowledge(cluster.NetworkInterface), world.Knowledge(cluster.AutoScalingGroup))
	}
	if again := written(t, world); again.HasNetwork() || !again.HasScalingGroups() {
		t.Error("a file of it is another")
	}
}
