package repair

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

const (
	zoneLabel  = corev1.LabelTopologyZone
	groupLabel = "eks.amazonaws.com/nodegroup"
	namespace  = "shop"
	// boot is how long a machine takes to boot, silence how long until a node that does not report is Unknown, and evicted how
	// long after that its pods are deleted: shorter than in reality, in proportion.
	boot    = 40 * time.Second
	silence = 40 * time.Second
	evicted = 2 * time.Minute
)

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}()

// testCluster is a small cluster: machines, and what Kubernetes makes of them: kubelets, a scheduler and the controllers that matter, each as
// simple as a run needs it. step advances it.
type testCluster struct {
	api      *memory.API
	machines map[string]*machine // by node
	// goneNodes are those of machines that are no more, which the cloud's node controller deletes.
	goneNodes []string
	named     int
	// room is how many pods a node takes. badImage is whether machines that come in others' places are unhealthy from the beginning.
	room     int
	badImage bool
	now      func() time.Time
}

// machine is one, and what is wrong with it.
type machine struct {
	node, id, zone, group string
	boots                 int
	// up is whether it runs; otherwise, it boots until bootsAt, and never if dead.
	up, dead bool
	bootsAt  time.Time
	// replacementLost is whether the cloud has accepted a request to replace the machine, and does not.
	replacementLost bool
	// unhealthy is whether its agent finds a fault; a reboot does not remove a persistent one.
	unhealthy, persistent bool
	// unhealthySince is when its agent first reported the fault, healthyAt when it last reported none.
	unhealthySince, healthyAt time.Time
	// silentSince is since when it does not report.
	silentSince time.Time
	// reportedAt is when its agent last wrote; agentStopped is whether it no longer writes, until the machine boots.
	reportedAt   time.Time
	agentStopped bool
	// leaving is the key of a taint by which others say that they remove it; empty if they do not.
	leaving string
	// controlPlane is whether it carries the control plane, replaced how many replacements, one after the other, have led to it.
	controlPlane bool
	replaced     int
}

// lease is how the machine's kubelet says that it lives, as it is read at a time.
func (m *machine) lease(now time.Time) *coordinationv1.Lease {
	if !m.silentSince.IsZero() {
		now = m.silentSince
	}
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: m.node},
		Spec:       coordinationv1.LeaseSpec{LeaseDurationSeconds: new(int32(silence / time.Second)), RenewTime: new(metav1.NewMicroTime(now))},
	}
}

func (m *machine) bootID() string { return fmt.Sprintf("%s-boot-%d", m.id, m.boots) }

// workload is a ReplicaSet, with a PodDisruptionBudget unless its floor is 0.
type workload struct {
	name            string
	replicas, floor int
	// data is whether its pods have data on their node alone, foreign whether another scheduler places them.
	data, foreign bool
}

func (p plan) newCluster() *testCluster {
	c := &testCluster{machines: map[string]*machine{}, now: time.Now, room: cmp.Or(p.Room, 8)}
	objects := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "naosu-system"}},
	}
	for i := range p.Nodes {
		m := c.machine(fmt.Sprintf("zone-%c", 'a'+i%p.Zones), "workers")
		m.controlPlane = i < p.ControlPlane
		objects = append(objects, c.nodeOf(m))
	}
	for _, w := range p.workloads() {
		objects = append(objects, w.objects()...)
	}
	c.api = memory.New(scheme, []client.Object{
		&corev1.Pod{}, &corev1.Node{}, &policyv1.PodDisruptionBudget{}, &appsv1.ReplicaSet{}, &v1alpha1.Remediation{}, &v1alpha1.NodeRepairPolicy{},
	}, objects...)
	return c
}

func (c *testCluster) machine(zone, group string) *machine {
	c.named++
	m := &machine{node: fmt.Sprintf("node-%d", c.named), id: fmt.Sprintf("i-%08d", c.named), zone: zone, group: group, up: true, boots: 1}
	c.machines[m.node] = m
	return m
}

func (c *testCluster) nodeOf(m *machine) *corev1.Node {
	room := corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(c.room)*perPod, resource.DecimalSI), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("20")}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: m.node, Labels: map[string]string{
			corev1.LabelHostname: m.node, zoneLabel: m.zone, groupLabel: m.group, corev1.LabelInstanceTypeStable: "m5.large",
		}},
		Spec:   corev1.NodeSpec{ProviderID: "aws:///" + m.zone + "/" + m.id},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
	if m.controlPlane {
		node.Labels["node-role.kubernetes.io/control-plane"] = ""
	}
	c.writeConditions(node, m)
	return node
}

// perPod is how much CPU a pod asks for, in thousandths.
const perPod = 500

func (w workload) objects() []client.Object {
	app := map[string]string{"app": w.name}
	selector := &metav1.LabelSelector{MatchLabels: app}
	spec := podSpec()
	if w.data {
		spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	}
	if w.foreign {
		spec.SchedulerName = "another-scheduler"
	}
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Namespace: namespace},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(w.replicas)), Selector: selector, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}, Spec: spec}},
	}
	if w.floor == 0 {
		return []client.Object{set}
	}
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Namespace: namespace},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: new(intstrOf(w.floor))},
	}
	return []client.Object{set, budget}
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		SchedulerName: corev1.DefaultSchedulerName,
		Containers: []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewMilliQuantity(perPod, resource.DecimalSI), corev1.ResourceMemory: resource.MustParse("256Mi"),
		}}}},
	}
}

// step runs each component once.
func (c *testCluster) step(ctx context.Context) error {
	for _, part := range []func(context.Context) error{c.boot, c.deleteGone, c.updateNodes, c.runPods, c.keepReplicas, c.schedule, c.updateBudgets} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sorted are the machines by node, so that a run replays.
func (c *testCluster) sorted() []*machine {
	var all []*machine
	for _, name := range slices.Sorted(maps.Keys(c.machines)) {
		all = append(all, c.machines[name])
	}
	return all
}

// boot finishes boots.
func (c *testCluster) boot(context.Context) error {
	for _, m := range c.sorted() {
		if !m.up && !m.dead && !c.now().Before(m.bootsAt) {
			m.up, m.silentSince = true, time.Time{}
			m.boots++
			m.unhealthy = m.unhealthy && m.persistent
			m.agentStopped = false
		}
	}
	return nil
}

// deleteGone deletes the nodes of machines that are gone.
func (c *testCluster) deleteGone(ctx context.Context) error {
	for _, name := range c.goneNodes {
		if err := client.IgnoreNotFound(c.api.Direct.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})); err != nil {
			return err
		}
	}
	c.goneNodes = nil
	return nil
}

// remove ends a machine, and none takes its place.
func (c *testCluster) remove(m *machine) {
	delete(c.machines, m.node)
	c.goneNodes = append(c.goneNodes, m.node)
}

// restart takes a machine down, to be up again after a boot.
func (c *testCluster) restart(m *machine) {
	m.up, m.bootsAt = false, c.now().Add(boot)
	if m.silentSince.IsZero() {
		m.silentSince = c.now()
	}
}

// replace ends a machine; a new one of its zone and group takes its place.
func (c *testCluster) replace(m *machine) {
	delete(c.machines, m.node)
	c.goneNodes = append(c.goneNodes, m.node)
	fresh := c.machine(m.zone, m.group)
	fresh.boots, fresh.controlPlane, fresh.replaced = 0, m.controlPlane, m.replaced+1
	fresh.unhealthy, fresh.persistent = c.badImage, c.badImage
	c.restart(fresh)
}
