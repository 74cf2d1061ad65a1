package action

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
)

// RebalanceAdvisor decides for the Rebalancer. The controller answers from its watch.
type RebalanceAdvisor interface {
	// World is the cluster as it is known now.
	World() *cluster.Snapshot
	// IsObsolete says of a Remediation that has evicted nothing whether its plan is not needed any more.
	IsObsolete(context.Context, *v1alpha1.Remediation, *v1alpha1.RebalancePolicy) (bool, error)
	// CheckGuard runs the guard's checks on fresh facts.
	CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.RebalancePolicy) (guard.Ruling, error)
	// Holds says whether the evictions of a plan from a wave on are still what the policy asks for, and, as simulated, lead to the balance that was
	// forecast. After the last wave, it says whether the cluster is in that balance.
	Holds(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy, fromWave int) (bool, error)
}

// Rebalancer performs Remediations of RebalancePolicies: it evicts pods, one wave after the other, and stops if one does not turn out as forecast. It
// has no state but the API's, so that any number of Rebalancers may follow each other.
type Rebalancer struct {
	// Client writes; Reader reads past any cache.
	Client  client.Client
	Reader  client.Reader
	Records *record.Records
	// Advisor may be nil where Remediations are only aborted.
	Advisor RebalanceAdvisor
	// Leading says whether this process holds the controller's lease; it is called right before each change.
	Leading func(context.Context) (bool, error)
	Clock   clock.PassiveClock
	// OnUpdate is called with each status that was written; may be nil.
	OnUpdate func(before, after *v1alpha1.Remediation)

	// refusals are why the last attempts to evict pods were refused, by Remediation.
	refusals map[string]string
}

// Advance performs transitions of one Remediation until it has to wait, and returns after what time to call it again; zero is when it has ended. The
// policy is as the caller has it, nil if it is gone. Advance is idempotent and may be retried after an error.
func (b *Rebalancer) Advance(ctx context.Context, name string, policy *v1alpha1.RebalancePolicy) (again time.Duration, err error) {
	for range maxTransitions {
		r, err := b.Records.Get(ctx, name)
		if err != nil {
			return 0, client.IgnoreNotFound(err)
		}
		s, err := b.observe(ctx, r, policy)
		if err != nil {
			return 0, err
		}
		t := nextEviction(r, s)
		if t == (rebalanceTransition{}) {
			return 0, nil
		}
		if leading, err := b.Leading(ctx); err != nil || !leading {
			return 0, err
		}
		switch again, err := b.perform(ctx, r, s, t); {
		case apierrors.IsConflict(err): // The object has changed since it was read: read again.
		case err != nil || again > 0:
			return again, err
		}
	}
	return time.Second, nil
}

func (b *Rebalancer) observe(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) (rebalanceObservation, error) {
	s := rebalanceObservation{now: b.Clock.Now(), policy: policy, refusal: b.refusals[r.Name]}
	if b.Advisor == nil {
		return s, nil
	}
	s.world = b.Advisor.World()
	if r.Status.Phase != v1alpha1.PhaseRunning {
		if policy == nil {
			return s, nil
		}
		obsolete, err := b.Advisor.IsObsolete(ctx, r, policy)
		s.obsolete = obsolete
		return s, err
	}
	step := lastStep(r)
	if step.Name != v1alpha1.StepAct || step.EndedAt != nil || !isConsistent(r) {
		return s, nil
	}
	pod, err := b.subject(ctx, r.Spec.InOrder()[step.Change].Subject)
	s.pod = pod
	return s, err
}

// subject reads a pod past any cache; nil if it is gone, is another of its name, or is being deleted.
func (b *Rebalancer) subject(ctx context.Context, of *v1alpha1.Subject) (*corev1.Pod, error) {
	var pod corev1.Pod
	switch err := b.Reader.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: of.Name}, &pod); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the pod %s/%s: %w", of.Namespace, of.Name, err)
	case pod.UID != of.UID || pod.DeletionTimestamp != nil:
		return nil, nil
	}
	return &pod, nil
}

// perform records a transition, and then has its effect.
func (b *Rebalancer) perform(ctx context.Context, r *v1alpha1.Remediation, s rebalanceObservation, t rebalanceTransition) (again time.Duration, err error) {
	switch t.effect {
	case startEvictions:
		return b.start(ctx, r, s.policy)
	case nextWave:
		return 0, b.nextWave(ctx, r, s)
	case evictPod:
		return b.evict(ctx, r, s.pod)
	}
	if t.end != nil || t.begin != nil || t.conclude != nil {
		err = b.write(ctx, r, func(status *v1alpha1.RemediationStatus, now time.Time) { t.apply(status, now) })
	}
	if t.conclude != nil {
		delete(b.refusals, r.Name)
	}
	return t.requeueAfter, err
}

// apply is what a transition records.
func (t rebalanceTransition) apply(status *v1alpha1.RemediationStatus, now time.Time) {
	transition{end: t.end, conclude: t.conclude}.apply(status, now)
	if t.begin != nil {
		status.Steps = append(status.Steps, *t.begin)
	}
	if t.conclude != nil {
		status.Phase = v1alpha1.PhaseEnded
	}
}

// start runs the guard's checks, and begins the first wave if they allow it and the plan still turns out as forecast.
func (b *Rebalancer) start(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) (again time.Duration, err error) {
	ruling, err := b.Advisor.CheckGuard(ctx, r, policy)
	if err != nil {
		return 0, fmt.Errorf("ask the guard about %s: %w", r.Name, err)
	}
	if ruling.Decision == guard.Allow {
		if r.Status.Forecast == nil {
			return 0, b.write(ctx, r, rebalanceTransition{conclude: conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionLost())}.apply)
		}
		holds, err := b.Advisor.Holds(ctx, r, policy, 1)
		if err != nil {
			return 0, fmt.Errorf("simulate %s: %w", r.Name, err)
		}
		if !holds {
			return 0, b.write(ctx, r, rebalanceTransition{conclude: conclude(v1alpha1.RemediationNotNeededReason, sentence.RebalanceChanged())}.apply)
		}
	}
	if change := beginAs(r, ruling, b.Clock.Now()); change != nil {
		err = b.write(ctx, r, change)
	}
	return untilRuled(ruling), err
}

// beginAs records a ruling, and begins the first change of the plan if it allows that; nil if nothing is to be recorded.
func beginAs(r *v1alpha1.Remediation, ruling guard.Ruling, now time.Time) func(*v1alpha1.RemediationStatus, time.Time) {
	phase := v1alpha1.PhaseRunning
	if ruling.Decision != guard.Allow {
		phase = phaseOf(ruling)
	}
	verdicts := VerdictsOf(ruling, r.Status.Verdicts, now)
	if ruling.Decision != guard.Allow && r.Status.Phase == phase && approvalRecorded(r) && slices.EqualFunc(verdicts, r.Status.Verdicts, sameVerdict) {
		return nil
	}
	return func(status *v1alpha1.RemediationStatus, now time.Time) {
		status.Phase, status.Verdicts = phase, verdicts
		setAllowedCondition(status, ruling, now)
		if ruling.Decision == guard.Allow {
			status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepAct, StartedAt: metav1.NewMicroTime(now)}}
		}
	}
}

// untilRuled is after what time the guard is asked again; zero if it allows.
func untilRuled(ruling guard.Ruling) time.Duration {
	switch ruling.Decision {
	case guard.Allow:
		return 0
	case guard.Delay:
		return min(max(ruling.RetryAfter, time.Second), guardRetryInterval)
	default:
		return guardRetryInterval
	}
}

// nextWave begins the next wave if the rest of the plan still leads to the balance that was forecast. After the last wave, it concludes with whether the
// cluster is in that balance.
func (b *Rebalancer) nextWave(ctx context.Context, r *v1alpha1.Remediation, s rebalanceObservation) error {
	holds, err := b.Advisor.Holds(ctx, r, s.policy, waveOf(r, evictionSteps(r))+1)
	if err != nil {
		return fmt.Errorf("simulate %s: %w", r.Name, err)
	}
	return b.write(ctx, r, afterWave(r, s, holds).apply)
}

// evict asks the API server to evict a pod, and says after what time to ask again if a PodDisruptionBudget refuses. Why it was refused is
// recorded if the step ends with that.
func (b *Rebalancer) evict(ctx context.Context, r *v1alpha1.Remediation, pod *corev1.Pod) (again time.Duration, err error) {
	err = b.Client.SubResource("eviction").Create(ctx, pod.DeepCopy(), evictionOf(pod))
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return 0, nil
	case ctx.Err() != nil:
		return 0, fmt.Errorf("evict the pod %s/%s: %w", pod.Namespace, pod.Name, ctx.Err())
	}
	if b.refusals == nil {
		b.refusals = map[string]string{}
	}
	b.refusals[r.Name] = err.Error()
	return evictInterval, nil
}

// write records a change of the status.
func (b *Rebalancer) write(ctx context.Context, r *v1alpha1.Remediation, change func(*v1alpha1.RemediationStatus, time.Time)) error {
	now := b.Clock.Now()
	after, err := b.Records.UpdateStatus(ctx, r, func(status *v1alpha1.RemediationStatus) {
		change(status, now)
		setApprovedCondition(status, &r.Spec, now)
		status.ObservedGeneration = r.Generation
	})
	if err == nil && b.OnUpdate != nil {
		b.OnUpdate(r, after)
	}
	return err
}
