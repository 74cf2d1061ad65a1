package record

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RemoveConditions removes conditions that naosu's agent has written from the status of a Node. It fails with a conflict if the
// Node is not as read any more: another may have taken a condition up since.
func (r *Records) RemoveConditions(ctx context.Context, read *corev1.Node, kinds []corev1.NodeConditionType) error {
	var conditions []map[string]any
	for _, kind := range kinds {
		conditions = append(conditions, map[string]any{"$patch": "delete", "type": kind})
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": read.UID, "resourceVersion": read.ResourceVersion},
		"status":   map[string]any{"conditions": conditions},
	})
	if err != nil {
		return fmt.Errorf("make the patch of the node %s: %w", read.Name, err)
	}
	if err := r.Client.Status().Patch(ctx, read.DeepCopy(), client.RawPatch(types.StrategicMergePatchType, patch)); err != nil {
		return fmt.Errorf("remove conditions of the node %s: %w", read.Name, err)
	}
	return nil
}
