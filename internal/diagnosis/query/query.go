package query

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Query is a question about a world, with what is needed to answer it.
type Query struct {
	World *cluster.Snapshot
	// Judge runs the scheduler's plugins on the World; nil if too little of the World is known.
	Judge *scheduling.Judge
	// Subject restricts the question to one object; nil asks about the whole world.
	Subject *change.Ref
	// Limits exclude objects from findings.
	Limits Limits

	// Cordoned are the nodes that the changes asked about cordon.
	Cordoned []string
	// Tainted are the taints that the changes asked about add to nodes.
	Tainted []change.Taint

	// PresentOnly asks only about present problems, not about risks.
	PresentOnly bool
	// ExplainFunc is diagnosis.Explain, for statuses that follow from those of other objects.
	ExplainFunc func(context.Context, Query) finding.Explanation
	// OnProgress is called for each simulation of a rule that runs many.
	OnProgress func()

	// parents are the subjects whose explanations include this one.
	parents []change.Ref

	// cache holds verdicts while one question is answered.
	cache cache
	// computed holds what Once computed.
	computed computed
}

// Explain explains another object than the Query's subject.
func (q Query) Explain(ctx context.Context, ref change.Ref) finding.Explanation {
	if q.Subject != nil {
		q.parents = append(slices.Clip(q.parents), *q.Subject)
	}
	q.Subject = &ref
	return q.ExplainFunc(ctx, q)
}

// PartOf reports whether the explanation is of an object, or is included in the one of it.
func (q Query) PartOf(ref change.Ref) bool {
	return q.Subject != nil && *q.Subject == ref || slices.Contains(q.parents, ref)
}

// ReportProgress reports one more simulation.
func (q Query) ReportProgress() {
	if q.OnProgress != nil {
		q.OnProgress()
	}
}

// Pods are those the question is about.
func (q Query) Pods() []*corev1.Pod {
	if q.Subject == nil {
		return q.World.Pods()
	}
	if pod := q.Pod(); pod != nil {
		return []*corev1.Pod{pod}
	}
	return nil
}

// Pod is the subject, if it is a pod of the world.
func (q Query) Pod() *corev1.Pod {
	if !q.isAboutPod() {
		return nil
	}
	return q.World.Pod(q.Subject.Namespace, q.Subject.Name)
}

// isAboutPod reports whether the subject is a pod, which may no longer exist.
func (q Query) isAboutPod() bool { return q.Subject != nil && q.Subject.Kind == string(cluster.Pod) }

// Rule finds one kind of problem, or several that need the same facts.
type Rule interface {
	// Codes are the codes of the rule's findings.
	Codes() []finding.Code
	// RequiredKinds are the kinds without which the rule cannot conclude. The engine reports those that are not known.
	RequiredKinds() []cluster.Kind
	// Applies reports, from the subject alone, whether the rule could find anything: missing kinds matter only then.
	Applies(Query) bool
	// Find returns the findings about the Query's subject. They are not based on kinds that are not known.
	Find(context.Context, Query) []finding.Finding
}

// PartialGaps lists the kinds that are not known in all namespaces.
func (q Query) PartialGaps() []finding.Gap {
	var kinds []string
	for _, kind := range cluster.Kinds() {
		// Only a few ConfigMaps are ever read.
		if kind != cluster.ConfigMap && q.World.Knowledge(kind) == cluster.Partial {
			kinds = append(kinds, string(kind))
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return []finding.Gap{{About: "namespaces", Message: sentence.KindsPartial(message.ListOf(kinds))}}
}

// Gap is the gap for a kind that matters for a code and is not known; none if it is known.
func (q Query) Gap(code finding.Code, kind cluster.Kind) []finding.Gap {
	said := sentence.KindAbsent
	switch q.World.Knowledge(kind) {
	case cluster.Complete, cluster.Partial:
		return nil
	case cluster.Forbidden:
		said = sentence.KindForbidden
	}
	return []finding.Gap{{About: string(kind), Message: said(string(kind), string(code), message.Label("Title"+string(code)))}}
}
