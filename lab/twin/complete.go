package twin

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/scheme"
)

// addMissingObjects adds what admission requires when a controller makes a pod again: its namespace, service account, runtime
// class and priority class. Each is as plain as can be.
func (c *contents) addMissingObjects(now metav1.Time) {
	wanted := map[schema.GroupVersionKind]map[types.NamespacedName]object{}
	want := func(o object, namespace, name string) {
		gvks, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil || name == "" {
			return
		}
		o.GetObjectKind().SetGroupVersionKind(gvks[0])
		o.SetNamespace(namespace)
		o.SetName(name)
		if wanted[gvks[0]] == nil {
			wanted[gvks[0]] = map[types.NamespacedName]object{}
		}
		at := types.NamespacedName{Namespace: namespace, Name: name}
		if wanted[gvks[0]][at] == nil {
			wanted[gvks[0]][at] = o
		}
	}
	for _, o := range c.objects {
		want(&corev1.Namespace{
			Spec:   corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		}, "", o.GetNamespace())
		spec := podSpec(o)
		if spec == nil {
			continue
		}
		if account := spec.ServiceAccountName; account != "default" { // which the controller manager makes
			want(&corev1.ServiceAccount{}, o.GetNamespace(), account)
		}
		if spec.RuntimeClassName != nil {
			class := &nodev1.RuntimeClass{Handler: *spec.RuntimeClassName}
			if spec.Overhead != nil {
				class.Overhead = &nodev1.Overhead{PodFixed: spec.Overhead}
			}
			want(class, "", *spec.RuntimeClassName)
		}
		if class := spec.PriorityClassName; spec.Priority != nil && !strings.HasPrefix(class, "system-") {
			want(&schedulingv1.PriorityClass{Value: *spec.Priority, PreemptionPolicy: spec.PreemptionPolicy}, "", class)
		}
	}
	for _, o := range c.objects {
		delete(wanted[o.GetObjectKind().GroupVersionKind()], types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()})
	}
	for _, missing := range wanted {
		for _, o := range missing {
			o.SetUID(uuid.NewUUID())
			o.SetCreationTimestamp(now)
			c.add(o)
		}
	}
	c.noteAdded(wanted)
}

func (c *contents) noteAdded(wanted map[schema.GroupVersionKind]map[types.NamespacedName]object) {
	kinds := slices.SortedFunc(maps.Keys(wanted), func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, kind := range kinds {
		c.notes.add(len(wanted[kind]), kind.Kind, "not in the snapshot, but pods need it; made anew with nothing in it")
	}
}

// podSpec is of a pod, or of those that a workload makes; nil of anything else.
func podSpec(o object) *corev1.PodSpec {
	if pod, is := o.(*corev1.Pod); is {
		return &pod.Spec
	}
	if template := podTemplate(o); template != nil {
		return &template.Spec
	}
	return nil
}

func podTemplate(o object) *corev1.PodTemplateSpec {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}
