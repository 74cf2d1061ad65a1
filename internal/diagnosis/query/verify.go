package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// prediction is the result of simulating changes for pods.
type prediction int

const (
	predictionUnknown   prediction = iota // it cannot be simulated, or too little is known
	predictionScheduled                   // each pod, or what replaces it, gets a node
	predictionPending                     // some pod does not
)

// verifiedFutures is in how many futures a remedy must help: the scheduler decides at random between equal nodes and pods.
const verifiedFutures = 10

// errRefuted is that a remedy does not help in some future.
var errRefuted = errors.New("a pod gets no node")

// predict simulates changes and returns whether all of the pods get a node in every future, and which pods are preempted in some. It leaves the judge
// unchanged. Without a judge, or if the world contains only some of the pods, the result is unknown.
func (q Query) predict(ctx context.Context, changes []change.Change, pods ...*corev1.Pod) (prediction, []change.Ref, error) {
	if !q.CanSimulate() || !q.Judge.Models(pods[0]) || !q.SchedulingKnown(pods[0]) {
		return predictionUnknown, nil, nil
	}
	found, preempted, suspect := predictionScheduled, []change.Ref(nil), []change.Ref(nil)
	err := simulation.Inspect(ctx, q.Judge, changes, simulation.Options{}, func(o outcome.Outcome) error {
		if !q.allScheduled(o, pods) {
			return errRefuted
		}
		for _, fate := range o.Fates {
			if fate.Kind == outcome.Preempted {
				preempted = append(preempted, fate.Pod)
			}
			if q.disrupts(fate) && q.asImportant(fate.Pod, pods[0], o.World) && !slices.ContainsFunc(changes, func(c change.Change) bool { return c.Subject() == fate.Pod }) {
				suspect = append(suspect, fate.Pod)
			}
		}
		return nil
	})
	if err == nil {
		err = q.holdsInFutures(ctx, changes, pods)
	}
	switch {
	case errors.Is(err, errRefuted):
		return predictionPending, nil, nil
	case err == nil && len(suspect) > 0:
		found, err = q.predictWithoutChanges(ctx, changes, suspect)
	}
	if err != nil {
		return predictionUnknown, nil, fmt.Errorf("playing a remedy for %s: %w", facts.RefTo(cluster.Pod, pods[0]), err)
	}
	return found, preempted, nil
}

// holdsInFutures simulates changes in more futures; it is errRefuted if one of the pods gets no node in some.
func (q Query) holdsInFutures(ctx context.Context, changes []change.Change, pods []*corev1.Pod) error {
	left := verifiedFutures
	return simulation.Inspect(ctx, q.Judge, changes, simulation.Options{Seeds: verifiedFutures}, func(o outcome.Outcome) error {
		if left--; left > 0 && !q.allScheduled(o, pods) { // The last is the first future once more.
			return errRefuted
		}
		return nil
	})
}

// disrupts reports whether a pod that runs now is preempted, lost, or Pending at the end. A pod that a rollout replaces is not disrupted.
func (q Query) disrupts(fate outcome.Fate) bool {
	pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
	if pod == nil || !cluster.Runs(pod) {
		return false
	}
	switch fate.Kind {
	case outcome.Preempted, outcome.Lost:
		return true
	case outcome.Waiting:
		return fate.To != fate.From || fate.Why.ID == message.FateAttach // Else it is kept where it is.
	default:
		return false
	}
}

// asImportant reports whether a pod is as important as the one that a remedy is for is then, or of its workload: a remedy that only hands the problem
// on to it is none.
func (q Query) asImportant(ref change.Ref, subject *corev1.Pod, future *cluster.Snapshot) bool {
	pod, workload := q.World.Pod(ref.Namespace, ref.Name), facts.WorkloadRef(q.World, subject)
	highest := ptr.Deref(subject.Spec.Priority, 0)
	for _, now := range facts.PodsOfWorkload(future, workload) {
		highest = max(highest, ptr.Deref(now.Spec.Priority, 0))
	}
	return ptr.Deref(pod.Spec.Priority, 0) >= highest || facts.WorkloadRef(q.World, pod) == workload
}

// predictWithoutChanges is whether pods that stop would also do so without the changes, in the same world: what goes on there anyway, such
// as a rollout, is no harm of theirs.
func (q Query) predictWithoutChanges(ctx context.Context, changes []change.Change, suspect []change.Ref) (prediction, error) {
	result, err := simulation.Compare(ctx, q.Judge, changes, simulation.Options{})
	if err != nil {
		return predictionUnknown, err
	}
	for _, harm := range result.Compared.Harms {
		if slices.ContainsFunc(suspect, func(ref change.Ref) bool { return slices.Contains(harm.Pods, ref) }) {
			return predictionPending, nil
		}
	}
	return predictionScheduled, nil
}

// allScheduled reports whether each pod, or what replaces it, has a node in the end on which nothing keeps it from starting. Pods that a change of
// their template ended are replaced by some of other names: their workload must then have as many with a node as it wants.
func (q Query) allScheduled(o outcome.Outcome, pods []*corev1.Pod) bool {
	fates := map[change.Ref]string{}
	for _, fate := range o.Fates {
		fates[fate.Pod] = fate.To
		if fate.Why.ID == message.FateAttach {
			fates[fate.Pod] = ""
		}
	}
	renewed := map[change.Ref]bool{}
	for _, pod := range pods {
		node, ok := fates[facts.RefTo(cluster.Pod, pod)]
		now := o.World.Pod(pod.Namespace, pod.Name)
		if !ok && now != nil && !q.waitsForAttach(now) {
			node = now.Spec.NodeName
		}
		switch workload := facts.WorkloadRef(q.World, pod); {
		case node != "":
		case now == nil && workload.Kind != string(cluster.Pod):
			renewed[workload] = true
		default:
			return false
		}
	}
	for workload := range renewed {
		if q.scheduledReplicas(o.World, workload) < desiredReplicas(q.World, workload) {
			return false
		}
	}
	return !slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		workload, toCreate := facts.WorkloadRef(q.World, pod), ReplicasToCreate(q.World, pod)
		return toCreate > 0 && q.scheduledReplicas(o.World, workload) < len(facts.PodsOfWorkload(q.World, workload))+toCreate
	})
}

// ReplicasToCreate is how many pods the ordered StatefulSet of a pod is yet to create, one after the other, once the pods before them are ready.
func ReplicasToCreate(world *cluster.Snapshot, pod *corev1.Pod) int {
	set, ok := world.Workload(pod).(*appsv1.StatefulSet)
	if !ok || set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return 0
	}
	return max(0, int(ptr.Deref(set.Spec.Replicas, 1))-len(world.PodsOf(set.UID)))
}

// desiredReplicas is how many pods a workload has now, but of a Deployment no more than its replicas: a rollout makes some beside them.
func desiredReplicas(world *cluster.Snapshot, workload change.Ref) int {
	n := len(facts.PodsOfWorkload(world, workload))
	if workload.Kind != string(cluster.Deployment) {
		return n
	}
	return min(n, int(ptr.Deref(world.Deployment(workload.Namespace, workload.Name).Spec.Replicas, 1)))
}

// scheduledReplicas counts the pods of a workload in a future that have a node on which nothing keeps them from starting.
func (q Query) scheduledReplicas(future *cluster.Snapshot, workload change.Ref) int {
	return len(slices.DeleteFunc(facts.PodsOfWorkload(future, workload), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" || q.waitsForAttach(p) }))
}

// waitsForAttach reports whether a pod of a future got a node and waits there for a volume.
func (q Query) waitsForAttach(pod *corev1.Pod) bool {
	was := q.World.Pod(pod.Namespace, pod.Name)
	placed := was == nil || was.Spec.NodeName == "" || was.UID != pod.UID
	return placed && pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodPending
}

// SchedulingKnown reports whether all that bears on where the pod can run is known, other pods included.
func (q Query) SchedulingKnown(pod *corev1.Pod) bool {
	return q.World.Knowledge(cluster.Pod) == cluster.Complete && q.Known(SchedulingKinds(q.World, pod)...)
}

// SchedulingKinds are the kinds without which nothing can be said of where the pod can run.
func SchedulingKinds(world *cluster.Snapshot, pod *corev1.Pod) []cluster.Kind {
	kinds := []cluster.Kind{cluster.Node, cluster.Pod}
	if facts.MountsClaim(pod) {
		kinds = append(kinds, cluster.PersistentVolumeClaim, cluster.PersistentVolume)
	}
	if slices.ContainsFunc(facts.Mounts(world, pod), func(m facts.Mount) bool { return m.Volume == nil }) {
		kinds = append(kinds, cluster.StorageClass)
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		kinds = append(kinds, cluster.ResourceClaim, cluster.ResourceSlice, cluster.DeviceClass)
	}
	return kinds
}

// ProposedRemedy is a remedy not yet proven.
type ProposedRemedy struct {
	finding.Remedy
	// AlsoScheduled are pods that must have a node in the end beside those that wait.
	AlsoScheduled []*corev1.Pod
	// Cordoned is the node that the command keeps new pods off meanwhile; empty is none.
	Cordoned string
}

// changes are those that the command makes, one after the other.
func (w ProposedRemedy) changes() []change.Change {
	if w.Cordoned == "" {
		return []change.Change{w.Change}
	}
	return []change.Change{change.Cordon{Node: w.Cordoned}, w.Change, change.Uncordon{Node: w.Cordoned}}
}

const (
	// MaxRemedies is how many remedies are shown; more only ask the reader to choose.
	MaxRemedies = 3
	// maxSimulated is how many are simulated to find them.
	maxSimulated = 10
)

// Verify keeps the first ways that the simulation does not refute, each marked with what it says. Of one that cannot be
// simulated, no more is known than before.
func (q Query) Verify(ctx context.Context, proposals []ProposedRemedy, pods ...*corev1.Pod) []finding.Remedy {
	var kept []finding.Remedy
	for _, w := range proposals[:min(len(proposals), maxSimulated)] {
		if len(kept) == MaxRemedies || ctx.Err() != nil {
			break
		}
		if slices.ContainsFunc(kept, func(r finding.Remedy) bool { return isLargerResize(w.Change, r.Change) }) {
			continue
		}
		found, preempted, err := q.predict(ctx, w.changes(), append(slices.Clip(pods), w.AlsoScheduled...)...)
		if err != nil || found == predictionPending {
			continue
		}
		w.Verified = found == predictionScheduled
		if len(preempted) > 0 {
			w.Cost = message.Sequence(w.Cost, sentence.RemedyPreempts(q.Enumerate(preempted)))
		}
		kept = append(kept, w.Remedy)
	}
	return kept
}

// isLargerResize reports whether a change makes a group larger than one that helps already.
func isLargerResize(done, helps change.Change) bool {
	a, resizes := done.(change.ResizeGroup)
	b, too := helps.(change.ResizeGroup)
	return resizes && too && a.Subject() == b.Subject() && a.To > b.To
}
