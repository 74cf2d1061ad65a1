package query

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// proof is what playing changes forward says of a pod.
type proof int

const (
	proofNone  proof = iota // cannot be played, or too little is known
	proofRuns               // the pod, or what replaces it, gets a node
	proofWaits              // it does not
)

// play plays changes forward and looks at what becomes of the pods, all of which must land, and at who gives way. It
// leaves the judge as it was. Without a judge, or where the world holds only some of the pods, it says nothing.
func (v View) play(ctx context.Context, changes []change.Change, pods ...*corev1.Pod) (proof, []change.Ref, error) {
	if !v.Foresees() || !v.Judge.Models(pods[0]) || !v.Sure(pods[0]) {
		return proofNone, nil, nil
	}
	found, preempted, suspect := proofWaits, []change.Ref(nil), []change.Ref(nil)
	err := simulation.Inspect(ctx, v.Judge, changes, simulation.Options{}, func(o simulation.Outcome) error {
		if v.landed(o, pods) {
			found = proofRuns
		}
		for _, fate := range o.Fates {
			if fate.Kind == simulation.Preempted {
				preempted = append(preempted, fate.Pod)
			}
			if v.stops(fate) && v.outweighs(fate.Pod, pods[0], o.World) && !slices.ContainsFunc(changes, func(c change.Change) bool { return c.Subject() == fate.Pod }) {
				suspect = append(suspect, fate.Pod)
			}
		}
		return nil
	})
	if err == nil && found == proofRuns && len(suspect) > 0 {
		found, err = v.withoutHarm(ctx, changes, suspect)
	}
	if err != nil {
		return proofNone, nil, fmt.Errorf("playing a remedy for %s: %w", facts.RefTo(cluster.Pod, pods[0]), err)
	}
	return found, preempted, nil
}

// stops says whether a pod that runs now is pushed aside, lost, or waits in the end. One that a rollout replaces has ended.
func (v View) stops(fate simulation.Fate) bool {
	pod := v.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
	if pod == nil || !cluster.Runs(pod) {
		return false
	}
	switch fate.Kind {
	case simulation.Preempted, simulation.Lost:
		return true
	case simulation.Waiting:
		return fate.To != fate.From || fate.Why.ID == message.FateAttach // Else it is kept where it is.
	default:
		return false
	}
}

// outweighs says whether a pod is as important as the one that a remedy is for is then, or of its workload: a remedy that only
// hands the trouble on to it is none.
func (v View) outweighs(ref change.Ref, subject *corev1.Pod, future *cluster.Snapshot) bool {
	pod, workload := v.World.Pod(ref.Namespace, ref.Name), facts.RefOfWorkload(v.World, subject)
	highest := ptr.Deref(subject.Spec.Priority, 0)
	for _, now := range facts.PodsOfWorkload(future, workload) {
		highest = max(highest, ptr.Deref(now.Spec.Priority, 0))
	}
	return ptr.Deref(pod.Spec.Priority, 0) >= highest || facts.RefOfWorkload(v.World, pod) == workload
}

// withoutHarm is whether pods that stop would also do so without the changes, in the same world: what goes on there anyway, such
// as a rollout, is no harm of theirs.
func (v View) withoutHarm(ctx context.Context, changes []change.Change, suspect []change.Ref) (proof, error) {
	outcome, err := simulation.Compare(ctx, v.Judge, changes, simulation.Options{})
	if err != nil {
		return proofNone, err
	}
	for _, harm := range outcome.Compared.Harms {
		if slices.ContainsFunc(suspect, func(ref change.Ref) bool { return slices.Contains(harm.Pods, ref) }) {
			return proofWaits, nil
		}
	}
	return proofRuns, nil
}

// landed says whether each pod, or what replaces it, has a node in the end on which nothing keeps it from starting. Pods that a change of their template ended are
// replaced by some of other names: their workload must then have as many with a node as it wants.
func (v View) landed(o simulation.Outcome, pods []*corev1.Pod) bool {
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
		if !ok && now != nil && !v.attaches(now) {
			node = now.Spec.NodeName
		}
		switch workload := facts.RefOfWorkload(v.World, pod); {
		case node != "":
		case now == nil && workload.Kind != string(cluster.Pod):
			renewed[workload] = true
		default:
			return false
		}
	}
	for workload := range renewed {
		if v.placed(o.World, workload) < wanted(v.World, workload) {
			return false
		}
	}
	return true
}

// wanted is how many pods a workload has now, but of a Deployment no more than its replicas: a rollout makes some beside them.
func wanted(world *cluster.Snapshot, workload change.Ref) int {
	n := len(facts.PodsOfWorkload(world, workload))
	if workload.Kind != string(cluster.Deployment) {
		return n
	}
	return min(n, int(ptr.Deref(world.Deployment(workload.Namespace, workload.Name).Spec.Replicas, 1)))
}

// placed counts the pods of a workload in a future that have a node on which nothing keeps them from starting.
func (v View) placed(future *cluster.Snapshot, workload change.Ref) int {
	return len(slices.DeleteFunc(facts.PodsOfWorkload(future, workload), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" || v.attaches(p) }))
}

// attaches says whether a pod of a future got a node and waits there for a volume.
func (v View) attaches(pod *corev1.Pod) bool {
	was := v.World.Pod(pod.Namespace, pod.Name)
	placed := was == nil || was.Spec.NodeName == "" || was.UID != pod.UID
	return placed && pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodPending
}

// Sure says whether all that bears on where the pod can run is known, other pods included.
func (v View) Sure(pod *corev1.Pod) bool {
	return v.World.Knowledge(cluster.Pod) == cluster.Complete && v.Knows(Bearing(v.World, pod)...)
}

// Bearing are the kinds without which nothing can be said of where the pod can run.
func Bearing(world *cluster.Snapshot, pod *corev1.Pod) []cluster.Kind {
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

// Way is a remedy not yet proven.
type Way struct {
	finding.Remedy
	// Also are pods that must have a node in the end beside those that wait.
	Also []*corev1.Pod
	// Closed is the node that the command keeps new pods off meanwhile; empty is none.
	Closed string
}

// changes are those that the command makes, one after the other.
func (w Way) changes() []change.Change {
	if w.Closed == "" {
		return []change.Change{w.Change}
	}
	return []change.Change{change.Cordon{Node: w.Closed}, w.Change, change.Uncordon{Node: w.Closed}}
}

const (
	// MostRemedies is how many ways out are shown; more only ask the reader to choose.
	MostRemedies = 3
	// mostTried is how many are played forward to find them.
	mostTried = 10
)

// Proven keeps the first ways that the simulation does not refute, each marked with what it says. Of one that cannot be
// played, no more is known than before.
func (v View) Proven(ctx context.Context, ways []Way, pods ...*corev1.Pod) []finding.Remedy {
	var kept []finding.Remedy
	for _, w := range ways[:min(len(ways), mostTried)] {
		if len(kept) == MostRemedies || ctx.Err() != nil {
			break
		}
		if slices.ContainsFunc(kept, func(r finding.Remedy) bool { return larger(w.Change, r.Change) }) {
			continue
		}
		found, preempted, err := v.play(ctx, w.changes(), append(slices.Clip(pods), w.Also...)...)
		if err != nil || found == proofWaits {
			continue
		}
		w.Verified = found == proofRuns
		if len(preempted) > 0 {
			w.Cost += " " + v.Say.Text(message.RemedyPreempts, message.Args{"pods": v.Some(preempted)})
		}
		kept = append(kept, w.Remedy)
	}
	return kept
}

// larger says whether a change makes a group larger than one that helps already.
func larger(done, helps change.Change) bool {
	a, resizes := done.(change.ResizeGroup)
	b, too := helps.(change.ResizeGroup)
	return resizes && too && a.Subject() == b.Subject() && a.To > b.To
}
