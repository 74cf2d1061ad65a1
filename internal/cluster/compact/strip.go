package compact

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

// strip digests the environment values in an object's templates, and strips the metadata of its templates as meta does the
// object's own. A variable's name and valueFrom stay: they name the Secret that a container cannot start without.
func strip(o Object, values Digester) {
	switch o := o.(type) {
	case *batchv1.CronJob:
		stripMeta(&o.Spec.JobTemplate.ObjectMeta)
	case *appsv1.StatefulSet:
		for i := range o.Spec.VolumeClaimTemplates {
			stripMeta(&o.Spec.VolumeClaimTemplates[i].ObjectMeta)
		}
	}
	made := kube.PodTemplate(o)
	if made == nil {
		return
	}
	stripMeta(&made.ObjectMeta)
	for i := range made.Spec.Volumes {
		stripClaimMeta(&made.Spec.Volumes[i])
	}
	values.DigestTemplate(o)
}

func stripMeta(o *metav1.ObjectMeta) {
	o.ManagedFields = nil
	delete(o.Annotations, corev1.LastAppliedConfigAnnotation)
}

// stripClaimMeta strips the template of an ephemeral volume's claim.
func stripClaimMeta(v *corev1.Volume) {
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		stripMeta(&v.Ephemeral.VolumeClaimTemplate.ObjectMeta)
	}
}
