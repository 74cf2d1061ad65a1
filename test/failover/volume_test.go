package failover

import (
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab/nodes"
)

const (
	// disk is the app of a StatefulSet whose pod has a volume that one node at a time can attach.
	disk = "disk"
	// releasedWithin is how long after the later of NotReady and proof the volume must be attached to another node: Kubernetes' loops for nodes that are out of service
	// run every 20 s and every 60 s.
	releasedWithin = 90 * time.Second
)

// volumeReleased stops the instance of a worker that has a volume, and waits until it is attached to another node of its zone.
func (b *fixture) volumeReleased(t *testing.T) {
	t.Helper()
	m := b.withNeighbor()
	b.cordon(t, m, true)
	b.createDisk(t, kube.Zone(&m.node))
	eventually(t, "the pod with the volume is ready", func() error { return b.diskReady(t, m) })
	b.cordon(t, m, false)
	instance, there := b.lab.Cloud.InstanceByNode(m.node.Name)
	if !there {
		t.Fatal("the node has no instance")
	}
	began := time.Now()
	m.network.drop(t, m.everything()...)
	if err := b.lab.Cloud.StopInstance(instance.ID); err != nil {
		t.Fatal(err)
	}
	for _, p := range m.runs() {
		p.kill()
	}
	var notReady, proven, attached time.Duration
	first := func(at *time.Duration, is bool) {
		if is && *at == 0 {
			*at = time.Since(began)
		}
	}
	eventually(t, "its volume is attached to another node", func() error {
		node := b.get(t, m)
		first(&notReady, condition(node) != corev1.ConditionTrue)
		first(&proven, kube.IsOutOfService(node))
		var all storagev1.VolumeAttachmentList
		if err := b.client.List(t.Context(), &all); err != nil {
			return err
		}
		for _, a := range all.Items {
			first(&attached, a.Spec.NodeName != m.node.Name && a.Status.Attached)
		}
		if attached == 0 {
			return fmt.Errorf("not ready after %s, out of service after %s", notReady, proven)
		}
		return nil
	})
	took := attached - max(notReady, proven)
	t.Logf("measured volume-of-a-stopped-instance: %.1f s; not ready after %.1f s, out of service after %.1f s", attached.Seconds(), notReady.Seconds(), proven.Seconds())
	t.Logf("measured volume-after-proof: %.1f s", took.Seconds())
	if took > releasedWithin {
		t.Errorf("the volume was attached %s after the node was not ready and its machine was proven to be off", took)
	}
	eventually(t, "its pod is ready there", func() error {
		if b.diskReady(t, m) == nil {
			return errors.New("it is ready where it was")
		}
		return b.diskReady(t, b.neighbor(m))
	})
	if err := b.lab.Cloud.StartInstance(instance.ID); err != nil {
		t.Fatal(err)
	}
	m.network.drop(t)
	eventually(t, "the node is back in service", func() error {
		if node := b.get(t, m); condition(node) != corev1.ConditionTrue || kube.IsOutOfService(node) {
			return errors.New("it is not")
		}
		return nil
	})
	m.state(t, nodes.On)
	m.reboot(t)
	b.watched(t)
}

// withNeighbor is a worker that runs no controller, and of whose zone there is another.
func (b *fixture) withNeighbor() *machine {
	if b.neighbor(b.machines[1]) != nil {
		return b.machines[1]
	}
	return b.machines[2]
}

// neighbor is another worker of a worker's zone; nil if there is none. Of three workers in two zones, one has none.
func (b *fixture) neighbor(m *machine) *machine {
	for _, other := range b.machines {
		if other != m && kube.Zone(&other.node) == kube.Zone(&m.node) {
			return other
		}
	}
	return nil
}

func (b *fixture) createDisk(t *testing.T, zone string) {
	t.Helper()
	labels := map[string]string{"app": disk}
	b.create(t, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gp3"}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	b.create(t, &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: disk}, Spec: v1alpha1.FailoverPolicySpec{
		Mode: v1alpha1.ModeAuto, PodSelector: metav1.LabelSelector{MatchLabels: labels}, OutOfService: v1alpha1.OutOfServiceWhenOff,
	}})
	b.create(t, &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: disk}, Spec: appsv1.StatefulSetSpec{
		ServiceName: disk, Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			NodeSelector: map[string]string{groupLabel: "workers", corev1.LabelTopologyZone: zone},
			Containers:   []corev1.Container{{Name: disk, Image: disk, VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}}},
		}},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("4Gi")}},
		}}},
	}})
}

// diskReady is an error unless the pod with the volume is ready on a worker.
func (b *fixture) diskReady(t *testing.T, m *machine) error {
	t.Helper()
	var pod corev1.Pod
	err := b.client.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: disk + "-0"}, &pod)
	if err == nil && (pod.Spec.NodeName != m.node.Name || !kube.IsPodReady(&pod) || pod.DeletionTimestamp != nil) {
		return fmt.Errorf("it is %s, on %q", pod.Status.Phase, pod.Spec.NodeName)
	}
	return err
}
