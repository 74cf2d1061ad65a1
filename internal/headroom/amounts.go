package headroom

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// amounts are quantities of resources: thousandths of CPUs, and units of others. Nil is none of any. They are not changed once they are made.
type amounts map[corev1.ResourceName]int64

// requestsOf are what the scheduler counts of a pod's requests.
func requestsOf(pod *corev1.Pod) amounts {
	return amountsOf(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}))
}

// amountsOf are those of a list, without the number of pods.
func amountsOf(list corev1.ResourceList) amounts {
	sum := amounts{}
	for name, quantity := range list {
		value := quantity.Value()
		if name == corev1.ResourceCPU {
			value = quantity.MilliValue()
		}
		if name != corev1.ResourcePods && value != 0 {
			sum[name] = value
		}
	}
	return sum
}

// list is the ResourceList of the amounts.
func (a amounts) list() corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, value := range a {
		switch name {
		case corev1.ResourceCPU:
			list[name] = *resource.NewMilliQuantity(value, resource.DecimalSI)
		case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
			list[name] = *resource.NewQuantity(value, resource.BinarySI)
		default:
			list[name] = *resource.NewQuantity(value, resource.DecimalSI)
		}
	}
	return list
}

// most bounds an amount, so that sums of amounts that a file may have made up do not overflow.
const most = int64(1) << 55

// combined applies do to each resource, and leaves out what is zero.
func (a amounts) combined(b amounts, do func(x, y int64) int64) amounts {
	sum := amounts{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
		if value := max(-most, min(do(a[name], b[name]), most)); value != 0 {
			sum[name] = value
		}
	}
	return sum
}

func (a amounts) plus(b amounts) amounts {
	return a.combined(b, func(x, y int64) int64 { return max(-most, min(x, most)) + max(-most, min(y, most)) })
}

// minus is the difference, zero where b is more.
func (a amounts) minus(b amounts) amounts {
	return a.combined(b, func(x, y int64) int64 { return max(0, max(-most, min(x, most))-max(-most, min(y, most))) })
}

// orMore is the larger of both, of each resource.
func (a amounts) orMore(b amounts) amounts {
	return a.combined(b, func(x, y int64) int64 { return max(x, y) })
}

// key is equal for equal amounts.
func (a amounts) key() string { return fmt.Sprint(a) }

// within reports whether no amount is more than b's.
func (a amounts) within(b amounts) bool {
	for name, value := range a {
		if value > b[name] {
			return false
		}
	}
	return true
}

// share is the dominant share that amounts are of a node's: the largest over all resources. A resource that the node does not have does not count.
func (a amounts) share(of amounts) float64 {
	largest := 0.0
	for name, value := range of {
		if all := a[name]; all > 0 {
			largest = max(largest, float64(value)/float64(all))
		}
	}
	return largest
}

// averageNode are the average amounts of nodes.
func averageNode(nodes []*corev1.Node) amounts {
	var sum amounts
	for _, node := range nodes {
		sum = sum.plus(amountsOf(node.Status.Allocatable))
	}
	average := amounts{}
	for name, value := range sum {
		average[name] = max(1, value/int64(max(1, len(nodes))))
	}
	return average
}
