package csi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/lab/cloud"
)

const (
	zoneA = "us-east-1a"
	zoneB = "us-east-1b"
)

// The life of a volume with Kubernetes' own scheduler, volume controllers and attach-detach controller: it is made
// where the first pod is scheduled, attached there, detached after the pod, and deleted with its claim.
func TestVolumeLifecycle(t *testing.T) {
	b := newFixture(t)
	b.class("gp3", storagev1.VolumeBindingWaitForFirstConsumer, nil)
	claim := b.claim("data", "gp3", "")
	b.pod("db", "data", zoneB, "")

	claim = b.bound(claim)
	pv := b.volume(claim.Spec.VolumeName)
	if got := zonesOf(pv); !slices.Equal(got, []string{zoneB}) {
		t.Errorf("the volume's zones are %v, want the pod's", got)
	}
	if got := pv.Annotations["pv.kubernetes.io/provisioned-by"]; got != "ebs.csi.aws.com" {
		t.Errorf("the volume is provisioned by %q", got)
	}
	disk, found := b.cloud.Volume(pv.Spec.CSI.VolumeHandle)
	if !found || disk.Zone != zoneB || disk.Size != 4<<30 {
		t.Errorf("in the cloud the volume is %+v, want 4 GiB in %s", disk, zoneB)
	}
	b.waitForEvent("data", "Provisioning", `External provisioner is provisioning volume for claim "`+b.namespace+`/data"`)
	b.waitForEvent("data", "ProvisioningSucceeded", "Successfully provisioned volume "+pv.Name)

	node := b.instances[zoneB]
	b.eventually("the attachment", func(ctx context.Context) error { return b.attachedAt(ctx, pv, node.NodeName) })
	if disk, _ := b.cloud.Volume(disk.ID); disk.AttachedTo != node.ID {
		t.Errorf("in the cloud the volume is attached to %q, want %s", disk.AttachedTo, node.ID)
	}
	va := b.attachmentOf(t.Context(), pv)
	if !slices.Contains(va.Finalizers, "external-attacher/ebs-csi-aws-com") || va.Annotations["csi.alpha.kubernetes.io/node-id"] != node.ID {
		t.Errorf("the attachment has finalizers %v and annotations %v", va.Finalizers, va.Annotations)
	}
	want := []string{"external-attacher/ebs-csi-aws-com", "external-provisioner.volume.kubernetes.io/finalizer", "kubernetes.io/pv-protection"}
	if got := slices.Sorted(slices.Values(b.volume(pv.Name).Finalizers)); !slices.Equal(got, want) {
		t.Errorf("the volume's finalizers are %v, want %v", got, want)
	}

	b.must(b.CoreV1().Pods(b.namespace).Delete(t.Context(), "db", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
	b.eventually("the detachment", func(ctx context.Context) error {
		if va := b.attachmentOf(ctx, pv); va != nil {
			return fmt.Errorf("attachment %s is still there", va.Name)
		}
		return nil
	})
	if disk, _ := b.cloud.Volume(disk.ID); disk.AttachedTo != "" {
		t.Errorf("in the cloud the volume is still attached to %q", disk.AttachedTo)
	}

	b.must(b.CoreV1().PersistentVolumeClaims(b.namespace).Delete(t.Context(), "data", metav1.DeleteOptions{}))
	b.eventually("the volume's end", func(ctx context.Context) error {
		_, err := b.CoreV1().PersistentVolumes().Get(ctx, pv.Name, metav1.GetOptions{})
		return gone(err)
	})
	if _, found := b.cloud.Volume(disk.ID); found {
		t.Error("in the cloud the volume is still there")
	}
}

func TestImmediate(t *testing.T) {
	b := newFixture(t)
	b.class("now", storagev1.VolumeBindingImmediate, nil)
	b.class("now-in-b", storagev1.VolumeBindingImmediate, []string{zoneB})
	// Over the zones that have nodes, a and b, these names fall as the real provisioner has them fall.
	for claim, want := range map[string]string{"redash-redis": zoneA, "redis": zoneA, "x-7": zoneA, "claim-jovyan": zoneB} {
		pv := b.volume(b.bound(b.claim(claim, "now", "")).Spec.VolumeName)
		if got := zonesOf(pv); !slices.Equal(got, []string{want}) {
			t.Errorf("claim %s has its volume in %v, want %s", claim, got, want)
		}
	}
	pv := b.volume(b.bound(b.claim("held", "now-in-b", "")).Spec.VolumeName)
	if got := zonesOf(pv); !slices.Equal(got, []string{zoneB}) {
		t.Errorf("a class for %s has its volume in %v", zoneB, got)
	}
}

// A claim whose selected node is gone goes back to the scheduler.
func TestReschedule(t *testing.T) {
	b := newFixture(t)
	b.class("gp3", storagev1.VolumeBindingWaitForFirstConsumer, nil)
	b.claim("data", "gp3", "ghost")
	b.waitForEvent("data", "ProvisioningFailed", "failed to get selected CSINode ghost")
	b.eventually("the annotation's end", func(ctx context.Context) error {
		claim, err := b.CoreV1().PersistentVolumeClaims(b.namespace).Get(ctx, "data", metav1.GetOptions{})
		if err == nil && claim.Annotations["volume.kubernetes.io/selected-node"] != "" {
			return fmt.Errorf("annotations are %v", claim.Annotations)
		}
		return err
	})
}

// EFS has no zones and nothing to attach.
func TestSharedVolume(t *testing.T) {
	b := newFixture(t)
	b.classOf("shared", "efs.csi.aws.com", storagev1.VolumeBindingImmediate, nil)
	pv := b.volume(b.bound(b.claim("home", "shared", "")).Spec.VolumeName)
	if pv.Spec.NodeAffinity != nil || !strings.HasPrefix(pv.Spec.CSI.VolumeHandle, "fs-1::") {
		t.Errorf("the volume has affinity %v and handle %s", pv.Spec.NodeAffinity, pv.Spec.CSI.VolumeHandle)
	}
	driver, err := b.StorageV1().CSIDrivers().Get(t.Context(), "efs.csi.aws.com", metav1.GetOptions{})
	b.must(err)
	if ptr.Deref(driver.Spec.AttachRequired, true) {
		t.Error("EFS volumes have to be attached")
	}
}

// What the cloud refuses is in the attachment's status and reaches the pod by Kubernetes' own event; it is retried until
// the cloud accepts it.
func TestAttachFailure(t *testing.T) {
	b := newFixture(t)
	b.class("gp3-a", storagev1.VolumeBindingImmediate, []string{zoneA})
	pv := b.volume(b.bound(b.claim("data", "gp3-a", "")).Spec.VolumeName)
	b.must(b.cloud.LoseZone(zoneA))
	b.pod("db", "data", zoneA, b.instances[zoneA].NodeName)

	b.waitForEvent("db", "FailedAttachVolume", fmt.Sprintf("AttachVolume.Attach failed for volume %q : rpc error: code = Internal desc = Could not attach volume %q to node %q: Unavailable: ",
		pv.Name, pv.Spec.CSI.VolumeHandle, b.instances[zoneA].ID))
	va := b.attachmentOf(t.Context(), pv)
	if va.Status.Attached || va.Status.AttachError == nil {
		t.Errorf("the attachment's status is %+v, want an error", va.Status)
	}

	b.must(b.cloud.RestoreZone(zoneA))
	b.eventually("the attachment", func(ctx context.Context) error {
		return b.attachedAt(ctx, pv, b.instances[zoneA].NodeName)
	})
	if va := b.attachmentOf(t.Context(), pv); va.Status.AttachError != nil {
		t.Errorf("attached, but the error is still %v", va.Status.AttachError)
	}
}

// An attachment to a node that is gone with its CSINode ends all the same.
func TestDetachFromDeletedNode(t *testing.T) {
	b := newFixture(t)
	b.class("gp3-a", storagev1.VolumeBindingImmediate, []string{zoneA})
	pv := b.volume(b.bound(b.claim("data", "gp3-a", "")).Spec.VolumeName)
	node := b.instances[zoneA]
	va := b.attach(pv, node)
	b.eventually("the attachment", func(ctx context.Context) error { return b.isAttached(ctx, va) })

	b.must(b.StorageV1().CSINodes().Delete(t.Context(), node.NodeName, metav1.DeleteOptions{}))
	b.must(b.StorageV1().VolumeAttachments().Delete(t.Context(), va, metav1.DeleteOptions{}))
	b.eventually("the detachment", func(context.Context) error {
		if disk, _ := b.cloud.Volume(pv.Spec.CSI.VolumeHandle); disk.AttachedTo != "" {
			return fmt.Errorf("the volume is attached to %s", disk.AttachedTo)
		}
		return nil
	})
}

// gone returns nil if the object is not found.
func gone(err error) error {
	if err == nil {
		return errors.New("it is still there")
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func zonesOf(pv *corev1.PersistentVolume) []string {
	var zones []string
	for _, term := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if e.Key == corev1.LabelTopologyZone && e.Operator == corev1.NodeSelectorOpIn {
				zones = append(zones, e.Values...)
			}
		}
	}
	return zones
}

func (b *fixture) class(name string, mode storagev1.VolumeBindingMode, zones []string) {
	b.classOf(name, "ebs.csi.aws.com", mode, zones)
}

func (b *fixture) classOf(name, provisioner string, mode storagev1.VolumeBindingMode, zones []string) {
	b.Helper()
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-" + name}, Provisioner: provisioner, VolumeBindingMode: &mode,
		Parameters: map[string]string{"fileSystemId": "fs-1"},
	}
	if zones != nil {
		class.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: corev1.LabelTopologyZone, Values: zones},
		}}}
	}
	_, err := b.StorageV1().StorageClasses().Create(b.Context(), class, metav1.CreateOptions{})
	b.must(err)
}

func (b *fixture) claim(name, class, selectedNode string) *corev1.PersistentVolumeClaim {
	b.Helper()
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(b.namespace + "-" + class),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("4G")}},
		},
	}
	if selectedNode != "" {
		claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": selectedNode}
	}
	claim, err := b.CoreV1().PersistentVolumeClaims(b.namespace).Create(b.Context(), claim, metav1.CreateOptions{})
	b.must(err)
	return claim
}

// pod uses a claim in a zone; with a node it is as if it were scheduled already.
func (b *fixture) pod(name, claim, zone, node string) {
	b.Helper()
	_, err := b.CoreV1().Pods(b.namespace).Create(b.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			NodeName:     node,
			NodeSelector: map[string]string{corev1.LabelTopologyZone: zone, "test": b.namespace},
			Containers:   []corev1.Container{{Name: "db", Image: "registry.example/db:1"}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}}},
		},
	}, metav1.CreateOptions{})
	b.must(err)
}

func (b *fixture) bound(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolumeClaim {
	b.Helper()
	b.eventually("claim "+claim.Name+" to be bound", func(ctx context.Context) (err error) {
		claim, err = b.CoreV1().PersistentVolumeClaims(b.namespace).Get(ctx, claim.Name, metav1.GetOptions{})
		if err == nil && claim.Status.Phase != corev1.ClaimBound {
			return fmt.Errorf("it is %s, annotations %v", claim.Status.Phase, claim.Annotations)
		}
		return err
	})
	return claim
}

func (b *fixture) volume(name string) *corev1.PersistentVolume {
	b.Helper()
	pv, err := b.CoreV1().PersistentVolumes().Get(b.Context(), name, metav1.GetOptions{})
	b.must(err)
	return pv
}

func (b *fixture) attach(pv *corev1.PersistentVolume, node cloud.Instance) string {
	b.Helper()
	va, err := b.StorageV1().VolumeAttachments().Create(b.Context(), &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "by-hand-" + pv.Name},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "ebs.csi.aws.com", NodeName: node.NodeName,
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &pv.Name},
		},
	}, metav1.CreateOptions{})
	b.must(err)
	return va.Name
}

func (b *fixture) attachmentOf(ctx context.Context, pv *corev1.PersistentVolume) *storagev1.VolumeAttachment {
	b.Helper()
	list, err := b.StorageV1().VolumeAttachments().List(ctx, metav1.ListOptions{})
	b.must(err)
	for _, va := range list.Items {
		if ptr.Deref(va.Spec.Source.PersistentVolumeName, "") == pv.Name {
			return &va
		}
	}
	return nil
}

func (b *fixture) isAttached(ctx context.Context, name string) error {
	va, err := b.StorageV1().VolumeAttachments().Get(ctx, name, metav1.GetOptions{})
	if err == nil && !va.Status.Attached {
		return fmt.Errorf("its status is %+v", va.Status)
	}
	return err
}

// attachedAt returns nil once the volume is in the node's status.volumesAttached.
func (b *fixture) attachedAt(ctx context.Context, pv *corev1.PersistentVolume, name string) error {
	node, err := b.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, v := range node.Status.VolumesAttached {
		if strings.HasSuffix(string(v.Name), pv.Spec.CSI.VolumeHandle) {
			return nil
		}
	}
	return fmt.Errorf("node %s has attached %v", name, node.Status.VolumesAttached)
}
