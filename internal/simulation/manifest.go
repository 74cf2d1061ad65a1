package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// applyManifests creates or replaces objects: first what pods rest on, then budgets, then what makes pods.
func (f *future) applyManifests(ctx context.Context, c change.Apply) error {
	objects := slices.Clone(c.Objects)
	slices.SortStableFunc(objects, func(a, b runtime.Object) int { return cmp.Compare(layerOf(a), layerOf(b)) })
	for _, o := range objects {
		object, ok := o.(metav1.Object)
		kind, held := cluster.Kind(""), false
		if ok {
			kind, held = cluster.KindOf(object)
		}
		if !held {
			f.noteKind(o)
			continue
		}
		object = o.DeepCopyObject().(metav1.Object)
		if before := f.world().Object(kind, object.GetNamespace(), object.GetName()); before != nil {
			inherit(object, before)
			if err := f.update(ctx, before, object); err != nil {
				return err
			}
			continue
		}
		object.SetUID(f.names.uid())
		object.SetCreationTimestamp(*f.moment())
		if err := f.establish(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (f *future) noteKind(o runtime.Object) {
	what := o.GetObjectKind().GroupVersionKind().Kind
	if object, ok := o.(metav1.Object); ok {
		what += "/" + object.GetName()
	}
	f.gaps.note(what, message.Of(message.GapKind, message.Args{"what": what}))
}

// layerOf orders what is applied together.
func layerOf(o runtime.Object) int {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet, *batchv1.Job, *batchv1.CronJob, *corev1.Pod:
		return 2
	case *policyv1.PodDisruptionBudget:
		return 1
	default:
		return 0
	}
}

// inherit gives a manifest what an object of its name has and a manifest does not say.
func inherit(next, before metav1.Object) {
	next.SetUID(before.GetUID())
	next.SetCreationTimestamp(before.GetCreationTimestamp())
	next.SetOwnerReferences(before.GetOwnerReferences())
	annotations := next.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for key, value := range before.GetAnnotations() {
		if _, ok := annotations[key]; !ok {
			annotations[key] = value
		}
	}
	next.SetAnnotations(annotations)
	switch next := next.(type) {
	case *appsv1.Deployment:
		next.Spec.Replicas = cmp.Or(next.Spec.Replicas, before.(*appsv1.Deployment).Spec.Replicas)
		next.Status = before.(*appsv1.Deployment).Status
	case *appsv1.StatefulSet:
		next.Spec.Replicas = cmp.Or(next.Spec.Replicas, before.(*appsv1.StatefulSet).Spec.Replicas)
		next.Status = before.(*appsv1.StatefulSet).Status
	case *appsv1.DaemonSet:
		next.Status = before.(*appsv1.DaemonSet).Status
	case *corev1.Node:
		next.Status = before.(*corev1.Node).Status
	case *corev1.PersistentVolumeClaim:
		was := before.(*corev1.PersistentVolumeClaim)
		next.Spec.VolumeName, next.Status = was.Spec.VolumeName, was.Status
		next.Spec.StorageClassName = cmp.Or(next.Spec.StorageClassName, was.Spec.StorageClassName)
	case *corev1.PersistentVolume:
		next.Status = before.(*corev1.PersistentVolume).Status
	}
}

// establish adds an object that was not there, and what its controller makes of it.
func (f *future) establish(ctx context.Context, o metav1.Object) error {
	switch o := o.(type) {
	case *corev1.Pod:
		return f.establishPod(o)
	case *corev1.PersistentVolumeClaim:
		return f.putClaim(o)
	case *policyv1.PodDisruptionBudget:
		return f.protect(o)
	}
	if err := f.apply(cluster.Put(o)); err != nil {
		return err
	}
	f.room()
	switch o := o.(type) {
	case *appsv1.Deployment:
		rs, err := f.newReplicaSet(o, replicasOf(o, 1))
		if err != nil {
			return err
		}
		return f.fill(rs)
	case *appsv1.ReplicaSet:
		return f.fill(o)
	case *appsv1.StatefulSet:
		return f.fillSet(ctx, o)
	case *appsv1.DaemonSet:
		return f.daemonsOf(o)
	case *batchv1.Job:
		return f.fillJob(o)
	case *batchv1.CronJob:
		f.gaps.note("cronjob/"+o.Name, message.Of(message.GapCronJob, message.Args{"job": o.Name}))
	case *corev1.Node:
		return f.daemonsFor(o)
	}
	return nil
}

// protect follows a budget that is new or has changed.
func (f *future) protect(pdb *policyv1.PodDisruptionBudget) error {
	edit := f.budgets.follow(pdb)
	f.things = f.things.With(edit)
	return f.apply(edit)
}

func (f *future) establishPod(pod *corev1.Pod) error {
	f.admit(pod)
	pod.Status.Phase = corev1.PodPending
	if node := pod.Spec.NodeName; node != "" {
		pod.Spec.NodeName = ""
		f.book.bears(pod)
		return f.bind(pod, node)
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return f.apply(cluster.Put(pod))
	}
	f.create(nil, pod)
	return nil
}

// daemonsOf gives every node that a DaemonSet wants its pod, and takes it from those it does not.
func (f *future) daemonsOf(set *appsv1.DaemonSet) error {
	for _, node := range f.world().Nodes() {
		if wants(set, node) && !f.hasDaemon(set, node.Name) {
			f.create(nil, f.daemonPod(set, node.Name))
		}
	}
	for _, pod := range f.daemons(set) {
		if node := f.world().Node(daemonNode(pod)); node != nil && !selects(set, node) {
			if err := f.retire(pod); err != nil {
				return err
			}
			f.book.ends(pod, Ended, message.Of(message.FateUnwanted, nil), f.until())
		}
	}
	return nil
}

// fillJob makes the first pods of a Job.
func (f *future) fillJob(job *batchv1.Job) error {
	if job.Spec.Suspend != nil && *job.Spec.Suspend {
		return nil
	}
	pods := 1
	if job.Spec.Parallelism != nil {
		pods = int(*job.Spec.Parallelism)
	}
	if job.Spec.Completions != nil {
		pods = min(pods, int(*job.Spec.Completions))
	}
	for range pods {
		name := f.names.pod(job.Namespace, job.Name+"-")
		f.create(nil, f.fromTemplate(&job.Spec.Template, job.Namespace, name, ownerOf("batch/v1", "Job", job)))
	}
	return nil
}

// update replaces an object, and lets its controller follow.
func (f *future) update(ctx context.Context, before, next metav1.Object) error {
	f.room()
	switch next := next.(type) {
	case *appsv1.Deployment:
		was := before.(*appsv1.Deployment)
		if !f.sameShape(was.Namespace, &was.Spec.Template, &next.Spec.Template) {
			return f.rollDeployment(ctx, next)
		}
		next.Spec.Template = was.Spec.Template
		replicas := replicasOf(next, 1)
		next.Spec.Replicas = was.Spec.Replicas
		return f.scaleDeployment(next, replicas)
	case *appsv1.StatefulSet:
		return f.updateSet(ctx, before.(*appsv1.StatefulSet), next)
	case *appsv1.DaemonSet:
		return f.updateDaemons(ctx, before.(*appsv1.DaemonSet), next)
	case *corev1.Pod:
		return f.updatePod(before.(*corev1.Pod), next)
	case *policyv1.PodDisruptionBudget:
		return f.protect(next)
	case *corev1.Node:
		return f.updateNode(next)
	}
	return f.apply(cluster.Put(next))
}

func (f *future) updateSet(ctx context.Context, was, next *appsv1.StatefulSet) error {
	replicas, changed := replicasOf(next, 1), !f.sameShape(was.Namespace, &was.Spec.Template, &next.Spec.Template)
	next.Spec.Replicas = was.Spec.Replicas
	if err := f.scaleSet(ctx, next, replicas); err != nil || !changed {
		return err
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	next.Spec.Replicas = new(int32(replicas))
	return f.rollSet(ctx, next)
}

func (f *future) updateDaemons(ctx context.Context, was, next *appsv1.DaemonSet) error {
	if err := f.apply(cluster.Put(next)); err != nil {
		return err
	}
	if f.sameShape(was.Namespace, &was.Spec.Template, &next.Spec.Template) {
		return f.daemonsOf(next)
	}
	if err := f.daemonsOf(next); err != nil {
		return err
	}
	return f.rollDaemons(ctx, next, func(*corev1.Pod) *corev1.Pod {
		return f.daemonFromTemplate(next, f.names.pod(next.Namespace, next.Name+"-"))
	})
}

// updatePod is for the little that may change in a pod. One that waits is tried again.
func (f *future) updatePod(was, next *corev1.Pod) error {
	if next.Spec.NodeName == "" {
		next.Spec.NodeName = was.Spec.NodeName
	}
	f.admit(next)
	next.Status = was.Status
	if err := f.apply(cluster.Put(next)); err != nil {
		return err
	}
	if waitsForScheduler(next) {
		f.queue.drop(was)
		f.queue.hold(&offer{pod: next, priority: priorityOf(next), tried: never, shown: true})
	}
	return nil
}

func (f *future) updateNode(next *corev1.Node) error {
	taints := next.Spec.Taints
	if err := f.open(next); err != nil {
		return err
	}
	for _, taint := range taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			if err := f.taint(next, taint); err != nil {
				return err
			}
		}
	}
	return nil
}

// patch changes some fields of an object and plays what its controller does about it.
func (f *future) patch(ctx context.Context, c change.Patch) error {
	before := f.world().Object(cluster.Kind(c.Object.Kind), c.Object.Namespace, c.Object.Name)
	if before == nil {
		return UnknownError{c.Object}
	}
	original, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.Object, err)
	}
	next := before.(runtime.Object).DeepCopyObject()
	patched, err := strategicpatch.StrategicMergePatch(original, []byte(c.Patch), next)
	if err != nil {
		return fmt.Errorf("patching %s: %w", c.Object, err)
	}
	fresh := newLike(next)
	if err := json.Unmarshal(patched, fresh); err != nil {
		return fmt.Errorf("patching %s: %w", c.Object, err)
	}
	return f.update(ctx, before, fresh.(metav1.Object))
}
