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
)

// annotatedTaint is a taint that naosu sets on a node together with an annotation that says why.
type annotatedTaint struct {
	annotation string
	taint      corev1.Taint
}

// sameMachine says whether a node is the one that was seen, on the boot of a Declaration, and its kubelet has not renewed the Lease since.
func sameMachine(node, seen *corev1.Node, lease *coordinationv1.Lease, d failoverpolicy.Declaration) bool {
	return node.UID == seen.UID && node.Spec.ProviderID == seen.Spec.ProviderID && node.Status.NodeInfo.BootID == d.BootID &&
		!failoverpolicy.RenewedSince(lease, d.RenewTime)
}

// set sets the taint and the annotation in one patch, so that a process that is killed leaves both or neither.
func (k annotatedTaint) set(ctx context.Context, write client.Client, node *corev1.Node, d failoverpolicy.Declaration) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("record why the node %s has the taint %s: %w", node.Name, k.taint.Key, err)
	}
	return patchNode(ctx, write, node, func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, k.annotation, string(text))
		if !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&k.taint) }) {
			n.Spec.Taints = append(n.Spec.Taints, k.taint)
		}
	})
}

// remove removes both.
func (k annotatedTaint) remove(ctx context.Context, write client.Client, node *corev1.Node) error {
	return patchNode(ctx, write, node, func(n *corev1.Node) {
		delete(n.Annotations, k.annotation)
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&k.taint) })
	})
}

// readNode reads a node; nil if there is none.
func readNode(ctx context.Context, read client.Reader, name string) (*corev1.Node, error) {
	var node corev1.Node
	switch err := read.Get(ctx, client.ObjectKey{Name: name}, &node); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the node %s: %w", name, err)
	}
	return &node, nil
}

// readNodeAndLease reads a node and the Lease that its kubelet renews; each is nil if there is none.
func readNodeAndLease(ctx context.Context, read client.Reader, name string) (*corev1.Node, *coordinationv1.Lease, error) {
	node, err := readNode(ctx, read, name)
	if node == nil {
		return nil, nil, err
	}
	var lease coordinationv1.Lease
	switch err := read.Get(ctx, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: name}, &lease); {
	case apierrors.IsNotFound(err):
		return node, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read the Lease of the node %s: %w", name, err)
	}
	return node, &lease, nil
}
