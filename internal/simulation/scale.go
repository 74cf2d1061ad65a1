package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// scale sets how many replicas a workload has.
func (f *future) scale(ctx context.Context, c change.ScaleWorkload) error {
	world := f.world()
	switch cluster.Kind(c.Kind) {
	case cluster.Deployment:
		if d := world.Deployment(c.Namespace, c.Name); d != nil {
			return f.scaleDeployment(d, c.Replicas)
		}
	case cluster.ReplicaSet:
		if rs := world.ReplicaSet(c.Namespace, c.Name); rs != nil {
			return f.scaleReplicaSet(rs, c.Replicas)
		}
	case cluster.StatefulSet:
		if set := world.StatefulSet(c.Namespace, c.Name); set != nil {
			return f.scaleSet(ctx, set, c.Replicas)
		}
	}
	return UnknownError{c.Subject()}
}

// scaleDeployment scales the newest of a Deployment's ReplicaSets.
func (f *future) scaleDeployment(d *appsv1.Deployment, replicas int) error {
	more := replicas - replicasOf(d, 1)
	scaled := *d
	scaled.Spec.Replicas = new(int32(replicas))
	if err := f.apply(cluster.Put(&scaled)); err != nil {
		return err
	}
	newest := f.newest(d)
	if newest == nil {
		rs, err := f.newReplicaSet(d, replicas)
		if err != nil {
			return err
		}
		return f.fill(rs)
	}
	return f.scaleReplicaSet(newest, max(replicasOf(newest, 1)+more, 0))
}

// newest is a Deployment's ReplicaSet of the latest revision, nil if there is none.
func (f *future) newest(d *appsv1.Deployment) *appsv1.ReplicaSet {
	var newest *appsv1.ReplicaSet
	revision := func(rs *appsv1.ReplicaSet) int {
		n, err := strconv.Atoi(rs.Annotations[revisionAnnotation])
		if err != nil {
			return 0 // Files written by hand have none.
		}
		return n
	}
	for _, rs := range f.world().ReplicaSets() {
		if owner := metav1.GetControllerOfNoCopy(rs); owner == nil || owner.UID != d.UID || rs.Namespace != d.Namespace {
			continue
		}
		if newest == nil || cmp.Or(revision(rs)-revision(newest), replicasOf(rs, 1)-replicasOf(newest, 1)) > 0 {
			newest = rs
		}
	}
	return newest
}

// revisionAnnotation tells a Deployment's ReplicaSets apart by age.
const revisionAnnotation = "deployment.kubernetes.io/revision"

func (f *future) scaleReplicaSet(rs *appsv1.ReplicaSet, replicas int) error {
	scaled := *rs
	scaled.Spec.Replicas = new(int32(replicas))
	if err := f.apply(cluster.Put(&scaled)); err != nil {
		return err
	}
	f.rescale(rs.Namespace, rs.Spec.Template.Labels, replicas-replicasOf(rs, 1))
	return f.fill(&scaled)
}

// rescale tells the budgets that cover a workload's pods how many there should be now.
func (f *future) rescale(namespace string, template map[string]string, more int) {
	for _, one := range f.budgets.in(namespace) {
		if one.selector.Matches(labels.Set(template)) {
			one.expects(one.expected + more)
		}
	}
}

// fill gives a ReplicaSet as many pods as it should have.
func (f *future) fill(rs *appsv1.ReplicaSet) error {
	ref := ownerOf("apps/v1", "ReplicaSet", rs)
	more := replicasOf(rs, 1) - f.activeOf(&ref)
	if more < 0 {
		return f.thin(f.pods.of(rs.UID), -more)
	}
	for range more {
		f.create(nil, f.podOfSet(rs))
	}
	return nil
}

// podOfSet is a ReplicaSet's new pod: like another of its pods, or as its template says.
func (f *future) podOfSet(rs *appsv1.ReplicaSet) *corev1.Pod {
	name := f.names.pod(rs.Namespace, rs.Name+"-")
	for _, sibling := range f.pods.of(rs.UID) {
		if sibling.DeletionTimestamp == nil {
			return f.renew(sibling, name)
		}
	}
	return f.fromTemplate(&rs.Spec.Template, rs.Namespace, name, ownerOf("apps/v1", "ReplicaSet", rs))
}

// thin ends the pods that a ReplicaSet can best do without.
//
// Source: pkg/controller of Kubernetes (ActivePodsWithRanks).
func (f *future) thin(pods []*corev1.Pod, count int) error {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || finished(p) })
	together := map[string]int{}
	for _, pod := range pods {
		if healthy(pod) {
			together[pod.Spec.NodeName]++
		}
	}
	shuffle(f.chance, pods)
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(
			compareBools(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			compareBools(a.Status.Phase == corev1.PodRunning, b.Status.Phase == corev1.PodRunning),
			compareBools(healthy(a), healthy(b)),
			cmp.Compare(deletionCost(a), deletionCost(b)),
			cmp.Compare(together[b.Spec.NodeName], together[a.Spec.NodeName]),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
		)
	})
	for _, pod := range pods[:min(count, len(pods))] {
		if err := f.retire(pod); err != nil {
			return err
		}
		f.book.ends(pod, Ended, message.Of(message.FateScaled, nil), f.until())
	}
	return nil
}

// compareBools sorts false first.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

func deletionCost(pod *corev1.Pod) int {
	cost, err := strconv.Atoi(pod.Annotations[corev1.PodDeletionCost])
	if err != nil {
		return 0 // as the controller takes it
	}
	return cost
}

// scaleSet gives a StatefulSet as many pods as it should have: new ones in order, each once the one before runs unless the
// set is Parallel; it is the last that go.
func (f *future) scaleSet(ctx context.Context, set *appsv1.StatefulSet, replicas int) error {
	scaled := *set
	scaled.Spec.Replicas = new(int32(replicas))
	if err := f.apply(cluster.Put(&scaled)); err != nil {
		return err
	}
	f.rescale(set.Namespace, set.Spec.Template.Labels, replicas-replicasOf(set, 1))
	for _, pod := range f.pods.of(set.UID) {
		if ordinalOf(pod) < startOf(set)+replicas {
			continue
		}
		if err := f.retire(pod); err != nil {
			return err
		}
		f.book.ends(pod, Ended, message.Of(message.FateScaled, nil), f.until())
	}
	return f.fillSet(ctx, &scaled)
}

// fillSet gives a StatefulSet the pods that it lacks.
func (f *future) fillSet(ctx context.Context, set *appsv1.StatefulSet) error {
	start, replicas := startOf(set), replicasOf(set, 1)
	var stuck *corev1.Pod
	for ordinal := start; ordinal < start+replicas; ordinal++ {
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		if f.pods.get(set.Namespace, name) != nil {
			continue
		}
		pod, err := f.podOfStatefulSet(set, name)
		if err != nil {
			return err
		}
		if stuck != nil {
			f.book.bears(pod).fate = Fate{Kind: Waiting, Pod: podRef(pod), Why: message.Of(message.FateOrdered, message.Args{"pod": podRef(stuck)})}
			continue
		}
		f.create(nil, pod)
		if set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
			continue
		}
		if err := f.settle(ctx); err != nil {
			return err
		}
		if f.waits(pod) {
			stuck = pod
		}
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
