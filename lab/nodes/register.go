package nodes

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// register makes the Node and the CSINode, once in the lifetime of a kubelet: one whose Node is deleted while it runs does
// not make it again, pkg/kubelet/kubelet_node_status.go, registerWithAPIServer.
func (f *Fleet) register(ctx context.Context, k *kubelet) error {
	if k.registered {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	nodes := f.client.CoreV1().Nodes()
	wanted := initialNode(&k.Machine, report{now: f.clock.Now(), bootID: k.bootID})
	node, err := nodes.Create(ctx, wanted, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if node, err = nodes.Get(ctx, k.NodeName, metav1.GetOptions{}); err == nil {
			node, err = f.reconcileNode(ctx, k, node, wanted)
		}
	}
	if err != nil {
		return fmt.Errorf("registering node: %w", err)
	}
	if err := f.registerCSI(ctx, k, node); err != nil {
		return err
	}
	f.recordNodeEvent(k, event{corev1.EventTypeNormal, "Starting", "Starting kubelet.", nil})
	k.node, k.registered, k.everRegistered, k.pluginReady = node, true, true, f.clock.Now().Add(f.pace.Real(k.ReadyDelay))
	return nil
}

// reconcileNode is what a kubelet does to a Node that was there before it: only annotations and its default labels are
// set right, other labels and taints stay as people have left them.
func (f *Fleet) reconcileNode(ctx context.Context, k *kubelet, node, wanted *corev1.Node) (*corev1.Node, error) {
	if info := node.Status.NodeInfo; !k.everRegistered {
		k.nodeReused = info.MachineID != k.machineID()
		if !k.nodeReused && info.BootID != "" {
			k.bootID = info.BootID
		}
	}
	labels, annotations := diff{}, diff{}
	for _, key := range defaultLabels {
		if v, ok := wanted.Labels[key]; ok {
			compare(labels, key, node.Labels[key], v)
		}
	}
	for key, v := range wanted.Annotations {
		compare(annotations, key, node.Annotations[key], v)
	}
	if len(labels)+len(annotations) == 0 {
		return node, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels, "annotations": annotations}})
	if err != nil {
		return nil, fmt.Errorf("encoding the node's labels: %w", err)
	}
	return f.client.CoreV1().Nodes().Patch(ctx, k.NodeName, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}

// defaultLabels are those a kubelet insists on: updateDefaultLabels, without the beta ones of zone, region and type.
var defaultLabels = []string{
	corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelInstanceTypeStable,
	corev1.LabelOSStable, corev1.LabelArchStable, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
}

func (f *Fleet) registerCSI(ctx context.Context, k *kubelet, node *corev1.Node) error {
	driver := func(name string) storagev1.CSINodeDriver {
		return storagev1.CSINodeDriver{Name: name, NodeID: k.InstanceID}
	}
	ebs, efs := driver(driverEBS), driver(driverEFS)
	ebs.TopologyKeys = []string{corev1.LabelTopologyZone}
	ebs.Allocatable = &storagev1.VolumeNodeResources{Count: new(int32(k.Volumes))}
	_, err := f.client.StorageV1().CSINodes().Create(ctx, &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: k.NodeName, OwnerReferences: []metav1.OwnerReference{ownedBy(node)}},
		Spec:       storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{ebs, efs}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making the CSINode: %w", err)
	}
	return nil
}

func ownedBy(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
}
