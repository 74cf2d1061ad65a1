package agreement

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// world is a random cluster and the pods that are to be placed in it, one after the other.
type world struct {
	random
	seed uint64
	// objects is the cluster at first, in an order in which they can be created.
	objects []runtime.Object
	// pods are those to be placed, and belong to the cluster's claims.
	pods []*corev1.Pod
	// slow says that a victim with a grace period takes it, so that the preemptor waits, nominated to its node.
	slow bool

	// uniform says that nodes are of one size and pods of two, so that many nodes are equally good.
	uniform bool

	nodes []*corev1.Node
	roomy bool
	// devices says that there are some, which pods may claim. Where there are none, the judge has a faster way.
	devices bool
	// schedulers are those that pods ask for; none is the default one.
	schedulers []string
	// full is how much of its CPU each node should have in use at first, in percent.
	full int
}

// size says how much of a cluster there is.
type size struct {
	nodes, pods int
	// roomy says that most pods fit on most nodes.
	roomy      bool
	schedulers []string
}

var (
	zones      = []string{"zone-a", "zone-b", "zone-c"}
	namespaces = []string{"front", "back"}
	apps       = []string{"web", "api", "cache", "batch", "search"}
)

// restartAll is what a node's kubelet declares to be able to do.
const restartAll = "RestartAllContainersOnContainerExits"

// Taints and labels that nodes have and pods refer to.
const (
	diskLabel  = "example.com/disk"
	genLabel   = "example.com/generation"
	poolLabel  = "example.com/pool"
	gpu        = corev1.ResourceName("example.com/gpu")
	dedicated  = "example.com/dedicated"
	spot       = "example.com/spot"
	leaving    = "example.com/leaving"
	appLabel   = "app"
	trackLabel = "track"
)

// newWorld makes up a world from a seed.
func newWorld(seed uint64, s size) *world {
	w := &world{random: newRandom(seed), seed: seed, schedulers: s.schedulers}
	w.full = w.between(25, 100)
	if w.roomy = s.roomy; s.roomy {
		w.full /= 3
	}
	w.slow = s.nodes < 100 && w.chance(30)
	w.uniform = w.chance(20)
	for i := range s.nodes {
		w.addNode(i)
	}
	w.addStorage()
	w.addServices()
	if w.devices = w.chance(50); w.devices {
		w.addDevices()
	}
	for _, node := range w.nodes {
		w.fill(node)
	}
	w.addBudgets()
	for i := range s.pods {
		w.pods = append(w.pods, w.newPod(i))
	}
	return w
}

func (w *world) add(o ...runtime.Object) { w.objects = append(w.objects, o...) }

// priorities are those that pods may have beside 0, which is that of pods without any.
var priorities = []int32{-10, 10, 100, 1000}

// newClasses are the priority classes, each of the priorities twice.
func newClasses() []*schedulingv1.PriorityClass {
	var classes []*schedulingv1.PriorityClass
	for _, value := range priorities {
		for _, policy := range []corev1.PreemptionPolicy{corev1.PreemptLowerPriority, corev1.PreemptNever} {
			classes = append(classes, &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: className(value, policy)}, Value: value, PreemptionPolicy: &policy,
			})
		}
	}
	return classes
}

func className(value int32, policy corev1.PreemptionPolicy) string {
	name := fmt.Sprintf("p%d", value)
	if value < 0 {
		name = fmt.Sprintf("minus%d", -value)
	}
	if policy == corev1.PreemptNever {
		name += "-never"
	}
	return name
}

// images that nodes hold and pods use; only sizes from 23 MiB up count for a node.
var images = []corev1.ContainerImage{
	{Names: []string{"example.com/small:1"}, SizeBytes: 40 << 20},
	{Names: []string{"example.com/middle:1"}, SizeBytes: 400 << 20},
	{Names: []string{"example.com/big:1"}, SizeBytes: 900 << 20},
}

func (w *world) addNode(i int) {
	name := fmt.Sprintf("node-%03d", i)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			genLabel: fmt.Sprint(w.between(1, 4)), poolLabel: pick(w.random, "x", "y"),
		}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU:              *resource.NewQuantity(int64(pick(w.random, 2, 4, 4, 8)), resource.DecimalSI),
				corev1.ResourceMemory:           *resource.NewQuantity(int64(pick(w.random, 4, 8, 16))<<30, resource.BinarySI),
				corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(w.between(10, 40))<<30, resource.BinarySI),
				corev1.ResourcePods:             *resource.NewQuantity(int64(pick(w.random, 6, 10, 30)), resource.DecimalSI),
			},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	if !w.chance(4) { // A few nodes have no zone.
		node.Labels[corev1.LabelTopologyZone] = pick(w.random, zones...)
		node.Labels[corev1.LabelTopologyRegion] = "region"
	}
	if w.chance(60) {
		node.Labels[diskLabel] = pick(w.random, "ssd", "hdd")
	}
	if w.chance(25) {
		node.Status.Allocatable[gpu] = *resource.NewQuantity(int64(w.between(1, 4)), resource.DecimalSI)
	}
	node.Status.Images = pickSome(w.random, 30, images...)
	if w.uniform {
		node.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("4")
		node.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("8Gi")
	}
	node.Status.Capacity = node.Status.Allocatable.DeepCopy()
	if w.chance(60) {
		node.Status.DeclaredFeatures = []string{restartAll}
	}
	w.taint(node)
	w.nodes = append(w.nodes, node)
	w.add(node)
}

func (w *world) taint(node *corev1.Node) {
	add := func(key, value string, effect corev1.TaintEffect) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
	if w.chance(15) {
		add(dedicated, pick(w.random, "batch", "search"), corev1.TaintEffectNoSchedule)
	}
	if w.chance(20) {
		add(spot, "", corev1.TaintEffectPreferNoSchedule)
	}
	if w.chance(4) {
		add(leaving, "", corev1.TaintEffectNoExecute)
	}
	if w.chance(10) {
		node.Spec.Unschedulable = true
		if w.chance(40) { // The node controller adds it a moment later.
			add(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)
		}
	}
}

// addServices makes Kubernetes spread what has no constraints of its own.
func (w *world) addServices() {
	for _, namespace := range namespaces {
		for _, app := range pickSome(w.random, 40, apps...) {
			w.add(&corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app},
				Spec: corev1.ServiceSpec{
					ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{appLabel: app},
				},
			})
		}
	}
}

// addBudgets adds PodDisruptionBudgets with whatever the disruption controller might have found that they allow.
func (w *world) addBudgets() {
	for _, namespace := range namespaces {
		for _, app := range pickSome(w.random, 50, apps...) {
			w.add(&policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app},
				Spec: policyv1.PodDisruptionBudgetSpec{
					Selector:       &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: app}},
					MaxUnavailable: new(intstr.FromInt32(1)),
				},
				Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(w.between(0, 2))},
			})
		}
	}
}
