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
)

// continueRollouts takes rollouts that are under way further once one of the Deployment's pods has gone or come.
func (f *future) continueRollouts(ctx context.Context) error {
	for _, d := range f.underWay() {
		if _, err := f.advance(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// underWay are the Deployments in a rollout with a pod that something has happened to, by name.
func (f *future) underWay() []*appsv1.Deployment {
	var found []*appsv1.Deployment
	for name := range f.book.now {
		pod := f.pods.get(name.Namespace, name.Name)
		if pod == nil {
			continue
		}
		if d := f.deploymentOf(pod); d != nil && f.halfRolled(d) && !slices.ContainsFunc(found, func(o *appsv1.Deployment) bool { return o.UID == d.UID }) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *appsv1.Deployment) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// deploymentOf is the Deployment that a pod belongs to, nil if there is none.
func (f *future) deploymentOf(pod *corev1.Pod) *appsv1.Deployment {
	rs, ok := f.world().Owner(pod).(*appsv1.ReplicaSet)
	if !ok {
		return nil
	}
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil || ref.Kind != "Deployment" {
		return nil
	}
	if d := f.world().Deployment(rs.Namespace, ref.Name); d != nil && d.UID == ref.UID {
		return d
	}
	return nil
}

// halfRolled says whether a Deployment has pods of an old template besides the present one's ReplicaSet.
func (f *future) halfRolled(d *appsv1.Deployment) bool {
	if d.Spec.Paused || !f.stuck[d.UID] && d.Status.UpdatedReplicas >= d.Status.Replicas {
		return false
	}
	newest := f.newest(d)
	return newest != nil && !f.outdated(d) && slices.ContainsFunc(f.replicaSets(d), func(rs *appsv1.ReplicaSet) bool {
		return rs.UID != newest.UID && len(f.livePods(rs)) > 0
	})
}

// continueRefused has controllers ask again for the pods that a quota refuses them: they get them once others have gone.
func (f *future) continueRefused() error {
	if f.present.Knowledge(cluster.Pod) != cluster.Complete {
		return nil
	}
	for _, rs := range f.present.ReplicaSets() {
		if !overQuota(rs) {
			continue
		}
		ref := ownerOf("apps/v1", "ReplicaSet", rs)
		for range replicasOf(rs, 1) - f.activeOf(&ref) {
			f.askStill(f.podOfSet(rs))
		}
	}
	for _, set := range f.present.StatefulSets() {
		if err := f.continueRefusedSet(set); err != nil {
			return err
		}
	}
	for _, set := range f.present.DaemonSets() {
		if f.quotasOf(set.Namespace) == nil {
			continue
		}
		for _, node := range f.present.Nodes() {
			if !wants(set, node) || f.hasDaemon(set, node.Name) {
				continue
			}
			if pod := f.daemonPod(set, node.Name); f.overQuotaNow(pod) {
				f.askStill(pod)
			}
		}
	}
	return nil
}

// continueRefusedSet is continueRefused for a StatefulSet, whose status does not say what it is refused.
func (f *future) continueRefusedSet(set *appsv1.StatefulSet) error {
	if f.quotasOf(set.Namespace) == nil {
		return nil
	}
	for ordinal := startOf(set); ordinal < startOf(set)+replicasOf(set, 1); ordinal++ {
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		if f.pods.get(set.Namespace, name) != nil {
			continue
		}
		if _, stalls := f.stalled(set, ordinal); stalls {
			return nil
		}
		pod, err := f.podOfStatefulSet(set, name)
		if err != nil || !f.overQuotaNow(pod) {
			return err
		}
		f.askStill(pod)
	}
	return nil
}

// askStill asks for a pod that its owner has asked for in vain already.
func (f *future) askStill(pod *corev1.Pod) {
	f.book.bears(pod).pending = true
	f.ask(pod)
}

// overQuotaNow says whether it is quotas alone that refuse a pod.
func (f *future) overQuotaNow(pod *corev1.Pod) bool {
	return f.forbidden(pod) == nil && f.quotasOf(pod.Namespace).Forbids(pod) != nil
}

// overQuota says whether a ReplicaSet could not make its last pod because of a quota.
//
// Source: plugin/pkg/admission/resourcequota of Kubernetes, for the words.
func overQuota(rs *appsv1.ReplicaSet) bool {
	return slices.ContainsFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
		return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue && strings.Contains(c.Message, "exceeded quota")
	})
}
