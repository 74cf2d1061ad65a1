package headroompolicy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/kube"
)

// slot is room for placeholder pods of one size in one place: on a node, or on nodes of a zone that are not there yet.
type slot struct {
	// node is empty for nodes that are not there yet; zone is theirs, or empty.
	node, zone string
	requests   corev1.ResourceList
	count      int32
}

// key identifies the place and the size.
func (s slot) key() string { return s.node + "\x00" + s.zone + "\x00" + sizeKey(s.requests) }

// sizeKey is equal for equal amounts.
func sizeKey(list corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		quantity := list[name]
		parts = append(parts, string(name)+"="+quantity.AsDec().String())
	}
	return strings.Join(parts, ",")
}

// stepRoom is the room for the step of a DaemonSet, on each node that runs one of its pods.
type stepRoom struct {
	daemonSet change.Ref
	// growth is what each pod requests more after the step, and requests all that it requests then: a rollout deletes a pod before it creates the next,
	// and pods that wait may take what the deleted one leaves.
	growth, requests corev1.ResourceList
	nodes            []string
}

// plan is the room that a policy wants.
type plan struct {
	slots []slot
	steps []stepRoom
}

// amount is what placeholder pods request together, and their number.
type amount struct {
	cpu, memory resource.Quantity
	pods        int32
}

func (a *amount) add(requests corev1.ResourceList, count int32) {
	for range count {
		a.cpu.Add(requests[corev1.ResourceCPU])
		a.memory.Add(requests[corev1.ResourceMemory])
	}
	a.pods += count
}

// within says whether an amount is no more than a maximum.
func (a *amount) within(most v1alpha1.HeadroomAmount) bool {
	return a.cpu.Cmp(most.CPU) <= 0 && a.memory.Cmp(most.Memory) <= 0 && a.pods <= ptr.Deref(most.Placeholders, v1alpha1.DefaultPlaceholders)
}

func (a *amount) held() *v1alpha1.HeadroomHeld {
	return &v1alpha1.HeadroomHeld{Placeholders: a.pods, CPU: a.cpu, Memory: a.memory}
}

func (p plan) amount() amount {
	var sum amount
	for _, s := range p.slots {
		sum.add(s.requests, s.count)
	}
	for _, s := range p.steps {
		sum.add(s.requests, int32(len(s.nodes)))
	}
	return sum
}

// limited is as much of a plan as a maximum allows: steps as they are listed, then the largest placeholder pods on today's nodes, then those on nodes that
// are not there yet.
func (p plan) limited(most v1alpha1.HeadroomAmount) plan {
	var kept plan
	var sum amount
	fits := func(requests corev1.ResourceList, count int32) bool {
		next := amount{sum.cpu.DeepCopy(), sum.memory.DeepCopy(), sum.pods}
		next.add(requests, count)
		if !next.within(most) {
			return false
		}
		sum = next
		return true
	}
	for _, s := range p.steps {
		if fits(s.requests, int32(len(s.nodes))) {
			kept.steps = append(kept.steps, s)
		}
	}
	for _, s := range p.slots {
		held := s
		held.count = 0
		for range s.count {
			if fits(s.requests, 1) {
				held.count++
			}
		}
		if held.count > 0 {
			kept.slots = append(kept.slots, held)
		}
	}
	return kept
}

// cost is the dominant share of a room's requests, in average nodes.
func (a *amount) cost(world *cluster.Snapshot) float64 {
	var all amount
	nodes := 0
	for _, node := range world.Nodes() {
		if kube.IsNodeReady(node) {
			nodes++
			all.add(node.Status.Allocatable, 1)
		}
	}
	share := func(part, whole resource.Quantity) float64 {
		if whole.Sign() <= 0 {
			return 0
		}
		return part.AsApproximateFloat64() / whole.AsApproximateFloat64() * float64(nodes)
	}
	return math.Max(share(a.cpu, all.cpu), share(a.memory, all.memory))
}

// stepsOf are all of a policy's steps, on nodes that take pods.
func stepsOf(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) []stepRoom {
	var all []stepRoom
	for _, step := range policy.Spec.Survive.Steps {
		s := stepRoom{daemonSet: change.Ref{Kind: string(cluster.DaemonSet), Namespace: step.Namespace, Name: step.Name}, growth: corev1.ResourceList{}}
		for name, quantity := range map[corev1.ResourceName]resource.Quantity{corev1.ResourceCPU: step.CPU, corev1.ResourceMemory: step.Memory} {
			if quantity.Sign() > 0 {
				s.growth[name] = quantity
			}
		}
		if set := world.DaemonSet(step.Namespace, step.Name); set != nil {
			for _, node := range world.Nodes() {
				if takesPods(node) && kube.ShouldRunDaemonPod(set, node) {
					s.nodes = append(s.nodes, node.Name)
				}
			}
			s.requests = afterStep(world, set, s)
		}
		all = append(all, s)
	}
	return all
}

// afterStep are the CPU and memory that a pod of a DaemonSet requests after a step. They grow from the least that one of its pods requests, and not from
// its template: the room of a step is held until all pods have taken it.
func afterStep(world *cluster.Snapshot, set *appsv1.DaemonSet, s stepRoom) corev1.ResourceList {
	now := requestsOf(&corev1.Pod{Spec: set.Spec.Template.Spec})
	for _, pod := range world.PodsOf(set.UID) {
		if cluster.Ended(pod) || pod.DeletionTimestamp != nil || !slices.Contains(s.nodes, pod.Spec.NodeName) {
			continue
		}
		requests := requestsOf(pod)
		for name, least := range now {
			if quantity := requests[name]; quantity.Cmp(least) < 0 {
				now[name] = quantity
			}
		}
	}
	after := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		quantity := now[name].DeepCopy()
		if quantity.Add(s.growth[name]); !quantity.IsZero() {
			after[name] = quantity
		}
	}
	return after
}

// slotsOf are the placeholder pods of a report, by place and size; known is false if the room is not known. If today's nodes do not have it, it is the
// room of each failure, on nodes that are not there yet if added is set.
func slotsOf(world *cluster.Snapshot, report *headroom.Report, added bool) (slots []slot, known bool) {
	switch report.Reserve.Status {
	case headroom.Computed:
		return gather(world, [][]headroom.Placeholder{placeholdersOf(report.Reserve.Room)}, added), true
	case headroom.MoreNodes:
		var all [][]headroom.Placeholder
		for _, a := range report.Answers {
			all = append(all, placeholdersOf(a.Room))
		}
		return gather(world, all, added), true
	default:
		return nil, false
	}
}

func placeholdersOf(r *headroom.Room) []headroom.Placeholder {
	if r == nil {
		return nil
	}
	return r.Placeholders
}

// gather is the smallest list of slots that has each of some lists of placeholders.
func gather(world *cluster.Snapshot, lists [][]headroom.Placeholder, added bool) []slot {
	all := map[string]slot{}
	for _, r := range lists {
		counts := map[string]slot{}
		for _, p := range r {
			s := slot{node: p.Node, requests: p.Requests}
			if world.Node(p.Node) == nil {
				if !added {
					continue
				}
				s = slot{zone: zoneOfNew(world, p.Node), requests: p.Requests}
			}
			s.count = counts[s.key()].count + 1
			counts[s.key()] = s
		}
		for key, s := range counts {
			if s.count > all[key].count {
				all[key] = s
			}
		}
	}
	size := amountOfNodes(world)
	return slices.SortedFunc(maps.Values(all), func(a, b slot) int {
		return cmp.Or(compareNew(a, b), cmp.Compare(size.share(b.requests), size.share(a.requests)), strings.Compare(a.key(), b.key()))
	})
}

// compareNew puts nodes that are there first.
func compareNew(a, b slot) int {
	isNew := func(s slot) int {
		if s.node == "" {
			return 1
		}
		return 0
	}
	return isNew(a) - isNew(b)
}

// zoneOfNew is the zone of a node that a simulation has added: its name contains it.
func zoneOfNew(world *cluster.Snapshot, name string) string {
	for _, node := range world.Nodes() {
		if zone := cluster.Zone(node); zone != "" && strings.Contains(name, "-"+zone+"-new-") {
			return zone
		}
	}
	return ""
}

// share is the dominant share of requests.
func (a *amount) share(requests corev1.ResourceList) float64 {
	largest := 0.0
	for part, whole := range map[*resource.Quantity]*resource.Quantity{new(requests[corev1.ResourceCPU]): &a.cpu, new(requests[corev1.ResourceMemory]): &a.memory} {
		if whole.Sign() > 0 {
			largest = math.Max(largest, part.AsApproximateFloat64()/whole.AsApproximateFloat64())
		}
	}
	return largest
}

func amountOfNodes(world *cluster.Snapshot) *amount {
	all := &amount{}
	for _, node := range world.Nodes() {
		if kube.IsNodeReady(node) {
			all.add(node.Status.Allocatable, 1)
		}
	}
	return all
}

// String is a plan in short, for logs.
func (p plan) String() string {
	var parts []string
	for _, s := range p.slots {
		parts = append(parts, fmt.Sprintf("%d × %s on %s", s.count, sizeKey(s.requests), cmp.Or(s.node, "new node "+s.zone)))
	}
	for _, s := range p.steps {
		parts = append(parts, fmt.Sprintf("%d × %s for %s", len(s.nodes), sizeKey(s.requests), s.daemonSet))
	}
	return strings.Join(parts, ", ")
}
