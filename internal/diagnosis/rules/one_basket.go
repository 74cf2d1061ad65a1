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
	"github.com/naosu-dev/naosu/internal/simulation"
)

// OneBasket finds N204: a workload of several replicas, all of them on one node or in one zone while others are open.
type OneBasket struct{}

var _ query.Rule = OneBasket{}

// Codes of OneBasket.
func (OneBasket) Codes() []finding.Code { return []finding.Code{finding.N204} }

// Needs of OneBasket.
func (OneBasket) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Concerns everything but pods that do not run.
func (OneBasket) Concerns(v query.View) bool { return query.AsksForRisk(v) }

// Find takes together the workloads that stand on one node each, and those that stand in one zone.
func (rule OneBasket) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(rule.Needs()...) {
		return nil
	}
	var onNode, inZone []facts.Workload
	zone := facts.ZoneOf(v.World)
	for _, w := range facts.Workloads(v.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		switch {
		case len(w.Pods) < 2 || v.PassesOver(finding.N204, w.Ref):
		case facts.MostOnOne(w.Pods, facts.NodeName) == len(w.Pods):
			if len(facts.OpenTo(v.World, w.Pods[0])) > 1 {
				onNode = append(onNode, w)
			}
		case facts.MostOnOne(w.Pods, zone) == len(w.Pods):
			if len(zonesOf(facts.OpenTo(v.World, w.Pods[0]))) > 1 {
				inZone = append(inZone, w)
			}
		}
	}
	var found []finding.Finding
	if len(onNode) > 0 {
		found = append(found, basket(ctx, v, onNode, message.BasketNode, corev1.LabelHostname, facts.NodeName))
	}
	if len(inZone) > 0 {
		found = append(found, basket(ctx, v, inZone, message.BasketZone, corev1.LabelTopologyZone, zone))
	}
	return v.Concerning(found)
}

// zonesOf are the zones that nodes stand in.
func zonesOf(nodes []*corev1.Node) map[string]bool {
	zones := map[string]bool{}
	for _, node := range nodes {
		if zone := cluster.Zone(node); zone != "" {
			zones[zone] = true
		}
	}
	return zones
}

func basket(ctx context.Context, v query.View, all []facts.Workload, says message.ID, key string, place func(*corev1.Pod) string) finding.Finding {
	f := finding.Finding{Code: finding.N204, Severity: finding.Warning}
	where := finding.Link{Message: v.Say.Text(message.CauseBasket, nil)}
	unasked := finding.Link{Message: v.Say.Text(message.CauseUnspread, message.Args{"key": key})}
	kept := finding.Link{Message: v.Say.Text(message.CauseSpreadIgnored, message.Args{"key": key})}
	for _, w := range all {
		f.Subjects = append(f.Subjects, w.Ref)
		if len(where.Evidence) < query.MostListed {
			where.Evidence = append(where.Evidence, facts.Fact(w.Ref, "pods", facts.CountPlaces(w.Pods, place, nil)))
		}
		if asked := spreadsOver(w.Template(), key); asked != "" {
			kept.Evidence = append(kept.Evidence, facts.Fact(w.Ref, "spec.template.spec."+asked, key))
			continue
		}
		if len(unasked.Evidence) < query.MostListed {
			unasked.Evidence = append(unasked.Evidence, facts.Fact(w.Ref, "spec.template.spec.topologySpreadConstraints", ""))
		}
		if len(f.Remedies) < query.MostRemedies {
			if way, ok := spreadOut(ctx, v, w, key); ok {
				f.Remedies = append(f.Remedies, way)
			}
		}
	}
	f.Remedies = together(f.Remedies)
	f.Message = v.Say.Text(says, message.Args{"workloads": v.Some(f.Subjects), "n": len(f.Subjects)})
	f.Causes = append(f.Causes, where)
	for _, link := range []finding.Link{unasked, kept} {
		if len(link.Evidence) > 0 {
			link.Evidence = link.Evidence[:min(len(link.Evidence), query.MostListed)]
			f.Causes = append(f.Causes, link)
		}
	}
	return f
}

// spreadsOver is the field by which a template asks to be spread over a label, empty if it does not.
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

// spreadOut asks for the workload's pods to be spread. It is not offered where a simulation of it does not spread them.
func spreadOut(ctx context.Context, v query.View, w facts.Workload, key string) (finding.Remedy, bool) {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selectorOf(w),
	}
	if w.Ref.Kind == string(cluster.Deployment) { // Else the pods of the old template would count, beside which the new ones are placed.
		constraint.MatchLabelKeys = []string{appsv1.DefaultDeploymentUniqueLabelKey}
	}
	constraints := []corev1.TopologySpreadConstraint{constraint} // Merged by topologyKey: others stay.
	patched := change.Patch{Object: w.Ref, Patch: templatePatch(map[string]any{"topologySpreadConstraints": constraints})}
	args := message.Args{"workload": w.Ref, "key": key}
	way := finding.Remedy{
		Message: v.Say.Text(message.RemedySpread, args), Change: patched, Command: patched.Command(),
		Cost: v.Say.Text(message.RemedyRolloutCost, args), Risk: v.Say.Text(message.RemedySpreadRisk, args),
	}
	return v.Try(ctx, way, func(o simulation.Outcome) bool {
		there := facts.ZoneOf(o.World)
		if key == corev1.LabelHostname {
			there = facts.NodeName
		}
		pods := facts.PodsOfWorkload(o.World, w.Ref)
		return len(pods) >= len(w.Pods) && facts.MostOnOne(pods, there) < len(pods)
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
