package repair

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// dryRun has the node's agent make a harmless fault, and follows the evidence.
func (o *DrillOptions) dryRun(ctx context.Context, page *page) (Drilled, error) {
	r := o.remediation(v1alpha1.DrillDryRun)
	o.agentImage(ctx, r)
	page.begin(o, "")
	began := o.Clock.Now()
	if err := o.objects.Create(ctx, r); err != nil {
		if own.Absent(err) {
			return Drilled{}, exit.Failure(sentence.CheckNoCRDs())
		}
		return Drilled{}, exit.Talking(o.objects.Host, err)
	}
	p, err := o.watch(ctx, r, began, page)
	if err != nil {
		o.deleteDrill(ctx, r)
		return Drilled{}, err
	}
	answer := Drilled{
		Node: o.Node, Condition: o.Condition, Reason: o.Reason, Depth: v1alpha1.DrillDryRun, Hops: p.hops, Passed: p.over && p.failedAt == "",
		FailedAt: p.failedAt, Message: p.why, Remediation: r.Name,
	}
	switch {
	case p.failedAt != "": // Where no controller is at work, nobody else ends it.
		o.endFailed(ctx, r, answer)
	case !p.over: // Nobody will end it who has not even answered.
		answer.FailedAt, answer.Message = p.next(), o.Say.Say(sentence.DrillLate(string(p.next()), o.hopTimeout(p.next()).String(), o.lateMessage(p.next())))
		o.endFailed(ctx, r, answer)
	}
	return answer, nil
}

// lateMessage says that a hop did not come in time.
func (o *DrillOptions) lateMessage(hop HopName) string {
	node, late := "node/"+o.Node, sentence.DrillLateController()
	switch hop {
	case HopAgent:
		late = sentence.DrillLateAgent(node)
	case HopFault:
		late = sentence.DrillLateFault(node)
	case HopDetect:
		late = sentence.DrillLateDetect(o.Reason, node)
	case HopEvidence:
		late = sentence.DrillLateEvidence(node, o.Reason)
	case HopReport:
		late = sentence.DrillLateReport(node)
	}
	return o.Say.Say(late)
}

// hopTimeout is how long a hop may take; evidence must last before it counts.
func (o *DrillOptions) hopTimeout(hop HopName) time.Duration {
	if r, known := reason.Find(o.Reason); known && hop == HopEvidence {
		return o.HopTimeout + r.Needs.For
	}
	return o.HopTimeout
}

// watch follows the Remediation until it has ended, or a hop does not come in time.
func (o *DrillOptions) watch(ctx context.Context, r *v1alpha1.Remediation, began time.Time, page *page) (progress, error) {
	p := progress{hops: []Hop{}}
	late := o.Clock.NewTimer(o.hopTimeout(dryRunHops[0]))
	defer late.Stop()
	for {
		watching, err := o.objects.Watch(ctx, &v1alpha1.RemediationList{}, client.MatchingFields{"metadata.name": r.Name})
		if err != nil {
			return p, exit.Talking(o.objects.Host, err)
		}
		for open := true; open; {
			var event watch.Event
			select {
			case <-ctx.Done():
				watching.Stop()
				return p, exit.Failure(sentence.ErrInterrupted())
			case <-late.C():
				watching.Stop()
				return p, nil
			case event, open = <-watching.ResultChan():
			}
			seen, is := event.Object.(*v1alpha1.Remediation)
			if !open || !is {
				break // The API server ends watches now and then; a new one begins with how things stand.
			}
			now := follow(seen, began)
			for _, hop := range now.hops[min(len(p.hops), len(now.hops)):] {
				page.hop(hop)
			}
			if len(now.hops) > len(p.hops) {
				late.Reset(o.hopTimeout(now.next()))
			}
			if p = now; p.over {
				watching.Stop()
				return p, nil
			}
		}
		watching.Stop()
	}
}

// endFailed ends the Remediation of a drill that no other component will end, as far as the user's permissions allow.
func (o *DrillOptions) endFailed(ctx context.Context, r *v1alpha1.Remediation, answer Drilled) {
	text := message.English().Say(sentence.DrillFailedAt(string(answer.FailedAt), answer.Message))
	_ = o.end(ctx, r, metav1.ConditionFalse, v1alpha1.RemediationDrillFailedReason, text, nil)
}

// end records how a drill ended.
func (o *DrillOptions) end(ctx context.Context, r *v1alpha1.Remediation, status metav1.ConditionStatus, reason, text string, more func(*v1alpha1.RemediationStatus)) error {
	records := record.Records{Client: o.objects, Reader: o.objects, Clock: o.Clock}
	read, err := records.Get(ctx, r.Name)
	if err != nil {
		return err
	}
	if read.Status.Phase == v1alpha1.PhaseEnded {
		return nil
	}
	_, err = records.UpdateStatus(ctx, read, func(s *v1alpha1.RemediationStatus) {
		s.Phase, s.ObservedGeneration = v1alpha1.PhaseEnded, read.Generation
		meta.SetStatusCondition(&s.Conditions, metav1.Condition{
			Type: v1alpha1.RemediationSucceeded, Status: status, Reason: reason, Message: text, ObservedGeneration: read.Generation,
			LastTransitionTime: metav1.NewTime(o.Clock.Now()),
		})
		if more != nil {
			more(s)
		}
	})
	if err != nil {
		return fmt.Errorf("write how the drill %s ended: %w", r.Name, err)
	}
	return nil
}

// deleteDrill deletes the Remediation of an interrupted drill: it proves nothing.
func (o *DrillOptions) deleteDrill(ctx context.Context, r *v1alpha1.Remediation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := o.objects.Delete(ctx, r); err != nil && !apierrors.IsNotFound(err) {
		terminal.WriteLine(o.ErrOut, o.Say.Say(sentence.DrillNotForgotten("remediation/"+r.Name, err.Error())))
	}
}

// cleanupTimeout is how long the clean-up after an interrupt may take.
const cleanupTimeout = 30 * time.Second
