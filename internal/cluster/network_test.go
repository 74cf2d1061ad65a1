package cluster_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

func network() cloud.Network {
	return cloud.Network{
		Subnets: []cloud.Subnet{{ID: "subnet-0123456789abcdef0", Zone: "us-east-1a", VPC: "vpc-0123456789abcdef0", CIDR: "10.0.1.0/24", Free: 3, RoleCNI: "1", Clusters: []string{"payroll"}, Reservations: []cloud.Reservation{{CIDR: "10.0.1.64/26", Type: cloud.ReservedForPrefixes}}}},
		Interfaces: []cloud.Interface{{
			ID: "eni-0123456789abcdef0", Subnet: "subnet-0123456789abcdef0", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain,
			Description: "aws-K8S-i-0123456789abcdef0", Addresses: []string{"10.0.1.7", "10.0.1.8"}, Prefixes: []string{"10.0.1.16/28"},
			Cluster: "payroll", Instance: "i-0123456789abcdef0", CreatedAt: new(time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)),
		}},
		Instances: []cloud.Instance{{ID: "i-0123456789abcdef0", Type: "m5.large", Subnet: "subnet-0123456789abcdef0", VPC: "vpc-0123456789abcdef0", Group: "eks-payroll-1", MaxInterfaces: 3, AddressesPerInterface: 10}},
		Unread:    map[cloud.NetworkPart]cloud.Unread{cloud.ScalingGroups: {Permission: "autoscaling:DescribeAutoScalingGroups", Reason: cloud.OtherRegion, Detail: "payroll", Err: "AccessDenied: arn:aws:iam::123456789012:role/payroll"}},
	}
}

// withNetwork is a world whose node runs on the instance.
func withNetwork() *cluster.Snapshot {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "ip-10-0-1-7"}, Spec: corev1.NodeSpec{ProviderID: "aws:///us-east-1a/i-0123456789abcdef0"}}
	return cluster.New(cluster.Contents{
		Objects: []runtime.Object{node}, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete},
	}).WithNetwork(network())
}

// written is a world as it is read again from the file that it is written to.
func written(t *testing.T, world *cluster.Snapshot) *cluster.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	var file bytes.Buffer
	if err := world.Write(&file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := cluster.Load(t.Context(), cluster.Source{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestNetworkInFiles(t *testing.T) {
	for _, world := range []*cluster.Snapshot{withNetwork(), written(t, withNetwork())} {
		if diff := cmp.Diff(network(), world.Network()); diff != "" || !world.HasNetwork() {
			t.Errorf("has a network: %t (-want +got):\n%s", world.HasNetwork(), diff)
		}
		if world.Knowledge(cluster.Subnet) != cluster.Complete || world.Knowledge(cluster.AutoScalingGroup) != cluster.Forbidden || world.Knowledge(cluster.Node) != cluster.Complete {
			t.Errorf("subnets are known as %s, groups as %s", world.Knowledge(cluster.Subnet), world.Knowledge(cluster.AutoScalingGroup))
		}
	}
	if none := cluster.New(cluster.Contents{}); none.HasNetwork() {
		t.Error("a world that no cloud was asked about has a network")
	}
}

// TestAnonymousNetwork: names and addresses are replaced, what decides is not, and what belonged together still does.
func TestAnonymousNetwork(t *testing.T) {
	anonymous, err := withNetwork().Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	anonymous = written(t, anonymous)
	got, was := anonymous.Network(), network()
	subnet, card, instance := got.Subnets[0], got.Interfaces[0], got.Instances[0]
	for name, same := range map[string]bool{
		"zone": subnet.Zone == was.Subnets[0].Zone, "free": subnet.Free == 3, "role": subnet.RoleCNI == "1", "size": strings.HasSuffix(subnet.CIDR, "/24"),
		"reservation": subnet.Reservations[0].Type == cloud.ReservedForPrefixes && strings.HasSuffix(subnet.Reservations[0].CIDR, "/26") && subnet.Reservations[0].CIDR != "10.0.1.64/26",
		"state":       card.State == was.Interfaces[0].State, "type of the interface": card.Type == was.Interfaces[0].Type, "age": card.CreatedAt != nil && card.CreatedAt.Equal(*was.Interfaces[0].CreatedAt),
		"description": card.Description == "aws-K8S-"+instance.ID, "owner": card.Instance == instance.ID, "subnet": card.Subnet == subnet.ID && instance.Subnet == subnet.ID,
		"node": strings.HasSuffix(anonymous.Nodes()[0].Spec.ProviderID, "/"+instance.ID), "type": instance.Type == "m5.large", "limit": instance.MaxInterfaces == 3,
		"cluster": len(subnet.Clusters) == 1 && subnet.Clusters[0] == card.Cluster, "reason": got.Unread[cloud.ScalingGroups].Reason == cloud.OtherRegion,
		"permission": got.Unread[cloud.ScalingGroups].Permission == was.Unread[cloud.ScalingGroups].Permission,
	} {
		if !same {
			t.Errorf("the %s is another: %+v", name, got)
		}
	}
	if got.Unread[cloud.ScalingGroups].Err != "" || got.Unread[cloud.ScalingGroups].Detail != "" || card.Cluster == "payroll" || instance.Group == "eks-payroll-1" || subnet.VPC == was.Subnets[0].VPC ||
		card.ID == was.Interfaces[0].ID || instance.ID == was.Instances[0].ID || card.Addresses[0] == "10.0.1.7" {
		t.Errorf("names are left: %+v", got)
	}
}

// TestPluginSettings: of the environment of a DaemonSet, the VPC CNI's settings stay if they are numbers, booleans or keys.
func TestPluginSettings(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: aws-node, namespace: kube-system}
spec:
  template:
    spec:
      containers:
      - name: aws-node
        env:
        - {name: WARM_IP_TARGET, value: "5"}
        - {name: ENABLE_PREFIX_DELEGATION, value: "true"}
        - {name: WARM_ENI_TARGET, value: "not a number, but a password"}
        - {name: PASSWORD, value: "1"}
        - {name: CLUSTER_NAME, value: payroll}
        - {name: ENI_CONFIG_LABEL_DEF, value: topology.kubernetes.io/zone}
        - {name: ENI_CONFIG_ANNOTATION_DEF, value: payroll.example.com/network}
      - name: other
        env:
        - {name: ENI_CONFIG_LABEL_DEF, value: "not a key, but a password"}
`})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, variable := range world.DaemonSets()[0].Spec.Template.Spec.Containers[0].Env {
		got[variable.Name] = variable.Value
	}
	want := map[string]string{
		"WARM_IP_TARGET": "5", "ENABLE_PREFIX_DELEGATION": "true", "WARM_ENI_TARGET": "", "PASSWORD": "", "CLUSTER_NAME": "",
		"ENI_CONFIG_LABEL_DEF": "topology.kubernetes.io/zone", "ENI_CONFIG_ANNOTATION_DEF": "payroll.example.com/network",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other := world.DaemonSets()[0].Spec.Template.Spec.Containers[1].Env[0].Value; other != "" {
		t.Errorf("what is no key is kept: %q", other)
	}
	if world.Key() != nil {
		t.Error("a setting counts as a digest")
	}
}
