package csi

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/lab/pace"
)

// provisionerFinalizer keeps a PersistentVolume until its volume is deleted.
const provisionerFinalizer = "external-provisioner.volume.kubernetes.io/finalizer"

// provisioner makes volumes for claims and deletes released ones.
// https://github.com/kubernetes-sigs/sig-storage-lib-external-provisioner, controller/controller.go
type provisioner struct {
	client   kubernetes.Interface
	drivers  map[string]driver
	topology topology
	claims   corelisters.PersistentVolumeClaimLister
	volumes  corelisters.PersistentVolumeLister
	classes  storagelisters.StorageClassLister
	events   record.EventRecorder

	claimLoop  *loop
	volumeLoop *loop
}

func newProvisioner(client kubernetes.Interface, factory informers.SharedInformerFactory, drivers map[string]driver, p *pace.Pace) *provisioner {
	core, storage := factory.Core().V1(), factory.Storage().V1()
	r := &provisioner{
		client:   client,
		drivers:  drivers,
		topology: topology{nodes: core.Nodes().Lister(), csiNodes: storage.CSINodes().Lister()},
		claims:   core.PersistentVolumeClaims().Lister(),
		volumes:  core.PersistentVolumes().Lister(),
		classes:  storage.StorageClasses().Lister(),
	}
	r.claimLoop = newLoop("csi-provisioner-claims", p, r.syncClaim)
	r.volumeLoop = newLoop("csi-provisioner-volumes", p, r.syncVolume)
	watch(core.PersistentVolumeClaims().Informer(), r.claimLoop.enqueue())
	watch(core.PersistentVolumes().Informer(), r.volumeLoop.enqueue())
	return r
}

// record starts the event recorder and returns its stop function.
func (r *provisioner) record(ctx context.Context) (end func()) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: r.client.CoreV1().Events("")})
	r.events = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "ebs.csi.aws.com_ebs-csi-controller"})
	return broadcaster.Shutdown
}

func (r *provisioner) syncClaim(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	claim, err := r.claims.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	class, err := r.classToProvision(claim)
	if err != nil || class == nil {
		return err
	}
	if _, err := r.volumes.Get(volumeName(claim)); err == nil {
		return nil // made already, the claim is about to be bound
	}
	r.events.Eventf(claim, corev1.EventTypeNormal, "Provisioning", "External provisioner is provisioning volume for claim %q", namespace+"/"+name)
	err = r.provision(ctx, claim, class)
	if err == nil {
		r.events.Eventf(claim, corev1.EventTypeNormal, "ProvisioningSucceeded", "Successfully provisioned volume %s", volumeName(claim))
		return nil
	}
	r.events.Event(claim, corev1.EventTypeWarning, "ProvisioningFailed", err.Error())
	if apierrors.IsNotFound(err) && claim.Annotations[storagehelpers.AnnSelectedNode] != "" {
		return r.reschedule(ctx, claim)
	}
	return err
}

// classToProvision is the claim's StorageClass if the time has come to make a volume for it. Kubernetes' volume controller
// says so by the provisioner's name on the claim, the scheduler by the node it selected.
func (r *provisioner) classToProvision(claim *corev1.PersistentVolumeClaim) (*storagev1.StorageClass, error) {
	if claim.Spec.VolumeName != "" || r.drivers[provisionerOf(claim)] == nil {
		return nil, nil
	}
	class, err := r.classes.Get(storagehelpers.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return nil, err
	}
	waits := ptr.Deref(class.VolumeBindingMode, "") == storagev1.VolumeBindingWaitForFirstConsumer
	if waits && claim.Annotations[storagehelpers.AnnSelectedNode] == "" {
		return nil, nil
	}
	return class, nil
}

func provisionerOf(claim *corev1.PersistentVolumeClaim) string {
	if name := claim.Annotations[storagehelpers.AnnStorageProvisioner]; name != "" {
		return name
	}
	return claim.Annotations[storagehelpers.AnnBetaStorageProvisioner]
}

func (r *provisioner) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) error {
	d, found := r.drivers[class.Provisioner]
	if !found {
		return fmt.Errorf("storage class %s has another provisioner, %s", class.Name, class.Provisioner)
	}
	if claim.Spec.Selector != nil {
		return fmt.Errorf("claim Selector is not supported")
	}
	request := volumeRequest{
		name:       volumeName(claim),
		bytes:      claim.Spec.Resources.Requests.Storage().Value(),
		parameters: class.Parameters,
	}
	if d.zonal() {
		zone, err := r.topology.zone(class.Provisioner, claim.Name, class, claim.Annotations[storagehelpers.AnnSelectedNode])
		if apierrors.IsNotFound(err) {
			return err
		}
		if err != nil {
			return fmt.Errorf("error generating accessibility requirements: %w", err)
		}
		request.zone = zone
	}
	handle, bytes, err := d.create(request)
	if err != nil {
		return err
	}
	pv := persistentVolume(claim, class, request.zone, handle, bytes)
	_, err = r.client.CoreV1().PersistentVolumes().Create(ctx, pv, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("error saving volume %s: %w", pv.Name, err)
	}
	return nil
}

// reschedule removes the selected node, so that the scheduler selects another.
func (r *provisioner) reschedule(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:null},"resourceVersion":%q}}`, storagehelpers.AnnSelectedNode, claim.ResourceVersion)
	_, err := r.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if ignoreNotFound(err) != nil {
		return fmt.Errorf("asking for another node: %w", err)
	}
	return nil
}

func (r *provisioner) syncVolume(ctx context.Context, name string) error {
	pv, err := r.volumes.Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	if pv.Spec.CSI == nil || r.drivers[pv.Spec.CSI.Driver] == nil {
		return nil
	}
	switch {
	case pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete:
		return removeFinalizer(ctx, r.client, pv, provisionerFinalizer)
	case pv.DeletionTimestamp == nil && pv.Status.Phase == corev1.VolumeBound:
		return addFinalizer(ctx, r.client, pv, provisionerFinalizer)
	case pv.Status.Phase == corev1.VolumeReleased && (pv.DeletionTimestamp == nil || slices.Contains(pv.Finalizers, provisionerFinalizer)):
		return r.reclaim(ctx, pv)
	}
	return nil
}

// reclaim deletes the volume, then its PersistentVolume.
func (r *provisioner) reclaim(ctx context.Context, pv *corev1.PersistentVolume) error {
	if err := r.drivers[pv.Spec.CSI.Driver].delete(pv.Spec.CSI.VolumeHandle); err != nil {
		r.events.Event(pv, corev1.EventTypeWarning, "VolumeFailedDelete", err.Error())
		return err
	}
	err := r.client.CoreV1().PersistentVolumes().Delete(ctx, pv.Name, metav1.DeleteOptions{})
	if ignoreNotFound(err) != nil {
		return fmt.Errorf("deleting PersistentVolume %s: %w", pv.Name, err)
	}
	return removeFinalizer(ctx, r.client, pv, provisionerFinalizer)
}
