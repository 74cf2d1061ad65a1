package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

func TestSnapshotIndexes(t *testing.T) {
	world := cluster.New(cluster.Contents{Objects: clustertest.Load(t, "testdata/small.yaml")})
	if pod := world.Pod("redash", "redis-0"); pod == nil || pod.UID != "new" {
		t.Errorf("Pod = %v", pod)
	}
	if pod := world.Pod("elsewhere", "redis-0"); pod != nil {
		t.Errorf("Pod of another namespace = %v", pod)
	}
	if got := len(world.Events("new")); got != 1 {
		t.Errorf("%d events about the pod, want 1: its predecessor's is not its own", got)
	}
	if got := world.Attachments("pv-data"); len(got) != 1 || got[0].Name != "csi-2" {
		t.Errorf("Attachments = %v", got)
	}
	if world.Claim("redash", "data") == nil || world.Volume("pv-data") == nil || world.Class("gp3") == nil || world.CSINode("node-a") == nil {
		t.Error("an object is not found by its name")
	}
	if got := world.Knowledge(cluster.Node); got != cluster.Absent {
		t.Errorf("Knowledge of what nobody read = %s, want %s", got, cluster.Absent)
	}
}

func TestGroups(t *testing.T) {
	world := cluster.New(cluster.Contents{Objects: clustertest.Load(t, "testdata/small.yaml")})
	type group struct {
		Name, Cluster, Region string
		Provider, Sizer       change.Provider
		Nodes                 []string
	}
	var got []group
	for _, g := range world.Groups() {
		one := group{Name: g.Name, Cluster: g.Cluster(), Region: g.Region(), Provider: g.Provider, Sizer: g.Sizer()}
		for _, node := range g.Nodes {
			one.Nodes = append(one.Nodes, node.Name)
		}
		got = append(got, one)
	}
	want := []group{
		{"workers", "prod", "us-east-1", change.EKS, change.EKS, []string{"node-a", "node-b"}},
		// Karpenter's label is the more telling one, and a pool of the same name is another group.
		{"workers", "", "", change.Karpenter, change.Lab, []string{"node-d"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Groups (-want +got):\n%s", diff)
	}
	if g, ok := world.GroupOf("node-b"); !ok || g.Provider != change.EKS {
		t.Errorf("GroupOf(node-b) = %v, %v", g, ok)
	}
	if _, ok := world.GroupOf("nobody"); ok {
		t.Error("GroupOf a node that does not exist is a group")
	}
}

func TestZone(t *testing.T) {
	world := cluster.New(cluster.Contents{Objects: clustertest.Load(t, "testdata/small.yaml")})
	for node, want := range map[string]string{"node-a": "us-east-1a", "node-b": "us-east-1b", "node-d": ""} {
		if got := cluster.Zone(world.Node(node)); got != want {
			t.Errorf("Zone(%s) = %q, want %q", node, got, want)
		}
	}
}
