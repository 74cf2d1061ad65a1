package action

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// evictTimeout is for how long the eviction of one pod is tried: a PodDisruptionBudget may refuse it for a while.
	evictTimeout = 2 * time.Minute
	// evictInterval is the time between two attempts, replacedInterval that between two looks for the pod created in its place.
	evictInterval    = 5 * time.Second
	replacedInterval = time.Second
	// replacedTimeout is for how long the pod created in place of an evicted one may take to be Ready.
	replacedTimeout = 5 * time.Minute
)

// rebalanceEffect is what a rebalanceTransition does beside what it records. Each is idempotent.
type rebalanceEffect string

const (
	noRebalanceEffect rebalanceEffect = ""
	startEvictions    rebalanceEffect = "start"    // runs the guard's checks, and begins the first wave
	nextWave          rebalanceEffect = "nextWave" // simulates the rest of the plan, and begins the next wave or concludes
	evictPod          rebalanceEffect = "evictPod" // evicts the pod of the last step
)

// rebalanceTransition is the next change of a Remediation of a RebalancePolicy: what is recorded, then the effect, then after what time to observe again.
type rebalanceTransition struct {
	// end is how the last step ended, begin the one that follows.
	end      *stepEnd
	begin    *v1alpha1.Step
	conclude *conclusion

	effect       rebalanceEffect
	requeueAfter time.Duration
}

// rebalanceObservation is what the next transition is decided by.
type rebalanceObservation struct {
	now time.Time
	// policy is nil if it is gone.
	policy *v1alpha1.RebalancePolicy
	// obsolete says that nothing was evicted, and that the plan is not needed any more.
	obsolete bool
	// pod is the pod of the last step, as read past any cache; nil if it is gone, is another of its name, or is being deleted.
	pod *corev1.Pod
	// refusal is why the last attempt to evict it was refused; empty if it was not.
	refusal string
	// world has the pods created in place of evicted ones. It may be some seconds old.
	world *cluster.Snapshot
}

// nextEviction is the next transition of a Remediation of a RebalancePolicy.
func nextEviction(r *v1alpha1.Remediation, s rebalanceObservation) rebalanceTransition {
	switch {
	case r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil:
		return rebalanceTransition{}
	case r.Annotations[v1alpha1.RemediationAbortAnnotation] == "true":
		return stopEvictions(r, conclude(v1alpha1.RemediationAbortedReason, sentence.ActionAborted()))
	case r.Spec.Approval == v1alpha1.Rejected:
		return stopEvictions(r, conclude(v1alpha1.RemediationRejectedReason, sentence.GuardRejected()))
	case s.policy == nil:
		return stopEvictions(r, conclude(v1alpha1.RemediationNotAskedReason, sentence.ActionPolicyGone()))
	case r.Status.Phase != v1alpha1.PhaseRunning && s.obsolete:
		return stopEvictions(r, conclude(v1alpha1.RemediationNotNeededReason, sentence.RebalanceNotNeeded()))
	case r.Status.Phase != v1alpha1.PhaseRunning:
		return rebalanceTransition{effect: startEvictions}
	case !isConsistent(r):
		return stopEvictions(r, conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionLost()))
	}
	last := &r.Status.Steps[len(r.Status.Steps)-1]
	switch {
	case last.EndedAt == nil && last.Name == v1alpha1.StepAct:
		return evicting(r, last, s)
	case last.EndedAt == nil && last.Name == v1alpha1.StepWait:
		return replacing(r, last, s)
	}
	return betweenEvictions(r, s)
}

// isConsistent says whether the status of a Remediation that runs is as the controller writes it.
func isConsistent(r *v1alpha1.Remediation) bool {
	plan := r.Spec.InOrder()
	for _, change := range plan {
		if change.Action != v1alpha1.ActionEvict || change.Subject == nil {
			return false
		}
	}
	acted := map[int32]bool{}
	for _, step := range r.Status.Steps {
		if int(step.Change) >= len(plan) || step.Name == v1alpha1.StepWait && !acted[step.Change] {
			return false
		}
		acted[step.Change] = acted[step.Change] || step.Name == v1alpha1.StepAct
	}
	return r.Status.Forecast != nil && len(acted) > 0
}

// stopEvictions ends a Remediation, and the step that it is in.
func stopEvictions(r *v1alpha1.Remediation, with *conclusion) rebalanceTransition {
	t := rebalanceTransition{conclude: with}
	if n := len(r.Status.Steps); n > 0 && r.Status.Steps[n-1].EndedAt == nil {
		t.end = &stepEnd{result: v1alpha1.StepSkipped}
	}
	return t
}

// wantsEvictions says whether a policy still asks for the evictions of a Remediation that runs.
func wantsEvictions(r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) bool {
	approved := policy.Spec.Mode == v1alpha1.ModeAuto || policy.Spec.Mode == v1alpha1.ModeApprove && r.Spec.Approval == v1alpha1.Approved
	return approved && !policy.Spec.Paused
}

// evicting evicts the pod of a step, until it goes.
func evicting(r *v1alpha1.Remediation, step *v1alpha1.Step, s rebalanceObservation) rebalanceTransition {
	switch since := s.now.Sub(step.StartedAt.Time); {
	case s.pod == nil:
		return rebalanceTransition{end: done()}
	case !wantsEvictions(r, s.policy):
		return rebalanceTransition{end: &stepEnd{result: v1alpha1.StepSkipped}}
	case cluster.DoNotDisrupt(s.pod.Annotations):
		return rebalanceTransition{end: failed(sentence.RebalanceProtected("pod/" + s.pod.Name))}
	case since > evictTimeout:
		return rebalanceTransition{end: failed(sentence.RebalanceNotEvicted("pod/"+s.pod.Name, evictTimeout.String(), s.refusal))}
	}
	return rebalanceTransition{effect: evictPod}
}

// replacing waits for the pod created in place of an evicted one.
func replacing(r *v1alpha1.Remediation, step *v1alpha1.Step, s rebalanceObservation) rebalanceTransition {
	forecast := forecastOf(r, step.Change)
	name := "pod/" + forecast.Name
	created := createdInPlace(r, forecast.Owner, s.world)
	before := 0 // Pods of the same owner were evicted before: the first created are theirs.
	for _, other := range r.Status.Steps[:len(r.Status.Steps)-1] {
		if other.Name == v1alpha1.StepWait && sameOwner(forecastOf(r, other.Change).Owner, forecast.Owner) {
			before++
		}
	}
	switch {
	case before < len(created):
		pod := created[before]
		end := doneWith(sentence.RebalanceReplaced(name, "node/"+pod.Spec.NodeName, "pod/"+pod.Name))
		if !expects(r, step.Change, pod.Spec.NodeName) {
			end.message = sentence.RebalanceElsewhere(name, "node/"+pod.Spec.NodeName, "pod/"+pod.Name, message.ListOf(expected(r, step.Change)))
		}
		end.operation = "node/" + pod.Spec.NodeName
		return rebalanceTransition{end: end}
	case s.now.Sub(step.StartedAt.Time) > replacedTimeout:
		return rebalanceTransition{end: failed(sentence.RebalanceNotReplaced(name, replacedTimeout.String()))}
	}
	return rebalanceTransition{requeueAfter: replacedInterval}
}

// betweenEvictions is what follows a step that has ended: the next eviction of the wave, then the wait for each of its pods, then the next wave.
func betweenEvictions(r *v1alpha1.Remediation, s rebalanceObservation) rebalanceTransition {
	steps, wanted := evictionSteps(r), wantsEvictions(r, s.policy)
	wave := waveOf(r, steps)
	for i, change := range r.Spec.InOrder() {
		if change.Wave() == wave && steps[int32(i)].act == nil && wanted && !steps.failed() {
			return beginStep(v1alpha1.StepAct, i, s)
		}
	}
	for i, change := range r.Spec.InOrder() {
		one := steps[int32(i)]
		if change.Wave() == wave && one.act != nil && one.act.Result == v1alpha1.StepDone && one.wait == nil {
			return beginStep(v1alpha1.StepWait, i, s)
		}
	}
	all := len(r.Spec.InOrder())
	stopped := sentence.RebalanceStopped(steps.evicted(), all)
	switch {
	case steps.lost():
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationDidNotHelpReason, stopped)}
	case steps.failed():
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationGaveUpReason, stopped)}
	case !wanted && steps.evicted() < all:
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationNotAskedReason, stopped)}
	}
	return rebalanceTransition{effect: nextWave}
}

// afterWave is what follows a wave whose pods were replaced; holds says whether the rest of the plan leads to the balance that was forecast, or after the
// last wave, whether the cluster is in it.
func afterWave(r *v1alpha1.Remediation, s rebalanceObservation, holds bool) rebalanceTransition {
	steps, all := evictionSteps(r), len(r.Spec.InOrder())
	wave := waveOf(r, steps)
	next := slices.IndexFunc(r.Spec.InOrder(), func(c v1alpha1.Change) bool { return c.Wave() > wave })
	switch {
	case holds && next >= 0:
		return beginStep(v1alpha1.StepAct, next, s)
	case holds:
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationAsForecastReason, sentence.RebalanceAsForecast(all))}
	case next < 0:
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationNotAsForecastReason, sentence.RebalanceOtherwise(all))}
	case !steps.asExpected(r):
		return rebalanceTransition{conclude: conclude(v1alpha1.RemediationNotAsForecastReason, sentence.RebalanceStopped(steps.evicted(), all))}
	}
	return rebalanceTransition{conclude: conclude(v1alpha1.RemediationGaveUpReason, sentence.RebalanceChanged())}
}

func beginStep(name v1alpha1.StepName, change int, s rebalanceObservation) rebalanceTransition {
	return rebalanceTransition{begin: &v1alpha1.Step{Name: name, Change: int32(change), StartedAt: metav1.NewMicroTime(s.now)}}
}

// stepsOfEvictions are the steps of each eviction, by its index in the plan.
type stepsOfEvictions map[int32]struct{ act, wait *v1alpha1.Step }

func evictionSteps(r *v1alpha1.Remediation) stepsOfEvictions {
	all := stepsOfEvictions{}
	for i := range r.Status.Steps {
		step := &r.Status.Steps[i]
		one := all[step.Change]
		switch step.Name {
		case v1alpha1.StepAct:
			one.act = step
		case v1alpha1.StepWait:
			one.wait = step
		default:
			continue
		}
		all[step.Change] = one
	}
	return all
}

// failed says whether a step has failed, lost whether a pod that was evicted was not replaced in time.
func (s stepsOfEvictions) failed() bool {
	for _, one := range s {
		if one.act.Result == v1alpha1.StepFailed {
			return true
		}
	}
	return s.lost()
}

func (s stepsOfEvictions) lost() bool {
	for _, one := range s {
		if one.wait != nil && one.wait.Result == v1alpha1.StepFailed {
			return true
		}
	}
	return false
}

// evicted is how many pods were evicted and replaced.
func (s stepsOfEvictions) evicted() (n int) {
	for _, one := range s {
		if one.wait != nil && one.wait.Result == v1alpha1.StepDone {
			n++
		}
	}
	return n
}

// asExpected says whether all pods created in place of evicted ones run where the forecast expects them.
func (s stepsOfEvictions) asExpected(r *v1alpha1.Remediation) bool {
	for i, one := range s {
		if one.wait != nil && one.wait.Result == v1alpha1.StepDone && !expects(r, i, nodeOfStep(one.wait)) {
			return false
		}
	}
	return true
}

func nodeOfStep(step *v1alpha1.Step) string {
	const prefix = "node/"
	return step.Operation[min(len(prefix), len(step.Operation)):]
}

// waveOf is the wave of the last eviction that began; of a Remediation without one, the first.
func waveOf(r *v1alpha1.Remediation, steps stepsOfEvictions) int {
	wave := 1
	for i, change := range r.Spec.InOrder() {
		if steps[int32(i)].act != nil {
			wave = max(wave, change.Wave())
		}
	}
	return wave
}

// forecastOf is the forecast of an eviction.
func forecastOf(r *v1alpha1.Remediation, change int32) v1alpha1.PodForecast {
	at := slices.IndexFunc(r.Status.Forecast.Pods, func(p v1alpha1.PodForecast) bool { return p.Change == change })
	if at < 0 {
		return v1alpha1.PodForecast{}
	}
	return r.Status.Forecast.Pods[at]
}

// expected are the nodes on which the forecast expects the pod in place of an evicted one, or those in place of others of its owner in the same
// wave, of which it cannot be told.
func expected(r *v1alpha1.Remediation, change int32) []string {
	changes, owner := r.Spec.InOrder(), forecastOf(r, change).Owner
	var nodes []string
	for i := range changes {
		if other := forecastOf(r, int32(i)); sameOwner(other.Owner, owner) && changes[i].Wave() == changes[change].Wave() {
			nodes = append(nodes, other.Nodes...)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

func expects(r *v1alpha1.Remediation, change int32, node string) bool {
	return slices.Contains(expected(r, change), node)
}

func sameOwner(a, b *v1alpha1.OwnerReference) bool {
	return a != nil && b != nil && a.UID == b.UID
}

// createdInPlace are the pods of an owner that were created since the Remediation evicts its pods and that are Ready, in the order of their creation.
func createdInPlace(r *v1alpha1.Remediation, owner *v1alpha1.OwnerReference, world *cluster.Snapshot) []*corev1.Pod {
	if owner == nil {
		return nil
	}
	var began time.Time
	evicted := map[types.UID]bool{}
	for _, step := range r.Status.Steps {
		if step.Name != v1alpha1.StepAct || !sameOwner(forecastOf(r, step.Change).Owner, owner) {
			continue
		}
		if began.IsZero() {
			began = step.StartedAt.Truncate(time.Second) // Pods' creation has no fractions.
		}
		evicted[r.Spec.InOrder()[step.Change].Subject.UID] = true
	}
	var created []*corev1.Pod
	for _, pod := range world.PodsOf(owner.UID) {
		if !evicted[pod.UID] && !pod.CreationTimestamp.Time.Before(began) && pod.DeletionTimestamp == nil && cluster.Runs(pod) {
			created = append(created, pod)
		}
	}
	slices.SortFunc(created, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return created
}
