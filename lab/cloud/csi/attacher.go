package csi

import (
	"context"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/lab/pace"
)

const (
	attacherFinalizer = "external-attacher/ebs-csi-aws-com"
	// annotationNodeID remembers on a VolumeAttachment which instance it means, for when the CSINode is gone.
	annotationNodeID = "csi.alpha.kubernetes.io/node-id"
)

// attacher makes the cloud's attachments what VolumeAttachments ask for.
// https://github.com/kubernetes-csi/external-attacher, pkg/controller/csi_handler.go
type attacher struct {
	client      kubernetes.Interface
	disks       *ebs
	attachments storagelisters.VolumeAttachmentLister
	volumes     corelisters.PersistentVolumeLister
	csiNodes    storagelisters.CSINodeLister

	attachmentLoop *loop
	volumeLoop     *loop
}

func newAttacher(client kubernetes.Interface, factory informers.SharedInformerFactory, disks *ebs, p *pace.Pace) *attacher {
	a := &attacher{
		client:      client,
		disks:       disks,
		attachments: factory.Storage().V1().VolumeAttachments().Lister(),
		volumes:     factory.Core().V1().PersistentVolumes().Lister(),
		csiNodes:    factory.Storage().V1().CSINodes().Lister(),
	}
	a.attachmentLoop = newLoop("csi-attacher-va", p, a.syncAttachment)
	a.volumeLoop = newLoop("csi-attacher-pv", p, a.syncVolume)
	watch(factory.Storage().V1().VolumeAttachments().Informer(), cache.ResourceEventHandlerFuncs{
		AddFunc:    a.enqueueAttachment,
		UpdateFunc: a.attachmentUpdated,
		DeleteFunc: a.attachmentDeleted,
	})
	watch(factory.Core().V1().PersistentVolumes().Informer(), a.volumeLoop.enqueue())
	return a
}

func (a *attacher) enqueueAttachment(object any) {
	if va := object.(*storagev1.VolumeAttachment); va.Spec.Attacher == ebsName {
		a.attachmentLoop.queue.Add(va.Name)
	}
}

// attachmentUpdated passes over the errors this attacher has just written, which would defeat the wait before the next
// attempt.
func (a *attacher) attachmentUpdated(before, after any) {
	was, is := before.(*storagev1.VolumeAttachment).DeepCopy(), after.(*storagev1.VolumeAttachment).DeepCopy()
	if was.ResourceVersion != is.ResourceVersion {
		for _, va := range []*storagev1.VolumeAttachment{was, is} {
			va.ResourceVersion, va.ManagedFields = "", nil
			va.Status.AttachError, va.Status.DetachError = nil, nil
		}
		if equality.Semantic.DeepEqual(was, is) {
			return
		}
	}
	a.enqueueAttachment(after)
}

// attachmentDeleted has a volume synced that waited only for its last attachment.
func (a *attacher) attachmentDeleted(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	if va, ok := object.(*storagev1.VolumeAttachment); ok && va.Spec.Source.PersistentVolumeName != nil {
		a.volumeLoop.queue.Add(*va.Spec.Source.PersistentVolumeName)
	}
}

func (a *attacher) syncAttachment(ctx context.Context, name string) error {
	va, err := a.attachments.Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	if va.DeletionTimestamp != nil {
		return a.detach(ctx, va)
	}
	if va.Status.Attached {
		return nil
	}
	return a.attach(ctx, va)
}

// syncVolume removes the finalizer of a volume that is being deleted, once there is no VolumeAttachment for it.
func (a *attacher) syncVolume(ctx context.Context, name string) error {
	pv, err := a.volumes.Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	if pv.DeletionTimestamp == nil || !slices.ContainsFunc(pv.Finalizers, isAttacherFinalizer) {
		return nil
	}
	attachments, err := a.attachments.List(labels.Everything())
	if err != nil {
		return err
	}
	for _, va := range attachments {
		if ptr.Deref(va.Spec.Source.PersistentVolumeName, "") == name {
			return nil
		}
	}
	return removeFinalizer(ctx, a.client, pv, attacherFinalizer)
}

func isAttacherFinalizer(finalizer string) bool { return finalizer == attacherFinalizer }

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
