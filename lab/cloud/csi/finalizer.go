package csi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// operation is a step of a JSON patch. Finalizers are patched one by one, since a list written as a whole would bring back
// what others took off meanwhile.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func addFinalizer(ctx context.Context, client kubernetes.Interface, pv *corev1.PersistentVolume, finalizer string) error {
	if slices.Contains(pv.Finalizers, finalizer) {
		return nil
	}
	patch := []operation{{Op: "add", Path: "/metadata/finalizers/-", Value: finalizer}}
	if len(pv.Finalizers) == 0 {
		patch = []operation{
			{Op: "test", Path: "/metadata/resourceVersion", Value: pv.ResourceVersion},
			{Op: "add", Path: "/metadata/finalizers", Value: []string{finalizer}},
		}
	}
	if err := patchVolume(ctx, client, pv.Name, patch); err != nil {
		return fmt.Errorf("could not add PersistentVolume finalizer: %w", err)
	}
	return nil
}

func removeFinalizer(ctx context.Context, client kubernetes.Interface, pv *corev1.PersistentVolume, finalizer string) error {
	at := slices.Index(pv.Finalizers, finalizer)
	if at < 0 {
		return nil
	}
	path := fmt.Sprintf("/metadata/finalizers/%d", at)
	err := patchVolume(ctx, client, pv.Name, []operation{{Op: "test", Path: path, Value: finalizer}, {Op: "remove", Path: path}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not remove PersistentVolume finalizer: %w", err)
	}
	return nil
}

func patchVolume(ctx context.Context, client kubernetes.Interface, name string, operations []operation) error {
	patch, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().PersistentVolumes().Patch(ctx, name, types.JSONPatchType, patch, metav1.PatchOptions{})
	return err
}
