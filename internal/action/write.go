package action

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// write records a transition, and further changes of the status. Statuses are in English: it is one text for all readers.
func (p *Performer) write(ctx context.Context, r *v1alpha1.Remediation, m transition, more ...func(*v1alpha1.RemediationStatus)) (*v1alpha1.Remediation, error) {
	now := p.Clock.Now()
	after, err := p.Records.UpdateStatus(ctx, r, func(status *v1alpha1.RemediationStatus) {
		m.apply(status, now)
		for _, add := range more {
			add(status)
		}
		setApprovedCondition(status, &r.Spec, now)
		status.ObservedGeneration = r.Generation
	})
	if err != nil {
		return nil, err
	}
	p.notify(r, after)
	return after, nil
}

// apply is what a transition records.
func (m transition) apply(status *v1alpha1.RemediationStatus, now time.Time) {
	if n := len(status.Steps); n > 0 {
		last := &status.Steps[n-1]
		if m.end != nil && last.EndedAt == nil {
			m.end.apply(last, now)
		}
		if m.restart {
			last.StartedAt = metav1.NewMicroTime(now)
		}
		if m.returns != nil {
			last.Returns = m.returns
		}
	}
	if m.begin != "" {
		status.Steps = append(status.Steps, v1alpha1.Step{Name: m.begin, StartedAt: metav1.NewMicroTime(now)})
	}
	if m.conclude != nil {
		helped := metav1.ConditionFalse
		if isHelped(m.conclude.reason) {
			helped = metav1.ConditionTrue
		}
		setCondition(status, v1alpha1.RemediationSucceeded, helped, m.conclude.reason, englishText(m.conclude.message), now)
	}
}

func (e *stepEnd) apply(step *v1alpha1.Step, now time.Time) {
	at := metav1.NewMicroTime(now)
	if at.Before(&step.StartedAt) { // written by another whose clock is ahead
		at = step.StartedAt
	}
	step.EndedAt, step.Result, step.Message = &at, e.result, englishText(e.message)
	if e.operation != "" {
		step.Operation = e.operation
	}
}

func setCondition(status *v1alpha1.RemediationStatus, kind string, is metav1.ConditionStatus, reason, text string, now time.Time) {
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: kind, Status: is, Reason: reason, Message: text, LastTransitionTime: metav1.NewTime(now),
	})
}

// isHelped says whether a reason of the condition Succeeded means that the node was helped.
func isHelped(reason string) bool {
	return reason == v1alpha1.RemediationAsForecastReason || reason == v1alpha1.RemediationNotAsForecastReason
}

// englishText is a sentence in English, as long as the API takes it.
func englishText(s message.Sentence) string {
	if s.ID == "" {
		return ""
	}
	const longest = 4096
	return textutil.Truncate(message.English().Say(s), longest)
}

// notify reports a status that was written: to Say, and as Events on the node.
func (p *Performer) notify(before, after *v1alpha1.Remediation) {
	if p.OnUpdate != nil {
		p.OnUpdate(before, after)
	}
	node := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: after.Spec.Node.Name, UID: after.Spec.Node.UID},
	}
	event := func(kind, reason, text string) {
		p.Records.Event(node, kind, reason, string(after.Spec.Action()), text)
	}

	if before.Status.Phase != v1alpha1.PhaseRunning && after.Status.Phase == v1alpha1.PhaseRunning {
		event(corev1.EventTypeNormal, "RepairBegan", englishText(sentence.ActionBegan("remediation/"+after.Name, string(after.Spec.Action()))))
	}
	if end := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil && !concluded(before) && before.Status.Phase == v1alpha1.PhaseRunning {
		kind := corev1.EventTypeNormal
		if !isHelped(end.Reason) && end.Reason != v1alpha1.RemediationNotNeededReason && end.Reason != v1alpha1.RemediationNotAskedReason {
			kind = corev1.EventTypeWarning
		}
		event(kind, "Repair"+end.Reason, end.Message)
	}
}
