package query_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// evacuated is a taint that shop/web tolerates and no other pod does.
var evacuated = corev1.Taint{Key: "evacuated", Effect: corev1.TaintEffectNoExecute}

// crowded is a node with room for one pod, on which shop/other runs, while shop/web waits for room.
type crowded struct {
	node             *corev1.Node
	web, other       *appsv1.Deployment
	webSet, otherSet *appsv1.ReplicaSet
	waiting, running *corev1.Pod
	more             []runtime.Object
	known            map[cluster.Kind]cluster.Knowledge
	remedy           change.Change
}

func newCrowded() *crowded {
	c := &crowded{known: map[cluster.Kind]cluster.Knowledge{}, remedy: change.Taint{Node: "n1", Taint: evacuated}}
	for _, kind := range cluster.Kinds() {
		c.known[kind] = cluster.Complete
	}
	c.node = &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n1", Labels: map[string]string{corev1.LabelHostname: "n1"}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourcePods: resource.MustParse("9")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	c.web, c.webSet, c.waiting = c.workload("web")
	c.other, c.otherSet, c.running = c.workload("other")
	tolerations := []corev1.Toleration{{Key: evacuated.Key, Operator: corev1.TolerationOpExists}}
	c.web.Spec.Template.Spec.Tolerations, c.webSet.Spec.Template.Spec.Tolerations, c.waiting.Spec.Tolerations = tolerations, tolerations, tolerations
	c.waiting.Status.Phase = corev1.PodPending
	c.waiting.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
	c.running.Spec.NodeName = "n1"
	c.running.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return c
}

func (*crowded) workload(name string) (*appsv1.Deployment, *appsv1.ReplicaSet, *corev1.Pod) {
	labels := map[string]string{"app": name}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
		Priority: new(int32(0)), SchedulerName: corev1.DefaultSchedulerName,
		Containers: []corev1.Container{{Name: "c", Image: "c:1", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}},
	}}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)}}
	d.Spec = appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector, Template: template}
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name + "-1", Namespace: "shop", UID: types.UID(name + "-1"), OwnerReferences: owned("Deployment", name)}}
	set.Spec = appsv1.ReplicaSetSpec{Replicas: new(int32(1)), Selector: selector, Template: template}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name + "-1-x", Namespace: "shop", UID: types.UID(name + "-1-x"), Labels: labels, OwnerReferences: owned("ReplicaSet", name+"-1")}}
	pod.Spec, pod.Status.Phase = *template.Spec.DeepCopy(), corev1.PodRunning
	return d, set, pod
}

func owned(kind, name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
}

// at gives what shop/other runs as a priority.
func (c *crowded) at(priority int32) {
	for _, spec := range []*corev1.PodSpec{&c.other.Spec.Template.Spec, &c.otherSet.Spec.Template.Spec, &c.running.Spec} {
		spec.Priority = new(priority)
	}
}

// raised is a remedy that gives shop/web a priority of 1000.
func (c *crowded) raised() {
	c.more = append(c.more, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
	c.remedy = change.Patch{Object: change.Ref{Kind: "Deployment", Namespace: "shop", Name: "web"}, Patch: `{"spec":{"template":{"spec":{"priorityClassName":"high","priority":null}}}}`}
}

// proven are the remedies that are kept of the only one there is.
func (c *crowded) proven(t *testing.T) []finding.Remedy {
	t.Helper()
	objects := append([]runtime.Object{c.node, c.web, c.other, c.webSet, c.otherSet, c.waiting, c.running}, c.more...)
	world := cluster.New(cluster.Contents{Objects: objects, Knowledge: c.known, Taken: now, Server: "v1.36.3"})
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := query.Query{World: world, Judge: judge}
	return q.Verify(t.Context(), []query.ProposedRemedy{{Remedy: finding.Remedy{Change: c.remedy}}}, c.waiting)
}

// TestProven simulates a remedy after which the pod that waits has a node each time, and looks whether it is called verified: not
// where a pod as important, or of its own workload, stops for it.
func TestProven(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*crowded)
		// kept is how many remedies are left, of which the first is verified or not.
		kept     int
		verified bool
	}{
		"a less important pod waits then":      {func(c *crowded) { c.at(-1) }, 1, true},
		"a pod as important waits then":        {func(c *crowded) { c.at(0) }, 0, false},
		"a more important pod waits then":      {func(c *crowded) { c.at(1) }, 0, false},
		"a pod of no priority is as important": {func(c *crowded) { c.running.Spec.Priority = nil }, 0, false},
		"a pod that nobody replaces is lost":   {func(c *crowded) { c.running.OwnerReferences = nil }, 0, false},
		"a less important one is lost":         {func(c *crowded) { c.at(-1); c.running.OwnerReferences = nil }, 1, true},
		"a less important one, of the workload": {func(c *crowded) {
			c.at(-1)
			c.waiting.Spec.PreemptionPolicy = new(corev1.PreemptNever) // Else it would stop anyway.
			c.running.OwnerReferences, c.running.Labels = c.waiting.OwnerReferences, c.waiting.Labels
			c.web.Spec.Replicas, c.webSet.Spec.Replicas = new(int32(2)), new(int32(2))
			c.other.Spec.Replicas, c.otherSet.Spec.Replicas = new(int32(0)), new(int32(0))
		}, 0, false},
		"one that does not run": {func(c *crowded) { c.running.Status.Conditions = nil }, 1, true},
		"one that has ended":    {func(c *crowded) { c.running.Status.Phase = corev1.PodSucceeded }, 1, true},
		"one that the remedy names": {func(c *crowded) {
			c.remedy = change.DeletePod{Namespace: "shop", Name: c.running.Name}
			c.running.OwnerReferences = nil
		}, 1, true},
		"one that stops anyway": {func(c *crowded) {
			c.node.Spec.Taints = []corev1.Taint{{Key: "leaving", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: now}}}
			leaving := corev1.Toleration{Key: "leaving", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(60))}
			c.running.Spec.Tolerations = []corev1.Toleration{leaving}
			c.waiting.Spec.Tolerations = append(c.waiting.Spec.Tolerations, corev1.Toleration{Key: "leaving", Operator: corev1.TolerationOpExists})
		}, 1, true},
		"a pod that it outweighs only after the remedy": {func(c *crowded) { c.at(999); c.raised() }, 1, true},
		"one as important even then":                    {func(c *crowded) { c.at(1000); c.raised() }, 0, false},
		"nodes are not known":                           {func(c *crowded) { c.at(0); c.known[cluster.Node] = cluster.Forbidden }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowded()
			tc.edit(c)
			kept := c.proven(t)
			if len(kept) != tc.kept || tc.kept > 0 && kept[0].Verified != tc.verified {
				t.Errorf("kept %+v, want %d, verified: %t", kept, tc.kept, tc.verified)
			}
		})
	}
}
