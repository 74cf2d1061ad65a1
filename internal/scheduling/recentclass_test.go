package scheduling_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// TestSiblings asks about a pod that fits, and then about another of the same controller that does not, for one difference:
// what is remembered of the first must not decide the second.
func TestSiblings(t *testing.T) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shunned"}}
	shuns := pod("shuns", on("n1"), func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: corev1.LabelHostname}},
		}}
	})
	for name, tc := range map[string]struct {
		first, second func(*corev1.Pod)
	}{
		"another request":      {second: func(p *corev1.Pod) { p.Spec.Containers = pod("larger", asking("64", "1Gi")).Spec.Containers }},
		"another selector":     {second: func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }},
		"another label":        {second: app("shunned")},
		"another namespace":    {first: func(p *corev1.Pod) { app("shunned")(p); p.Namespace = "elsewhere" }, second: func(p *corev1.Pod) { p.Namespace = "default" }},
		"nothing is tolerated": {second: func(p *corev1.Pod) { p.Spec.Tolerations = nil }},
		"a claim of its own":   {first: func(p *corev1.Pod) { p.Spec.Volumes = ofItsOwn("data") }},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(footprintOf("first", "a"), footprintOf("second", "b")...)
			judge := newJudge(t, append(objects, node("n1", tainted("reserved", corev1.TaintEffectNoSchedule)), shuns)...)
			first := pod("first", func(p *corev1.Pod) {
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "web", Controller: new(true)}}
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			})
			if tc.first != nil {
				tc.first(first)
			}
			second := *first
			second.Name, second.UID = "second", "second"
			if tc.second != nil {
				tc.second(&second)
			}
			for _, ask := range []struct {
				pod  *corev1.Pod
				fits bool
			}{{first, true}, {&second, false}, {first, true}} {
				to, err := judge.First(t.Context(), ask.pod)
				if err != nil || (to != "") != ask.fits {
					t.Errorf("pod %s goes to %q (%v), want that it fits: %t", ask.pod.Name, to, err, ask.fits)
				}
			}
		})
	}
}

// ofItsOwn is a volume for which each pod gets a claim that bears its name.
func ofItsOwn(name string) []corev1.Volume {
	return []corev1.Volume{{Name: name, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
}

// footprintOf is the claim that was made for a pod, and its volume.
func footprintOf(pod, zone string) []runtime.Object {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: pod + "-data", UID: types.UID(pod + "-data"), Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, UID: types.UID(pod), Controller: new(true)}},
	}}
	claim.Spec.VolumeName, claim.Status.Phase = pod+"-volume", corev1.ClaimBound
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
	volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "default", Name: claim.Name, UID: claim.UID}
	volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-" + pod}
	volume.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
	}}}}
	return []runtime.Object{claim, volume}
}
