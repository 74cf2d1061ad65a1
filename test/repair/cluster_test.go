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
	// boot is how long a machine takes to boot, silence how long until a node that is not heard is Unknown, and evicted how
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

// town is a small cluster: machines, and what Kubernetes makes of them: kubelets, a scheduler and the controllers that matter, each as
// simple as a night needs it. It moves when it is stepped.
type town struct {
	api      *memory.API
	machines map[string]*machine // by node
	// goneNodes are those of machines that are no more, which the cloud's node controller deletes.
	goneNodes []string
	named     int
	// room is how many pods a node takes. badImage is whether machines that come in others' places are ill from the beginning.
	room     int
	badImage bool
	now      func() time.Time
}

// machine is one, and what is wrong with it.
type machine struct {
	node, id, zone, group string
	boots                 int
	// up is whether it runs; it boots until then, and never if dead.
	up, dead bool
	booted   time.Time
	// promised is whether the cloud has said that it replaces the machine, and does not.
	promised bool
	// ill is whether its agent finds a fault; stubborn faults outlive a reboot.
	ill, stubborn bool
	// fell is when its agent was first seen to find the fault, well when it was last seen to find none.
	fell, well time.Time
	// lost is since when nothing is heard of it.
	lost time.Time
	// spoken is when its agent last wrote; mute is whether it writes no more, until the machine boots.
	spoken time.Time
	mute   bool
	// leaving is the key of a taint by which others say that they remove it; empty if they do not.
	leaving string
	// controlPlane is whether it carries the control plane, replaced how many replacements, one after the other, have led to it.
	controlPlane bool
	replaced     int
}

// lease is how the machine's kubelet says that it lives, as it is read at a time.
func (m *machine) lease(now time.Time) *coordinationv1.Lease {
	if !m.lost.IsZero() {
		now = m.lost
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

func (p plan) town() *town {
	c := &town{machines: map[string]*machine{}, now: time.Now, room: cmp.Or(p.Room, 8)}
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

func (c *town) machine(zone, group string) *machine {
	c.named++
	m := &machine{node: fmt.Sprintf("node-%d", c.named), id: fmt.Sprintf("i-%08d", c.named), zone: zone, group: group, up: true, boots: 1}
	c.machines[m.node] = m
	return m
}

func (c *town) nodeOf(m *machine) *corev1.Node {
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
	c.tell(node, m)
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

// step lets everybody do their part once.
func (c *town) step(ctx context.Context) error {
	for _, part := range []func(context.Context) error{c.boot, c.forget, c.speak, c.runPods, c.keepReplicas, c.schedule, c.count} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sorted are the machines by node, so that a night replays.
func (c *town) sorted() []*machine {
	var all []*machine
	for _, name := range slices.Sorted(maps.Keys(c.machines)) {
		all = append(all, c.machines[name])
	}
	return all
}

// boot finishes boots.
func (c *town) boot(context.Context) error {
	for _, m := range c.sorted() {
		if !m.up && !m.dead && !c.now().Before(m.booted) {
			m.up, m.lost = true, time.Time{}
			m.boots++
			m.ill = m.ill && m.stubborn
			m.mute = false
		}
	}
	return nil
}

// forget deletes the nodes of machines that are gone.
func (c *town) forget(ctx context.Context) error {
	for _, name := range c.goneNodes {
		if err := client.IgnoreNotFound(c.api.Direct.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})); err != nil {
			return err
		}
	}
	c.goneNodes = nil
	return nil
}

// remove ends a machine, and none takes its place.
func (c *town) remove(m *machine) {
	delete(c.machines, m.node)
	c.goneNodes = append(c.goneNodes, m.node)
}

// restart takes a machine down, to be up again after a boot.
func (c *town) restart(m *machine) {
	m.up, m.booted = false, c.now().Add(boot)
	if m.lost.IsZero() {
		m.lost = c.now()
	}
}

// replace ends a machine; a new one of its zone and group takes its place.
func (c *town) replace(m *machine) {
	delete(c.machines, m.node)
	c.goneNodes = append(c.goneNodes, m.node)
	fresh := c.machine(m.zone, m.group)
	fresh.boots, fresh.controlPlane, fresh.replaced = 0, m.controlPlane, m.replaced+1
	fresh.ill, fresh.stubborn = c.badImage, c.badImage
	c.restart(fresh)
}
