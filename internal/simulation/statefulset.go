package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// scaleSet gives a StatefulSet as many pods as it should have: new ones in order, each once those before run unless the set
// is Parallel; it is the last that go.
func (f *future) scaleSet(set *appsv1.StatefulSet, replicas int) error {
	scaled := *set
	scaled.Spec.Replicas = new(int32(replicas))
	if err := f.apply(cluster.Put(&scaled)); err != nil {
		return err
	}
	f.rescale(set.Namespace, set.Spec.Template.Labels, replicas-replicasOf(set, 1))
	fewer := slices.DeleteFunc(f.pods.of(set.UID), func(pod *corev1.Pod) bool { return ordinalOf(pod) < startOf(set)+replicas })
	if len(fewer) > 0 && f.standsStill(set, replicas) {
		return nil
	}
	f.giveUp(slices.DeleteFunc(f.refusedOf(set.UID), func(pod *corev1.Pod) bool { return ordinalOf(pod) < startOf(set)+replicas }))
	for _, pod := range fewer {
		if err := f.retire(pod); err != nil {
			return err
		}
		f.book.ends(pod, Ended, message.Of(message.FateScaled, nil), f.until())
	}
	return f.fillSet(&scaled)
}

// fillSet gives a StatefulSet the pods that it lacks.
func (f *future) fillSet(set *appsv1.StatefulSet) error {
	start := startOf(set)
	for ordinal := start; ordinal < start+replicasOf(set, 1); ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		if f.pods.get(name.Namespace, name.Name) != nil || f.book.now[name] != nil {
			continue
		}
		pod, err := f.podOfStatefulSet(set, name.Name)
		if err != nil {
			return err
		}
		f.makeInTurn(set, nil, pod)
	}
	return nil
}

// podOfStatefulSet is a pod of a StatefulSet with the claims that go with its name, which are made if they are not there.
func (f *future) podOfStatefulSet(set *appsv1.StatefulSet, name string) (*corev1.Pod, error) {
	pod := f.fromTemplate(&set.Spec.Template, set.Namespace, name, ownerOf("apps/v1", "StatefulSet", set))
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
		if f.world().Claim(set.Namespace, claim) != nil {
			continue
		}
		made := template.DeepCopy()
		made.Name, made.Namespace, made.UID = claim, set.Namespace, types.UID("")
		if err := f.putClaim(made); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// rollSet replaces a StatefulSet's pods from the last to the first, each once the one after it runs.
func (f *future) rollSet(ctx context.Context, set *appsv1.StatefulSet) error {
	updated := *set
	updated.Status.UpdateRevision = set.Name + "-" + string(f.names.uid())
	if err := f.apply(cluster.Put(&updated)); err != nil {
		return err
	}
	ref := "statefulset/" + set.Name
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		f.gaps.note(ref, message.Of(message.GapOnDelete, message.Args{"set": ref}))
		return nil
	}
	if f.standsStill(set, replicasOf(set, 1)) {
		return nil
	}
	first, start := partitionOf(set), startOf(set)
	for ordinal := start + replicasOf(set, 1) - 1; ordinal >= max(start, first); ordinal-- {
		old := f.pods.get(set.Namespace, fmt.Sprintf("%s-%d", set.Name, ordinal))
		if old == nil {
			continue
		}
		next, err := f.podOfStatefulSet(&updated, old.Name)
		if err != nil {
			return err
		}
		if err := f.retire(old); err != nil {
			return err
		}
		f.create(old, next)
		if err := f.proceed(ctx, func() bool { return !f.waits(next) }); err != nil {
			return err
		}
		if f.waits(next) {
			f.gaps.note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": ordinal - max(start, first)}))
			return nil
		}
	}
	return nil
}

// standsStill says whether a StatefulSet ends and replaces nothing because one of so many pods does not run.
func (f *future) standsStill(set *appsv1.StatefulSet, replicas int) bool {
	first, stalls := f.stalled(set, startOf(set)+replicas)
	if stalls {
		ref := "statefulset/" + set.Name
		f.gaps.note(ref, message.Of(message.GapOrdered, message.Args{"set": ref, "pod": first}))
	}
	return stalls
}

// replaceInSet makes the pod of the same name again, of the revision that its number is due.
func (f *future) replaceInSet(pod *corev1.Pod, set *appsv1.StatefulSet) error {
	start, ordinal := startOf(set), ordinalOf(pod)
	if ordinal >= start+replicasOf(set, 1) || ordinal < start {
		f.book.ends(pod, Ended, message.Of(message.FateSurplus, message.Args{"owner": set.Name}), f.until())
		return nil
	}
	next := f.renew(pod, pod.Name)
	if own, present := pod.Labels[appsv1.StatefulSetRevisionLabel], set.Status.UpdateRevision; own != "" && present != "" && own != present && ordinal >= start+partitionOf(set) {
		made, err := f.podOfStatefulSet(set, pod.Name)
		if err != nil {
			return err
		}
		next = made
	}
	f.makeInTurn(set, pod, next)
	return nil
}

// partitionOf is how many of a StatefulSet's first pods keep the revision they have (pkg/controller/statefulset,
// newVersionedStatefulSetPod).
func partitionOf(set *appsv1.StatefulSet) int {
	if r := set.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		return int(*r.Partition)
	}
	return 0
}

// startOf is the number of a StatefulSet's first pod.
func startOf(set *appsv1.StatefulSet) int {
	if set.Spec.Ordinals == nil {
		return 0
	}
	return int(set.Spec.Ordinals.Start)
}

// ordinalOf is the number at the end of a StatefulSet's pod's name, -1 if there is none.
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
