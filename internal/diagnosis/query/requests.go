package query

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// SpecRequest is the sum of the requests of a pod's containers for a resource.
func SpecRequest(spec *corev1.PodSpec, name corev1.ResourceName) resource.Quantity {
	sum := resource.Quantity{Format: resource.DecimalSI}
	for _, c := range spec.Containers {
		sum.Add(c.Resources.Requests[name])
	}
	return sum
}

// Shortage is a resource of which a node has too little left for a pod.
type Shortage struct {
	Resource corev1.ResourceName
	// Requested by the pod, free on the node and allocatable (All), in millis for cpu and whole units otherwise.
	Requested, All, Free int64
}

// Missing is the shortage, in the resource's units.
func (n Shortage) Missing() int64 { return n.Requested - n.Free }

// Format formats an amount of the resource.
func (n Shortage) Format(value int64) string { return FormatQuantity(n.Resource, value) }

// account compares the request with what is free.
func (n Shortage) account() message.Sentence {
	return sentence.Account(n.Format(n.Requested), n.Format(n.Free), n.Format(n.All))
}

// String is what is missing, such as "200m cpu".
func (n Shortage) String() string { return n.Format(n.Missing()) + " " + string(n.Resource) }

// FormatQuantity formats an amount of a resource as a quantity.
func FormatQuantity(name corev1.ResourceName, value int64) string {
	const mebi = 1 << 20
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(value, resource.DecimalSI).String()
	case value >= 10*mebi && value%mebi != 0: // Bytes; the fraction of a Mi does not matter.
		return resource.NewQuantity((value+mebi-1)/mebi*mebi, resource.BinarySI).String()
	case value >= mebi:
		return resource.NewQuantity(value, resource.BinarySI).String()
	default:
		return strconv.FormatInt(value, 10)
	}
}

// QuantityValue is a quantity in thousandths of a CPU, or in units of other resources.
func QuantityValue(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// PodRequests are a pod's requests, including one pod.
func PodRequests(pod *corev1.Pod) corev1.ResourceList {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return requests
}

// Shortages are the resources of which a node has too little left for a pod, the largest share of the request first.
func (q Query) Shortages(pod *corev1.Pod, node *corev1.Node) []Shortage {
	return shortages(pod, node, func(name corev1.ResourceName) int64 { return q.Judge.Requested(node.Name, name) })
}

// ShortagesWhenEmpty are the resources of which a node has too little for a pod even when empty: with no other pods than static pods and
// those of DaemonSets, except for those that the pod could preempt.
func (q Query) ShortagesWhenEmpty(pod *corev1.Pod, node *corev1.Node) []Shortage {
	used := map[corev1.ResourceName]int64{}
	for _, other := range q.permanentPods(pod, node) {
		for name, requested := range PodRequests(other) {
			used[name] += QuantityValue(name, requested)
		}
	}
	return shortages(pod, node, func(name corev1.ResourceName) int64 { return used[name] })
}

// permanentPods are the static pods of a node and those of DaemonSets, except for those that a pod could preempt.
func (q Query) permanentPods(pod *corev1.Pod, node *corev1.Node) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(q.World.PodsOn(node.Name)), func(other *corev1.Pod) bool {
		permanent := cluster.IsMirror(other) || facts.ControlledBy(other, cluster.DaemonSet)
		return !permanent || !facts.IsActive(other) || corev1helpers.PodPriority(other) < corev1helpers.PodPriority(pod)
	})
}

// shortages are the resources of which a node has too little for a pod beside what is used.
func shortages(pod *corev1.Pod, node *corev1.Node, used func(corev1.ResourceName) int64) []Shortage {
	var needs []Shortage
	for name, asked := range PodRequests(pod) {
		all := QuantityValue(name, node.Status.Allocatable[name])
		n := Shortage{Resource: name, Requested: QuantityValue(name, asked), All: all, Free: all - used(name)}
		if n.Missing() > 0 && n.Requested > 0 {
			needs = append(needs, n)
		}
	}
	slices.SortFunc(needs, func(a, b Shortage) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.Resource, b.Resource))
	})
	return needs
}

// ShortageScore is the sum of the shares of the pod's requests that a node lacks.
func (q Query) ShortageScore(pod *corev1.Pod, node *corev1.Node) float64 {
	return TotalShare(q.Shortages(pod, node))
}

// TotalShare is the sum of the shares of the requests that are lacking.
func TotalShare(shortages []Shortage) float64 {
	total := 0.0
	for _, n := range shortages {
		total += n.share()
	}
	return total
}

// share is the share of the request that is lacking.
func (n Shortage) share() float64 { return float64(n.Missing()) / float64(n.Requested) }
