package action

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kube-node-lease,resources=leases,verbs=get

// DeclareOutOfService sets the out-of-service taint on a node, and records the Declaration with it in one patch, so that a process that is
// killed leaves both or neither. It reads the node and its Lease past any cache, and changes nothing if the node is not silent any more,
// is another or has booted since seen, or if its kubelet has renewed the Lease since the Declaration. changed says whether the taint was
// set. A conflict is returned if the node changes meanwhile.
func DeclareOutOfService(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Node, d failoverpolicy.Declaration) (changed bool, err error) {
	node, lease, err := readNodeAndLease(ctx, read, seen.Name)
	if err != nil || !failoverpolicy.Silent(node) {
		return false, err
	}
	same := node.UID == seen.UID && node.Spec.ProviderID == seen.Spec.ProviderID && node.Status.NodeInfo.BootID == d.BootID
	if !same || failoverpolicy.RenewedSince(lease, d.RenewTime) {
		return false, nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		return false, fmt.Errorf("record why the node %s is out of service: %w", node.Name, err)
	}
	err = patchNode(ctx, write, node, func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, failoverpolicy.OutOfServiceAnnotation, string(text))
		n.Spec.Taints = append(n.Spec.Taints, kube.OutOfServiceTaint)
	})
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
	err = patchNode(ctx, write, node, func(n *corev1.Node) {
		delete(n.Annotations, failoverpolicy.OutOfServiceAnnotation)
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&kube.OutOfServiceTaint) })
	})
	return err == nil, err
}

// readNodeAndLease reads a node and the Lease that its kubelet renews; each is nil if there is none.
func readNodeAndLease(ctx context.Context, read client.Reader, name string) (*corev1.Node, *coordinationv1.Lease, error) {
	var node corev1.Node
	switch err := read.Get(ctx, client.ObjectKey{Name: name}, &node); {
	case apierrors.IsNotFound(err):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read the node %s: %w", name, err)
	}
	var lease coordinationv1.Lease
	switch err := read.Get(ctx, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: name}, &lease); {
	case apierrors.IsNotFound(err):
		return &node, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read the Lease of the node %s: %w", name, err)
	}
	return &node, &lease, nil
}
