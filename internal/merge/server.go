package merge

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// ServerManager is kubectl's field manager of server-side apply.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (fieldManagerServerSideApply, fieldManagerLastAppliedAnnotation).
const (
	ServerManager     = "kubectl"
	annotationManager = "kubectl-last-applied"
)

var annotationField = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", corev1.LastAppliedConfigAnnotation))

// schemas are the schemas of the built-in kinds.
var schemas = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme.Scheme) })

// Server returns the object that the API server makes of a manifest that `kubectl apply --server-side` sends and the live object, nil if there is
// none: kubectl becomes an owner of each field of the manifest, a field that kubectl alone owned and that is no longer in the manifest is
// removed, and all others stay. The error is a conflict (k8s.io/apimachinery/pkg/api/errors) if other managers own fields that would change,
// unless force is set. Fields that kubectl owns by client-side apply are migrated. Neither argument is changed.
//
// Source: k8s.io/kubectl/pkg/cmd/apply (applyOneObject, saveLastApplyAnnotationIfNecessary, migrateToSSAIfNecessary).
func Server(manifest map[string]any, live runtime.Object, force bool) (runtime.Object, error) {
	patch := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	delete(patch.Object, "status") // It belongs to a subresource.
	fields, err := managerOf(patch.GroupVersionKind(), "")
	if err != nil {
		return nil, err
	}
	if live == nil {
		if live, err = scheme.Scheme.New(patch.GroupVersionKind()); err != nil {
			return nil, err
		}
	}
	if live, err = withKind(live); err != nil {
		return nil, err
	}
	next, err := fields.Apply(live, patch, ServerManager, force)
	if err != nil {
		return nil, err
	}
	if next, err = keepAnnotation(fields, next); err != nil {
		return nil, err
	}
	migrated, err := migrate(next)
	if err != nil {
		return nil, err
	}
	if migrated {
		if next, err = fields.Apply(next, patch, ServerManager, force); err != nil {
			return nil, err
		}
	}
	return withoutKind(next), nil
}

// keepAnnotation keeps the last-applied annotation when fields are migrated from client-side apply.
func keepAnnotation(fields *managedfields.FieldManager, o runtime.Object) (runtime.Object, error) {
	annotation := lastApplied(o)
	if annotation == nil || len(csaupgrade.FindFieldsOwners(metaOf(o).GetManagedFields(), metav1.ManagedFieldsOperationApply, annotationField)) > 0 {
		return o, nil
	}
	just := &unstructured.Unstructured{}
	just.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
	just.SetName(metaOf(o).GetName())
	just.SetNamespace(metaOf(o).GetNamespace())
	just.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: string(annotation)})
	return fields.Apply(o, just, annotationManager, false)
}

// Migrates says whether kubectl --server-side, after it has applied an object for the first time, migrates the fields that it owns by client-side
// apply, and applies again: fields that are no longer in the manifest are removed only then. A dry run does neither.
//
// Source: k8s.io/kubectl/pkg/cmd/apply, migrateToSSAIfNecessary.
func Migrates(o metav1.Object) bool {
	return len(csaupgrade.FindFieldsOwners(o.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, annotationField)) > 0
}

// migrate makes the fields that kubectl owns by client-side apply those of --server-side. It returns whether there were any.
func migrate(o runtime.Object) (bool, error) {
	names := sets.New[string]()
	before := metaOf(o).GetManagedFields()
	for _, entry := range csaupgrade.FindFieldsOwners(before, metav1.ManagedFieldsOperationUpdate, annotationField) {
		names.Insert(entry.Manager)
	}
	if err := csaupgrade.UpgradeManagedFields(o, names, ServerManager); err != nil {
		return false, fmt.Errorf("migrating the owners of fields: %w", err)
	}
	return !equality.Semantic.DeepEqual(before, metaOf(o).GetManagedFields()), nil
}

// Updated is an object after an update by a manager, which becomes the owner of the fields that differ. subresource is the one through which
// it was updated, such as "scale"; empty if none.
func Updated(before, next runtime.Object, manager, subresource string) (runtime.Object, error) {
	before, err := withKind(before)
	if err != nil {
		return nil, err
	}
	if next, err = withKind(next); err != nil {
		return nil, err
	}
	fields, err := managerOf(next.GetObjectKind().GroupVersionKind(), subresource)
	if err != nil {
		return nil, err
	}
	if next, err = fields.Update(before, next, manager); err != nil {
		return nil, fmt.Errorf("noting the owners of fields: %w", err)
	}
	return withoutKind(next), nil
}

type defaults struct{}

func (defaults) Default(o runtime.Object) { complete(o) }

// managerOf returns the field manager of a kind. It never makes a manager the owner of the status.
func managerOf(gvk schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, error) {
	version := fieldpath.APIVersion(gvk.GroupVersion().String())
	reset := map[fieldpath.APIVersion]fieldpath.Filter{
		version: fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie("status"))),
	}
	return managedfields.NewDefaultFieldManager(schemas(), scheme.Scheme, defaults{}, scheme.Scheme, gvk, gvk.GroupVersion(), subresource, reset)
}
