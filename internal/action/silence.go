package action

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

var silence = annotatedTaint{failoverpolicy.SilentAnnotation, failoverpolicy.SilentTaint}

// DeclareSilent keeps new pods off a node that is silent: it sets SilentTaint, and records the Declaration with it in one patch, unless that
// was done before. It reads the node and its Lease past any cache. silent says whether the node has the taint now and its machine has given
// no sign of life since the Declaration; changed, whether the taint was set. A conflict is returned if the node changes meanwhile.
func DeclareSilent(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Node, d failoverpolicy.Declaration) (silent, changed bool, err error) {
	node, lease, err := readNodeAndLease(ctx, read, seen.Name)
	if err != nil || node == nil || node.DeletionTimestamp != nil || !sameMachine(node, seen, lease, d) {
		return false, false, err
	}
	if before, declared := failoverpolicy.SilenceOf(node); declared {
		return !before.Spoke(node, lease), false, nil
	}
	err = silence.set(ctx, write, node, d)
	return err == nil, err == nil, err
}

// WithdrawSilent removes what DeclareSilent has set from a node whose machine has given a sign of life, as read past any cache. changed says
// whether anything was removed.
func WithdrawSilent(ctx context.Context, write client.Client, read client.Reader, name string) (changed bool, err error) {
	node, lease, err := readNodeAndLease(ctx, read, name)
	if err != nil || node == nil {
		return false, err
	}
	if d, declared := failoverpolicy.SilenceOf(node); !declared || !d.Spoke(node, lease) {
		return false, nil
	}
	err = silence.remove(ctx, write, node)
	return err == nil, err
}

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;delete

// DeletePod deletes a pod of a node that is silent, with its own grace period, so that its ReplicaSet replaces it. The pod stays in
// Terminating until its kubelet is back. It reads the pod past any cache, and deletes nothing if the pod is not the one seen any more, has
// left the node or is being deleted. deleted says whether it did. A conflict is returned if the pod changes meanwhile.
func DeletePod(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Pod) (deleted bool, err error) {
	pod, err := readSame(ctx, read, seen)
	if err != nil || pod == nil {
		return false, err
	}
	switch err := write.Delete(ctx, pod, client.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion}); {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("delete the pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return true, nil
}
