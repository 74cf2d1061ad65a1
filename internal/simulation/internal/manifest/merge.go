package manifest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
	"github.com/naosu-dev/naosu/internal/merge"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
	known := before == nil || m.engine.World().Applied(before)
	if !known {
		m.engine.Gaps.Note(ref.String(), sentence.GapMerge(ref, c.ServerSide))
	}
	var live runtime.Object
	if before != nil {
		live = before.(runtime.Object)
	}
	var object runtime.Object
	var err error
	if c.ServerSide {
		object, err = merge.Server(manifest, live, c.ForceConflicts || !known)
	} else {
		object, err = merge.Client(manifest, live)
	}
	if err != nil {
		return nil, outcome.RefusedError{Object: ref, Err: err}
	}
	return object.(metav1.Object), nil
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
