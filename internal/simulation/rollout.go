package simulation

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// newReplicaSet makes a Deployment's ReplicaSet of its present template, without pods yet.
func (f *future) newReplicaSet(d *appsv1.Deployment, replicas int) (*appsv1.ReplicaSet, error) {
	uid := f.names.uid()
	hash := fnv.New32a()
	_, _ = fmt.Fprintf(hash, "%s/%s/%s", d.Namespace, d.Name, uid) // A hash never fails to be written.
	suffix := rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + suffix, Namespace: d.Namespace, UID: uid, CreationTimestamp: *f.moment(),
			Labels: labelled(d.Spec.Template.Labels, suffix), Annotations: map[string]string{revisionAnnotation: strconv.Itoa(f.nextRevision(d))},
			OwnerReferences: []metav1.OwnerReference{ownerOf("apps/v1", "Deployment", d)},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(replicas)), Template: *d.Spec.Template.DeepCopy()},
	}
	if d.Spec.Selector != nil {
		rs.Spec.Selector = d.Spec.Selector.DeepCopy()
		rs.Spec.Selector.MatchLabels = labelled(rs.Spec.Selector.MatchLabels, suffix)
	}
	rs.Spec.Template.Labels = labelled(rs.Spec.Template.Labels, suffix)
	return rs, f.apply(cluster.Put(rs))
}

func labelled(labels map[string]string, hash string) map[string]string {
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	return labels
}

// rollDeployment replaces a Deployment's pods by those of its new template, as its strategy says: so many more, so many
// fewer. A rollout whose new pods fit nowhere stands still with the old ones it may not end.
//
// Source: pkg/controller/deployment of Kubernetes (rolling.go, recreate.go).
func (f *future) rollDeployment(ctx context.Context, d *appsv1.Deployment) error {
	if err := f.apply(cluster.Put(d)); err != nil {
		return err
	}
	left, err := f.advance(ctx, d)
	if err != nil || left == 0 {
		return err
	}
	ref := "deployment/" + d.Name
	f.gaps.note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": left}))
	return nil
}

// advance takes a rollout as far as it goes. It returns how many old pods are left.
func (f *future) advance(ctx context.Context, d *appsv1.Deployment) (left int, err error) {
	desired := replicasOf(d, 1)
	rs, made, err := f.replicaSetFor(d, desired)
	if err != nil {
		return 0, err
	}
	for _, other := range f.replicaSets(d) {
		if other.UID != rs.UID {
			f.giveUp(f.refusedOf(other.UID))
		}
	}
	old := f.oldPods(d, rs)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if old, err = f.endOld(old, nil, len(old), f.retire); err != nil { // No new pod is made before the old ones are gone.
			return 0, err
		}
	}
	if made, old, err = f.rollPods(ctx, d, rs, made, old); err != nil {
		return 0, err
	}
	if err := f.settle(ctx); err != nil {
		return 0, err
	}
	if f.stuck[d.UID] = len(old) > 0; f.stuck[d.UID] {
		reached := *rs
		reached.Spec.Replicas = new(int32(len(made)))
		if err := f.apply(cluster.Put(&reached)); err != nil {
			return 0, err
		}
	}
	return len(old), f.shrinkOld(d, rs)
}

// rollPods makes new pods and ends old ones, in turn, until neither may be done. It returns those that there are then.
func (f *future) rollPods(ctx context.Context, d *appsv1.Deployment, rs *appsv1.ReplicaSet, made, old []*corev1.Pod) (_, _ []*corev1.Pod, err error) {
	desired := replicasOf(d, 1)
	beside, fewer := rolling(d, desired)
	for waited := false; ; {
		before := len(old) + desired - len(made)
		for len(made) < desired && len(made)+len(old) < desired+beside {
			pod := f.podOfSet(rs)
			f.create(nil, pod)
			made = append(made, pod)
		}
		if waited { // What may end at once does before any new pod runs.
			if err := f.settle(ctx); err != nil {
				return nil, nil, err
			}
			old = f.oldPods(d, rs) // One that was preempted for a new pod has been replaced.
		}
		running := f.countReady(rs)
		spare := running + len(old) - (desired - fewer)
		if len(made) == desired && running == desired {
			spare = len(old)
		}
		if old, err = f.endOld(old, f.relatedTo(rs), min(max(spare, 0), len(old)), f.retireInTime); err != nil {
			return nil, nil, err
		}
		stands := len(old)+desired-len(made) >= before
		if stands && waited {
			return made, old, nil
		}
		waited = stands
	}
}

// rolling are how many pods more, and how many fewer, a Deployment may have during a rollout: a quarter by default, and as many fewer as
// there are to be where it recreates them.
func rolling(d *appsv1.Deployment, desired int) (beside, fewer int) {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return 0, desired
	}
	beside, fewer = (desired+3)/4, desired/4
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		beside, fewer = scaled(r.MaxSurge, desired, true, beside), scaled(r.MaxUnavailable, desired, false, fewer)
	}
	if beside == 0 {
		fewer = max(fewer, 1)
	}
	return beside, fewer
}

// replicaSetFor is a Deployment's ReplicaSet of its present template with the pods that it has: one that there is already, as
// after a rollback, or a new one.
//
// Source: pkg/controller/deployment/util of Kubernetes (FindNewReplicaSet).
func (f *future) replicaSetFor(d *appsv1.Deployment, desired int) (*appsv1.ReplicaSet, []*corev1.Pod, error) {
	sets := f.replicaSets(d)
	if newest := f.newest(d); newest != nil { // Others may only seem to be equal: the world holds no values of the environment.
		sets = append([]*appsv1.ReplicaSet{newest}, sets...)
	}
	for _, rs := range sets {
		if !sameTemplate(&rs.Spec.Template, &d.Spec.Template) {
			continue
		}
		again := *rs
		again.Spec.Replicas = new(int32(desired))
		again.Annotations = maps.Clone(rs.Annotations)
		if again.Annotations == nil {
			again.Annotations = map[string]string{}
		}
		again.Annotations[revisionAnnotation] = strconv.Itoa(f.nextRevision(d))
		if err := f.apply(cluster.Put(&again)); err != nil {
			return nil, nil, err
		}
		f.giveUp(f.refusedOf(rs.UID)) // It asks for them again.
		made := f.livePods(rs)
		if err := f.thin(made, f.relatedTo(rs), max(len(made)-desired, 0), message.Of(message.FateScaled, nil)); err != nil {
			return nil, nil, err
		}
		return &again, f.livePods(rs), nil
	}
	rs, err := f.newReplicaSet(d, desired)
	return rs, nil, err
}

// nextRevision is the number of the revision that follows a Deployment's newest.
func (f *future) nextRevision(d *appsv1.Deployment) int {
	newest := f.newest(d)
	if newest == nil {
		return 1
	}
	n, err := strconv.Atoi(newest.Annotations[revisionAnnotation])
	if err != nil {
		return 1 // Files written by hand have none.
	}
	return n + 1
}

// replicaSets are those of a Deployment.
func (f *future) replicaSets(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	var owned []*appsv1.ReplicaSet
	for _, rs := range f.world().ReplicaSets() {
		if owner := metav1.GetControllerOfNoCopy(rs); owner != nil && owner.UID == d.UID {
			owned = append(owned, rs)
		}
	}
	return owned
}

// oldPods are the pods of a Deployment's ReplicaSets but the present one.
func (f *future) oldPods(d *appsv1.Deployment, present *appsv1.ReplicaSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, rs := range f.replicaSets(d) {
		if rs.UID != present.UID {
			pods = append(pods, f.livePods(rs)...)
		}
	}
	return pods
}

// livePods are a ReplicaSet's pods that count for it.
func (f *future) livePods(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return slices.DeleteFunc(f.pods.of(rs.UID), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil || cluster.Ended(pod) })
}

// endOld ends some of the old pods, those that can best be done without first, and returns the others.
func (f *future) endOld(old, related []*corev1.Pod, count int, end func(*corev1.Pod) error) ([]*corev1.Pod, error) {
	ordered := f.leastNeeded(old, related)
	for _, pod := range ordered[:count] {
		if err := end(pod); err != nil {
			return nil, err
		}
		f.book.ends(pod, Ended, message.Of(message.FateRolled, nil), f.until())
	}
	return ordered[count:], nil
}

// shrinkOld sets the old ReplicaSets to the pods they still have.
func (f *future) shrinkOld(d *appsv1.Deployment, present *appsv1.ReplicaSet) error {
	for _, rs := range f.replicaSets(d) {
		if rs.UID == present.UID {
			continue
		}
		left := len(f.livePods(rs))
		shrunk := *rs
		shrunk.Spec.Replicas = new(int32(left))
		if err := f.apply(cluster.Put(&shrunk)); err != nil {
			return err
		}
	}
	return nil
}

// countReady is how many pods of a ReplicaSet run.
func (f *future) countReady(rs *appsv1.ReplicaSet) int {
	n := 0
	for _, pod := range f.livePods(rs) {
		if f.ready(pod) {
			n++
		}
	}
	return n
}
