package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// updateObject replaces an object, and has its controller react.
func (e *engine) updateObject(ctx context.Context, before, next metav1.Object) error {
	e.retryUnschedulable()
	switch next := next.(type) {
	case *appsv1.Deployment:
		return e.updateDeployment(ctx, before.(*appsv1.Deployment), next)
	case *appsv1.StatefulSet:
		return e.updateStatefulSet(ctx, before.(*appsv1.StatefulSet), next)
	case *appsv1.DaemonSet:
		return e.updateDaemonSet(ctx, before.(*appsv1.DaemonSet), next)
	case *batchv1.Job:
		if err := e.edit(cluster.Put(next)); err != nil {
			return err
		}
		return e.syncJob(next)
	case *corev1.Pod:
		return e.updatePod(before.(*corev1.Pod), next)
	case *policyv1.PodDisruptionBudget:
		return e.putBudget(next)
	case *corev1.Node:
		return e.updateNode(next)
	}
	return e.edit(cluster.Put(next))
}

// updateDeployment rolls a Deployment out if its template changes, or changed while it was paused; otherwise it is scaled.
//
// Source: pkg/controller/deployment of Kubernetes (syncDeployment): one that is paused is only scaled.
func (e *engine) updateDeployment(ctx context.Context, was, next *appsv1.Deployment) error {
	same := sameTemplate(&was.Spec.Template, &next.Spec.Template)
	if same {
		next.Spec.Template = was.Spec.Template
	}
	resumed := was.Spec.Paused && e.templateChanged(next) || e.hasOldPods(next) && !equality.Semantic.DeepEqual(was.Spec.Strategy, next.Spec.Strategy)
	if !next.Spec.Paused && (!same || resumed) {
		return e.rolloutDeployment(ctx, next)
	}
	replicas := replicasOf(next, 1)
	next.Spec.Replicas = was.Spec.Replicas
	return e.scaleDeployment(next, replicas)
}

// hasOldPods says whether a Deployment has pods of older templates beside its newest ReplicaSet.
func (e *engine) hasOldPods(d *appsv1.Deployment) bool {
	newest := e.newestReplicaSet(d)
	return newest != nil && len(e.oldPods(d, newest)) > 0
}

// templateChanged says whether a Deployment's newest ReplicaSet is not of its template.
func (e *engine) templateChanged(d *appsv1.Deployment) bool {
	newest := e.newestReplicaSet(d)
	return newest == nil || !sameTemplate(&newest.Spec.Template, &d.Spec.Template)
}

func (e *engine) updateStatefulSet(ctx context.Context, was, next *appsv1.StatefulSet) error {
	replicas, changed := replicasOf(next, 1), !sameTemplate(&was.Spec.Template, &next.Spec.Template)
	next.Spec.Replicas = was.Spec.Replicas
	if err := e.scaleStatefulSet(next, replicas); err != nil || !changed {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	next.Spec.Replicas = new(int32(replicas))
	return e.rolloutStatefulSet(ctx, next)
}

func (e *engine) updateDaemonSet(ctx context.Context, was, next *appsv1.DaemonSet) error {
	if err := e.edit(cluster.Put(next)); err != nil {
		return err
	}
	if sameTemplate(&was.Spec.Template, &next.Spec.Template) {
		return e.syncDaemonSet(next)
	}
	if err := e.syncDaemonSet(next); err != nil {
		return err
	}
	return e.rolloutDaemonSet(ctx, next, func(*corev1.Pod) *corev1.Pod {
		return e.daemonPodFromTemplate(next, e.names.pod(next.Namespace, next.Name+"-"))
	})
}

// updatePod updates the few mutable fields of a pod. A pending pod is tried again.
func (e *engine) updatePod(was, next *corev1.Pod) error {
	if next.Spec.NodeName == "" {
		next.Spec.NodeName = was.Spec.NodeName
	}
	e.admit(next)
	next.Status = was.Status
	if err := e.edit(cluster.Put(next)); err != nil {
		return err
	}
	if waitsForScheduler(next) {
		e.queue.remove(was)
		e.queue.addUnschedulable(&queuedPod{pod: next, priority: corev1helpers.PodPriority(next), triedCycle: notTried, stored: true})
	}
	return nil
}

func (e *engine) updateNode(next *corev1.Node) error {
	taints := next.Spec.Taints
	if err := e.putSchedulableNode(next); err != nil {
		return err
	}
	if err := e.removeUnselectedDaemonPods(slices.Concat(e.pods.onNode(next.Name), e.pods.onNode(""))); err != nil {
		return err
	}
	for _, taint := range taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			if err := e.taintNode(next, taint); err != nil {
				return err
			}
		}
	}
	return nil
}

// PatchError is a patch that does not fit its object.
type PatchError struct {
	Object change.Ref
	Err    error
}

func (e PatchError) Error() string { return fmt.Sprintf("patching %s: %v", e.Object, e.Err) }
func (e PatchError) Unwrap() error { return e.Err }

// patchObject changes fields of an object and has its controller react.
func (e *engine) patchObject(ctx context.Context, c change.Patch) error {
	before := e.world().Object(cluster.Kind(c.Object.Kind), c.Object.Namespace, c.Object.Name)
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
		return PatchError{c.Object, err}
	}
	fresh := newLike(next)
	decoder := json.NewDecoder(bytes.NewReader(patched))
	decoder.DisallowUnknownFields() // A misspelt field would seem to change nothing.
	if err := decoder.Decode(fresh); err != nil {
		return PatchError{c.Object, err}
	}
	e.sealValues(fresh.(metav1.Object))
	if err := validate(c.Object, fresh.(metav1.Object), before); err != nil {
		return err
	}
	e.notePatched(before, fresh.(metav1.Object))
	return e.updateObject(ctx, before, fresh.(metav1.Object))
}
