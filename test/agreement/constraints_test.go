package agreement

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selectNodes restricts a pod to nodes, or makes it prefer some.
func (w *world) selectNodes(pod *corev1.Pod) {
	if w.chance(30) {
		pod.Spec.NodeSelector = map[string]string{diskLabel: pick(w.random, "ssd", "hdd")}
	}
	affinity := &corev1.NodeAffinity{}
	if w.chance(50) {
		required := &corev1.NodeSelector{}
		for range w.between(1, 2) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, w.nodeTerm())
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	for range w.between(0, 2) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{Weight: int32(w.between(1, 100)), Preference: w.nodeTerm()})
	}
	ensure(pod).NodeAffinity = affinity
}

func ensure(pod *corev1.Pod) *corev1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	return pod.Spec.Affinity
}

func (w *world) nodeTerm() corev1.NodeSelectorTerm {
	term := corev1.NodeSelectorTerm{}
	expression := func(key string, operator corev1.NodeSelectorOperator, values ...string) {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values})
	}
	switch w.IntN(7) {
	case 0:
		expression(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, pickSome(w.random, 60, zones...)...)
		if len(term.MatchExpressions[0].Values) == 0 {
			term.MatchExpressions[0].Values = zones[:1]
		}
	case 1:
		expression(poolLabel, corev1.NodeSelectorOpNotIn, pick(w.random, "x", "y"))
	case 2:
		expression(diskLabel, pick(w.random, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist))
	case 3:
		expression(genLabel, pick(w.random, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt), fmt.Sprint(w.between(1, 4)))
	case 4:
		expression(diskLabel, corev1.NodeSelectorOpIn, "ssd", "hdd")
		expression(genLabel, corev1.NodeSelectorOpIn, "2", "3")
	default: // as a DaemonSet's pods name their node
		term.MatchFields = []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{pick(w.random, w.nodes...).Name},
		}}
	}
	return term
}

// affinity makes a pod seek or avoid others. What already runs has this so that new pods must heed others' terms.
func (w *world) affinity(pod *corev1.Pod, resident bool) {
	affinity := ensure(pod)
	term := func() corev1.PodAffinityTerm { return w.podTerm(pod) }
	weighted := func() []corev1.WeightedPodAffinityTerm {
		return []corev1.WeightedPodAffinityTerm{{Weight: int32(w.between(1, 100)), PodAffinityTerm: term()}}
	}
	switch w.IntN(4) {
	case 0:
		affinity.PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted()}
	case 1:
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted()}
	case 2:
		if resident { // A term of what runs counts for new pods only if it keeps them away or is preferred.
			affinity.PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted()}
			return
		}
		affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term()}}
	case 3:
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term()}}
	}
}

func (w *world) podTerm(pod *corev1.Pod) corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{
		TopologyKey:   pick(w.random, corev1.LabelHostname, corev1.LabelHostname, corev1.LabelTopologyZone, poolLabel),
		LabelSelector: w.selector(pod),
	}
	switch w.IntN(6) {
	case 0:
		term.Namespaces = namespaces
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick(w.random, namespaces...)}}
	case 2:
		term.MatchLabelKeys = []string{trackLabel}
	case 3:
		term.MismatchLabelKeys = []string{trackLabel}
	}
	return term
}

func (w *world) selector(pod *corev1.Pod) *metav1.LabelSelector {
	app := pod.Labels[appLabel]
	if w.chance(50) {
		app = pick(w.random, apps...)
	}
	if w.chance(80) {
		return &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: app}}
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: appLabel, Operator: pick(w.random, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn), Values: []string{app, pick(w.random, apps...)}},
	}}
}

// spread adds one or two topology spread constraints.
func (w *world) spread(pod *corev1.Pod) {
	keys := pickSome(w.random, 60, corev1.LabelTopologyZone, corev1.LabelHostname)
	if len(keys) == 0 {
		keys = []string{poolLabel}
	}
	for _, key := range keys {
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew: int32(pick(w.random, 1, 1, 2, 3)), TopologyKey: key,
			WhenUnsatisfiable: pick(w.random, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: pod.Labels[appLabel]}},
		}
		if w.chance(20) {
			constraint.LabelSelector = w.selector(pod)
		}
		if w.chance(20) {
			constraint.MatchLabelKeys = []string{trackLabel}
		}
		if w.chance(30) && constraint.WhenUnsatisfiable == corev1.DoNotSchedule {
			constraint.MinDomains = new(int32(w.between(1, 4)))
		}
		if w.chance(30) {
			constraint.NodeAffinityPolicy = new(pick(w.random, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore))
		}
		if w.chance(30) {
			constraint.NodeTaintsPolicy = new(pick(w.random, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore))
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
	}
}
