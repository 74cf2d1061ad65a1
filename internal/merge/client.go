package merge

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// clientManager is who owns the fields that kubectl applies by itself.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (FieldManagerClientSideApply).
const clientManager = "kubectl-client-side-apply"

// Client is what `kubectl apply` makes of a manifest and an object, nil if there is none: a merge of three, of what was applied
// last, the manifest and the object. A field that was applied and is not any more goes; one that never was stays. Neither
// argument is changed. The error is kubectl's.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (patchSimple), with the Go types' rules of merging.
func Client(manifest map[string]any, live runtime.Object) (runtime.Object, error) {
	modified, err := annotated(manifest)
	if err != nil {
		return nil, err
	}
	if live == nil {
		return created(modified, clientManager)
	}
	live, err = named(live)
	if err != nil {
		return nil, err
	}
	current, err := json.Marshal(live)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	rules, err := strategicpatch.NewPatchMetaFromStruct(live)
	if err != nil {
		return nil, fmt.Errorf("reading how a %T is merged: %w", live, err)
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(lastApplied(live), modified, current, rules, true)
	if err != nil {
		return nil, fmt.Errorf("creating the patch: %w", err)
	}
	if string(patch) == "{}" {
		return nameless(live), nil // Nothing is sent.
	}
	patched, err := strategicpatch.StrategicMergePatchUsingLookupPatchMeta(current, patch, rules)
	if err != nil {
		return nil, fmt.Errorf("applying the patch: %w", err)
	}
	next, err := stored(patched, live)
	if err != nil {
		return nil, err
	}
	return Updated(live, next, clientManager, "")
}

// annotated is a manifest as kubectl sends it: with itself as an annotation, by which the next one is merged.
//
// Source: k8s.io/kubectl/pkg/util (GetModifiedConfiguration).
func annotated(manifest map[string]any) ([]byte, error) {
	o := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	o.SetAnnotations(annotations)
	itself, err := runtime.Encode(unstructured.UnstructuredJSONScheme, o)
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(itself)
	o.SetAnnotations(annotations)
	whole, err := runtime.Encode(unstructured.UnstructuredJSONScheme, o)
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	return whole, nil
}

// lastApplied is the manifest that kubectl applied last, nil if it applied none.
func lastApplied(o runtime.Object) []byte {
	if manifest, is := metaOf(o).GetAnnotations()[corev1.LastAppliedConfigAnnotation]; is {
		return []byte(manifest)
	}
	return nil
}
