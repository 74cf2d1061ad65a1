package headroompolicy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// test is what testing.T and rapid.T have in common.
type test interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

var maker = Maker{Namespace: "naosu-system", Image: "pause", Owner: metav1.OwnerReference{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Name: "naosu-controller", UID: "lease-1"}}

// policyOf survives the loss of any one node, unless an edit says otherwise.
func policyOf(edits ...func(*v1alpha1.HeadroomPolicy)) *v1alpha1.HeadroomPolicy {
	p := &v1alpha1.HeadroomPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "policy-1", Generation: 1},
		Spec: v1alpha1.HeadroomPolicySpec{
			Mode: v1alpha1.ModeAuto, Autoscaling: v1alpha1.AutoscalingIgnore, Survive: v1alpha1.HeadroomFailures{Nodes: 1},
			MaxRoom: v1alpha1.HeadroomAmount{CPU: resource.MustParse("100"), Memory: resource.MustParse("100Gi"), Placeholders: new(int32(200))},
		},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

// worldOf is a world of which all is known.
func worldOf(objects w.Objects) *cluster.Snapshot {
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch, Knowledge: known})
}

func assess(t test, objects w.Objects, policy *v1alpha1.HeadroomPolicy) Assessment {
	t.Helper()
	a, err := Assess(t.Context(), worldOf(objects), policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// held are the objects with the room of a plan, as Kubernetes makes it: each Deployment has a ReplicaSet and its pods, each DaemonSet its pods, and the
// scheduler's own plugins place them.
func held(t test, objects w.Objects, policy *v1alpha1.HeadroomPolicy, p Plan) w.Objects {
	t.Helper()
	made := maker.Make(worldOf(objects), policy, p)
	_, priority := Class(policy)
	all := slices.Clone(objects)
	for _, d := range made.Deployments {
		d.UID, d.Spec.Template.Spec.Priority = types.UID(d.Name), new(priority)
		set := &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Name: d.Name + "-1", Namespace: d.Namespace, UID: types.UID(d.Name + "-1"), Labels: d.Spec.Template.Labels,
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: d.Name, UID: d.UID, Controller: new(true)}},
			},
			Spec: appsv1.ReplicaSetSpec{Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template},
		}
		all = append(all, d, set)
		for i := range *d.Spec.Replicas {
			pod := podOf(fmt.Sprintf("%s-%d", set.Name, i), d.Spec.Template, "ReplicaSet", set)
			pod.Status.StartTime = new(metav1.NewTime(w.Epoch.Add(time.Duration(len(all)) * time.Second))) // The largest are created first.
			all = place(t, all, pod)
		}
	}
	for _, d := range made.DaemonSets {
		d.UID, d.Spec.Template.Spec.Priority = types.UID(d.Name), new(priority)
		all = append(all, d)
		for _, node := range worldOf(objects).Nodes() {
			pod := podOf(d.Name+"-"+node.Name, d.Spec.Template, "DaemonSet", d)
			pin(&pod.Spec, node)
			all = place(t, all, pod)
		}
	}
	return all
}

func podOf(name string, template corev1.PodTemplateSpec, kind string, owner metav1.Object) *corev1.Pod {
	pod := w.Placed(name, "", template, metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: new(true)})
	pod.Namespace, pod.Spec.SchedulerName = owner.GetNamespace(), corev1.DefaultSchedulerName
	return pod
}

// place adds a pod where the scheduler places it.
func place(t test, objects w.Objects, pod *corev1.Pod) w.Objects {
	t.Helper()
	judge, err := scheduling.New(t.Context(), worldOf(objects), scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	node, err := judge.First(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	if node != "" {
		pod.Spec.NodeName, pod.Status.Phase = node, corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return append(objects, pod)
}

// filled are objects with everything that is free used up by pods that nothing preempts.
func filled(t test, objects w.Objects) w.Objects {
	t.Helper()
	world := worldOf(objects)
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(objects)
	for _, node := range world.Nodes() {
		cpu := node.Status.Allocatable[corev1.ResourceCPU]
		if free := cpu.MilliValue() - judge.Requested(node.Name, corev1.ResourceCPU); free > 0 {
			all = append(all, reserve("filler-"+node.Name, node.Name, corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(free, resource.DecimalSI)}))
		}
	}
	return all
}

// fixedPods are objects without pods that may be preempted.
func fixedPods(objects w.Objects) w.Objects {
	var all w.Objects
	for _, o := range objects {
		if pod, is := o.(*corev1.Pod); is && *pod.Spec.Priority < 0 {
			o = fixed(pod)
		}
		all = append(all, o)
	}
	return all
}

// harmed is the number of pods, without those of a negative priority, that wait or are preempted after a change.
func harmed(t test, objects w.Objects, changes ...change.Change) int {
	t.Helper()
	judge, err := scheduling.New(t.Context(), worldOf(objects), scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := simulation.Run(t.Context(), judge, changes, simulation.Options{LeavePending: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, fate := range result.Fates {
		if (fate.Kind == outcome.Waiting || fate.Kind == outcome.Preempted) && fate.Pod.Namespace == metav1.NamespaceDefault && !strings.HasPrefix(fate.Pod.Name, "batch-") {
			n++
		}
	}
	return n
}
