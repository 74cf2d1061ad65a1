package random

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The namespaces: of workloads, and of naosu and its agents.
const (
	shop   = "shop"
	back   = "back"
	system = "naosu-system"
)

const revision = "revision-1"

func (workload) name(i int) string { return fmt.Sprintf("load-%d", i) }

// objects are what people apply for a workload; owners, what makes its pods.
func (w workload) objects(i int) (objects []client.Object, owners []*owner) {
	namespace := shop
	if w.Back {
		namespace = back
	}
	meta := metav1.ObjectMeta{Namespace: namespace, Name: w.name(i)}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": meta.Name}}}
	one := &owner{kind: "ReplicaSet", replicas: w.Replicas}
	replicas := new(int32(w.Replicas))
	switch w.Kind {
	case claiming:
		template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	case ephemeral:
		template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	case everywhere:
		template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	case explicitSet:
		template.Spec.Tolerations = []corev1.Toleration{toleration(corev1.TaintNodeNotReady, 300), toleration(corev1.TaintNodeUnreachable, 20)}
	}
	switch w.Kind {
	case deployment, explicitSet:
		above := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{Replicas: replicas, Template: template}}
		above.UID = types.UID("deployment-" + meta.Name)
		meta.Name += "-7d9"
		meta.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(above, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
		set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Template: template}}
		objects, one.owner = []client.Object{above, set}, set
	case stateful:
		set := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: replicas, Template: template}, Status: appsv1.StatefulSetStatus{UpdateRevision: revision}}
		one.kind, one.ordinal = "StatefulSet", true
		objects, one.owner = []client.Object{set}, set
	case job:
		run := &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}}
		one.kind = "Job"
		objects, one.owner = []client.Object{run}, run
	case daemon:
		return daemonObjects(meta, template)
	case bare:
		for range w.Replicas {
			pod := admitted(&corev1.Pod{ObjectMeta: *meta.DeepCopy(), Spec: *template.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending}})
			pod.Labels = template.Labels
			pod.Name = fmt.Sprintf("%s-%d", meta.Name, len(objects))
			objects = append(objects, pod)
		}
		return objects, nil
	default:
		set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Template: template}}
		objects, one.owner = []client.Object{set}, set
	}
	one.template = *template.DeepCopy()
	if w.Kind == stateful {
		one.template.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	}
	return objects, []*owner{one}
}

func daemonObjects(meta metav1.ObjectMeta, template corev1.PodTemplateSpec) ([]client.Object, []*owner) {
	template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	set := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Template: template}}
	return []client.Object{set}, []*owner{{owner: set, kind: "DaemonSet", daemon: true, template: template}}
}

// agents are the DaemonSet of naosu's agents.
func agents() ([]client.Object, []*owner) {
	return daemonObjects(metav1.ObjectMeta{Namespace: system, Name: "naosu-agent"}, corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/name": "naosu-agent"}},
	})
}

// scale sets the replicas of a workload, and says whether it could.
func (n *run) scale(i, replicas int) bool {
	w := n.owners[i%len(n.owners)]
	set, is := w.owner.(*appsv1.ReplicaSet)
	if !is {
		return false
	}
	w.replicas = replicas
	scaled := &appsv1.ReplicaSet{}
	must(n.api.Direct.Get(n.ctx, client.ObjectKeyFromObject(set), scaled))
	scaled.Spec.Replicas = new(int32(replicas))
	n.write(n.api.Direct.Update(n.ctx, scaled))
	if ref := metav1.GetControllerOf(set); ref != nil {
		above := &appsv1.Deployment{}
		must(n.api.Direct.Get(n.ctx, client.ObjectKey{Namespace: set.Namespace, Name: ref.Name}, above))
		above.Spec.Replicas = new(int32(replicas))
		n.write(n.api.Direct.Update(n.ctx, above))
	}
	return true
}
