package query

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/internal/message"
)

// SpecRequest is how much of a resource a pod's containers ask for.
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
	// Requested by the pod, free on the node and all that the node may give out, in millis for cpu and whole units otherwise.
	Requested, free, all int64
}

// Missing is how much is lacking, in the resource's units.
func (n Shortage) Missing() int64 { return n.Requested - n.free }

// Format writes a number of the resource's units as people do.
func (n Shortage) Format(value int64) string { return FormatQuantity(n.Resource, value) }

// sentence is the need as a sum that can be checked.
func (n Shortage) sentence(say message.Printer) string {
	return say.Text(message.Account, message.Args{"asked": n.Format(n.Requested), "free": n.Format(n.free), "all": n.Format(n.all)})
}

// String is what is missing, such as "200m cpu".
func (n Shortage) String() string { return n.Format(n.Missing()) + " " + string(n.Resource) }

// FormatQuantity writes a number of a resource's units as people do.
func FormatQuantity(name corev1.ResourceName, value int64) string {
	const mebi = 1 << 20
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(value, resource.DecimalSI).String()
	case value >= 10*mebi && value%mebi != 0: // Bytes; the remainder helps nobody.
		return resource.NewQuantity((value+mebi-1)/mebi*mebi, resource.BinarySI).String()
	case value >= mebi:
		return resource.NewQuantity(value, resource.BinarySI).String()
	default:
		return strconv.FormatInt(value, 10)
	}
}

// QuantityValue are thousandths of a CPU, and whole ones of every other resource.
func QuantityValue(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// PodRequests is what a pod asks for, its place among the node's pods included.
func PodRequests(pod *corev1.Pod) corev1.ResourceList {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return requests
}

// Shortages is what a node has too little of, the largest share of what is asked first.
func (q Query) Shortages(pod *corev1.Pod, node *corev1.Node) []Shortage {
	var needs []Shortage
	for name, asked := range PodRequests(pod) {
		all := node.Status.Allocatable[name]
		n := Shortage{Resource: name, Requested: QuantityValue(name, asked), all: QuantityValue(name, all), free: QuantityValue(name, all) - q.Judge.Requested(node.Name, name)}
		if n.Missing() > 0 && n.Requested > 0 {
			needs = append(needs, n)
		}
	}
	slices.SortFunc(needs, func(a, b Shortage) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.Resource, b.Resource))
	})
	return needs
}

// ShortageScore is how much of what the pod asks for a node lacks, in shares of each resource added up.
func (q Query) ShortageScore(pod *corev1.Pod, node *corev1.Node) float64 {
	total := 0.0
	for _, n := range q.Shortages(pod, node) {
		total += n.share()
	}
	return total
}

// share is how much of what is asked for is missing.
func (n Shortage) share() float64 { return float64(n.Missing()) / float64(n.Requested) }
