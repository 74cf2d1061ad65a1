package manifest

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
	"github.com/naosu-dev/naosu/internal/merge"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// mergeManifest is the object that results from applying the manifest with that index; before is the live object, nil if there is
// none. An object without manifest replaces the live one, and one that the API server has returned is taken as it is.
func (m *Applier) mergeManifest(c change.Apply, i int, ref change.Ref, before metav1.Object) (metav1.Object, error) {
	manifest := c.Manifest(i)
	if manifest == nil {
		object := c.Objects[i].DeepCopyObject().(metav1.Object)
		switch {
		case c.Stored:
			m.sealValues(object)
		case before != nil:
			inheritFromLive(object, before)
		}
		return object, nil
	}
	manifest = runtime.DeepCopyJSON(manifest)
	m.engine.World().Values(c.Objects[i].(metav1.Object)).DigestManifest(manifest)
	var live runtime.Object
	if before != nil {
		live = before.(runtime.Object)
	}
	var object runtime.Object
	var err error
	if c.ServerSide {
		object, err = merge.Server(manifest, live, c.ForceConflicts || !m.knowsOwners(before))
	} else {
		object, err = merge.Client(manifest, live)
	}
	if err != nil {
		return nil, outcome.RefusedError{Object: ref, Err: err}
	}
	return object.(metav1.Object), nil
}

// knowsOwners reports whether it is known who applied which fields of an object.
func (m *Applier) knowsOwners(before metav1.Object) bool {
	return before == nil || m.engine.World().Applied(before)
}

// isUncertain reports whether the object that results from a manifest depends on who applied which fields before, and that is not known: the live object
// has fields that the manifest alone would not make, or, on the server, the manifest changes some, which others may own.
func (m *Applier) isUncertain(c change.Apply, i int, before, merged metav1.Object) bool {
	if c.Manifest(i) == nil || m.knowsOwners(before) {
		return false
	}
	manifest := runtime.DeepCopyJSON(c.Manifest(i))
	m.engine.World().Values(before).DigestManifest(manifest)
	alone, err := merge.Client(manifest, nil)
	return err != nil || !sameConfiguration(alone.(metav1.Object), merged) || c.ServerSide && !sameConfiguration(before, merged)
}

// sameConfiguration reports whether two objects agree in all that a manifest configures, once the API server's defaults are set.
func sameConfiguration(a, b metav1.Object) bool {
	return equality.Semantic.DeepEqual(configurationOf(a), configurationOf(b))
}

// configurationOf are the fields of an object, with the API server's defaults, without those that the API server or a controller sets, and the annotation of
// kubectl rollout restart.
func configurationOf(o metav1.Object) map[string]any {
	o = o.(runtime.Object).DeepCopyObject().(metav1.Object)
	admission.Default(o.(runtime.Object))
	if template := podtemplate.Of(o); template != nil {
		delete(template.Annotations, "kubectl.kubernetes.io/restartedAt")
	}
	if claim, is := o.(*corev1.PersistentVolumeClaim); is {
		claim.Spec.VolumeName, claim.Spec.StorageClassName = "", nil // Nothing changes or removes them.
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil { // Objects of the API are convertible.
		return nil
	}
	for _, field := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(fields, field)
	}
	annotations := maps.Clone(o.GetAnnotations())
	maps.DeleteFunc(annotations, func(key, _ string) bool {
		return key == corev1.LastAppliedConfigAnnotation || strings.HasPrefix(key, "deployment.kubernetes.io/")
	})
	fields["labels"], fields["annotations"] = o.GetLabels(), annotations
	return fields
}

// noteUncertain notes the objects of which it is not known how their manifests are merged into them.
func (m *Applier) noteUncertain(refs []change.Ref, serverSide bool) {
	if len(refs) > 0 {
		m.engine.Gaps.Note("manifests", sentence.GapMerge(len(refs), sentence.Enumerate(refs), serverSide))
	}
}

// RecordFieldManager records the field manager of a command that sets fields: who applies them on the server next gets a conflict.
// Objects without managedFields stay as they are.
//
// Source: the field managers of `kubectl patch`, `kubectl scale` and `kubectl set` (k8s.io/kubectl/pkg/cmd).
func (m *Applier) RecordFieldManager(c change.Change, before metav1.Object) error {
	ref := c.Subject()
	if before == nil || len(before.GetManagedFields()) == 0 {
		return nil
	}
	var manager, subresource string
	switch c.(type) {
	case change.Patch:
		manager = "kubectl-patch"
	case change.ScaleWorkload:
		manager, subresource = "kubectl", "scale"
	case change.GrowDaemonSet:
		manager = "kubectl-set"
	default:
		return nil
	}
	next := m.engine.World().Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)
	if next == nil {
		return nil
	}
	updated, err := merge.Updated(before.(runtime.Object), next.(runtime.Object), manager, subresource)
	if err != nil {
		return err
	}
	return m.engine.Edit(cluster.Put(updated.(metav1.Object)))
}

// sealValues replaces the values of environment variables that a person wrote.
func (m *Applier) sealValues(o metav1.Object) {
	if values := m.engine.World().Values(o); values.HasKey() {
		values.DigestTemplate(o.(compact.Object)) // Every object of a Snapshot is one.
	}
}
