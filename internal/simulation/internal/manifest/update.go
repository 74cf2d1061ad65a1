package manifest

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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// updateObject replaces an object, and has its controller react.
func (m *Applier) updateObject(ctx context.Context, before, next metav1.Object) error {
	m.engine.RetryUnschedulable()
	switch next := next.(type) {
	case *appsv1.Deployment:
		return m.workload.UpdateDeployment(ctx, before.(*appsv1.Deployment), next)
	case *appsv1.StatefulSet:
		return m.workload.UpdateStatefulSet(ctx, before.(*appsv1.StatefulSet), next)
	case *appsv1.DaemonSet:
		return m.workload.UpdateDaemonSet(ctx, before.(*appsv1.DaemonSet), next)
	case *batchv1.Job:
		if err := m.engine.Edit(cluster.Put(next)); err != nil {
			return err
		}
		return m.workload.SyncJob(next)
	case *corev1.Pod:
		return m.updatePod(before.(*corev1.Pod), next)
	case *policyv1.PodDisruptionBudget:
		return m.engine.PutBudget(next)
	case *corev1.Node:
		return m.updateNode(next)
	}
	return m.engine.Edit(cluster.Put(next))
}

// updatePod updates the few mutable fields of a pod. A pending pod is tried again.
func (m *Applier) updatePod(was, next *corev1.Pod) error {
	if next.Spec.NodeName == "" {
		next.Spec.NodeName = was.Spec.NodeName
	}
	m.engine.Admit(next)
	next.Status = was.Status
	if err := m.engine.Edit(cluster.Put(next)); err != nil {
		return err
	}
	if engine.WaitsForScheduler(next) {
		m.engine.Queue.Remove(was)
		m.engine.Queue.AddExisting(next)
	}
	return nil
}

func (m *Applier) updateNode(next *corev1.Node) error {
	taints := next.Spec.Taints
	if err := m.nodes.PutSchedulableNode(next); err != nil {
		return err
	}
	if err := m.workload.RemoveUnselectedDaemonPods(slices.Concat(m.engine.Pods.OnNode(next.Name), m.engine.Pods.OnNode(""))); err != nil {
		return err
	}
	for _, taint := range taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			if err := m.nodes.TaintNode(next, taint); err != nil {
				return err
			}
		}
	}
	return nil
}

// Patch changes fields of an object and has its controller react.
func (m *Applier) Patch(ctx context.Context, c change.Patch) error {
	before := m.engine.World().Object(cluster.Kind(c.Object.Kind), c.Object.Namespace, c.Object.Name)
	if before == nil {
		return outcome.UnknownError{Ref: c.Object}
	}
	original, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.Object, err)
	}
	next := before.(runtime.Object).DeepCopyObject()
	patched, err := strategicpatch.StrategicMergePatch(original, []byte(c.Patch), next)
	if err != nil {
		return outcome.PatchError{Object: c.Object, Err: err}
	}
	fresh := newLike(next)
	decoder := json.NewDecoder(bytes.NewReader(patched))
	decoder.DisallowUnknownFields() // A misspelt field would seem to change nothing.
	if err := decoder.Decode(fresh); err != nil {
		return outcome.PatchError{Object: c.Object, Err: err}
	}
	m.sealValues(fresh.(metav1.Object))
	if err := validate(c.Object, fresh.(metav1.Object), before); err != nil {
		return err
	}
	m.notePatched(before, fresh.(metav1.Object))
	return m.updateObject(ctx, before, fresh.(metav1.Object))
}
