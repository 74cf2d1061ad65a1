package diagnosis

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/rules"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/diagnosis/unschedulable"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Rules are all of naosu's.
func Rules() []query.Rule {
	return []query.Rule{
		unschedulable.VolumeZoneConflict{},
		unschedulable.Pods{},
		rules.LastNode{},
		rules.StuckAttachment{},
		rules.NodeDown{},
		rules.SlowFailover{},
		rules.Imbalance{},
		rules.Concentration{},
		rules.StuckTerminating{},
		rules.UnhealthyNode{},
		rules.SilentAgent{},
		rules.Addresses{},
		rules.Preempted{},
		rules.DaemonSetGrowth{},
		rules.DomainLoss{},
		subjectRule{finding.N602, cluster.PodDisruptionBudget},
		subjectRule{finding.N603, cluster.Service},
		subjectRule{finding.N604, cluster.HorizontalPodAutoscaler},
		subjectRule{finding.N605, cluster.Namespace},
		subjectRule{finding.N606, cluster.ResourceQuota},
		subjectRule{finding.N607, cluster.Ingress},
		subjectRule{finding.N611, cluster.NodePool},
		subjectRule{finding.N612, cluster.NodeClaim},
		subjectRule{finding.N613, cluster.Workload},
	}
}

// find runs every rule. It returns the findings, and what was unknown to rules that found nothing.
func find(ctx context.Context, rules []query.Rule, q query.Query) (findings []finding.Finding, unknown []finding.Gap) {
	q = q.WithCache()
	for _, rule := range rules {
		if !rule.Applies(q) {
			continue
		}
		found := rule.Find(ctx, q)
		if len(found) == 0 {
			unknown = append(unknown, unmet(rule, q)...)
		}
		for i := range found {
			found[i].Unknown = append(unmet(rule, q), found[i].Unknown...)
		}
		findings = append(findings, found...)
	}
	return findings, unknown
}

func unmet(rule query.Rule, q query.Query) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range rule.RequiredKinds() {
		gaps = append(gaps, q.Gap(rule.Codes()[0], kind)...)
	}
	return gaps
}

// rulesFor are the rules that apply to the question.
func rulesFor(q query.Query) []query.Rule {
	if !q.PresentOnly {
		return Rules()
	}
	return slices.DeleteFunc(Rules(), func(r query.Rule) bool {
		return !slices.ContainsFunc(r.Codes(), func(code finding.Code) bool { return slices.Contains(status.PresentCodes, code) })
	})
}
