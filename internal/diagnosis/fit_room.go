package diagnosis

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/internal/message"
)

// need is a resource of which a node has too little left for a pod.
type need struct {
	resource corev1.ResourceName
	// asked by the pod, free on the node and all that the node may give out, in millis for cpu and whole units otherwise.
	asked, free, all int64
}

func (n need) short() int64 { return n.asked - n.free }

// amount writes a number of the resource's units as people do.
func (n need) amount(value int64) string { return amount(n.resource, value) }

// account is the need as a sum that can be checked.
func (n need) account(say message.Printer) string {
	return say.Text(message.Account, message.Args{"asked": n.amount(n.asked), "free": n.amount(n.free), "all": n.amount(n.all)})
}

// String is what is missing, such as "200m cpu".
func (n need) String() string { return n.amount(n.short()) + " " + string(n.resource) }

func amount(name corev1.ResourceName, value int64) string {
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

func units(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// asks is what a pod asks for, its place among the node's pods included.
func asks(pod *corev1.Pod) corev1.ResourceList {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return requests
}

// shortOf is what a node has too little of, the largest share of what is asked first.
func (v View) shortOf(pod *corev1.Pod, node *corev1.Node) []need {
	var needs []need
	for name, asked := range asks(pod) {
		all := node.Status.Allocatable[name]
		n := need{resource: name, asked: units(name, asked), all: units(name, all), free: units(name, all) - v.Judge.Taken(node.Name, name)}
		if n.short() > 0 && n.asked > 0 {
			needs = append(needs, n)
		}
	}
	slices.SortFunc(needs, func(a, b need) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.resource, b.resource))
	})
	return needs
}

// shortage is how much of what the pod asks for a node lacks, in shares of each resource added up.
func (v View) shortage(pod *corev1.Pod, node *corev1.Node) float64 {
	total := 0.0
	for _, n := range v.shortOf(pod, node) {
		total += n.share()
	}
	return total
}

// share is how much of what is asked for is missing.
func (n need) share() float64 { return float64(n.short()) / float64(n.asked) }
