package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestAddresses: a pod starts only if the VPC CNI has an address for it on its node.
func TestAddresses(t *testing.T) {
	small := testworld.Template("web", "100m")
	host := testworld.Template("web", "100m", func(s *corev1.PodSpec) { s.HostNetwork = true })
	two := func(of corev1.PodTemplateSpec) testworld.Objects {
		return testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "b"),
			testworld.Deployment("web", of, "n1", "n1", "n1"), testworld.Deployment("api", testworld.Template("api", "100m"), "n2"))
	}
	one := func() testworld.Objects {
		return testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Deployment("web", small, "n1", "n1", "n1"))
	}
	waits := func() testworld.Objects {
		return testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", small, "n1", "n1", "n1"),
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
			world: testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", small, "n1", "n1", "n1", "n2", "n2")),
			free:  map[string]int64{"a": 0}, changes: []change.Change{lost},
			want: []string{"delayed web-1-b n1>n2 FateAddressOnceGone", "delayed web-1-c n1>n2 FateAddressOnceGone", "moved web-1-a n1>n2 50s"},
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
			world: testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "b")), free: map[string]int64{"a": 0, "b": 20},
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
			o, err := simulation.Run(t.Context(), tc.world.JudgeOn(t, tc.world.Network(tc.free)), tc.changes, simulation.Options{})
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

// TestWarmPool: with a smaller warm pool, a node returns addresses that a pod on another node waits for.
func TestWarmPool(t *testing.T) {
	world := testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", testworld.Template("web", "100m"), "n1", "n1", "n1", "n2"),
		pendingOnNode(testworld.Placed("late", "n1", testworld.Template("late", "100m"))))
	n := world.Network(map[string]int64{"a": 0})
	second := n.Interfaces[1] // n2 has two interfaces with six addresses for pods, of which a pod uses one.
	second.ID, second.Primary, second.Addresses = "eni-second", false, []string{"10.0.9.0", "10.0.9.1", "10.0.9.2", "10.0.9.3"}
	n.Interfaces = append(n.Interfaces, second)
	env := func(variables string) change.Change {
		return change.Patch{
			Object: change.Ref{Kind: "DaemonSet", Namespace: "kube-system", Name: addresses.Plugin},
			Patch:  `{"spec":{"template":{"spec":{"containers":[{"name":"aws-node","env":[` + variables + `]}]}}}}`,
		}
	}
	for variables, tc := range map[string]struct {
		want  []string
		after int64
	}{
		// n2 keeps two addresses and n1, of the four, takes three for an interface with two: one for the pod, and a spare one.
		`{"name":"WARM_IP_TARGET","value":"1"}`:  {[]string{"moved late >n1"}, 1},
		`{"name":"WARM_IP_TARGET","value":"5"}`:  {[]string{}, 0},
		`{"name":"WARM_ENI_TARGET","value":"1"}`: {[]string{}, 0},
	} {
		o, err := simulation.Run(t.Context(), world.JudgeOn(t, n), []change.Change{env(variables)}, simulation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		testworld.ExpectFates(t, o, tc.want...)
		var after int64
		for _, s := range o.Addresses.Subnets {
			after = s.After
		}
		if after != tc.after {
			t.Errorf("with %s, %d addresses are free, want %d", variables, after, tc.after)
		}
	}
}

// TestUnreadAddresses: what is not known is stated.
func TestUnreadAddresses(t *testing.T) {
	world := testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"))
	n := world.Network(map[string]int64{"a": 0})
	n.Unread = map[cloud.NetworkPart]cloud.Unread{cloud.Interfaces: {Permission: "ec2:DescribeNetworkInterfaces"}}
	o, err := simulation.Run(t.Context(), world.JudgeOn(t, n), []change.Change{change.LoseNode{Node: "n1"}}, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	testworld.ExpectFates(t, o, "moved web-1-a n1>n2 50s")
	testworld.ExpectGap(t, o, "addresses", "GapAddresses")
	if o.Addresses.Subnets != nil {
		t.Errorf("subnets: %v", o.Addresses.Subnets)
	}
}

// TestTagSubnet: a pod that waits gets an address of a subnet that is tagged for the VPC CNI, if its node may have another interface there.
func TestTagSubnet(t *testing.T) {
	const started, waits = "moved late >n1", ""
	tag := change.TagSubnet{Subnet: "subnet-more"}
	for name, tc := range map[string]struct {
		more    cloud.Subnet
		env     []corev1.EnvVar
		edit    func(*cloud.Network)
		changes []change.Change
		want    string
		free    []addresses.Change
	}{
		// The second interface takes three addresses for pods, and one of its own.
		"a subnet of the zone":    {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 9}, want: started, free: []addresses.Change{{Subnet: "subnet-more", Before: 9, After: 5}}},
		"of another zone":         {more: cloud.Subnet{Zone: "b", VPC: "vpc", Free: 9}, want: waits},
		"of another VPC":          {more: cloud.Subnet{Zone: "a", VPC: "other", Free: 9}, want: waits},
		"without enough for one":  {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 3}, want: waits},
		"discovery is off":        {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 9}, env: []corev1.EnvVar{{Name: "ENABLE_SUBNET_DISCOVERY", Value: "false"}}, want: waits},
		"one interface per node":  {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 9}, env: []corev1.EnvVar{{Name: "MAX_ENI", Value: "1"}}, want: waits},
		"the type allows no more": {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 9}, edit: func(n *cloud.Network) { n.Instances[0].MaxInterfaces = 1 }, want: waits},
		"a prefix is wanted, and none is free": {
			more: cloud.Subnet{Zone: "a", VPC: "vpc", CIDR: "10.9.0.0/27", Free: 20}, env: []corev1.EnvVar{{Name: "ENABLE_PREFIX_DELEGATION", Value: "true"}}, want: waits,
		},
		"a prefix is free": {
			more: cloud.Subnet{Zone: "a", VPC: "vpc", CIDR: "10.9.0.0/26", Free: 40}, env: []corev1.EnvVar{{Name: "ENABLE_PREFIX_DELEGATION", Value: "true"}}, want: started,
			free: []addresses.Change{{Subnet: "subnet-more", Before: 40, After: 23}},
		},
		"others hold addresses of each of its prefixes": {
			more: cloud.Subnet{Zone: "a", VPC: "vpc", CIDR: "10.9.0.0/26", Free: 40}, env: []corev1.EnvVar{{Name: "ENABLE_PREFIX_DELEGATION", Value: "true"}}, want: waits,
			edit: func(n *cloud.Network) {
				n.Interfaces = append(n.Interfaces, cloud.Interface{ID: "eni-lb", Subnet: "subnet-more", Addresses: []string{"10.9.0.20", "10.9.0.40"}})
			},
		},
		"not tagged": {more: cloud.Subnet{Zone: "a", VPC: "vpc", Free: 9}, changes: []change.Change{change.Cordon{Node: "n1"}}, want: waits},
	} {
		t.Run(name, func(t *testing.T) {
			set := testworld.VPCCNI()
			set.Spec.Template.Spec.Containers[0].Env = append(set.Spec.Template.Spec.Containers[0].Env, tc.env...)
			world := testworld.Of(set, testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "100m"), "n1", "n1", "n1"),
				pendingOnNode(testworld.Placed("late", "n1", testworld.Template("late", "100m"))))
			n := world.Network(map[string]int64{"a": 0})
			if tc.edit != nil {
				tc.edit(&n)
			}
			tc.more.ID = "subnet-more"
			n.Subnets = append(n.Subnets, tc.more)
			if tc.changes == nil {
				tc.changes = []change.Change{tag}
			}
			o, err := simulation.Run(t.Context(), world.JudgeOn(t, n), tc.changes, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			if tc.want != waits {
				want = append(want, tc.want)
			}
			testworld.ExpectFates(t, o, want...)
			if diff := cmp.Diff(tc.free, o.Addresses.Subnets); diff != "" {
				t.Errorf("subnets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeleteInterface: what a deleted interface held is free for a pod that waits. EC2 deletes none that is in use, or managed.
func TestDeleteInterface(t *testing.T) {
	leaked := cloud.Interface{ID: "eni-left", Subnet: "subnet-a", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Addresses: []string{"10.0.7.1", "10.0.7.2", "10.0.7.3", "10.0.7.4"}}
	world := testworld.Of(testworld.VPCCNI(), testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "100m"), "n1", "n1", "n1"),
		pendingOnNode(testworld.Placed("late", "n1", testworld.Template("late", "100m"))))
	for name, tc := range map[string]struct {
		edit    func(*cloud.Interface)
		want    []string
		refused error
	}{
		"enough for another interface": {func(*cloud.Interface) {}, []string{"moved late >n1"}, nil},
		"too few":                      {func(i *cloud.Interface) { i.Addresses = i.Addresses[:1] }, []string{}, nil},
		"of another subnet":            {func(i *cloud.Interface) { i.Subnet = "subnet-b" }, []string{}, nil},
		"prefixes count as sixteen":    {func(i *cloud.Interface) { i.Addresses, i.Prefixes = i.Addresses[:1], []string{"10.0.8.0/28"} }, []string{"moved late >n1"}, nil},
		"attached":                     {func(i *cloud.Interface) { i.State, i.AttachedTo = cloud.InterfaceInUse, "i-n1" }, nil, cloud.ErrInterfaceInUse},
		"being attached":               {func(i *cloud.Interface) { i.State = "attaching" }, nil, cloud.ErrInterfaceInUse},
		"of a service":                 {func(i *cloud.Interface) { i.RequesterManaged = true }, nil, cloud.ErrInterfaceManaged},
		"of Auto Mode":                 {func(i *cloud.Interface) { i.OperatorManaged = true }, nil, cloud.ErrInterfaceManaged},
	} {
		t.Run(name, func(t *testing.T) {
			n, one := world.Network(map[string]int64{"a": 0, "b": 0}), leaked
			tc.edit(&one)
			n.Interfaces = append(n.Interfaces, one)
			o, err := simulation.Run(t.Context(), world.JudgeOn(t, n), []change.Change{change.DeleteInterface{Interface: "eni-left"}}, simulation.Options{})
			if tc.refused != nil {
				if !errors.Is(err, tc.refused) {
					t.Errorf("the error is %v, want %v", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			testworld.ExpectFates(t, o, tc.want...)
		})
	}
	// n2 keeps a whole interface free, too, so it may take what is freed.
	warm := testworld.VPCCNI()
	warm.Spec.Template.Spec.Containers[0].Env[0].Value = "1"
	both := testworld.Of(warm, testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", testworld.Template("web", "100m"), "n1", "n1", "n1", "n2", "n2"),
		pendingOnNode(testworld.Placed("late", "n1", testworld.Template("late", "100m"))))
	n := both.Network(map[string]int64{"a": 0})
	n.Interfaces = append(n.Interfaces, leaked)
	o, err := simulation.Run(t.Context(), both.JudgeOn(t, n), []change.Change{change.DeleteInterface{Interface: "eni-left"}}, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	testworld.ExpectFates(t, o)
	for _, c := range []change.Change{change.DeleteInterface{Interface: "eni-none"}, change.TagSubnet{Subnet: "subnet-none"}} {
		_, err := simulation.Run(t.Context(), world.JudgeOn(t, world.Network(nil)), []change.Change{c}, simulation.Options{})
		if unknown, is := errors.AsType[outcome.UnknownError](err); !is || unknown.Ref != c.Subject() {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
