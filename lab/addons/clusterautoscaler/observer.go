package clusterautoscaler

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// observer reads the world from caches and from the cloud.
type observer struct {
	nodes                  corelisters.NodeLister
	pods                   corelisters.PodLister
	replicationControllers corelisters.ReplicationControllerLister
	daemonSets             appslisters.DaemonSetLister
	replicaSets            appslisters.ReplicaSetLister
	statefulSets           appslisters.StatefulSetLister
	jobs                   batchlisters.JobLister
	budgets                policylisters.PodDisruptionBudgetLister
}

func newObserver(f informers.SharedInformerFactory) observer {
	return observer{
		nodes:                  f.Core().V1().Nodes().Lister(),
		pods:                   f.Core().V1().Pods().Lister(),
		replicationControllers: f.Core().V1().ReplicationControllers().Lister(),
		daemonSets:             f.Apps().V1().DaemonSets().Lister(),
		replicaSets:            f.Apps().V1().ReplicaSets().Lister(),
		statefulSets:           f.Apps().V1().StatefulSets().Lister(),
		jobs:                   f.Batch().V1().Jobs().Lister(),
		budgets:                f.Policy().V1().PodDisruptionBudgets().Lister(),
	}
}

func (o observer) world(now time.Time, c Cloud) world {
	w := world{now: now, groups: groupsOf(c), owners: map[string]bool{}}
	w.nodes = sorted(o.nodes.List)
	w.daemonSets = sorted(o.daemonSets.List)
	w.budgets = sorted(o.budgets.List)
	w.pods = filterPods(sorted(o.pods.List), func(p *corev1.Pod) bool {
		return p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed
	})
	own(w.owners, "DaemonSet", w.daemonSets)
	own(w.owners, "ReplicationController", sorted(o.replicationControllers.List))
	own(w.owners, "ReplicaSet", sorted(o.replicaSets.List))
	own(w.owners, "StatefulSet", sorted(o.statefulSets.List))
	own(w.owners, "Job", sorted(o.jobs.List))
	return w
}

// sorted lists a cache, which does not fail, in an order that is the same every time.
func sorted[T metav1.Object](list func(labels.Selector) ([]T, error)) []T {
	objects, _ := list(labels.Everything())
	slices.SortFunc(objects, func(a, b T) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return objects
}

func own[T metav1.Object](owners map[string]bool, kind string, objects []T) {
	for _, o := range objects {
		owners[ownerKey(kind, o.GetNamespace(), o.GetName())] = true
	}
}

func groupsOf(c Cloud) []group {
	machines := map[string]cloud.Instance{}
	for _, i := range c.Instances() {
		machines[i.ID] = i
	}
	var groups []group
	for _, g := range c.Groups() {
		found := group{name: g.Name, min: g.Min, max: g.Max, target: g.Desired, instances: map[string]instance{}, template: templateNode(g)}
		for _, id := range g.Instances {
			if i, ok := machines[id]; ok {
				found.instances[i.NodeName] = instance{id: id, launched: i.Launched}
			}
		}
		groups = append(groups, found)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.name, b.name) })
	return groups
}

// templateNode is the node that AWS's cloud provider would make up for a group: in its first zone, all of its capacity
// allocatable, room for 110 pods; see cloudprovider/aws/aws_manager.go.
func templateNode(g cloud.Group) *corev1.Node {
	cpu, errCPU := resource.ParseQuantity(g.Capacity.CPU)
	memory, errMemory := resource.ParseQuantity(g.Capacity.Memory)
	if errCPU != nil || errMemory != nil || len(g.Zones) == 0 {
		return nil
	}
	zone := g.Zones[0]
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory, corev1.ResourcePods: resource.MustParse("110"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			corev1.LabelOSStable:            "linux",
			corev1.LabelArchStable:          "amd64",
			corev1.LabelInstanceTypeStable:  g.InstanceType,
			corev1.LabelTopologyZone:        zone,
			corev1.LabelTopologyRegion:      zone[:max(len(zone)-1, 0)],
			"topology.ebs.csi.aws.com/zone": zone,
			"eks.amazonaws.com/nodegroup":   g.Name,
		}},
		Spec: corev1.NodeSpec{Taints: slices.Clone(g.Taints)},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	maps.Copy(node.Labels, g.Labels)
	return node
}
