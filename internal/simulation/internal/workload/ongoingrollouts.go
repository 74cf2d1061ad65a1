package workload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
)

// ContinueRollouts advances unfinished rollouts of workloads whose pods changed.
func (w *Controllers) ContinueRollouts(ctx context.Context) error {
	for _, d := range w.affectedRollouts() {
		if _, err := w.advanceRollout(ctx, d); err != nil {
			return err
		}
	}
	for _, set := range w.affectedStatefulSets() {
		if err := w.replaceOutdated(ctx, set); err != nil {
			return err
		}
	}
	for _, set := range w.affectedDaemonSets() {
		if err := w.resumeDaemonSetRollout(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

// affectedDaemonSets are the DaemonSets with an unfinished rollout that lost a node or a pod, or of which a pending pod got a node.
func (w *Controllers) affectedDaemonSets() []*appsv1.DaemonSet {
	var found []*appsv1.DaemonSet
	for _, set := range w.engine.World().DaemonSets() {
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || !w.unfinishedRollouts[set.UID] && set.Status.UpdatedNumberScheduled >= set.Status.CurrentNumberScheduled {
			continue
		}
		gone := func(node *corev1.Node) bool {
			return w.engine.World().Node(node.Name) == nil && kube.ShouldRunDaemonPod(set, node)
		}
		changed := func(pod *corev1.Pod) bool {
			now := w.engine.Pods.Get(pod.Namespace, pod.Name)
			return now == nil || now.UID != pod.UID || now.Spec.NodeName != pod.Spec.NodeName
		}
		if slices.ContainsFunc(w.engine.Initial.Nodes(), gone) || slices.ContainsFunc(w.engine.Initial.PodsOf(set.UID), changed) {
			found = append(found, set)
		}
	}
	return found
}

// resumeDaemonSetRollout goes on with a rollout, unless a node still lacks its pod: the API server refuses it.
func (w *Controllers) resumeDaemonSetRollout(ctx context.Context, set *appsv1.DaemonSet) error {
	has := w.nodesWithDaemonPod(set)
	lacks := func(node *corev1.Node) bool { return !has[node.Name] && kube.ShouldRunDaemonPod(set, node) }
	if slices.ContainsFunc(w.engine.World().Nodes(), lacks) {
		return nil
	}
	return w.rollDaemonSet(ctx, set, func(*corev1.Pod) *corev1.Pod {
		return w.daemonPodFromTemplate(set, w.engine.Names.Pod(set.Namespace, set.Name+"-"))
	})
}

// affectedStatefulSets are the StatefulSets with an unfinished rollout and a pod that changed, by name.
func (w *Controllers) affectedStatefulSets() []*appsv1.StatefulSet {
	var found []*appsv1.StatefulSet
	for _, set := range w.engine.World().StatefulSets() {
		status := &set.Status
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType || status.UpdateRevision == "" || status.CurrentRevision == status.UpdateRevision {
			continue
		}
		gone := func(pod *corev1.Pod) bool { return w.engine.Pods.Get(pod.Namespace, pod.Name) == nil }
		changed := func(pod *corev1.Pod) bool { return w.engine.Fates.Find(names.Of(pod)) != nil }
		if slices.ContainsFunc(w.engine.Initial.PodsOf(set.UID), gone) || slices.ContainsFunc(w.engine.Pods.OwnedBy(set.UID), changed) {
			found = append(found, set)
		}
	}
	return found
}

// affectedRollouts are the Deployments with an unfinished rollout and a pod that changed, by name.
func (w *Controllers) affectedRollouts() []*appsv1.Deployment {
	if !w.hasUnfinishedRollouts() {
		return nil // Most often. What follows takes longer the more pods have changed.
	}
	var found []*appsv1.Deployment
	for name := range w.engine.Fates.Names() {
		pod := w.engine.Pods.Get(name.Namespace, name.Name)
		if pod == nil {
			continue
		}
		if d := w.deploymentOf(pod); d != nil && w.rolloutInProgress(d) && !slices.ContainsFunc(found, func(o *appsv1.Deployment) bool { return o.UID == d.UID }) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *appsv1.Deployment) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// deploymentOf is the Deployment that a pod belongs to, nil if there is none.
func (w *Controllers) deploymentOf(pod *corev1.Pod) *appsv1.Deployment {
	rs, ok := w.engine.World().Owner(pod).(*appsv1.ReplicaSet)
	if !ok {
		return nil
	}
	return w.deploymentOfReplicaSet(rs)
}

// deploymentOfReplicaSet is the Deployment that a ReplicaSet belongs to, nil if there is none.
func (w *Controllers) deploymentOfReplicaSet(rs *appsv1.ReplicaSet) *appsv1.Deployment {
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil || ref.Kind != "Deployment" {
		return nil
	}
	if d := w.engine.World().Deployment(rs.Namespace, ref.Name); d != nil && d.UID == ref.UID {
		return d
	}
	return nil
}

// hasUnfinishedRollouts reports whether a Deployment is unfinished. While no rollout began in this future, it looks at the Deployments only if they
// are others than when it looked last: there may be thousands, and it is called for each change.
func (w *Controllers) hasUnfinishedRollouts() bool {
	all := w.engine.World().Deployments()
	if len(w.unfinishedRollouts) == 0 && len(all) == len(w.finished) && (len(all) == 0 || &all[0] == &w.finished[0]) {
		return false
	}
	if slices.ContainsFunc(all, w.isUnfinished) {
		return true
	}
	w.finished = all
	return false
}

// isUnfinished reports whether a Deployment may have pods of an older template, by its status or by a rollout of this future.
func (w *Controllers) isUnfinished(d *appsv1.Deployment) bool {
	return !d.Spec.Paused && (w.unfinishedRollouts[d.UID] || d.Status.UpdatedReplicas < d.Status.Replicas)
}

// rolloutInProgress reports whether a Deployment has pods of an older template beside its current ReplicaSet.
func (w *Controllers) rolloutInProgress(d *appsv1.Deployment) bool {
	if !w.isUnfinished(d) {
		return false
	}
	newest := w.newestReplicaSet(d)
	return newest != nil && !w.templateChanged(d) && slices.ContainsFunc(w.replicaSets(d), func(rs *appsv1.ReplicaSet) bool {
		return rs.UID != newest.UID && len(w.activePodsOf(rs)) > 0
	})
}

// continueQuotaRefused has controllers create the pods again that a quota has refused: they succeed once other pods are removed.
func (w *Controllers) continueQuotaRefused() error {
	if w.engine.Initial.Knowledge(cluster.Pod) != cluster.Complete {
		return nil
	}
	for _, rs := range w.engine.Initial.ReplicaSets() {
		if !failedForQuota(rs) {
			continue
		}
		ref := controllerRef("apps/v1", "ReplicaSet", rs)
		for range replicas.Of(rs, 1) - w.engine.ActiveCount(&ref) {
			w.requestRefused(w.newReplicaSetPod(rs))
			if d := w.deploymentOfReplicaSet(rs); d != nil && w.newestReplicaSet(d).UID != rs.UID {
				w.unfinishedRollouts[d.UID] = true // By its status, which counts pods, it is finished.
			}
		}
	}
	for _, set := range w.engine.Initial.StatefulSets() {
		if err := w.continueQuotaRefusedSet(set); err != nil {
			return err
		}
	}
	for _, set := range w.engine.Initial.DaemonSets() {
		if w.engine.QuotasOf(set.Namespace) == nil {
			continue
		}
		for _, node := range w.engine.Initial.Nodes() {
			if !kube.ShouldRunDaemonPod(set, node) || w.hasDaemonPod(set, node.Name) {
				continue
			}
			if pod := w.daemonPod(set, node.Name); w.refusedByQuotaOnly(pod) {
				w.requestRefused(pod)
			}
		}
	}
	return nil
}

// continueQuotaRefusedSet is continueQuotaRefused for a StatefulSet, whose status does not say what was refused.
func (w *Controllers) continueQuotaRefusedSet(set *appsv1.StatefulSet) error {
	if w.engine.QuotasOf(set.Namespace) == nil {
		return nil
	}
	for ordinal := startOrdinal(set); ordinal < startOrdinal(set)+replicas.Of(set, 1); ordinal++ {
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		if w.engine.Pods.Get(set.Namespace, name) != nil {
			continue
		}
		if _, blocked := w.blockingReplica(set, ordinal); blocked {
			return nil
		}
		pod, err := w.newStatefulSetPod(set, name)
		if err != nil || !w.refusedByQuotaOnly(pod) {
			return err
		}
		w.requestRefused(pod)
	}
	return nil
}

// requestRefused creates a pod that its owner tried to create before.
func (w *Controllers) requestRefused(pod *corev1.Pod) {
	w.engine.Fates.Begin(pod).Pending = true
	w.engine.SubmitPod(pod)
}

// isRefused reports whether the API server refuses a pod, for a quota or for another reason.
func (w *Controllers) isRefused(pod *corev1.Pod) bool {
	quotas := w.engine.QuotasOf(pod.Namespace)
	return w.engine.Forbidden(pod) != nil || quotas != nil && quotas.Forbids(pod) != nil
}

// refusedByQuotaOnly reports whether quotas refuse a pod and nothing else does.
func (w *Controllers) refusedByQuotaOnly(pod *corev1.Pod) bool {
	return w.engine.Forbidden(pod) == nil && w.engine.QuotasOf(pod.Namespace).Forbids(pod) != nil
}

// failedForQuota reports whether a ReplicaSet could not create its last pod because of a quota.
//
// Source: plugin/pkg/admission/resourcequota of Kubernetes, for the words.
func failedForQuota(rs *appsv1.ReplicaSet) bool {
	return slices.ContainsFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
		return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue && strings.Contains(c.Message, "exceeded quota")
	})
}
