package action

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

var outOfService = annotatedTaint{failoverpolicy.OutOfServiceAnnotation, kube.OutOfServiceTaint}

// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kube-node-lease,resources=leases,verbs=get

// DeclareOutOfService sets the out-of-service taint on a node, and records the Declaration with it in one patch. It reads the node and its
// Lease past any cache, and changes nothing if the node is not silent any more, is another or has booted since seen, or if its kubelet has
// renewed the Lease since the Declaration. changed says whether the taint was set. A conflict is returned if the node changes meanwhile.
func DeclareOutOfService(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Node, d failoverpolicy.Declaration) (changed bool, err error) {
	node, lease, err := readNodeAndLease(ctx, read, seen.Name)
	if err != nil || !failoverpolicy.Silent(node) || !sameMachine(node, seen, lease, d) {
		return false, err
	}
	err = outOfService.set(ctx, write, node, d)
	return err == nil, err
}

// WithdrawOutOfService removes what DeclareOutOfService has set from a node whose machine is back, as read past any cache. The taint of
// another stays, and so does everything while the machine is not back. changed says whether anything was removed.
func WithdrawOutOfService(ctx context.Context, write client.Client, read client.Reader, name string) (changed bool, err error) {
	node, lease, err := readNodeAndLease(ctx, read, name)
	if err != nil || node == nil {
		return false, err
	}
	d, declared := failoverpolicy.DeclarationOf(node)
	if !declared || kube.IsOutOfService(node) && !d.Returned(node, lease) {
		return false, nil
	}
	err = outOfService.remove(ctx, write, node)
	return err == nil, err
}

// AddFinalizer adds failoverpolicy.Finalizer to a node, as read past any cache, if it is the one that was seen, is still silent and is not being
// deleted. changed says whether it was added. A conflict is returned if the node changes meanwhile.
func AddFinalizer(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Node) (changed bool, err error) {
	node, err := readNode(ctx, read, seen.Name)
	if err != nil || !failoverpolicy.Silent(node) || node.UID != seen.UID || node.DeletionTimestamp != nil || failoverpolicy.HasFinalizer(node) {
		return false, err
	}
	err = patchNode(ctx, write, node, func(n *corev1.Node) { controllerutil.AddFinalizer(n, failoverpolicy.Finalizer) })
	return err == nil, err
}

// RemoveFinalizer removes failoverpolicy.Finalizer from a node, as read past any cache. A node that is being deleted is gone then, unless others
// have finalizers on it. changed says whether it was removed.
func RemoveFinalizer(ctx context.Context, write client.Client, read client.Reader, name string) (changed bool, err error) {
	node, err := readNode(ctx, read, name)
	if err != nil || node == nil || !failoverpolicy.HasFinalizer(node) {
		return false, err
	}
	err = client.IgnoreNotFound(patchNode(ctx, write, node, func(n *corev1.Node) { controllerutil.RemoveFinalizer(n, failoverpolicy.Finalizer) }))
	return err == nil, err
}
