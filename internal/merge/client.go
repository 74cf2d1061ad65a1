package merge

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// ClientManager is the field manager of client-side apply.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (FieldManagerClientSideApply).
const ClientManager = "kubectl-client-side-apply"

// Client returns the object that `kubectl apply` (client-side) makes of a manifest and the live object, nil if there is none: a three-way merge of
// the manifest that was applied last, the new one and the object. A field that is no longer in the manifest is removed; one that never was
// stays. Neither argument is changed. The error is kubectl's.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (patchSimple), with the Go types' rules of merging.
func Client(manifest map[string]any, live runtime.Object) (runtime.Object, error) {
	modified, err := annotated(manifest)
	if err != nil {
		return nil, err
	}
	if live == nil {
		return created(modified, ClientManager)
	}
	if live, err = withKind(live); err != nil {
		return nil, err
	}
	current, err := json.Marshal(live)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	patch, err := strategic(modified, current, live)
	if err != nil {
		return nil, err
	}
	if string(patch) == "{}" {
		return withoutKind(live), nil // Nothing is sent.
	}
	patched, err := strategicpatch.StrategicMergePatch(current, patch, live)
	if err != nil {
		return nil, fmt.Errorf("applying the patch: %w", err)
	}
	next, err := stored(patched, live)
	if err != nil {
		return nil, err
	}
	return Updated(live, next, ClientManager, "")
}

// strategic is the strategic merge patch that kubectl sends for an object of a built-in type.
func strategic(modified, current []byte, live runtime.Object) ([]byte, error) {
	rules, err := strategicpatch.NewPatchMetaFromStruct(live)
	if err != nil {
		return nil, fmt.Errorf("reading how a %T is merged: %w", live, err)
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(lastApplied(live), modified, current, rules, true)
	if err != nil {
		return nil, fmt.Errorf("creating the patch: %w", err)
	}
	return patch, nil
}

// Patch is the request body of `kubectl apply` for a manifest: the object with its last-applied annotation if there is none yet, else a patch of
// the live one.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (patchSimple).
func Patch(manifest map[string]any, live *unstructured.Unstructured) (types.PatchType, []byte, error) {
	modified, err := annotated(manifest)
	if err != nil || live == nil {
		return "", modified, err
	}
	current, err := live.MarshalJSON()
	if err != nil {
		return "", nil, fmt.Errorf("encoding the object: %w", err)
	}
	if typed, err := decoded(live.Object); err == nil {
		patch, err := strategic(modified, current, typed)
		return types.StrategicMergePatchType, patch, err
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(lastApplied(live), modified, current)
	if err != nil {
		return "", nil, fmt.Errorf("creating the patch: %w", err)
	}
	return types.MergePatchType, patch, nil
}

// Untried says whether an error is that the API server cannot do a dry run, because a webhook has side effects.
//
// Source: k8s.io/apiserver/pkg/admission/plugin/webhook/errors (NewDryRunUnsupportedErr).
func Untried(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run")
}

// annotated is a manifest with its last-applied annotation, as kubectl sends it.
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
