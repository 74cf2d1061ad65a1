package action

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// +kubebuilder:rbac:groups="",resources=pods/status,verbs=patch

// SetNotReady sets the condition Ready of a pod of a node that is silent to False, as Kubernetes does once the node is not ready, so that
// Services send it no traffic. If its kubelet runs, it sets the condition again when it compares it with its own, every 10 seconds. It reads
// the pod past any cache, and changes nothing if the pod is not the one seen any more, has left the node, is being deleted or is not ready. changed
// says whether it did. A conflict is returned if the pod changes meanwhile.
//
// Source: MarkPodsNotReady in pkg/controller/util/node, and syncBatch in pkg/kubelet/status of Kubernetes.
func SetNotReady(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Pod, now time.Time) (changed bool, err error) {
	pod, err := readSame(ctx, read, seen)
	if err != nil || pod == nil {
		return false, err
	}
	at := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	if at < 0 || pod.Status.Conditions[at].Status != corev1.ConditionTrue {
		return false, nil
	}
	condition := pod.Status.Conditions[at]
	condition.Status, condition.LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(now)
	data, err := json.Marshal([]operation{
		{"replace", "/metadata/uid", pod.UID},
		{"replace", "/metadata/resourceVersion", pod.ResourceVersion},
		{"replace", fmt.Sprintf("/status/conditions/%d", at), condition},
	})
	if err != nil {
		return false, fmt.Errorf("make the patch of the pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if err := write.Status().Patch(ctx, pod, client.RawPatch(types.JSONPatchType, data)); err != nil {
		return false, fmt.Errorf("set the pod %s/%s not ready: %w", pod.Namespace, pod.Name, err)
	}
	return true, nil
}
