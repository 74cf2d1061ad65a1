package clusterautoscaler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestGroupEquivalentPods(t *testing.T) {
	token := func(volume string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Hostname = p.Name
			p.Spec.Volumes = []corev1.Volume{{Name: volume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}}
			p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: volume, MountPath: "/token"}}
		}
	}
	labelled := func(p *corev1.Pod) { p.Labels["version"] = "2" }
	pods := []*corev1.Pod{
		testPod("a", 100, token("kube-api-access-1")),
		testPod("bigger", 200, token("kube-api-access-2")),
		testPod("b", 100, token("kube-api-access-3")),
		testPod("bare", 100, bare), testPod("bare-too", 100, bare),
		testPod("claiming", 100, claiming("x")), testPod("claiming-another", 100, claiming("y")),
		testPod("newer", 100, labelled, token("kube-api-access-4")),
		testPod("elsewhere", 100, func(p *corev1.Pod) { p.OwnerReferences[0].UID = "other" }, token("kube-api-access-5")),
	}
	var got [][]string
	for _, like := range groupEquivalentPods(pods) {
		var names []string
		for _, p := range like {
			names = append(names, p.Name)
		}
		got = append(got, names)
	}
	want := [][]string{{"a", "b"}, {"bigger"}, {"bare"}, {"bare-too"}, {"claiming"}, {"claiming-another"}, {"newer"}, {"elsewhere"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(pods[0].Spec.Volumes) != 1 || pods[0].Spec.Hostname != "a" || len(pods[0].Spec.Containers[0].VolumeMounts) != 1 {
		t.Error("a pod was changed")
	}
}
