package addresses

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// withPlugin is a world in which the VPC CNI runs with an environment.
func withPlugin(world *cluster.Snapshot, env map[string]string) *cluster.Snapshot {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: Plugin}}
	container := corev1.Container{Name: Plugin}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: env[name]})
	}
	set.Spec.Template.Spec.Containers = []corev1.Container{container}
	return world.With(cluster.Put(set))
}

// settings are environments of the VPC CNI.
var settings = map[string]map[string]string{
	"the defaults":        {"WARM_ENI_TARGET": "1"},
	"nothing warm":        {"WARM_ENI_TARGET": "0"},
	"two interfaces warm": {"WARM_ENI_TARGET": "2"},
	"addresses":           {"WARM_IP_TARGET": "3", "MINIMUM_IP_TARGET": "8"},
	"prefixes":            {"ENABLE_PREFIX_DELEGATION": "true", "WARM_PREFIX_TARGET": "1"},
	"no prefix warm":      {"ENABLE_PREFIX_DELEGATION": "true"},
	"prefixes, addresses": {"ENABLE_PREFIX_DELEGATION": "true", "WARM_IP_TARGET": "5"},
	"two interfaces":      {"MAX_ENI": "2"},
}

// TestGrowth has a new node grow in a large subnet, pod by pod: it holds what the forecast of groups at their maximum says, which is computed in
// another way.
func TestGrowth(t *testing.T) {
	for name, env := range settings {
		t.Run(name, func(t *testing.T) {
			world := withPlugin(worldOf(cloud.Network{
				Subnets: []cloud.Subnet{subnet("s0", "", 60000)}, Interfaces: []cloud.Interface{card(0, "s0", 0)},
				Instances: []cloud.Instance{instance(0, "s0", "g")}, Groups: []cloud.ScalingGroup{{Name: "g", Max: 5, Subnets: []string{"s0"}}},
			}, 0), env)
			a := NewAllocator(world)
			if a == nil {
				t.Fatal("addresses are not counted")
			}
			before, s := a.free["s0"], Compute(world).Settings
			if !a.Launch("new", "n0", "a") {
				t.Fatal("the instance is not launched")
			}
			node := a.nodes["new"]
			node.maxPods = 0 // The forecast does not know it.
			a.nodes["new"] = node
			a.Fill("new")
			for pods := range 28 {
				if held, want := before-a.free["s0"], int64(s.held(pods, 3, 10)); held != want {
					t.Errorf("with %d pods, the node holds %d addresses, want %d", pods, held, want)
				}
				limit := 3 * 9
				if s.MaxENI > 0 {
					limit = s.MaxENI * 9
				}
				if got, want := a.Assign("new"), pods < limit || s.Prefixes; got != want {
					t.Errorf("pod %d gets an address: %v, want %v", pods+1, got, want)
				}
			}
			if a.Terminate("new"); a.free["s0"] != before {
				t.Errorf("the node keeps %d addresses", before-a.free["s0"])
			}
		})
	}
}

// TestConservation has pods and nodes come and go at random in small subnets: no address is lost, held twice or given to a pod that no interface has
// it for, and a node never has more than its type allows.
func TestConservation(t *testing.T) {
	names := slices.Sorted(maps.Keys(settings))
	rapid.Check(t, func(t *rapid.T) {
		frees := rapid.SliceOfN(rapid.Int64Range(0, 120), 3, 3).Draw(t, "free")
		env := settings[rapid.SampledFrom(names).Draw(t, "settings")]
		world := withPlugin(worldOf(cloud.Network{
			Subnets:    []cloud.Subnet{subnet("s0", "", frees[0]), subnet("s1", "", frees[1]), subnet("s2", "1", frees[2])},
			Interfaces: []cloud.Interface{card(0, "s0", 9), card(1, "s1", 4)},
			Instances:  []cloud.Instance{instance(0, "s0", "g"), instance(1, "s1", "g")},
			Groups:     []cloud.ScalingGroup{{Name: "g", Max: 9, Subnets: []string{"s0", "s1"}}},
		}, 3, 4), env)
		a := NewAllocator(world)
		all := sumOf(a)
		for step := range rapid.IntRange(1, 80).Draw(t, "steps") {
			node := rapid.SampledFrom(slices.Sorted(maps.Keys(a.nodes))).Draw(t, "node")
			was := a.nodes[node]
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			default:
				if got := a.Assign(node); got != (a.nodes[node].pods == was.pods+1) {
					t.Fatalf("Assign says %v with %d pods, %d before", got, a.nodes[node].pods, was.pods)
				}
			case 5, 6, 7:
				a.Release(node)
			case 8:
				name := "x" + strconv.Itoa(step)
				if a.Launch(name, node, "a") {
					a.Fill(name)
				}
			case 9:
				a.Terminate(node)
			}
			for name, p := range a.nodes {
				if p.pods < 0 || p.pods > a.total(p) || len(p.interfaces) > max(p.maxInterfaces, 1) {
					t.Fatalf("%s: %+v", name, p)
				}
				for _, i := range p.interfaces {
					if i.blocks < 0 || i.blocks+i.addresses > p.perInterface {
						t.Fatalf("%s: %+v", name, p)
					}
				}
			}
			if got := sumOf(a); got != all {
				t.Fatalf("%d addresses, %d before", got, all)
			}
		}
		if again := NewAllocator(world); sumOf(again) != all || len(again.nodes) != 2 {
			t.Fatal("one Allocator changes another of the same world")
		}
	})
}

// sumOf is the number of addresses that are free or held.
func sumOf(a *Allocator) int64 {
	sum := int64(0)
	for _, free := range a.free {
		if free < 0 {
			return -1
		}
		sum += free
	}
	for _, p := range a.nodes {
		sum += int64(len(p.interfaces) + a.total(p))
	}
	return sum
}

// TestNotCounted: where something bears on addresses that is not known, or not judged, there is no Allocator.
func TestNotCounted(t *testing.T) {
	whole := cloud.Network{
		Subnets: []cloud.Subnet{subnet("s0", "", 50)}, Interfaces: []cloud.Interface{card(0, "s0", 9)}, Instances: []cloud.Instance{instance(0, "s0", "g")},
	}
	unread := whole
	unread.Unread = map[cloud.NetworkPart]cloud.Unread{cloud.InstanceTypes: {Permission: "ec2:DescribeInstanceTypes"}}
	for name, tc := range map[string]struct {
		world   *cluster.Snapshot
		counted bool
	}{
		"everything is known": {withPlugin(worldOf(whole, 2), nil), true},
		"another CNI":         {worldOf(whole, 2), false},
		"a part is not known": {withPlugin(worldOf(unread, 2), nil), false},
		"custom networking":   {withPlugin(worldOf(whole, 2), map[string]string{"AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "true"}), false},
		"branch interfaces":   {withPlugin(worldOf(whole, 2), map[string]string{"ENABLE_POD_ENI": "true"}), false},
		"IPv6":                {withPlugin(worldOf(whole, 2), map[string]string{"ENABLE_IPv6": "true"}), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewAllocator(tc.world) != nil; got != tc.counted {
				t.Errorf("addresses are counted: %v", got)
			}
		})
	}
}
