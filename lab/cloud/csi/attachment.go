package csi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (a *attacher) attach(ctx context.Context, va *storagev1.VolumeAttachment) error {
	err := a.publish(ctx, va)
	if err == nil {
		return a.patchStatus(ctx, va.Name, map[string]any{"attached": true, "attachError": nil})
	}
	failure := &storagev1.VolumeError{Time: metav1.Now(), Message: err.Error()}
	if s, ok := status.FromError(err); ok {
		failure.ErrorCode = new(int32(s.Code()))
	}
	return errors.Join(err, a.patchStatus(ctx, va.Name, map[string]any{"attachError": failure}))
}

// publish checks all it can before it puts on the finalizer, which from then on ties the attachment's end to a detach.
func (a *attacher) publish(ctx context.Context, va *storagev1.VolumeAttachment) error {
	pv, err := a.volumeOf(va)
	if err != nil {
		return err
	}
	if pv.DeletionTimestamp != nil {
		return fmt.Errorf("PersistentVolume %q is marked for deletion", pv.Name)
	}
	if err := addFinalizer(ctx, a.client, pv, attacherFinalizer); err != nil {
		return err
	}
	instanceID, err := a.nodeID(va.Spec.NodeName)
	if err != nil {
		return err
	}
	if err := a.claim(ctx, va, instanceID); err != nil {
		return err
	}
	return a.disks.publish(pv.Spec.CSI.VolumeHandle, instanceID)
}

// claim makes the attachment this attacher's to detach.
func (a *attacher) claim(ctx context.Context, va *storagev1.VolumeAttachment, instanceID string) error {
	if slices.Contains(va.Finalizers, attacherFinalizer) && va.Annotations[annotationNodeID] == instanceID {
		return nil
	}
	return a.patch(ctx, va.Name, map[string]any{"metadata": map[string]any{
		"finalizers":  append(slices.DeleteFunc(slices.Clone(va.Finalizers), isAttacherFinalizer), attacherFinalizer),
		"annotations": map[string]string{annotationNodeID: instanceID},
	}})
}

func (a *attacher) detach(ctx context.Context, va *storagev1.VolumeAttachment) error {
	if !slices.ContainsFunc(va.Finalizers, isAttacherFinalizer) {
		return nil
	}
	if err := a.unpublish(va); err != nil {
		failure := &storagev1.VolumeError{Time: metav1.Now(), Message: err.Error()}
		return errors.Join(err, a.patchStatus(ctx, va.Name, map[string]any{"detachError": failure}))
	}
	// The finalizer first: an attachment that is going and has none counts as detached, whatever its status says.
	finalizers := slices.DeleteFunc(slices.Clone(va.Finalizers), isAttacherFinalizer)
	if err := a.patch(ctx, va.Name, map[string]any{"metadata": map[string]any{"finalizers": finalizers}}); err != nil {
		return ignoreNotFound(err)
	}
	return ignoreNotFound(a.patchStatus(ctx, va.Name, map[string]any{"attached": false, "detachError": nil}))
}

func (a *attacher) unpublish(va *storagev1.VolumeAttachment) error {
	pv, err := a.volumeOf(va)
	if err != nil {
		return err
	}
	instanceID, err := a.nodeID(va.Spec.NodeName)
	if err != nil {
		remembered, some := va.Annotations[annotationNodeID]
		if !some {
			return err
		}
		instanceID = remembered
	}
	return a.disks.unpublish(pv.Spec.CSI.VolumeHandle, instanceID)
}

func (a *attacher) volumeOf(va *storagev1.VolumeAttachment) (*corev1.PersistentVolume, error) {
	name := va.Spec.Source.PersistentVolumeName
	if name == nil {
		return nil, errors.New("attachments of inline volumes are not modelled")
	}
	pv, err := a.volumes.Get(*name)
	if err != nil {
		return nil, err
	}
	if pv.Spec.CSI == nil {
		return nil, fmt.Errorf("PersistentVolume %q has no CSI source", pv.Name)
	}
	return pv, nil
}

// nodeID is what the driver on the node gave itself out as: the instance's ID.
func (a *attacher) nodeID(node string) (string, error) {
	registered, err := a.csiNodes.Get(node)
	if err != nil {
		return "", err
	}
	for _, d := range registered.Spec.Drivers {
		if d.Name == ebsName {
			return d.NodeID, nil
		}
	}
	return "", fmt.Errorf("CSINode %s does not contain driver %s", node, ebsName)
}

func (a *attacher) patch(ctx context.Context, name string, change map[string]any, subresources ...string) error {
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = a.client.StorageV1().VolumeAttachments().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, subresources...)
	return err
}

func (a *attacher) patchStatus(ctx context.Context, name string, change map[string]any) error {
	return a.patch(ctx, name, map[string]any{"status": change}, "status")
}
