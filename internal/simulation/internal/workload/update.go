package workload

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
)

// SyncNew has the controller of a new workload create what it needs.
func (w *Controllers) SyncNew(o metav1.Object) error {
	switch o := o.(type) {
	case *appsv1.Deployment:
		if o.Spec.Paused {
			return nil // Its first ReplicaSet is created when it is resumed.
		}
		return w.createFirstReplicaSet(o, replicas.Of(o, 1))
	case *appsv1.ReplicaSet:
		w.engine.Budgets.Adjust(o.Namespace, o.Spec.Template.Labels, replicas.Of(o, 1))
		return w.fillReplicaSet(o)
	case *appsv1.StatefulSet:
		w.engine.Budgets.Adjust(o.Namespace, o.Spec.Template.Labels, replicas.Of(o, 1))
		return w.fillStatefulSet(o)
	case *appsv1.DaemonSet:
		return w.syncDaemonSet(o)
	case *batchv1.Job:
		return w.SyncJob(o)
	case *batchv1.CronJob:
		w.engine.Gaps.Note("cronjob/"+o.Name, sentence.GapCronJob(o.Name))
	}
	return nil
}

// UpdateDeployment rolls a Deployment out if its template changes, or changed while it was paused; otherwise it is scaled.
//
// Source: pkg/controller/deployment of Kubernetes (syncDeployment): one that is paused is only scaled.
func (w *Controllers) UpdateDeployment(ctx context.Context, was, next *appsv1.Deployment) error {
	same := podtemplate.Same(&was.Spec.Template, &next.Spec.Template)
	if same {
		next.Spec.Template = was.Spec.Template
	}
	resumed := was.Spec.Paused && w.templateChanged(next) || w.hasOldPods(next) && !equality.Semantic.DeepEqual(was.Spec.Strategy, next.Spec.Strategy)
	if !next.Spec.Paused && (!same || resumed) {
		w.engine.Budgets.Adjust(next.Namespace, next.Spec.Template.Labels, replicas.Of(next, 1)-w.expectedOf(was))
		return w.RolloutDeployment(ctx, next)
	}
	replicas := replicas.Of(next, 1)
	next.Spec.Replicas = was.Spec.Replicas
	return w.scaleDeployment(next, replicas)
}

// expectedOf is how many pods of a Deployment PodDisruptionBudgets expect: none before it has a ReplicaSet.
func (w *Controllers) expectedOf(d *appsv1.Deployment) int {
	if w.newestReplicaSet(d) == nil {
		return 0
	}
	return replicas.Of(d, 1)
}

// hasOldPods reports whether a Deployment has pods of older templates beside its newest ReplicaSet.
func (w *Controllers) hasOldPods(d *appsv1.Deployment) bool {
	newest := w.newestReplicaSet(d)
	return newest != nil && len(w.oldReplicaSets(d, newest).pods()) > 0
}

// templateChanged reports whether a Deployment's newest ReplicaSet is not of its template.
func (w *Controllers) templateChanged(d *appsv1.Deployment) bool {
	newest := w.newestReplicaSet(d)
	return newest == nil || !podtemplate.Same(&newest.Spec.Template, &d.Spec.Template)
}

// UpdateStatefulSet scales a StatefulSet, and rolls it out if its template changes.
func (w *Controllers) UpdateStatefulSet(ctx context.Context, was, next *appsv1.StatefulSet) error {
	replicas, changed := replicas.Of(next, 1), !podtemplate.Same(&was.Spec.Template, &next.Spec.Template)
	next.Spec.Replicas = was.Spec.Replicas
	if err := w.scaleStatefulSet(next, replicas); err != nil || !changed {
		return err
	}
	if err := w.engine.Settle(ctx); err != nil {
		return err
	}
	next.Spec.Replicas = new(int32(replicas))
	return w.rolloutStatefulSet(ctx, next)
}

// UpdateDaemonSet creates and removes pods as a DaemonSet selects nodes now, and rolls it out if its template changes.
func (w *Controllers) UpdateDaemonSet(ctx context.Context, was, next *appsv1.DaemonSet) error {
	if err := w.engine.Edit(cluster.Put(next)); err != nil {
		return err
	}
	if podtemplate.Same(&was.Spec.Template, &next.Spec.Template) {
		return w.syncDaemonSet(next)
	}
	return w.RolloutDaemonSet(ctx, next, func(*corev1.Pod) *corev1.Pod {
		return w.daemonPodFromTemplate(next, w.engine.Names.Pod(next.Namespace, next.Name+"-"))
	})
}
