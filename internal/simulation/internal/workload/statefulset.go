package workload

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// scaleStatefulSet scales a StatefulSet: up in order, each pod once those before are ready unless the set is Parallel; down from
// the last.
func (w *Controllers) scaleStatefulSet(set *appsv1.StatefulSet, desired int) error {
	scaled := *set
	scaled.Spec.Replicas = new(int32(desired))
	if err := w.engine.Edit(cluster.Put(&scaled)); err != nil {
		return err
	}
	w.engine.Budgets.Adjust(set.Namespace, set.Spec.Template.Labels, desired-replicas.Of(set, 1))
	w.engine.AbandonRefused(slices.DeleteFunc(w.engine.RefusedPodsOf(set.UID), func(pod *corev1.Pod) bool { return ordinalOf(pod) < startOrdinal(set)+desired }))
	if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		w.scaleDownInOrder(set)
		return w.fillStatefulSet(&scaled)
	}
	for _, pod := range w.surplusPods(&scaled) {
		if err := w.removeSurplus(pod); err != nil {
			return err
		}
	}
	return w.fillStatefulSet(&scaled)
}

// fillStatefulSet creates a StatefulSet's missing pods.
func (w *Controllers) fillStatefulSet(set *appsv1.StatefulSet) error {
	start := startOrdinal(set)
	for ordinal := start; ordinal < start+replicas.Of(set, 1); ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		if w.engine.Pods.Get(name.Namespace, name.Name) != nil || w.engine.Fates.Find(name) != nil {
			continue
		}
		pod, err := w.newStatefulSetPod(set, name.Name)
		if err != nil {
			return err
		}
		w.createInOrder(set, nil, pod)
	}
	return nil
}

// newStatefulSetPod is a pod of a StatefulSet. Its claims are created if they do not exist.
func (w *Controllers) newStatefulSetPod(set *appsv1.StatefulSet, name string) (*corev1.Pod, error) {
	pod := w.engine.PodFromTemplate(&set.Spec.Template, set.Namespace, name, controllerRef("apps/v1", "StatefulSet", set))
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.StatefulSetPodNameLabel] = name
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = set.Status.UpdateRevision
	for i := range set.Spec.VolumeClaimTemplates {
		template := &set.Spec.VolumeClaimTemplates[i]
		claim := template.Name + "-" + name
		pod.Spec.Volumes = append(
			slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == template.Name }),
			corev1.Volume{Name: template.Name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}},
		)
		if w.engine.World().Claim(set.Namespace, claim) != nil {
			continue
		}
		made := template.DeepCopy()
		made.Name, made.Namespace, made.UID = claim, set.Namespace, types.UID("")
		if err := w.engine.CreateClaim(made); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// rolloutStatefulSet replaces a StatefulSet's pods from the last to the first, each once the one after it runs.
func (w *Controllers) rolloutStatefulSet(ctx context.Context, set *appsv1.StatefulSet) error {
	updated := *set
	updated.Status.UpdateRevision = set.Name + "-" + string(w.engine.Names.UID())
	if err := w.engine.Edit(cluster.Put(&updated)); err != nil {
		return err
	}
	ref := "statefulset/" + set.Name
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		w.engine.Gaps.Note(ref, sentence.GapOnDelete(ref))
		return nil
	}
	for _, pod := range w.engine.RefusedPodsOf(set.UID) {
		next, err := w.newStatefulSetPod(&updated, pod.Name)
		if err != nil {
			return err
		}
		w.engine.DecrementActive(pod)
		w.engine.CreatePod(pod, next)
	}
	return w.replaceOutdated(ctx, &updated)
}

// replaceOutdated replaces the pods of a StatefulSet that are not of its update revision, from the last to the first, until one that
// is does not run. While the API server refuses one of the pods, none is replaced: the controller ends its sync at that error.
//
// Source: pkg/controller/statefulset of Kubernetes (updateStatefulSet).
func (w *Controllers) replaceOutdated(ctx context.Context, set *appsv1.StatefulSet) error {
	if w.rolloutBlocked(set, replicas.Of(set, 1)) {
		return nil
	}
	ref := "statefulset/" + set.Name
	first := startOrdinal(set) + partitionOf(set)
	lacks, err := w.lacksReplica(set)
	if err != nil {
		return err
	}
	if lacks {
		w.engine.Gaps.Note(ref, sentence.GapRollout(ref, len(w.engine.Pods.OwnedBy(set.UID))))
		return nil
	}
	for ordinal := startOrdinal(set) + replicas.Of(set, 1) - 1; ordinal >= first; ordinal-- {
		old := w.engine.Pods.Get(set.Namespace, fmt.Sprintf("%s-%d", set.Name, ordinal))
		if old == nil || old.Labels[appsv1.StatefulSetRevisionLabel] == set.Status.UpdateRevision && w.engine.PodReady(old) {
			continue
		}
		if old.Labels[appsv1.StatefulSetRevisionLabel] == set.Status.UpdateRevision {
			w.engine.Gaps.Note(ref, sentence.GapRollout(ref, ordinal-first))
			return nil
		}
		next, err := w.newStatefulSetPod(set, old.Name)
		if err != nil {
			return err
		}
		if err := w.engine.RemovePod(old); err != nil {
			return err
		}
		w.engine.CreatePod(old, next)
		if err := w.engine.SettleStep(ctx, func() bool { return !w.engine.IsWaiting(next) }); err != nil {
			return err
		}
		if w.engine.IsWaiting(next) {
			w.engine.Gaps.Note(ref, sentence.GapRollout(ref, ordinal-first))
			return nil
		}
	}
	return nil
}

// lacksReplica reports whether one of a StatefulSet's pods could not be created. Of one that the world never had, that is known only
// if the API server refuses it now: the snapshot may be incomplete.
func (w *Controllers) lacksReplica(set *appsv1.StatefulSet) (bool, error) {
	start := startOrdinal(set)
	for ordinal := start; ordinal < start+replicas.Of(set, 1); ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		if w.engine.Pods.Get(name.Namespace, name.Name) != nil {
			continue
		}
		if w.engine.Fates.Find(name) != nil {
			return true, nil
		}
		pod, err := w.newStatefulSetPod(set, name.Name)
		if err != nil || w.engine.Forbidden(pod) != nil {
			return true, err
		}
	}
	return false, nil
}

// rolloutBlocked reports whether a StatefulSet removes and replaces no pods because one of its first replicas is not ready.
func (w *Controllers) rolloutBlocked(set *appsv1.StatefulSet, desired int) bool {
	first, blocked := w.blockingReplica(set, startOrdinal(set)+desired)
	if blocked {
		w.noteOrdered(set, first)
	}
	return blocked
}

// noteOrdered notes that a StatefulSet waits for one of its pods.
func (w *Controllers) noteOrdered(set *appsv1.StatefulSet, first change.Ref) {
	ref := "statefulset/" + set.Name
	w.engine.Gaps.Note(ref, sentence.GapOrdered(ref, first))
}

// replaceStatefulSetPod creates the pod of the same name again, with the revision that applies to its ordinal.
func (w *Controllers) replaceStatefulSetPod(pod *corev1.Pod, set *appsv1.StatefulSet) error {
	start, ordinal := startOrdinal(set), ordinalOf(pod)
	if ordinal >= start+replicas.Of(set, 1) || ordinal < start {
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateSurplus(set.Name), w.engine.Elapsed())
		return nil
	}
	next := w.engine.ReplacementPod(pod, pod.Name)
	if own, present := pod.Labels[appsv1.StatefulSetRevisionLabel], set.Status.UpdateRevision; own != "" && present != "" && own != present && ordinal >= start+partitionOf(set) {
		made, err := w.newStatefulSetPod(set, pod.Name)
		if err != nil {
			return err
		}
		next = made
	}
	w.createInOrder(set, pod, next)
	return nil
}

// partitionOf is the number of a StatefulSet's first pods that keep their revision (pkg/controller/statefulset,
// newVersionedStatefulSetPod).
func partitionOf(set *appsv1.StatefulSet) int {
	if r := set.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		return int(*r.Partition)
	}
	return 0
}

// startOrdinal is the ordinal of a StatefulSet's first pod.
func startOrdinal(set *appsv1.StatefulSet) int {
	if set.Spec.Ordinals == nil {
		return 0
	}
	return int(set.Spec.Ordinals.Start)
}

// ordinalOf is the ordinal at the end of a StatefulSet's pod's name, -1 if there is none.
func ordinalOf(pod *corev1.Pod) int {
	i := strings.LastIndex(pod.Name, "-")
	ordinal := 0
	for _, digit := range pod.Name[i+1:] {
		if digit < '0' || digit > '9' {
			return -1
		}
		ordinal = ordinal*10 + int(digit-'0')
	}
	return ordinal
}
