package diagnosis

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// OneBasket finds N204: a workload of several replicas, all of them on one node or in one zone while others are open.
type OneBasket struct{}

var _ Rule = OneBasket{}

// Codes of OneBasket.
func (OneBasket) Codes() []finding.Code { return []finding.Code{finding.N204} }

// Needs of OneBasket.
func (OneBasket) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Concerns everything but pods that do not run.
func (OneBasket) Concerns(v View) bool { return asksForRisk(v) }

// Find takes together the workloads that stand on one node each, and those that stand in one zone.
func (rule OneBasket) Find(ctx context.Context, v View) []finding.Finding {
	if !v.knows(rule.Needs()...) {
		return nil
	}
	var onNode, inZone []workload
	zone := zoneOf(v.World)
	for _, w := range workloads(v.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		switch {
		case len(w.pods) < 2 || v.passesOver(finding.N204, w.ref):
		case mostOnOne(w.pods, nodeName) == len(w.pods):
			if len(openTo(v.World, w.pods[0])) > 1 {
				onNode = append(onNode, w)
			}
		case mostOnOne(w.pods, zone) == len(w.pods):
			if len(zonesOf(openTo(v.World, w.pods[0]))) > 1 {
				inZone = append(inZone, w)
			}
		}
	}
	var found []finding.Finding
	if len(onNode) > 0 {
		found = append(found, basket(ctx, v, onNode, message.BasketNode, corev1.LabelHostname, nodeName))
	}
	if len(inZone) > 0 {
		found = append(found, basket(ctx, v, inZone, message.BasketZone, corev1.LabelTopologyZone, zone))
	}
	return v.concerning(found)
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

func basket(ctx context.Context, v View, all []workload, says message.ID, key string, place func(*corev1.Pod) string) finding.Finding {
	f := finding.Finding{Code: finding.N204, Severity: finding.Warning}
	where := finding.Link{Message: v.Say.Text(message.CauseBasket, nil)}
	unasked := finding.Link{Message: v.Say.Text(message.CauseUnspread, message.Args{"key": key})}
	kept := finding.Link{Message: v.Say.Text(message.CauseSpreadIgnored, message.Args{"key": key})}
	for _, w := range all {
		f.Subjects = append(f.Subjects, w.ref)
		if len(where.Evidence) < mostListed {
			where.Evidence = append(where.Evidence, fact(w.ref, "pods", countPlaces(w.pods, place, nil)))
		}
		if asked := spreadsOver(w.template(), key); asked != "" {
			kept.Evidence = append(kept.Evidence, fact(w.ref, "spec.template.spec."+asked, key))
			continue
		}
		if len(unasked.Evidence) < mostListed {
			unasked.Evidence = append(unasked.Evidence, fact(w.ref, "spec.template.spec.topologySpreadConstraints", ""))
		}
		if len(f.Remedies) < mostRemedies {
			if way, ok := spreadOut(ctx, v, w, key); ok {
				f.Remedies = append(f.Remedies, way)
			}
		}
	}
	f.Message = v.Say.Text(says, message.Args{"workloads": v.some(f.Subjects), "n": len(f.Subjects)})
	f.Causes = append(f.Causes, where)
	for _, link := range []finding.Link{unasked, kept} {
		if len(link.Evidence) > 0 {
			link.Evidence = link.Evidence[:min(len(link.Evidence), mostListed)]
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
func spreadOut(ctx context.Context, v View, w workload, key string) (finding.Remedy, bool) {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selectorOf(w),
	}
	constraints := []corev1.TopologySpreadConstraint{constraint} // Merged by topologyKey: others stay.
	patched := change.Patch{Object: w.ref, Patch: templatePatch(map[string]any{"topologySpreadConstraints": constraints})}
	args := message.Args{"workload": w.ref, "key": key}
	way := finding.Remedy{
		Message: v.Say.Text(message.RemedySpread, args), Change: patched, Command: patched.Command(),
		Cost: v.Say.Text(message.RemedyRolloutCost, args), Risk: v.Say.Text(message.RemedySpreadRisk, args),
	}
	return v.try(ctx, way, func(o simulation.Outcome) bool {
		there := zoneOf(o.World)
		if key == corev1.LabelHostname {
			there = nodeName
		}
		pods := podsOfWorkload(o.World, w.ref)
		return len(pods) >= len(w.pods) && mostOnOne(pods, there) < len(pods)
	})
}

func selectorOf(w workload) *metav1.LabelSelector {
	switch o := w.object.(type) {
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
