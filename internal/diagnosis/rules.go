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
		unschedulable.StrandedVolume{},
		unschedulable.Unplaced{},
		rules.LastNode{},
		rules.StuckAttachment{},
		rules.NodeDown{},
		rules.SlowFailover{},
		rules.Lopsided{},
		rules.OneBasket{},
		rules.StuckTerminating{},
		rules.UnhealthyNode{},
		rules.SilentAgent{},
		rules.Preempted{},
		rules.GrowingDaemons{},
		rules.Losses{},
		subjects{finding.N602, cluster.PodDisruptionBudget},
		subjects{finding.N603, cluster.Service},
		subjects{finding.N604, cluster.HorizontalPodAutoscaler},
		subjects{finding.N605, cluster.Namespace},
		subjects{finding.N606, cluster.ResourceQuota},
		subjects{finding.N607, cluster.Ingress},
		subjects{finding.N611, cluster.NodePool},
		subjects{finding.N612, cluster.NodeClaim},
		subjects{finding.N613, cluster.Workload},
	}
}

// find asks every rule. Beside the findings it returns what rules that found nothing could not know.
func find(ctx context.Context, rules []query.Rule, v query.View) (findings []finding.Finding, unknown []finding.Gap) {
	v = v.Remembering()
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

func unmet(rule query.Rule, v query.View) []finding.Gap {
	var gaps []finding.Gap
	for _, kind := range rule.Needs() {
		gaps = append(gaps, v.Gap(rule.Codes()[0], kind)...)
	}
	return gaps
}

// rulesFor are those that the question is for.
func rulesFor(v query.View) []query.Rule {
	if !v.Now {
		return Rules()
	}
	return slices.DeleteFunc(Rules(), func(r query.Rule) bool {
		return !slices.ContainsFunc(r.Codes(), func(code finding.Code) bool { return slices.Contains(status.Present, code) })
	})
}
