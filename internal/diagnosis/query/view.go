package query

import (
	"context"
	"slices"

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

	// Closed are the nodes that the changes asked about cordon.
	Closed []string

	// Now asks only about what is wrong now, not about what may come.
	Now bool
	// Whole is Explain, for states that follow from those of parts.
	Whole func(context.Context, View) finding.Explanation
	// Tick is called for each future played by a rule that plays many.
	Tick func()

	// above are the subjects whose answers this one is a part of.
	above []change.Ref

	// memory keeps what the judge was asked, while one question is answered.
	memory memory
}

// Explain is the answer about another thing than the View's subject.
func (v View) Explain(ctx context.Context, ref change.Ref) finding.Explanation {
	if v.Subject != nil {
		v.above = append(slices.Clip(v.above), *v.Subject)
	}
	v.Subject = &ref
	return v.Whole(ctx, v)
}

// Within says whether the answer is a part of the one about a thing, or is that one.
func (v View) Within(ref change.Ref) bool {
	return v.Subject != nil && *v.Subject == ref || slices.Contains(v.above, ref)
}

// Progress says that one more future is played.
func (v View) Progress() {
	if v.Tick != nil {
		v.Tick()
	}
}

// Pods are those the question is about.
func (v View) Pods() []*corev1.Pod {
	if v.Subject == nil {
		return v.World.Pods()
	}
	if pod := v.Pod(); pod != nil {
		return []*corev1.Pod{pod}
	}
	return nil
}

// Pod is the subject, if it is a pod of the world.
func (v View) Pod() *corev1.Pod {
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

// InPart says of which kinds not every namespace's objects are known; nothing if there are none.
func (v View) InPart() []finding.Gap {
	var kinds []string
	for _, kind := range cluster.Kinds() {
		// Of ConfigMaps there is never more than the few that matter.
		if kind != cluster.ConfigMap && v.World.Knowledge(kind) == cluster.Partial {
			kinds = append(kinds, string(kind))
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return []finding.Gap{{About: "namespaces", Message: v.Say.Text(message.KindsPartial, message.Args{"kinds": kinds})}}
}

// Gap says that a kind which bears on a code is not known; none if it is.
func (v View) Gap(code finding.Code, kind cluster.Kind) []finding.Gap {
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
