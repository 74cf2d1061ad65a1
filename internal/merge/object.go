package merge

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/internal/admission"
)

// withKind is a copy of an object with its apiVersion and kind set, which the libraries need.
func withKind(o runtime.Object) (runtime.Object, error) {
	gvks, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	o = o.DeepCopyObject()
	o.GetObjectKind().SetGroupVersionKind(gvks[0])
	nameClaims(o)
	return o, nil
}

// withoutKind clears the apiVersion and kind of an object, as typed clients return it.
func withoutKind(o runtime.Object) runtime.Object {
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return o
}

func metaOf(o runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(o)
	utilruntime.Must(err) // Only objects of the API come here.
	return accessor
}

// stored decodes an object as the API server stores it: with its defaults, and with the fields of the live object, nil if it is new, that no
// client may change.
//
// Source: k8s.io/apiserver/pkg/registry/rest (BeforeUpdate); PrepareForUpdate in pkg/registry of Kubernetes, which keeps the status.
func stored(data []byte, live runtime.Object) (runtime.Object, error) {
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("decoding the merged object: %w", err)
	}
	delete(fields, "status")
	o, err := decoded(fields)
	if err != nil {
		return nil, err
	}
	if live != nil {
		if err := keep(o, live); err != nil {
			return nil, err
		}
	}
	complete(o)
	return o, nil
}

// complete sets the fields that the API server sets in any object.
func complete(o runtime.Object) {
	admission.Default(o)
	nameClaims(o)
}

// nameClaims sets the kind in a StatefulSet's claim templates, as the API server does. It is not in their protobuf encoding.
//
// Source: pkg/apis/apps/v1 of Kubernetes (Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec).
func nameClaims(o runtime.Object) {
	if set, is := o.(*appsv1.StatefulSet); is {
		for i := range set.Spec.VolumeClaimTemplates {
			claim := &set.Spec.VolumeClaimTemplates[i]
			claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
		}
	}
}

// decoded converts a manifest to its Go type.
func decoded(fields map[string]any) (runtime.Object, error) {
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encoding the merged object: %w", err)
	}
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decoding the merged object: %w", err)
	}
	return o, nil
}

// keep copies the status and the metadata that an update cannot change from the live object.
func keep(next, live runtime.Object) error {
	was, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return fmt.Errorf("encoding the object: %w", err)
	}
	if status, has := was["status"]; has {
		data, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return fmt.Errorf("encoding the status: %w", err)
		}
		if err := json.Unmarshal(data, next); err != nil {
			return fmt.Errorf("decoding the status: %w", err)
		}
	}
	to, from := metaOf(next), metaOf(live)
	to.SetUID(from.GetUID())
	to.SetResourceVersion(from.GetResourceVersion())
	to.SetGeneration(from.GetGeneration())
	to.SetCreationTimestamp(from.GetCreationTimestamp())
	to.SetDeletionTimestamp(from.GetDeletionTimestamp())
	to.SetDeletionGracePeriodSeconds(from.GetDeletionGracePeriodSeconds())
	to.SetManagedFields(from.GetManagedFields())
	return nil
}

// created is the new object that a manifest creates.
func created(manifest []byte, manager string) (runtime.Object, error) {
	o, err := stored(manifest, nil)
	if err != nil {
		return nil, err
	}
	empty, err := scheme.Scheme.New(o.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return Updated(empty, o, manager, "")
}
