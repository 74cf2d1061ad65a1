package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

// ErrUndone is that the API server has taken a change and stored something else, as where a webhook changes it back.
var ErrUndone = errors.New("something else changes the tolerationSeconds back")

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;patch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get

// SetTolerationSeconds changes tolerationSeconds of a pod, which disturbs neither the pod nor its containers. It reads the pod and its
// node past any cache, and changes nothing if the pod is not the one seen any more, or its node is not healthy by now. changed says
// whether anything was changed. A conflict is returned if the pod changes meanwhile.
//
// The API server lets only the tolerationSeconds of existing tolerations change.
//
// Source: validateOnlyAddedTolerations in pkg/apis/core/validation/validation.go of Kubernetes.
func SetTolerationSeconds(ctx context.Context, write client.Client, read client.Reader, seen *corev1.Pod, changes []failoverpolicy.Change) (changed bool, err error) {
	pod, err := readSame(ctx, read, seen)
	if err != nil || pod == nil {
		return false, err
	}
	patch := tolerationPatch(pod, changes)
	if len(patch) == 0 {
		return false, nil
	}
	var node corev1.Node
	switch err := read.Get(ctx, client.ObjectKey{Name: pod.Spec.NodeName}, &node); {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the node %s: %w", pod.Spec.NodeName, err)
	case !failoverpolicy.Healthy(&node):
		return false, nil
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return false, fmt.Errorf("make the patch of the pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if err := write.Patch(ctx, pod, client.RawPatch(types.JSONPatchType, data)); err != nil {
		return false, fmt.Errorf("change the pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if len(tolerationPatch(pod, changes)) > 0 {
		return false, fmt.Errorf("change the pod %s/%s: %w", pod.Namespace, pod.Name, ErrUndone)
	}
	return true, nil
}

// readSame reads a pod past any cache. It is nil if it is not the one seen any more, has left its node or is being deleted.
func readSame(ctx context.Context, read client.Reader, seen *corev1.Pod) (*corev1.Pod, error) {
	var pod corev1.Pod
	switch err := read.Get(ctx, client.ObjectKeyFromObject(seen), &pod); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the pod %s/%s: %w", seen.Namespace, seen.Name, err)
	case pod.UID != seen.UID || pod.DeletionTimestamp != nil || pod.Spec.NodeName != seen.Spec.NodeName:
		return nil, nil
	}
	return &pod, nil
}

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// tolerationPatch is the JSON patch that makes changes to a pod, empty if there is nothing to change. The UID and the resourceVersion
// that it sets are preconditions: the API server answers with a conflict if the pod has others. A patch of one field leaves alone what
// later versions of Kubernetes may have beside it.
func tolerationPatch(pod *corev1.Pod, changes []failoverpolicy.Change) []operation {
	var patch []operation
	for _, c := range changes {
		at := failoverpolicy.Index(pod.Spec.Tolerations, c.Key)
		if at >= 0 && *pod.Spec.Tolerations[at].TolerationSeconds != c.Seconds {
			patch = append(patch, operation{"replace", fmt.Sprintf("/spec/tolerations/%d/tolerationSeconds", at), c.Seconds})
		}
	}
	if len(patch) == 0 {
		return nil
	}
	return append([]operation{
		{"replace", "/metadata/uid", pod.UID}, {"replace", "/metadata/resourceVersion", pod.ResourceVersion},
	}, patch...)
}
