package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// plugin is the DaemonSet of the VPC CNI without a warm pool: a node fills an interface, and attaches another once pods use all its addresses.
func plugin() *appsv1.DaemonSet {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: addresses.Plugin}}
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "aws-node"}}
	set.Spec.Template.Labels = set.Spec.Selector.MatchLabels
	set.Spec.Template.Spec = corev1.PodSpec{
		HostNetwork: true, NodeSelector: map[string]string{"none": "none"},
		Containers: []corev1.Container{{Name: addresses.Plugin, Env: []corev1.EnvVar{{Name: "WARM_ENI_TARGET", Value: "0"}}}},
	}
	return set
}

// networkOf is that of a world's nodes: each has an interface with four addresses, three of them for pods, in the subnet of its zone, and may have
// another. So many addresses are free in each subnet.
func networkOf(world testworld.Objects, free map[string]int64) cloud.Network {
	n := cloud.Network{}
	group := cloud.ScalingGroup{Name: "workers", Max: 9}
	for zone, free := range free {
		n.Subnets = append(n.Subnets, cloud.Subnet{ID: "subnet-" + zone, Zone: zone, VPC: "vpc", CIDR: "10.0.0.0/16", Free: free})
		group.Subnets = append(group.Subnets, "subnet-"+zone)
	}
	at := map[string]int{}
	for _, o := range world {
		node, ok := o.(*corev1.Node)
		if !ok {
			continue
		}
		third := len(n.Instances)
		at[node.Name], node.Spec.ProviderID = third, "aws:///x/i-"+node.Name
		subnet := "subnet-" + cluster.Zone(node)
		n.Instances = append(n.Instances, cloud.Instance{ID: "i-" + node.Name, Subnet: subnet, VPC: "vpc", Group: group.Name, MaxInterfaces: 2, AddressesPerInterface: 4})
		i := cloud.Interface{ID: "eni-" + node.Name, Subnet: subnet, AttachedTo: "i-" + node.Name, State: cloud.InterfaceInUse, Type: cloud.InterfacePlain, Primary: true}
		for fourth := range 4 {
			i.Addresses = append(i.Addresses, fmt.Sprintf("10.0.%d.%d", third, fourth))
		}
		n.Interfaces = append(n.Interfaces, i)
	}
	pods := map[string]int{}
	for _, o := range world {
		if pod, ok := o.(*corev1.Pod); ok && addresses.UsesAddress(pod) && pod.Status.Phase == corev1.PodRunning {
			pods[pod.Spec.NodeName]++
			pod.Status.PodIP = fmt.Sprintf("10.0.%d.%d", at[pod.Spec.NodeName], pods[pod.Spec.NodeName])
		}
	}
	n.Groups = append(n.Groups, group)
	return n
}

func judgeWith(t *testing.T, world testworld.Objects, n cloud.Network) *scheduling.Judge {
	t.Helper()
	knowledge := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.PriorityClass: cluster.Complete}
	snapshot := cluster.New(cluster.Contents{Objects: world, Taken: testworld.Epoch, Knowledge: knowledge}).WithNetwork(n)
	judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// TestAddresses: a pod starts only if the VPC CNI has an address for it on its node.
func TestAddresses(t *testing.T) {
	small := testworld.Template("web", "100m")
	host := testworld.Template("web", "100m", func(s *corev1.PodSpec) { s.HostNetwork = true })
	two := func(of corev1.PodTemplateSpec) testworld.Objects {
		return testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Node("n2", "b"),
			testworld.Deployment("web", of, "n1", "n1", "n1"), testworld.Deployment("api", testworld.Template("api", "100m"), "n2"))
	}
	one := func() testworld.Objects {
		return testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Deployment("web", small, "n1", "n1", "n1"))
	}
	waits := func() testworld.Objects {
		return testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", small, "n1", "n1", "n1"),
			pendingOnNode(testworld.Placed("late", "n1", testworld.Template("late", "100m"))))
	}
	scale := func(name string, replicas int) change.Change {
		return change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: name, Replicas: replicas}
	}
	resize := func(to int) change.Change { return change.ResizeGroup{Group: "workers", To: to} }
	lost := change.LoseNode{Node: "n1"}
	gone := addresses.Change{Subnet: "subnet-a", After: 4}
	const none = "FateAddressSubnets"
	for name, tc := range map[string]struct {
		world      testworld.Objects
		free       map[string]int64
		changes    []change.Change
		want       []string
		subnets    []addresses.Change
		unlaunched map[string]int
	}{
		// n2 has two spare addresses and cannot get more.
		"a node is lost and its subnet's twin is full": {
			world: two(small), free: map[string]int64{"a": 0, "b": 0}, changes: []change.Change{lost},
			want: []string{"moved web-1-a n1>n2 50s", "moved web-1-b n1>n2 50s", "waiting web-1-c n1>n2 " + none}, subnets: []addresses.Change{gone},
		},
		"there are addresses for another interface": {
			world: two(small), free: map[string]int64{"a": 0, "b": 4}, changes: []change.Change{lost},
			want:    []string{"moved web-1-a n1>n2 50s", "moved web-1-b n1>n2 50s", "moved web-1-c n1>n2 50s"},
			subnets: []addresses.Change{gone, {Subnet: "subnet-b", Before: 4}},
		},
		"the lost node's own addresses help once it is gone": {
			world: testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", small, "n1", "n1", "n1", "n2", "n2")),
			free:  map[string]int64{"a": 0}, changes: []change.Change{lost},
			want: []string{"delayed web-1-b n1>n2 FateOnceGone", "delayed web-1-c n1>n2 FateOnceGone", "moved web-1-a n1>n2 50s"},
		},
		"pods of the host's network need none": {
			world: two(host), free: map[string]int64{"a": 0, "b": 0}, changes: []change.Change{lost},
			want: []string{"moved web-1-a n1>n2 50s", "moved web-1-b n1>n2 50s", "moved web-1-c n1>n2 50s"}, subnets: []addresses.Change{gone},
		},
		"another CNI": {
			world: two(small)[1:], free: map[string]int64{"a": 0, "b": 0}, changes: []change.Change{lost},
			want: []string{"moved web-1-a n1>n2 50s", "moved web-1-b n1>n2 50s", "moved web-1-c n1>n2 50s"},
		},
		"a drain": {
			world: two(small), free: map[string]int64{"a": 0, "b": 0}, changes: []change.Change{change.DrainNode{Node: "n1"}},
			want: []string{"moved web-1-a n1>n2", "moved web-1-b n1>n2", "waiting web-1-c n1>n2 " + none},
		},
		"the type allows no more": {
			world: one(), free: map[string]int64{"a": 9}, changes: []change.Change{scale("web", 7)},
			want:    []string{"created web-1-* >n1", "created web-1-* >n1", "created web-1-* >n1", "waiting web-1-* >n1 FateAddressLimit"},
			subnets: []addresses.Change{{Subnet: "subnet-a", Before: 9, After: 5}},
		},
		// Five instances take an address each, and none is left for a sixth, or for pods.
		"a group grows into a small subnet": {
			world: one(), free: map[string]int64{"a": 5}, changes: []change.Change{resize(7)}, want: []string{},
			subnets: []addresses.Change{{Subnet: "subnet-a", Before: 5}}, unlaunched: map[string]int{"workers": 1},
		},
		"a zone without an address is left out": {
			world: testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Node("n2", "b")), free: map[string]int64{"a": 0, "b": 20},
			changes: []change.Change{resize(4)}, want: []string{},
			subnets: []addresses.Change{{Subnet: "subnet-b", Before: 20, After: 12}},
		},
		"a pod that waits gets the address of one that ends": {
			world: waits(), free: map[string]int64{"a": 0}, changes: []change.Change{scale("web", 2)},
			want: []string{"ended web-1-a n1> FateScaled", "moved late >n1"},
		},
		"a pod that waits gets an address of a node that ends": {
			world: waits(), free: map[string]int64{"a": 0}, changes: []change.Change{change.DrainNode{Node: "n2"}, resize(1)},
			want: []string{"moved late >n1"},
		},
		"a pod that waits still does": {
			world: waits(), free: map[string]int64{"a": 0}, changes: []change.Change{change.Cordon{Node: "n1"}}, want: []string{},
		},
		// The new node and its pods hold as much as the old one did.
		"a rotation": {
			world: one(), free: map[string]int64{"a": 1}, changes: []change.Change{change.RotateGroup{Group: "workers"}},
			want: []string{"moved web-1-a n1>workers-a-new-1", "moved web-1-b n1>workers-a-new-1", "moved web-1-c n1>workers-a-new-1"},
		},
		"a rollout cannot proceed": {
			world: one(), free: map[string]int64{"a": 0}, changes: []change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}`)},
			want: []string{"waiting web-* >n1 " + none},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := simulation.Run(t.Context(), judgeWith(t, tc.world, networkOf(tc.world, tc.free)), tc.changes, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			testworld.ExpectFates(t, o, tc.want...)
			if tc.unlaunched == nil {
				tc.unlaunched = map[string]int{}
			}
			if len(o.Addresses.Unlaunched) > 0 || len(tc.unlaunched) > 0 {
				if diff := cmp.Diff(tc.unlaunched, o.Addresses.Unlaunched); diff != "" {
					t.Errorf("not launched (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tc.subnets, o.Addresses.Subnets); diff != "" {
				t.Errorf("subnets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnreadAddresses: what is not known is stated.
func TestUnreadAddresses(t *testing.T) {
	world := testworld.Of(plugin(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"))
	n := networkOf(world, map[string]int64{"a": 0})
	n.Unread = map[cloud.NetworkPart]cloud.Unread{cloud.Interfaces: {Permission: "ec2:DescribeNetworkInterfaces"}}
	o, err := simulation.Run(t.Context(), judgeWith(t, world, n), []change.Change{change.LoseNode{Node: "n1"}}, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	testworld.ExpectFates(t, o, "moved web-1-a n1>n2 50s")
	testworld.ExpectGap(t, o, "addresses", "GapAddresses")
	if o.Addresses.Subnets != nil {
		t.Errorf("subnets: %v", o.Addresses.Subnets)
	}
}
