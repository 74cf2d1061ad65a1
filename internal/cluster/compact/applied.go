package compact

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

// NewKeepingApplied returns a Codec that keeps the data with which a manifest is merged, for objects that people apply: managed fields, the
// last-applied annotation, and in it and in pod templates the digest of each environment variable's value.
func NewKeepingApplied(values Digester) *Codec { return &Codec{keepApplied: true, digester: values} }

// IsApplied says whether objects of this type are applied by people and few: neither those that controllers create nor nodes.
func IsApplied(o metav1.Object) bool {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet, *corev1.ReplicationController,
		*batchv1.Job, *batchv1.CronJob, *policyv1.PodDisruptionBudget, *corev1.PersistentVolumeClaim, *corev1.Service,
		*corev1.ServiceAccount, *corev1.Namespace, *corev1.ResourceQuota, *corev1.LimitRange,
		*schedulingv1.PriorityClass, *nodev1.RuntimeClass, *storagev1.StorageClass:
		return true
	}
	return false
}

// restoreApplied sets the managed fields and the last-applied annotation, which meta strips.
func (c *Codec) restoreApplied(m *splitMessage, o *metav1.ObjectMeta) error {
	if metav1.GetControllerOfNoCopy(o) != nil {
		return nil
	}
	all, err := unmarshal[metav1.ObjectMeta](slices.Concat(m.raw(metaAnnotations), m.raw(metaManagedFields)))
	if err != nil {
		return err
	}
	o.ManagedFields = all.ManagedFields
	manifest, applied := all.Annotations[corev1.LastAppliedConfigAnnotation]
	if !applied {
		return nil
	}
	if manifest, applied = c.digester.digestJSON(manifest); !applied {
		return nil // It is no JSON, so its values cannot be found.
	}
	annotations := map[string]string{corev1.LastAppliedConfigAnnotation: manifest}
	maps.Copy(annotations, o.Annotations) // These are interned, and have no such annotation.
	o.Annotations = annotations
	return nil
}

// digestJSON replaces the values in a manifest in JSON by their digests; false if it is no JSON.
func (v Digester) digestJSON(manifest string) (string, bool) {
	var fields map[string]any
	if err := json.Unmarshal([]byte(manifest), &fields); err != nil {
		return "", false
	}
	v.DigestManifest(fields)
	digested, err := json.Marshal(fields)
	if err != nil {
		return "", false
	}
	if bytes.HasSuffix([]byte(manifest), []byte("\n")) { // as kubectl writes it
		digested = append(digested, '\n')
	}
	return string(digested), true
}
