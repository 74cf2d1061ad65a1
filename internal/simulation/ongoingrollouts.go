package simulation

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
)

// continueRollouts advances unfinished rollouts of workloads whose pods changed.
func (e *engine) continueRollouts(ctx context.Context) error {
	for _, d := range e.affectedRollouts() {
		if _, err := e.advanceRollout(ctx, d); err != nil {
			return err
		}
	}
	for _, set := range e.affectedStatefulSets() {
		if err := e.replaceOutdated(ctx, set); err != nil {
			return err
		}
	}
	for _, set := range e.affectedDaemonSets() {
		if err := e.resumeDaemonSetRollout(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

// affectedDaemonSets are the DaemonSets with an unfinished rollout that lost a node or a pod, or of which a pending pod got a node.
func (e *engine) affectedDaemonSets() []*appsv1.DaemonSet {
	var found []*appsv1.DaemonSet
	for _, set := range e.world().DaemonSets() {
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || !e.unfinishedRollouts[set.UID] && set.Status.UpdatedNumberScheduled >= set.Status.CurrentNumberScheduled {
			continue
		}
		gone := func(node *corev1.Node) bool {
			return e.world().Node(node.Name) == nil && kube.ShouldRunDaemonPod(set, node)
		}
		changed := func(pod *corev1.Pod) bool {
			now := e.pods.get(pod.Namespace, pod.Name)
			return now == nil || now.UID != pod.UID || now.Spec.NodeName != pod.Spec.NodeName
		}
		if slices.ContainsFunc(e.initial.Nodes(), gone) || slices.ContainsFunc(e.initial.PodsOf(set.UID), changed) {
			found = append(found, set)
		}
	}
	return found
}

// resumeDaemonSetRollout goes on with a rollout, unless a node still lacks its pod: the API server refuses it.
func (e *engine) resumeDaemonSetRollout(ctx context.Context, set *appsv1.DaemonSet) error {
	lacks := func(node *corev1.Node) bool {
		return kube.ShouldRunDaemonPod(set, node) && !e.hasDaemonPod(set, node.Name)
	}
	if slices.ContainsFunc(e.world().Nodes(), lacks) {
		return nil
	}
	return e.rollDaemonSet(ctx, set, func(*corev1.Pod) *corev1.Pod {
		return e.daemonPodFromTemplate(set, e.names.pod(set.Namespace, set.Name+"-"))
	})
}

// affectedStatefulSets are the StatefulSets with an unfinished rollout and a pod that changed, by name.
func (e *engine) affectedStatefulSets() []*appsv1.StatefulSet {
	var found []*appsv1.StatefulSet
	for _, set := range e.world().StatefulSets() {
		status := &set.Status
		if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType || status.UpdateRevision == "" || status.CurrentRevision == status.UpdateRevision {
			continue
		}
		if slices.ContainsFunc(e.pods.ownedBy(set.UID), func(pod *corev1.Pod) bool { return e.fates.byPod[nameOf(pod)] != nil }) {
			found = append(found, set)
		}
	}
	return found
}

// affectedRollouts are the Deployments with an unfinished rollout and a pod that changed, by name.
func (e *engine) affectedRollouts() []*appsv1.Deployment {
	var found []*appsv1.Deployment
	for name := range e.fates.byPod {
		pod := e.pods.get(name.Namespace, name.Name)
		if pod == nil {
			continue
		}
		if d := e.deploymentOf(pod); d != nil && e.rolloutInProgress(d) && !slices.ContainsFunc(found, func(o *appsv1.Deployment) bool { return o.UID == d.UID }) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *appsv1.Deployment) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// deploymentOf is the Deployment that a pod belongs to, nil if there is none.
func (e *engine) deploymentOf(pod *corev1.Pod) *appsv1.Deployment {
	rs, ok := e.world().Owner(pod).(*appsv1.ReplicaSet)
	if !ok {
		return nil
	}
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil || ref.Kind != "Deployment" {
		return nil
	}
	if d := e.world().Deployment(rs.Namespace, ref.Name); d != nil && d.UID == ref.UID {
		return d
	}
	return nil
}

// rolloutInProgress says whether a Deployment has pods of an older template beside its current ReplicaSet.
func (e *engine) rolloutInProgress(d *appsv1.Deployment) bool {
	if d.Spec.Paused || !e.unfinishedRollouts[d.UID] && d.Status.UpdatedReplicas >= d.Status.Replicas {
		return false
	}
	newest := e.newestReplicaSet(d)
	return newest != nil && !e.templateChanged(d) && slices.ContainsFunc(e.replicaSets(d), func(rs *appsv1.ReplicaSet) bool {
		return rs.UID != newest.UID && len(e.activePodsOf(rs)) > 0
	})
}

// continueQuotaRefused has controllers create the pods again that a quota has refused: they succeed once other pods are removed.
func (e *engine) continueQuotaRefused() error {
	if e.initial.Knowledge(cluster.Pod) != cluster.Complete {
		return nil
	}
	for _, rs := range e.initial.ReplicaSets() {
		if !failedForQuota(rs) {
			continue
		}
		ref := controllerRef("apps/v1", "ReplicaSet", rs)
		for range replicasOf(rs, 1) - e.activeCount(&ref) {
			e.requestRefused(e.newReplicaSetPod(rs))
		}
	}
	for _, set := range e.initial.StatefulSets() {
		if err := e.continueQuotaRefusedSet(set); err != nil {
			return err
		}
	}
	for _, set := range e.initial.DaemonSets() {
		if e.quotasOf(set.Namespace) == nil {
			continue
		}
		for _, node := range e.initial.Nodes() {
			if !kube.ShouldRunDaemonPod(set, node) || e.hasDaemonPod(set, node.Name) {
				continue
			}
			if pod := e.daemonPod(set, node.Name); e.refusedByQuotaOnly(pod) {
				e.requestRefused(pod)
			}
		}
	}
	return nil
}

// continueQuotaRefusedSet is continueQuotaRefused for a StatefulSet, whose status does not say what was refused.
func (e *engine) continueQuotaRefusedSet(set *appsv1.StatefulSet) error {
	if e.quotasOf(set.Namespace) == nil {
		return nil
	}
	for ordinal := startOrdinal(set); ordinal < startOrdinal(set)+replicasOf(set, 1); ordinal++ {
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		if e.pods.get(set.Namespace, name) != nil {
			continue
		}
		if _, blocked := e.blockingReplica(set, ordinal); blocked {
			return nil
		}
		pod, err := e.newStatefulSetPod(set, name)
		if err != nil || !e.refusedByQuotaOnly(pod) {
			return err
		}
		e.requestRefused(pod)
	}
	return nil
}

// requestRefused creates a pod that its owner tried to create before.
func (e *engine) requestRefused(pod *corev1.Pod) {
	e.fates.begin(pod).pending = true
	e.submitPod(pod)
}

// refusedByQuotaOnly says whether quotas refuse a pod and nothing else does.
func (e *engine) refusedByQuotaOnly(pod *corev1.Pod) bool {
	return e.forbidden(pod) == nil && e.quotasOf(pod.Namespace).Forbids(pod) != nil
}

// failedForQuota says whether a ReplicaSet could not create its last pod because of a quota.
//
// Source: plugin/pkg/admission/resourcequota of Kubernetes, for the words.
func failedForQuota(rs *appsv1.ReplicaSet) bool {
	return slices.ContainsFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
		return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue && strings.Contains(c.Message, "exceeded quota")
	})
}
