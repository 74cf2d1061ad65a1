package intake

import (
	"bytes"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// Keeping is an Intake that keeps what an applied manifest is merged by, for objects that people apply: the owners of their
// fields, the manifest that kubectl applied last, and in it and in templates of pods the digest of each environment variable's
// value.
func Keeping(values Values) *Intake { return &Intake{keeps: true, values: values} }

// Appliable says whether objects of a type are what people apply, and are few: not those that controllers make, nor nodes.
func Appliable(o metav1.Object) bool {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet, *corev1.ReplicationController,
		*batchv1.Job, *batchv1.CronJob, *policyv1.PodDisruptionBudget, *corev1.PersistentVolumeClaim, *corev1.Service,
		*corev1.ServiceAccount, *corev1.Namespace, *corev1.ResourceQuota, *corev1.LimitRange,
		*schedulingv1.PriorityClass, *nodev1.RuntimeClass, *storagev1.StorageClass:
		return true
	}
	return false
}

// keep puts back what meta leaves out.
func (in *Intake) keep(m *pieces, o *metav1.ObjectMeta) error {
	if metav1.GetControllerOfNoCopy(o) != nil {
		return nil
	}
	all, err := as[metav1.ObjectMeta](slices.Concat(m.whole(metaAnnotations), m.whole(metaManagedFields)))
	if err != nil {
		return err
	}
	o.ManagedFields = all.ManagedFields
	manifest, applied := all.Annotations[corev1.LastAppliedConfigAnnotation]
	if !applied {
		return nil
	}
	if manifest, applied = in.values.seal(manifest); !applied {
		return nil // Nobody can tell where its values are.
	}
	annotations := map[string]string{corev1.LastAppliedConfigAnnotation: manifest}
	maps.Copy(annotations, o.Annotations) // These are shared, and have no such annotation.
	o.Annotations = annotations
	return nil
}

// seal is a manifest in JSON with the digests of values in place of values; false if it is none.
func (v Values) seal(manifest string) (string, bool) {
	var fields map[string]any
	if err := json.Unmarshal([]byte(manifest), &fields); err != nil {
		return "", false
	}
	v.Seal(fields)
	sealed, err := json.Marshal(fields)
	if err != nil {
		return "", false
	}
	if bytes.HasSuffix([]byte(manifest), []byte("\n")) { // as kubectl writes it
		sealed = append(sealed, '\n')
	}
	return string(sealed), true
}
