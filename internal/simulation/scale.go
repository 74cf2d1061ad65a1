package simulation

import (
	"cmp"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// scale sets how many replicas a workload has.
func (f *future) scale(c change.ScaleWorkload) error {
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
			return f.scaleSet(set, c.Replicas)
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
	if newest == nil && d.Spec.Paused {
		return nil // Its first ReplicaSet comes once it is resumed.
	}
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
		refused := f.refusedOf(rs.UID)
		refused = refused[:min(-more, len(refused))]
		f.giveUp(refused)
		return f.thin(f.pods.of(rs.UID), f.relatedTo(rs), -more-len(refused), message.Of(message.FateScaled, nil))
	}
	for range more {
		f.create(nil, f.podOfSet(rs))
	}
	return nil
}

// podOfSet is a ReplicaSet's new pod: like another of its pods, or as its template says.
func (f *future) podOfSet(rs *appsv1.ReplicaSet) *corev1.Pod {
	name := f.names.pod(rs.Namespace, rs.Name+"-")
	if sibling := f.pods.first(rs.UID, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }); sibling != nil {
		return f.renew(sibling, name)
	}
	return f.fromTemplate(&rs.Spec.Template, rs.Namespace, name, ownerOf("apps/v1", "ReplicaSet", rs))
}

// thin ends the pods that a ReplicaSet, or a Job, can best do without. Related are those of the whole Deployment, nil for a Job.
func (f *future) thin(pods, related []*corev1.Pod, count int, why message.Sentence) error {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || cluster.Ended(p) })
	for _, pod := range f.leastNeeded(pods, related)[:min(count, len(pods))] {
		if err := f.retire(pod); err != nil {
			return err
		}
		f.book.ends(pod, Ended, why, f.until())
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
