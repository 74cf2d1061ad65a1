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

// Asked is how much of a resource a pod's containers ask for.
func Asked(spec *corev1.PodSpec, name corev1.ResourceName) resource.Quantity {
	sum := resource.Quantity{Format: resource.DecimalSI}
	for _, c := range spec.Containers {
		sum.Add(c.Resources.Requests[name])
	}
	return sum
}

// Need is a resource of which a node has too little left for a pod.
type Need struct {
	Resource corev1.ResourceName
	// Asked by the pod, free on the node and all that the node may give out, in millis for cpu and whole units otherwise.
	Asked, free, all int64
}

// Short is how much is lacking, in the resource's units.
func (n Need) Short() int64 { return n.Asked - n.free }

// Amount writes a number of the resource's units as people do.
func (n Need) Amount(value int64) string { return Amount(n.Resource, value) }

// account is the need as a sum that can be checked.
func (n Need) account(say message.Printer) string {
	return say.Text(message.Account, message.Args{"asked": n.Amount(n.Asked), "free": n.Amount(n.free), "all": n.Amount(n.all)})
}

// String is what is missing, such as "200m cpu".
func (n Need) String() string { return n.Amount(n.Short()) + " " + string(n.Resource) }

// Amount writes a number of a resource's units as people do.
func Amount(name corev1.ResourceName, value int64) string {
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

// Units are thousandths of a CPU, and whole ones of every other resource.
func Units(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// Asks is what a pod asks for, its place among the node's pods included.
func Asks(pod *corev1.Pod) corev1.ResourceList {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return requests
}

// ShortOf is what a node has too little of, the largest share of what is asked first.
func (v View) ShortOf(pod *corev1.Pod, node *corev1.Node) []Need {
	var needs []Need
	for name, asked := range Asks(pod) {
		all := node.Status.Allocatable[name]
		n := Need{Resource: name, Asked: Units(name, asked), all: Units(name, all), free: Units(name, all) - v.Judge.Taken(node.Name, name)}
		if n.Short() > 0 && n.Asked > 0 {
			needs = append(needs, n)
		}
	}
	slices.SortFunc(needs, func(a, b Need) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.Resource, b.Resource))
	})
	return needs
}

// Shortage is how much of what the pod asks for a node lacks, in shares of each resource added up.
func (v View) Shortage(pod *corev1.Pod, node *corev1.Node) float64 {
	total := 0.0
	for _, n := range v.ShortOf(pod, node) {
		total += n.share()
	}
	return total
}

// share is how much of what is asked for is missing.
func (n Need) share() float64 { return float64(n.Short()) / float64(n.Asked) }
