package rebalance

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// amounts are of CPU, in millicores, and of memory, in bytes.
type amounts [2]int64

// resources are those that utilization is about.
var resources = [2]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// unlimited is the most that may be requested of a resource that a node does not have.
const unlimited = math.MaxInt64

func amountsOf(list corev1.ResourceList) amounts {
	return amounts{list.Cpu().MilliValue(), list.Memory().Value()}
}

// requestsOf are what the scheduler counts of a pod's requests.
//
// Source: CalculateResource in pkg/scheduler/framework/types.go of Kubernetes, with the feature gates' defaults of 1.36.
func requestsOf(pod *corev1.Pod) amounts {
	return amountsOf(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true}))
}

func (a amounts) plus(b amounts) amounts { return amounts{a[0] + b[0], a[1] + b[1]} }

func (a amounts) minus(b amounts) amounts { return amounts{a[0] - b[0], a[1] - b[1]} }

func (a amounts) highest(b amounts) amounts { return amounts{max(a[0], b[0]), max(a[1], b[1])} }

// exceeds reports whether a is more than b of a resource.
func (a amounts) exceeds(b amounts) bool { return a[0] > b[0] || a[1] > b[1] }

// utilization is how much of the open nodes their pods request, and the most that they may. Nodes with the same taints are compared with each other: the
// pods of one run on the others. The most that may be requested of a resource of a node is its share that is requested of all of them together, plus the
// deviation; or what its DaemonSets' pods and static pods request, if that is more.
type utilization struct {
	// group are the nodes that are compared with each other, by node.
	group map[string]string
	// requested is changed by moves alone; nodes keep the rest.
	requested, most, allocatable map[string]amounts
}

// utilizationOf is that of a world; nil if the deviation, in percentage points, is zero: utilization is not considered then.
func utilizationOf(world *cluster.Snapshot, deviation int) *utilization {
	if deviation == 0 {
		return nil
	}
	u := &utilization{group: map[string]string{}, requested: map[string]amounts{}, most: map[string]amounts{}, allocatable: map[string]amounts{}}
	undrained, requested, allocatable := map[string]amounts{}, map[string]amounts{}, map[string]amounts{}
	for _, node := range world.Nodes() {
		if !isOpen(node) {
			continue
		}
		name, group := node.Name, taintsOf(node)
		u.group[name], u.allocatable[name] = group, amountsOf(node.Status.Allocatable)
		for _, pod := range world.PodsOn(name) {
			if !counts(pod) {
				continue
			}
			requests := requestsOf(pod)
			u.requested[name] = u.requested[name].plus(requests)
			if !cluster.Drains(pod) {
				undrained[name] = undrained[name].plus(requests)
			}
		}
		requested[group], allocatable[group] = requested[group].plus(u.requested[name]), allocatable[group].plus(u.allocatable[name])
	}
	for name, group := range u.group {
		u.most[name] = mostOf(u.allocatable[name], requested[group], allocatable[group], undrained[name], deviation)
	}
	return u
}

// mostOf is the most that may be requested of a node.
func mostOf(node, requestedOfAll, allocatableOfAll, undrained amounts, deviation int) (most amounts) {
	for r := range resources {
		most[r] = unlimited
		if node[r] > 0 {
			share := float64(requestedOfAll[r])/float64(allocatableOfAll[r]) + float64(deviation)/100
			// A share has no exact value: a millionth of a millicore or byte is forgiven.
			most[r] = max(int64(math.Floor(share*float64(node[r])+1e-6)), undrained[r])
		}
	}
	return most
}

// taintsOf are the taints of a node that keep pods off it, as one string.
func taintsOf(node *corev1.Node) string {
	var all []string
	for _, taint := range node.Spec.Taints {
		if kube.Repels(&taint) {
			all = append(all, taint.ToString())
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// excess is by how much an amount requested of a node exceeds the most; zero for nodes that are not considered.
func (u *utilization) excess(node string, requested amounts) (excess amounts) {
	most, is := u.most[node]
	for r := range resources {
		if is {
			excess[r] = max(0, requested[r]-most[r])
		}
	}
	return excess
}

// exceeds reports whether more is requested of a node than may be.
func (u *utilization) exceeds(node string) bool {
	return u.excess(node, u.requested[node]) != amounts{}
}

// exceeding are the nodes of which more is requested than may be, those with the largest part of them first.
func (u *utilization) exceeding() []string {
	all := slices.DeleteFunc(slices.Collect(maps.Keys(u.group)), func(node string) bool { return !u.exceeds(node) })
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(u.over(b, u.requested[b]), u.over(a, u.requested[a])), cmp.Compare(a, b))
	})
	return all
}

// over is the part of a node by which an amount exceeds the most, of the resource of which it is most.
func (u *utilization) over(node string, requested amounts) (over float64) {
	for r, excess := range u.excess(node, requested) {
		if excess > 0 {
			over = max(over, float64(excess)/float64(u.allocatable[node][r]))
		}
	}
	return over
}

// points is over in percentage points, rounded up.
func (u *utilization) points(node string, requested amounts) int {
	return int(math.Ceil(100 * u.over(node, requested)))
}

// landing is a pod that left a node, and the one that runs in its place on another.
type landing struct {
	requests amounts
	from, to string
}

// after is what is requested of the nodes that landings change, and before without what has come to them.
func (u *utilization) after(landings []landing) (before, after map[string]amounts) {
	before = map[string]amounts{}
	for _, l := range landings {
		for _, node := range []string{l.from, l.to} {
			before[node] = u.requested[node]
		}
	}
	for _, l := range landings {
		before[l.from] = before[l.from].minus(l.requests)
	}
	after = maps.Clone(before)
	for _, l := range landings {
		after[l.to] = after[l.to].plus(l.requests)
	}
	return before, after
}

// harmed are the nodes to which landings bring more than may be requested of them, and those that are not compared with the one that a pod left: what is
// requested of all of them together stays as it is.
func (u *utilization) harmed(landings []landing) map[string]bool {
	harmed := map[string]bool{}
	before, after := u.after(landings)
	for node := range after {
		if u.excess(node, after[node]).exceeds(u.excess(node, before[node])) {
			harmed[node] = true
		}
	}
	for _, l := range landings {
		if group, is := u.group[l.to]; !is || group != u.group[l.from] {
			harmed[l.to] = true
		}
	}
	return harmed
}

// move counts a pod on the node to which it moved.
func (u *utilization) move(l landing) {
	u.requested[l.from] = u.requested[l.from].minus(l.requests)
	u.requested[l.to] = u.requested[l.to].plus(l.requests)
}

// fewest is the least number of pods, of some with such requests, that have to leave a node of which an amount is requested so that no more than an excess
// remains; false if all of them are not enough.
func (u *utilization) fewest(node string, requested amounts, pods []amounts, excess amounts) (n int, enough bool) {
	for r := range resources {
		sizes := make([]int64, 0, len(pods))
		for _, requests := range pods {
			sizes = append(sizes, requests[r])
		}
		slices.Sort(sizes)
		left, taken := u.excess(node, requested)[r], 0
		for left > excess[r] {
			if taken == len(sizes) {
				return taken, false
			}
			taken++
			left -= sizes[len(sizes)-taken]
		}
		n = max(n, taken)
	}
	return n, true
}

// percent is an amount of a node's in percent of its allocatable, rounded; zero of a resource that it does not have.
func (u *utilization) percent(node string, amount amounts) Utilization {
	var percent [2]int
	for r, allocatable := range u.allocatable[node] {
		if allocatable > 0 {
			percent[r] = int(math.Round(100 * float64(amount[r]) / float64(allocatable)))
		}
	}
	return Utilization{CPU: percent[0], Memory: percent[1]}
}
