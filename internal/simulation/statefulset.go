package simulation

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
	"github.com/naosu-dev/naosu/internal/message"
)

// scaleStatefulSet scales a StatefulSet: up in order, each pod once those before are ready unless the set is Parallel; down from
// the last.
func (e *engine) scaleStatefulSet(set *appsv1.StatefulSet, replicas int) error {
	scaled := *set
	scaled.Spec.Replicas = new(int32(replicas))
	if err := e.edit(cluster.Put(&scaled)); err != nil {
		return err
	}
	e.adjustBudgets(set.Namespace, set.Spec.Template.Labels, replicas-replicasOf(set, 1))
	e.abandonRefused(slices.DeleteFunc(e.refusedPodsOf(set.UID), func(pod *corev1.Pod) bool { return ordinalOf(pod) < startOrdinal(set)+replicas }))
	if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		e.scaleDownInOrder(set)
		return e.fillStatefulSet(&scaled)
	}
	for _, pod := range e.surplusPods(&scaled) {
		if err := e.removeSurplus(pod); err != nil {
			return err
		}
	}
	return e.fillStatefulSet(&scaled)
}

// fillStatefulSet creates a StatefulSet's missing pods.
func (e *engine) fillStatefulSet(set *appsv1.StatefulSet) error {
	start := startOrdinal(set)
	for ordinal := start; ordinal < start+replicasOf(set, 1); ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		if e.pods.get(name.Namespace, name.Name) != nil || e.fates.byPod[name] != nil {
			continue
		}
		pod, err := e.newStatefulSetPod(set, name.Name)
		if err != nil {
			return err
		}
		e.createInOrder(set, nil, pod)
	}
	return nil
}

// newStatefulSetPod is a pod of a StatefulSet. Its claims are created if they do not exist.
func (e *engine) newStatefulSetPod(set *appsv1.StatefulSet, name string) (*corev1.Pod, error) {
	pod := e.podFromTemplate(&set.Spec.Template, set.Namespace, name, controllerRef("apps/v1", "StatefulSet", set))
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
		if e.world().Claim(set.Namespace, claim) != nil {
			continue
		}
		made := template.DeepCopy()
		made.Name, made.Namespace, made.UID = claim, set.Namespace, types.UID("")
		if err := e.createClaim(made); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// rolloutStatefulSet replaces a StatefulSet's pods from the last to the first, each once the one after it runs.
func (e *engine) rolloutStatefulSet(ctx context.Context, set *appsv1.StatefulSet) error {
	updated := *set
	updated.Status.UpdateRevision = set.Name + "-" + string(e.names.uid())
	if err := e.edit(cluster.Put(&updated)); err != nil {
		return err
	}
	ref := "statefulset/" + set.Name
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		e.gaps.note(ref, message.Of(message.GapOnDelete, message.Args{"set": ref}))
		return nil
	}
	for _, pod := range e.refusedPodsOf(set.UID) {
		next, err := e.newStatefulSetPod(&updated, pod.Name)
		if err != nil {
			return err
		}
		e.decrementActive(pod)
		e.createPod(pod, next)
	}
	return e.replaceOutdated(ctx, &updated)
}

// replaceOutdated replaces the pods of a StatefulSet that are not of its update revision, from the last to the first, until one that
// is does not run. While the API server refuses one of the pods, none is replaced: the controller ends its sync at that error.
//
// Source: pkg/controller/statefulset of Kubernetes (updateStatefulSet).
func (e *engine) replaceOutdated(ctx context.Context, set *appsv1.StatefulSet) error {
	if e.rolloutBlocked(set, replicasOf(set, 1)) {
		return nil
	}
	ref := "statefulset/" + set.Name
	first := startOrdinal(set) + partitionOf(set)
	if len(e.refusedPodsOf(set.UID)) > 0 {
		e.gaps.note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": len(e.pods.ownedBy(set.UID))}))
		return nil
	}
	for ordinal := startOrdinal(set) + replicasOf(set, 1) - 1; ordinal >= first; ordinal-- {
		old := e.pods.get(set.Namespace, fmt.Sprintf("%s-%d", set.Name, ordinal))
		if old == nil || old.Labels[appsv1.StatefulSetRevisionLabel] == set.Status.UpdateRevision && e.podReady(old) {
			continue
		}
		if old.Labels[appsv1.StatefulSetRevisionLabel] == set.Status.UpdateRevision {
			e.gaps.note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": ordinal - first}))
			return nil
		}
		next, err := e.newStatefulSetPod(set, old.Name)
		if err != nil {
			return err
		}
		if err := e.removePod(old); err != nil {
			return err
		}
		e.createPod(old, next)
		if err := e.settleStep(ctx, func() bool { return !e.isWaiting(next) }); err != nil {
			return err
		}
		if e.isWaiting(next) {
			e.gaps.note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": ordinal - first}))
			return nil
		}
	}
	return nil
}

// rolloutBlocked says whether a StatefulSet removes and replaces no pods because one of its first replicas is not ready.
func (e *engine) rolloutBlocked(set *appsv1.StatefulSet, replicas int) bool {
	first, blocked := e.blockingReplica(set, startOrdinal(set)+replicas)
	if blocked {
		e.noteOrdered(set, first)
	}
	return blocked
}

// noteOrdered notes that a StatefulSet waits for one of its pods.
func (e *engine) noteOrdered(set *appsv1.StatefulSet, first change.Ref) {
	ref := "statefulset/" + set.Name
	e.gaps.note(ref, message.Of(message.GapOrdered, message.Args{"set": ref, "pod": first}))
}

// replaceStatefulSetPod creates the pod of the same name again, with the revision that applies to its ordinal.
func (e *engine) replaceStatefulSetPod(pod *corev1.Pod, set *appsv1.StatefulSet) error {
	start, ordinal := startOrdinal(set), ordinalOf(pod)
	if ordinal >= start+replicasOf(set, 1) || ordinal < start {
		e.fates.end(pod, Ended, message.Of(message.FateSurplus, message.Args{"owner": set.Name}), e.elapsed())
		return nil
	}
	next := e.replacementPod(pod, pod.Name)
	if own, present := pod.Labels[appsv1.StatefulSetRevisionLabel], set.Status.UpdateRevision; own != "" && present != "" && own != present && ordinal >= start+partitionOf(set) {
		made, err := e.newStatefulSetPod(set, pod.Name)
		if err != nil {
			return err
		}
		next = made
	}
	e.createInOrder(set, pod, next)
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
