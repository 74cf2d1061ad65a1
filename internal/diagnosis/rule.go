package diagnosis

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// View is what a rule looks at.
type View struct {
	World *cluster.Snapshot
	// Judge answers for the scheduler in the World; nil if the world is too little known to be judged.
	Judge *scheduling.Judge
	// Say puts what is found into words.
	Say message.Printer
	// Subject narrows the question to one thing; nil asks about the whole world.
	Subject *change.Ref
	// Limits leave things out of findings.
	Limits Limits

	// now asks only about what is wrong now, not about what may come.
	now bool
	// whole is Explain, for states that follow from those of parts.
	whole func(context.Context, View) finding.Explanation
	// tick is called for each future played by a rule that plays many.
	tick func()

	// memory keeps what the judge was asked, while one question is answered.
	memory memory
}

// explain is the answer about another thing than the View's subject.
func (v View) explain(ctx context.Context, ref change.Ref) finding.Explanation {
	v.Subject = &ref
	return v.whole(ctx, v)
}

// progress says that one more future is played.
func (v View) progress() {
	if v.tick != nil {
		v.tick()
	}
}

// Pods are those the question is about.
func (v View) Pods() []*corev1.Pod {
	if v.Subject == nil {
		return v.World.Pods()
	}
	if pod := v.pod(); pod != nil {
		return []*corev1.Pod{pod}
	}
	return nil
}

// pod is the subject, if it is a pod of the world.
func (v View) pod() *corev1.Pod {
	if !v.asksForPod() {
		return nil
	}
	return v.World.Pod(v.Subject.Namespace, v.Subject.Name)
}

// asksForPod says whether the subject is a pod, there or gone.
func (v View) asksForPod() bool { return v.Subject != nil && v.Subject.Kind == string(cluster.Pod) }

// Rule finds one kind of trouble, or several that share their reading of the world.
type Rule interface {
	// Codes are those of the findings the rule can make.
	Codes() []finding.Code
	// Needs are the kinds without which the rule cannot conclude. Where one is not known, the engine says so.
	Needs() []cluster.Kind
	// Concerns says, from the subject alone, whether the rule could find anything: an unmet need matters only then.
	Concerns(View) bool
	// Find makes the findings about the View's subject. It says nothing that rests on a kind that is not known.
	Find(context.Context, View) []finding.Finding
}

// Rules are all of naosu's.
func Rules() []Rule {
	return []Rule{
		StrandedVolume{}, Unplaced{}, LastNode{}, StuckAttachment{},
		NodeDown{}, SlowFailover{}, Lopsided{}, OneBasket{}, StuckTerminating{},
		Preempted{}, GrowingDaemons{}, Losses{},
	}
}

// find asks every rule. Beside the findings it returns what rules that found nothing could not know.
func find(ctx context.Context, rules []Rule, v View) (findings []finding.Finding, unknown []finding.Gap) {
	v = v.remembering()
	for _, rule := range rules {
		if !rule.Concerns(v) {
			continue
		}
		found := rule.Find(ctx, v)
		if len(found) == 0 {
			unknown = append(unknown, unmet(rule, v)...)
		}
		for i := range found {
			found[i].Unknown = append(unmet(rule, v), found[i].Unknown...)
		}
		findings = append(findings, found...)
	}
	return findings, unknown
}

func unmet(rule Rule, v View) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range rule.Needs() {
		gaps = append(gaps, v.gap(rule.Codes()[0], kind)...)
	}
	return gaps
}

// gap says that a kind which bears on a code is not known; none if it is.
func (v View) gap(code finding.Code, kind cluster.Kind) []finding.Gap {
	id := message.KindAbsent
	switch v.World.Knowledge(kind) {
	case cluster.Complete, cluster.Partial:
		return nil
	case cluster.Forbidden:
		id = message.KindForbidden
	}
	title := v.Say.Text(message.ID("Title"+code), nil)
	args := message.Args{"kind": string(kind), "code": string(code), "title": title}
	return []finding.Gap{{About: string(kind), Message: v.Say.Text(id, args)}}
}
