package rules

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Concentration finds N204: a workload of several replicas that are all on one node or in one zone, while others are
// feasible.
type Concentration struct{}

var _ query.Rule = Concentration{}

// Codes of Concentration.
func (Concentration) Codes() []finding.Code { return []finding.Code{finding.N204} }

// RequiredKinds of Concentration.
func (Concentration) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Applies to everything but pods that do not run.
func (Concentration) Applies(q query.Query) bool { return query.IncludesRisks(q) }

// Find combines the workloads that are on one node each, and those that are in one zone.
func (rule Concentration) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	var onNode, inZone []facts.Workload
	zone := facts.ZoneOf(q.World)
	for _, w := range facts.Workloads(q.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		switch {
		case len(w.Pods) < 2 || q.Excludes(finding.N204, w.Ref):
		case facts.MaxPerDomain(w.Pods, facts.NodeName) == len(w.Pods):
			if len(facts.NodesThatMayRun(q.World, w.Pods[0])) > 1 {
				onNode = append(onNode, w)
			}
		case facts.MaxPerDomain(w.Pods, zone) == len(w.Pods):
			if len(zonesOf(facts.NodesThatMayRun(q.World, w.Pods[0]))) > 1 {
				inZone = append(inZone, w)
			}
		}
	}
	var found []finding.Finding
	if len(onNode) > 0 {
		found = append(found, describeConcentration(ctx, q, onNode, sentence.ConcentratedOnNode, corev1.LabelHostname, facts.NodeName))
	}
	if len(inZone) > 0 {
		found = append(found, describeConcentration(ctx, q, inZone, sentence.ConcentratedInZone, corev1.LabelTopologyZone, zone))
	}
	return q.AboutSubject(found)
}

// zonesOf are the zones of nodes.
func zonesOf(nodes []*corev1.Node) map[string]bool {
	zones := map[string]bool{}
	for _, node := range nodes {
		if zone := cluster.Zone(node); zone != "" {
			zones[zone] = true
		}
	}
	return zones
}

func describeConcentration(ctx context.Context, q query.Query, all []facts.Workload, says func(workloads message.List, n int) message.Sentence, key string, place func(*corev1.Pod) string) finding.Finding {
	f := finding.Finding{Code: finding.N204, Severity: finding.Warning}
	where := finding.Link{Message: sentence.CauseConcentration()}
	unasked := finding.Link{Message: sentence.CauseUnspread(key)}
	kept := finding.Link{Message: sentence.CauseSpreadIgnored(key)}
	for _, w := range all {
		f.Subjects = append(f.Subjects, w.Ref)
		if len(where.Evidence) < query.MaxListed {
			where.Evidence = append(where.Evidence, facts.Evidence(w.Ref, "pods", facts.FormatDomainCounts(w.Pods, place, nil)))
		}
		if asked := spreadsOver(w.Template(), key); asked != "" {
			kept.Evidence = append(kept.Evidence, facts.Evidence(w.Ref, "spec.template.spec."+asked, key))
			continue
		}
		if len(unasked.Evidence) < query.MaxListed {
			unasked.Evidence = append(unasked.Evidence, facts.Evidence(w.Ref, "spec.template.spec.topologySpreadConstraints", ""))
		}
		if len(f.Remedies) < query.MaxRemedies {
			if proposal, ok := proposeSpread(ctx, q, w, key); ok {
				f.Remedies = append(f.Remedies, proposal)
			}
		}
	}
	f.Remedies = markTogether(f.Remedies)
	f.Message = says(q.Enumerate(f.Subjects), len(f.Subjects))
	f.Causes = append(f.Causes, where)
	for _, link := range []finding.Link{unasked, kept} {
		if len(link.Evidence) > 0 {
			link.Evidence = link.Evidence[:min(len(link.Evidence), query.MaxListed)]
			f.Causes = append(f.Causes, link)
		}
	}
	return f
}

// spreadsOver is the field with which a template requires spreading over a label; empty if there is none.
func spreadsOver(template *corev1.PodTemplateSpec, key string) string {
	for _, c := range template.Spec.TopologySpreadConstraints {
		if c.TopologyKey == key {
			return "topologySpreadConstraints"
		}
	}
	affinity := template.Spec.Affinity
	if affinity == nil || affinity.PodAntiAffinity == nil {
		return ""
	}
	for _, term := range affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if term.TopologyKey == key {
			return "affinity.podAntiAffinity"
		}
	}
	for _, term := range affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		if term.PodAffinityTerm.TopologyKey == key {
			return "affinity.podAntiAffinity"
		}
	}
	return ""
}

// proposeSpread proposes a topology spread constraint. It is not proposed if the pods are not spread in simulation.
func proposeSpread(ctx context.Context, q query.Query, w facts.Workload, key string) (finding.Remedy, bool) {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selectorOf(w),
	}
	if w.Ref.Kind == string(cluster.Deployment) { // Otherwise, the pods of the old template would count, too, while new ones are placed.
		constraint.MatchLabelKeys = []string{appsv1.DefaultDeploymentUniqueLabelKey}
	}
	constraints := []corev1.TopologySpreadConstraint{constraint} // Merged by topologyKey: others are kept.
	patched := change.Patch{Object: w.Ref, Patch: templatePatch(map[string]any{"topologySpreadConstraints": constraints})}

	proposal := finding.Remedy{
		Message: sentence.RemedySpread(w.Ref, key), Change: patched, Command: patched.Command(),
		Cost: sentence.RemedyRolloutCost(w.Ref), Risk: sentence.RemedySpreadRisk(),
	}
	return q.VerifyRemedy(ctx, proposal, func(o outcome.Outcome) bool {
		there := facts.ZoneOf(o.World)
		if key == corev1.LabelHostname {
			there = facts.NodeName
		}
		pods := facts.PodsOfWorkload(o.World, w.Ref)
		return len(pods) >= len(w.Pods) && facts.MaxPerDomain(pods, there) < len(pods)
	})
}

func selectorOf(w facts.Workload) *metav1.LabelSelector {
	switch o := w.Object.(type) {
	case *appsv1.Deployment:
		return o.Spec.Selector
	case *appsv1.StatefulSet:
		return o.Spec.Selector
	case *appsv1.ReplicaSet:
		return o.Spec.Selector
	default:
		return nil
	}
}

// markTogether marks remedies that each solve another part of the finding.
func markTogether(proposals []finding.Remedy) []finding.Remedy {
	for i := range proposals {
		proposals[i].Together = len(proposals) > 1
	}
	return proposals
}
