package play

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// lists is a world of fixed objects.
type lists map[string][]any

func (l lists) List(variable string) []any { return l[variable] }

func (l lists) NamedNodes([]any) map[string]*corev1.Node { return nil }

func objectMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name)}
}

func owned(name, by string) metav1.ObjectMeta {
	m := objectMeta(name)
	m.OwnerReferences = []metav1.OwnerReference{{UID: types.UID("uid-" + by), Controller: new(true)}}
	return m
}

func TestNotRunning(t *testing.T) {
	podOf := func(owner string, change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: owned("p", owner)}
		if owner == "" {
			p.OwnerReferences = nil
		}
		change(p)
		return p
	}
	waits := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}
	}
	starts := func(p *corev1.Pod) { onN(p); p.Status.Phase = corev1.PodPending }
	ends := func(p *corev1.Pod) { runs(p); p.DeletionTimestamp = &metav1.Time{} }
	succeeded := func(p *corev1.Pod) { onN(p); p.Status.Phase = corev1.PodSucceeded }

	deployment := func(available int32) lists {
		return lists{
			"deployments": {&appsv1.Deployment{
				ObjectMeta: objectMeta("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1))},
				Status: appsv1.DeploymentStatus{AvailableReplicas: available},
			}},
			"replicasets": {
				&appsv1.ReplicaSet{ObjectMeta: owned("old", "d"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}},
				&appsv1.ReplicaSet{ObjectMeta: owned("rs", "d"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(1))}},
			},
		}
	}
	daemonSet := func(observed int64, desired, ready int32) lists {
		d := &appsv1.DaemonSet{ObjectMeta: objectMeta("ds")}
		d.Generation = 1
		d.Status = appsv1.DaemonSetStatus{ObservedGeneration: observed, DesiredNumberScheduled: desired, NumberReady: ready, UpdatedNumberScheduled: desired}
		return lists{"daemonsets": {d}}
	}
	statefulSet := func(ready int32) lists {
		return lists{"statefulsets": {&appsv1.StatefulSet{
			ObjectMeta: objectMeta("ss"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2))},
			Status: appsv1.StatefulSetStatus{ReadyReplicas: ready},
		}}}
	}
	job := func(spec batchv1.JobSpec, conditions ...batchv1.JobCondition) lists {
		return lists{"jobs": {&batchv1.Job{ObjectMeta: objectMeta("j"), Spec: spec, Status: batchv1.JobStatus{Conditions: conditions}}}}
	}
	two := batchv1.JobSpec{Parallelism: new(int32(4)), Completions: new(int32(2))}

	with := func(l lists, pods ...*corev1.Pod) lists {
		for _, p := range pods {
			l["pods"] = append(l["pods"], p)
		}
		return l
	}
	tests := []struct {
		name  string
		world lists
		want  string
	}{
		{"nothing", lists{}, ""},
		{"deployment without pods", deployment(0), "deployment ns/d: 0 of 1 pods have a node"},
		{"deployment whose pod waits", with(deployment(0), podOf("rs", waits)), "deployment ns/d: 0 of 1 pods have a node (0/3 nodes are available)"},
		{"deployment with a pod of the old template", with(deployment(0), podOf("old", runs)), "deployment ns/d: 0 of 1 pods have a node"},
		{"deployment whose pod starts", with(deployment(0), podOf("rs", starts)), "pod ns/p: it is Pending and not ready"},
		{"deployment not available", with(deployment(0), podOf("rs", runs)), "deployment ns/d: 0 of 1 pods are available"},
		{"deployment runs", with(deployment(1), podOf("rs", runs)), ""},
		{"a pod on its way out", with(deployment(1), podOf("rs", runs), podOf("old", ends)), "pod ns/p: it is being deleted"},
		{"daemon set unseen", daemonSet(0, 0, 0), "daemonset ns/ds: its controller has not seen it"},
		{"daemon set without pods", daemonSet(1, 1, 0), "daemonset ns/ds: 0 of 1 pods have a node"},
		{"daemon set not ready", with(daemonSet(1, 1, 0), podOf("ds", runs)), "daemonset ns/ds: 0 of 1 pods are ready"},
		{"daemon set runs", with(daemonSet(1, 1, 1), podOf("ds", runs)), ""},
		{"stateful set begins", statefulSet(0), "statefulset ns/ss: 0 of 1 pods have a node"},
		{"stateful set goes on", with(statefulSet(1), podOf("ss", runs)), "statefulset ns/ss: 1 of 2 pods are ready"},
		{"stateful set runs", with(statefulSet(2), podOf("ss", runs)), ""},
		{"job with one of two", with(job(two), podOf("j", runs)), "job ns/j: 1 of 2 pods have a node"},
		{"job with one done and one running", with(job(two), podOf("j", runs), podOf("j", succeeded)), ""},
		{"job complete and cleaned up", job(two, batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}), ""},
		{"job suspended", job(batchv1.JobSpec{Parallelism: new(int32(1)), Suspend: new(true)}), ""},
		{"bare pod waits", with(lists{}, podOf("", waits)), "pod ns/p: it has no node (0/3 nodes are available)"},
		{"bare pod runs", with(lists{}, podOf("", runs)), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := notRunning(tt.world); got != tt.want {
				t.Errorf("notRunning() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUsable(t *testing.T) {
	tests := []struct {
		name string
		node *corev1.Node
		want bool
	}{
		{"ready", node("True"), true},
		{"ready and tainted by its group", node("True", corev1.Taint{Key: "dedicated"}), true},
		{"not ready", node("False"), false},
		{"without a condition", node(""), false},
		{"not yet known to the cloud controller", node("True", corev1.Taint{Key: "node.cloudprovider.kubernetes.io/uninitialized"}), false},
		{"taint not lifted yet", node("True", corev1.Taint{Key: corev1.TaintNodeNotReady}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := usable(tt.node); got != tt.want {
				t.Errorf("usable() = %v, want %v", got, tt.want)
			}
		})
	}
}
