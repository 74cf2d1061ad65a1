package scheduling_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// TestClaimTakenBetween asks about a pod whose claim one pod at a time may use, before another pod uses it and after: what
// is remembered of the first answer must not decide the second.
func TestClaimTakenBetween(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "data", UID: "data", Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
		},
		Spec:   corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}, VolumeName: "v"},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
	}
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
	using := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
		}}}
	}
	judge := newJudge(t, node("n1"), claim, volume)
	fits := func() bool {
		t.Helper()
		fit, err := judge.Fit(t.Context(), pod("p", using))
		if err != nil {
			t.Fatal(err)
		}
		return len(fit.Feasible) > 0
	}
	if !fits() {
		t.Fatal("a pod does not fit whose claim nobody uses")
	}
	if err := judge.Apply(cluster.Put(pod("other", using, on("n1")))); err != nil {
		t.Fatal(err)
	}
	if fits() {
		t.Error("a pod fits whose claim another one uses alone")
	}
}
