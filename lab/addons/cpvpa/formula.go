package cpvpa

import (
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// clusterSize is the formula's input.
type clusterSize struct {
	nodes, cores int
}

// sizeOf counts every node, cordoned and NotReady ones too, and their capacity rather than what is allocatable, as cpvpa's
// GetClusterSize does. Cores must add up to a whole number there, and so here.
func sizeOf(nodes []corev1.Node) (clusterSize, error) {
	var cores resource.Quantity
	for i := range nodes {
		cores.Add(nodes[i].Status.Capacity[corev1.ResourceCPU])
	}
	whole, ok := cores.AsInt64()
	if !ok {
		return clusterSize{}, fmt.Errorf("the cluster's %s cores are not a whole number", cores.String())
	}
	return clusterSize{nodes: len(nodes), cores: int(whole)}, nil
}

// config is cpvpa's configuration: what each container of the target gets.
type config map[string]containerConfig

type containerConfig struct {
	Requests map[corev1.ResourceName]rule
	Limits   map[corev1.ResourceName]rule
}

// rule is how one resource grows. Its field names are those of the public format, which encoding/json matches in any case.
type rule struct {
	Base, Max, Step            *resource.Quantity
	CoresPerStep, NodesPerStep *int
}

// parseConfig reads --default-config and lays the text of --config-file over it; either may be empty.
func parseConfig(defaults, file string) (config, error) {
	c := config{}
	for _, text := range []string{defaults, file} {
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return nil, fmt.Errorf("reading the configuration: %w", err)
		}
	}
	return c, nil
}

// resources is what the target's containers should ask for in a cluster of this size.
func (c config) resources(size clusterSize) map[string]corev1.ResourceRequirements {
	wanted := map[string]corev1.ResourceRequirements{}
	for container, rules := range c {
		wanted[container] = corev1.ResourceRequirements{
			Requests: quantities(rules.Requests, size),
			Limits:   quantities(rules.Limits, size),
		}
	}
	return wanted
}

func quantities(rules map[corev1.ResourceName]rule, size clusterSize) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name := range maps.Keys(rules) {
		// cpvpa writes memory in plain bytes and the rest as the binary format prints it; a reader of the target sees that.
		format := resource.BinarySI
		if name == corev1.ResourceMemory || name == corev1.ResourceStorage {
			format = resource.DecimalSI
		}
		quantity := resource.NewQuantity(0, format)
		quantity.SetMilli(rules[name].milli(size))
		list[name] = *quantity
	}
	return list
}

// milli is the formula, in thousandths: base plus a step for every started run of cores, or of nodes, whichever is more,
// neither above max. https://github.com/kubernetes-sigs/cluster-proportional-vertical-autoscaler#calculation-of-resource-requests-and-limits
func (r rule) milli(size clusterSize) int64 {
	base, step, limit := milliOf(r.Base), milliOf(r.Step), milliOf(r.Max)
	grown := func(count int, perStep *int) int64 {
		value := base + step*steps(count, perStep)
		if limit > 0 {
			value = min(value, limit)
		}
		return value
	}
	return max(grown(size.cores, r.CoresPerStep), grown(size.nodes, r.NodesPerStep))
}

func milliOf(q *resource.Quantity) int64 {
	if q == nil {
		return 0
	}
	return q.MilliValue()
}

func steps(count int, perStep *int) int64 {
	if perStep == nil || *perStep == 0 {
		return 0
	}
	return int64((count + *perStep - 1) / *perStep)
}
