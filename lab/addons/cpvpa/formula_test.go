package cpvpa

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRule(t *testing.T) {
	readme := rule{quantity("10"), quantity("100"), quantity("2"), new(4), new(2)}
	tests := []struct {
		name string
		rule rule
		size clusterSize
		want string
	}{
		// The two of cpvpa's README.
		{"more by cores", readme, clusterSize{nodes: 4, cores: 64}, "42"},
		{"more by nodes", readme, clusterSize{nodes: 3, cores: 3}, "14"},
		// The boundaries of "rounded up to the next whole step".
		{"no nodes", readme, clusterSize{}, "10"},
		{"a step just full", readme, clusterSize{nodes: 2}, "12"},
		{"a step just begun", readme, clusterSize{nodes: 3}, "14"},
		{"max caps", readme, clusterSize{nodes: 4, cores: 1000}, "100"},
		// Those of cpvpa's own tests, in milli-CPU.
		{"every core", rule{quantity("10m"), nil, quantity("1m"), new(1), nil}, clusterSize{4, 7}, "17m"},
		{"two cores", rule{quantity("10m"), nil, quantity("2m"), new(2), nil}, clusterSize{4, 20}, "30m"},
		{"every node", rule{quantity("10m"), nil, quantity("1m"), nil, new(1)}, clusterSize{4, 7}, "14m"},
		{"per step of zero", rule{quantity("10m"), nil, quantity("1m"), new(0), nil}, clusterSize{4, 20}, "10m"},
		{"per step below zero", rule{quantity("10m"), nil, quantity("1m"), new(-2), nil}, clusterSize{4, 20}, "10m"},
		{"nothing said", rule{}, clusterSize{4, 20}, "0"},
		// calico-node as GKE ships it: 80m, 20m for every started ten nodes, 500m at most.
		{"calico on 10", rule{quantity("80m"), quantity("500m"), quantity("20m"), nil, new(10)}, clusterSize{nodes: 10}, "100m"},
		{"calico on 11", rule{quantity("80m"), quantity("500m"), quantity("20m"), nil, new(10)}, clusterSize{nodes: 11}, "120m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := resource.NewMilliQuantity(tt.rule.milli(tt.size), resource.DecimalSI)
			if got.Cmp(resource.MustParse(tt.want)) != 0 {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSizeCountsEveryNode(t *testing.T) {
	cordoned := sizedNode("b", "2")
	cordoned.Spec.Unschedulable = true
	size, err := sizeOf([]corev1.Node{sizedNode("a", "4"), cordoned})
	if err != nil {
		t.Fatal(err)
	}
	if want := (clusterSize{nodes: 2, cores: 6}); size != want {
		t.Errorf("got %+v, want %+v", size, want)
	}
	if _, err := sizeOf([]corev1.Node{sizedNode("a", "1500m")}); err == nil {
		t.Error("half a core was accepted")
	}
}

func TestConfig(t *testing.T) {
	const defaults = `{"agent":{"requests":{"cpu":{"base":"10m","step":"1m","coresPerStep":1},"memory":{"base":"8Mi","step":"1Mi","coresPerStep":1}}}}`
	const file = `{"other":{"limits":{"cpu":{"base":"1","step":"1","nodesPerStep":5}}}}`
	c, err := parseConfig(defaults, file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for container, r := range c.resources(clusterSize{nodes: 4, cores: 7}) {
		for name, q := range r.Requests {
			got[container+" requests "+string(name)] = q.String()
		}
		for name, q := range r.Limits {
			got[container+" limits "+string(name)] = q.String()
		}
	}
	want := map[string]string{"agent requests cpu": "17m", "agent requests memory": "15728640", "other limits cpu": "2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := parseConfig("", `{"agent":`); err == nil {
		t.Error("broken JSON was accepted")
	}
}

func quantity(s string) *resource.Quantity { return new(resource.MustParse(s)) }

func sizedNode(name, cpu string) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Capacity: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
	}
}
