package addresses

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

var taken = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// worldOf has nodes n0, n1, … on instances i-0, i-1, …, each with some pods that have the addresses 10.0.N.1, 10.0.N.2, ….
func worldOf(n cloud.Network, pods ...int) *cluster.Snapshot {
	c := cluster.Contents{Taken: taken, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete}}
	for i, count := range pods {
		name := "n" + strconv.Itoa(i)
		c.Objects = append(c.Objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: "a"}},
			Spec:       corev1.NodeSpec{ProviderID: "aws:///a/i-" + strconv.Itoa(i)},
			Status:     corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("29")}},
		})
		for p := range count {
			c.Objects = append(c.Objects, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name + "-" + strconv.Itoa(p)},
				Spec:       corev1.PodSpec{NodeName: name}, Status: corev1.PodStatus{PodIP: address(i, 1+p)},
			})
		}
	}
	return cluster.New(c).WithNetwork(n)
}

func address(third, fourth int) string {
	return "10.0." + strconv.Itoa(third) + "." + strconv.Itoa(fourth)
}

// card is a node's interface with its own address 10.0.N.0 and some for pods.
func card(node int, subnet string, slots int) cloud.Interface {
	i := cloud.Interface{ID: "eni-" + strconv.Itoa(node), Subnet: subnet, AttachedTo: "i-" + strconv.Itoa(node), State: cloud.InterfaceInUse, Type: cloud.InterfacePlain, Primary: true}
	for n := range slots + 1 {
		i.Addresses = append(i.Addresses, address(node, n))
	}
	return i
}

func instance(node int, subnet, group string) cloud.Instance {
	return cloud.Instance{ID: "i-" + strconv.Itoa(node), Type: "m5.large", Subnet: subnet, VPC: "vpc", Group: group, MaxInterfaces: 3, AddressesPerInterface: 10}
}

func subnet(id, role string, free int64) cloud.Subnet {
	return cloud.Subnet{ID: id, Zone: "a", VPC: "vpc", CIDR: "10.0.0.0/16", Free: free, RoleCNI: role}
}

// atMaximum are the free addresses of each subnet with every group at its maximum; "unknown" where that is not known.
func atMaximum(r *Report) map[string]string {
	all := map[string]string{}
	for _, s := range r.Subnets {
		all[s.ID] = "unknown"
		if left, known := s.AtMaximum(); known {
			all[s.ID] = strconv.FormatInt(left, 10)
		}
	}
	return all
}

func TestForecast(t *testing.T) {
	two := func(group string, of ...cloud.ScalingGroup) cloud.Network {
		return cloud.Network{
			Subnets:    []cloud.Subnet{subnet("s0", "", 1000), subnet("s1", "", 1000)},
			Interfaces: []cloud.Interface{card(0, "s0", 9), card(1, "s1", 9)},
			Instances:  []cloud.Instance{instance(0, "s0", group), instance(1, "s1", group)}, Groups: of,
		}
	}
	group := func(most int, subnets ...string) cloud.ScalingGroup {
		return cloud.ScalingGroup{Name: "g", Max: most, Subnets: subnets}
	}
	tagged := cloud.Network{
		Subnets:    []cloud.Subnet{subnet("s0", "", 100), subnet("s1", "1", 4000)},
		Interfaces: []cloud.Interface{card(0, "s0", 9)}, Instances: []cloud.Instance{instance(0, "s0", "g")}, Groups: []cloud.ScalingGroup{group(4, "s0")},
	}
	auto := two("g", group(4, "s0", "s1"))
	auto.Interfaces[0].OperatorManaged = true
	for name, tc := range map[string]struct {
		network cloud.Network
		want    map[string]string
	}{
		// With 5 pods and WARM_ENI_TARGET=1, a node holds two interfaces of 10.
		"in balance":                    {two("g", group(6, "s0", "s1")), map[string]string{"s0": "960", "s1": "960"}},
		"an odd number":                 {two("g", group(5, "s0", "s1")), map[string]string{"s0": "960", "s1": "980"}},
		"in one subnet only":            {two("g", group(4, "s0")), map[string]string{"s0": "960", "s1": "1000"}},
		"at the maximum":                {two("g", group(2, "s0", "s1")), map[string]string{"s0": "1000", "s1": "1000"}},
		"above the maximum":             {two("g", group(-5, "s0", "s1")), map[string]string{"s0": "1000", "s1": "1000"}},
		"a subnet that a tag adds":      {tagged, map[string]string{"s0": "70", "s1": "3970"}},
		"more nodes than there can be":  {two("g", group(math.MaxInt, "s0", "s1")), map[string]string{"s0": "unknown", "s1": "unknown"}},
		"a group that was not read":     {two("g"), map[string]string{"s0": "unknown", "s1": "unknown"}},
		"nodes without a group":         {two(""), map[string]string{"s0": "unknown", "s1": "unknown"}},
		"nodes that are not judged":     {auto, map[string]string{"s0": "unknown", "s1": "unknown"}},
		"another group of another name": {two("g", cloud.ScalingGroup{Name: "h", Max: 9}), map[string]string{"s0": "unknown", "s1": "unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			pods := []int{5, 5}[:len(tc.network.Instances)]
			if diff := cmp.Diff(tc.want, atMaximum(Compute(worldOf(tc.network, pods...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNodePoolForecast: the maximum of a NodePool of Karpenter is what its limits allow of nodes as small as its smallest one.
func TestNodePoolForecast(t *testing.T) {
	n := cloud.Network{
		Subnets: []cloud.Subnet{subnet("s0", "", 1000)}, Interfaces: []cloud.Interface{card(0, "s0", 9), card(1, "s0", 9)}, Instances: []cloud.Instance{instance(0, "s0", ""), instance(1, "s0", "")},
	}
	for limits, want := range map[string]string{
		"nodes=5":                  "940", // Three more, of 20 addresses each.
		"nodes=1":                  "1000",
		"nodes=0":                  "1000",
		"nodes=-3":                 "1000",
		"cpu=13":                   "940", // 4 and 2 are used.
		"cpu=13,memory=33Gi":       "980",
		"memory=33Gi,nodes=5":      "980",
		"cpu=1":                    "1000",
		"nvidia.com/gpu=5":         "unknown",
		"nvidia.com/gpu=5,nodes=4": "960",
		"cpu=9e30":                 "unknown",
		"":                         "unknown",
		"no NodePool":              "unknown",
	} {
		t.Run(limits, func(t *testing.T) {
			world := worldOf(n, 5, 5)
			var edits []cluster.Edit
			for i, node := range world.Nodes() {
				node = node.DeepCopy()
				node.Labels["karpenter.sh/nodepool"] = "pool"
				node.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse([]string{"4", "2"}[i]), corev1.ResourceMemory: resource.MustParse([]string{"16Gi", "8Gi"}[1-i])}
				edits = append(edits, cluster.Put(node))
			}
			if limits != "no NodePool" {
				pool := &custom.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "pool"}, Spec: custom.NodePoolSpec{Limits: corev1.ResourceList{}}}
				for limit := range strings.SplitSeq(limits, ",") {
					if name, amount, given := strings.Cut(limit, "="); given {
						pool.Spec.Limits[corev1.ResourceName(name)] = resource.MustParse(amount)
					}
				}
				edits = append(edits, cluster.Put(pool))
			}
			r := Compute(world.With(edits...))
			if got := atMaximum(r)["s0"]; got != want {
				t.Errorf("%s at the maximum, want %s: %+v", got, want, r.Groups)
			}
		})
	}
}

// TestHostileNetwork: nothing that a file or an API may say makes a number that cannot be, or panics.
func TestHostileNetwork(t *testing.T) {
	far := instance(0, "s0", "g")
	far.MaxInterfaces, far.AddressesPerInterface = math.MaxInt, math.MinInt
	n := cloud.Network{
		Subnets: []cloud.Subnet{
			{ID: "s0", Zone: "a", CIDR: "10.0.0.0/24", Free: math.MaxInt64},
			{ID: "s1", CIDR: "0.0.0.0/0", Free: -7, RoleCNI: "1", Zone: "a"},
			{ID: "s2", CIDR: "rubbish", RoleCNI: "1", Zone: "a"},
			{ID: "", CIDR: "10.0.0.0/28"},
		},
		Interfaces: []cloud.Interface{
			card(0, "s0", 9), card(0, "s0", 9),
			{ID: "eni-x", Subnet: "s0", Addresses: []string{"", "10.0.0.300", "::1", "10.0.0.1"}, Prefixes: []string{"", "0.0.0.0/0", "10.0.0.16/28"}},
			{ID: "eni-y"},
			{ID: "eni-z", AttachedTo: "i-0", Subnet: "nowhere", Prefixes: []string{"nonsense"}},
			{ID: "eni-l", Subnet: "s0", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Description: "aws-K8S-", CreatedAt: new(taken.Add(time.Hour))},
		},
		Instances: []cloud.Instance{far, {ID: "i-9"}, {}},
		Groups:    []cloud.ScalingGroup{{Name: "g", Min: math.MinInt, Max: math.MinInt, Desired: math.MaxInt, Subnets: []string{"", "nowhere"}}},
	}
	r := Compute(worldOf(n, 3, 0))
	if s := r.Subnet("s0"); s.Free != 251 || s.Size != 251 {
		t.Errorf("%d of %d addresses are free", s.Free, s.Size)
	}
	if s := r.Subnet("s1"); s.Free != 0 || s.Valid || s.Size != 0 || s.FreeBlocks != 0 {
		t.Errorf("%+v", s)
	}
	if n := r.Node("n0"); n.Capacity != 0 || n.Full() || n.MaxInterfaces != 100_000 || n.AddressesPerInterface != 0 {
		t.Errorf("%+v", n)
	}
	if len(r.Leaks) != 0 {
		t.Errorf("an interface of the future leaked: %+v", r.Leaks)
	}
	a := NewAllocator(withPlugin(worldOf(n, 3, 0), map[string]string{"WARM_ENI_TARGET": "999999999999", "MAX_ENI": "-3"}))
	a.Launch("new", "n0", "a")
	a.Fill("new")
	a.Terminate("n0")
	if got := sumOf(a); got < 0 {
		t.Errorf("%d addresses", got)
	}
	if r.Node("n9") != nil || r.Subnet("s9") != nil || len(r.Usable(&Node{})) != 0 {
		t.Error("there is what is not")
	}
}

// TestTwoClusters: if the nodes' interfaces name two clusters, no interface is known to be this cluster's.
func TestTwoClusters(t *testing.T) {
	n := cloud.Network{Subnets: []cloud.Subnet{subnet("s0", "", 9)}, Instances: []cloud.Instance{instance(0, "s0", ""), instance(1, "s0", "")}}
	for i, cluster := range []string{"shop", "shop"} {
		one := card(i, "s0", 9)
		one.Cluster = cluster
		n.Interfaces = append(n.Interfaces, one)
	}
	n.Interfaces = append(n.Interfaces, cloud.Interface{ID: "eni-l", Subnet: "s0", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Description: "aws-K8S-i-7", Cluster: "shop", Addresses: []string{"10.0.9.9"}})
	if r := Compute(worldOf(n, 1, 1)); r.Cluster != "shop" || len(r.Leaks) != 1 || !r.Leaks[0].Tagged {
		t.Errorf("cluster %q, leaks %+v", r.Cluster, r.Leaks)
	}
	n.Interfaces[1].Cluster = "other"
	if r := Compute(worldOf(n, 1, 1)); r.Cluster != "" || len(r.Leaks) != 0 {
		t.Errorf("cluster %q, leaks %+v", r.Cluster, r.Leaks)
	}
}

// TestReclaim: a leaked interface may be deleted if EC2 says that its instance is gone, and if it was shown an instance of the cluster, where it says
// that there is none.
func TestReclaim(t *testing.T) {
	leaked := func(change func(*cloud.Interface)) cloud.Interface {
		i := cloud.Interface{
			ID: "eni-l", Subnet: "s0", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Description: "aws-K8S-i-7", Instance: "i-7", Cluster: "shop", ByVPCCNI: true,
			CreatedAt: new(taken.Add(-time.Hour)), InstanceState: cloud.NotFound, Addresses: []string{"10.0.9.9"},
		}
		change(&i)
		return i
	}
	for name, tc := range map[string]struct {
		change func(*cloud.Interface)
		blind  bool // EC2 shows no instance
		want   reclaim.Reason
	}{
		"gone":                {func(*cloud.Interface) {}, false, reclaim.SeenOnce},
		"of another account":  {func(*cloud.Interface) {}, true, reclaim.OwnerUnread},
		"terminated":          {func(i *cloud.Interface) { i.InstanceState = cloud.Gone }, true, reclaim.SeenOnce},
		"stopped":             {func(i *cloud.Interface) { i.InstanceState = cloud.Off }, false, reclaim.OwnerExists},
		"an old snapshot":     {func(i *cloud.Interface) { i.InstanceState, i.ByVPCCNI = "", false }, false, reclaim.NoClusterTag},
		"not asked":           {func(i *cloud.Interface) { i.InstanceState = "" }, false, reclaim.OwnerUnread},
		"of no cluster":       {func(i *cloud.Interface) { i.Cluster = "" }, false, reclaim.NoClusterTag},
		"of two instances":    {func(i *cloud.Interface) { i.Instance = "i-8" }, false, reclaim.OwnerUnclear},
		"of six minutes":      {func(i *cloud.Interface) { i.CreatedAt = new(taken.Add(-6 * time.Minute)) }, false, reclaim.TooYoung},
		"of an unknown age":   {func(i *cloud.Interface) { i.CreatedAt = nil }, false, reclaim.SeenOnce},
		"of a forgotten node": {func(i *cloud.Interface) { i.InstanceState = cloud.Changes }, false, reclaim.OwnerExists},
	} {
		t.Run(name, func(t *testing.T) {
			one := card(0, "s0", 9)
			one.Cluster = "shop"
			n := cloud.Network{Subnets: []cloud.Subnet{subnet("s0", "", 9)}, Interfaces: []cloud.Interface{one, leaked(tc.change)}}
			if !tc.blind {
				n.Instances = []cloud.Instance{instance(0, "s0", "")}
			}
			r := Compute(worldOf(n, 1))
			if len(r.Leaks) != 1 || r.Leaks[0].Reclaim != tc.want || r.Leaks[0].Deletable() != (tc.want == reclaim.SeenOnce) {
				t.Errorf("%+v, want %s", r.Leaks, tc.want)
			}
		})
	}
	unnamed := cloud.Network{Subnets: []cloud.Subnet{subnet("s0", "", 9)}, Instances: []cloud.Instance{instance(0, "s0", "")}, Interfaces: []cloud.Interface{card(0, "s0", 9), leaked(func(i *cloud.Interface) { i.Cluster = "" })}}
	if r := Compute(worldOf(unnamed, 1)); len(r.Leaks) != 1 || r.Leaks[0].Reclaim != reclaim.NoClusterName {
		t.Errorf("in a cluster without a name: %+v", r.Leaks)
	}
}

// TestIPv6AndAutoMode are reported, and their nodes not judged.
func TestExceptions(t *testing.T) {
	n := cloud.Network{Subnets: []cloud.Subnet{subnet("s0", "", 0)}, Instances: []cloud.Instance{instance(0, "s0", "")}, Interfaces: []cloud.Interface{card(0, "s0", 9), {ID: "b", Type: cloud.InterfaceBranch, AttachedTo: "i-0", Subnet: "s0"}}}
	world := worldOf(n, 1)
	six := world.Pods()[0].DeepCopy()
	six.Name, six.Status.PodIP = "six", "2001:db8::7"
	node := world.Nodes()[0].DeepCopy()
	node.Labels = map[string]string{labelCompute: "auto"}
	r := Compute(world.With(cluster.Put(six), cluster.Put(node)))
	if diff := cmp.Diff([]Exception{AutoMode, BranchInterfaces, IPv6}, r.NotJudged); diff != "" || r.Nodes[0].Judged {
		t.Errorf("judged: %t (-want +got):\n%s", r.Nodes[0].Judged, diff)
	}
	if Compute(cluster.New(cluster.Contents{Objects: []runtime.Object{node}})) != nil {
		t.Error("there is a report of a world without a network")
	}
}

// TestUsableSubnets: the VPC CNI uses a subnet beside the nodes' own if it discovers subnets, and no tag keeps it for other clusters.
func TestUsableSubnets(t *testing.T) {
	only := func(clusters ...string) cloud.Subnet {
		s := subnet("s1", "1", 50)
		s.Clusters = clusters
		return s
	}
	for name, tc := range map[string]struct {
		other  cloud.Subnet
		env    map[string]string
		image  string
		noName bool
		want   bool
	}{
		"tagged":                         {other: only(), want: true},
		"for this cluster, too":          {other: only("else", "shop"), want: true},
		"for other clusters":             {other: only("else"), want: false},
		"for others, and no name is set": {other: only("else"), noName: true, want: true},
		"discovery is off":               {other: only(), env: map[string]string{"ENABLE_SUBNET_DISCOVERY": "false"}, want: false},
		"the version before discovery":   {other: only(), env: map[string]string{"ENABLE_SUBNET_DISCOVERY": "true"}, image: "amazon-k8s-cni:v1.17.1-eksbuild.1", want: false},
		"the first version with it":      {other: only(), image: "example.com:5000/amazon-k8s-cni:v1.18.0", want: true},
		"a version with two digits":      {other: only(), image: "amazon-k8s-cni:v1.9.3", want: false},
		"an image without a version":     {other: only(), image: "amazon-k8s-cni@sha256:12ab", want: true},
		"an image with another version":  {other: only(), image: "cni:latest", want: true},
	} {
		own := card(0, "s0", 2)
		if !tc.noName {
			own.Cluster = "shop"
		}
		world := withPlugin(worldOf(cloud.Network{
			Subnets: []cloud.Subnet{subnet("s0", "", 0), tc.other}, Interfaces: []cloud.Interface{own}, Instances: []cloud.Instance{instance(0, "s0", "g")},
		}, 1), tc.env)
		set := world.DaemonSet("kube-system", Plugin).DeepCopy()
		set.Spec.Template.Spec.Containers[0].Image = tc.image
		r := Compute(world.With(cluster.Put(set)))
		if got := len(r.Usable(r.Node("n0"))) == 2; got != tc.want {
			t.Errorf("%s: used is %v, want %v", name, got, tc.want)
		}
		untagged := tc.other
		untagged.RoleCNI = ""
		r = Compute(world.WithNetwork(cloud.Network{Subnets: []cloud.Subnet{untagged}}))
		if got := r.Candidate(r.Subnet("s0")) != nil; got == (name == "for other clusters") {
			t.Errorf("%s: the tag would help: %v", name, got)
		}
	}
}

// TestENIConfigOf follows the order in which the VPC CNI looks for the name of a node's ENIConfig.
func TestENIConfigOf(t *testing.T) {
	zone := map[string]string{corev1.LabelTopologyZone: "a"}
	for name, tc := range map[string]struct {
		env                 map[string]string
		labels, annotations map[string]string
		want                string
	}{
		"nothing names one":                {labels: zone, want: "default"},
		"the label":                        {labels: map[string]string{"k8s.amazonaws.com/eniConfig": "x"}, want: "x"},
		"the annotation first":             {labels: map[string]string{"k8s.amazonaws.com/eniConfig": "x"}, annotations: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "y"},
		"the external label before all":    {labels: map[string]string{"vpc.amazonaws.com/externalEniConfig": "z"}, annotations: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "z"},
		"the zone":                         {env: map[string]string{"ENI_CONFIG_LABEL_DEF": corev1.LabelTopologyZone}, labels: zone, want: "a"},
		"a label of one's own":             {env: map[string]string{"ENI_CONFIG_LABEL_DEF": "example.com/pods"}, labels: map[string]string{"example.com/pods": "x", "k8s.amazonaws.com/eniConfig": "y"}, want: "x"},
		"a label that the node lacks":      {env: map[string]string{"ENI_CONFIG_LABEL_DEF": "example.com/pods"}, labels: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "default"},
		"an annotation of one's own":       {env: map[string]string{"ENI_CONFIG_ANNOTATION_DEF": "example.com/pods"}, annotations: map[string]string{"example.com/pods": "x"}, labels: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "x"},
		"the label without that":           {env: map[string]string{"ENI_CONFIG_ANNOTATION_DEF": "example.com/pods"}, labels: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "y"},
		"a key that was not read":          {env: map[string]string{"ENI_CONFIG_LABEL_DEF": ""}, labels: zone, want: ""},
		"and the annotation is read":       {env: map[string]string{"ENI_CONFIG_LABEL_DEF": ""}, annotations: map[string]string{"k8s.amazonaws.com/eniConfig": "y"}, want: "y"},
		"an annotation that was not read":  {env: map[string]string{"ENI_CONFIG_ANNOTATION_DEF": ""}, labels: map[string]string{"k8s.amazonaws.com/eniConfig": "x"}, want: ""},
		"an external label without a name": {labels: map[string]string{"vpc.amazonaws.com/externalEniConfig": ""}, want: ""},
	} {
		s := settingsOf(withPlugin(cluster.New(cluster.Contents{}), tc.env))
		if got := s.eniConfigOf(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: tc.labels, Annotations: tc.annotations}}); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
