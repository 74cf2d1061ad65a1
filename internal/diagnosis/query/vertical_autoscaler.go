package query

import (
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// verticalAutoscalerOf is the vertical autoscaler of a workload, by its --target, and that flag.
//
// Source: kubernetes-sigs/cluster-proportional-vertical-autoscaler, cmd/cpvpa.
func verticalAutoscalerOf(world *cluster.Snapshot, target change.Ref) (*appsv1.Deployment, string) {
	for _, d := range world.Deployments() {
		if d.Namespace != target.Namespace {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, word := range slices.Concat(c.Command, c.Args) {
				name, ok := strings.CutPrefix(word, "--target=")
				if ok && strings.EqualFold(name, target.Kind+"/"+target.Name) {
					return d, word
				}
			}
		}
	}
	return nil, ""
}

// VerticalAutoscalerLink names the vertical autoscaler that sets the target's requests, and its parameters or recommendations; false if none is known.
func VerticalAutoscalerLink(q Query, target change.Ref) (finding.Link, bool) {
	if autoscaler := verticalautoscaler.Recommender(q.World, target); autoscaler != nil {
		return recommendationLink(autoscaler, target), true
	}
	scaler, flag := verticalAutoscalerOf(q.World, target)
	if scaler == nil {
		return finding.Link{}, false
	}
	ref := facts.RefTo(cluster.Deployment, scaler)
	evidence := []finding.Evidence{facts.Evidence(ref, "spec.template.spec.containers[*].command", flag)}
	for _, c := range scaler.Spec.Template.Spec.Containers {
		for _, word := range slices.Concat(c.Command, c.Args) {
			if strings.HasPrefix(word, "--default-config=") {
				evidence = append(evidence, facts.Evidence(ref, "spec.template.spec.containers[*].command", word))
			}
		}
	}
	return finding.Link{Message: sentence.CauseScaler(ref, target, len(q.World.Nodes())), Evidence: evidence}, true
}

// recommendationLink names a VerticalPodAutoscaler, and what it recommends.
func recommendationLink(autoscaler *custom.VerticalPodAutoscaler, target change.Ref) finding.Link {
	ref := facts.RefTo(cluster.VerticalPodAutoscaler, autoscaler)
	link := finding.Link{Message: sentence.CauseRecommendation(ref, target)}
	if policy := autoscaler.Spec.UpdatePolicy; policy != nil && policy.UpdateMode != "" {
		link.Evidence = append(link.Evidence, facts.Evidence(ref, "spec.updatePolicy.updateMode", string(policy.UpdateMode)))
	}
	add := func(path string, amounts corev1.ResourceList) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if quantity, ok := amounts[name]; ok {
				link.Evidence = append(link.Evidence, facts.Evidence(ref, path+"["+string(name)+"]", quantity.String()))
			}
		}
	}
	for _, c := range autoscaler.Status.Recommendation.ContainerRecommendations {
		add("status.recommendation.containerRecommendations["+c.ContainerName+"].target", c.Target)
	}
	if policy := autoscaler.Spec.ResourcePolicy; policy != nil {
		for _, c := range policy.ContainerPolicies {
			add("spec.resourcePolicy.containerPolicies["+c.ContainerName+"].minAllowed", c.MinAllowed)
			add("spec.resourcePolicy.containerPolicies["+c.ContainerName+"].maxAllowed", c.MaxAllowed)
		}
	}
	return link
}

// FormatInt formats a whole number.
func FormatInt[T int | int32 | int64](n T) string { return strconv.FormatInt(int64(n), 10) }
