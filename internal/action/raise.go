package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// RaisedAnnotation on a node says that a drill has raised a condition there, and keeps what stood before, as JSON: whoever
// drilled may be gone when it is to be taken back.
const RaisedAnnotation = "naosu.dev/raised"

// Raised is a condition that a drill puts on a node that may be lost, with the rights of who drills.
type Raised struct {
	Client client.Client
	Node   v1alpha1.NodeReference
	// Condition is what is raised, with its LastTransitionTime.
	Condition corev1.NodeCondition
}

// ErrAnotherNode is that the node is gone, or is another of the same name.
var ErrAnotherNode = errors.New("the node no longer exists, or another node has its name")

// kept is what RaisedAnnotation holds.
type kept struct {
	Type corev1.NodeConditionType `json:"type"`
	// Before is nil if the node had no such condition.
	Before *corev1.NodeCondition `json:"before,omitempty"`
}

// Hold raises the condition, or, if somebody has taken it back, raises it again, which it says: whoever waits for the
// condition to last waits from then. What stood before is kept on the Node first. It fails with ErrAnotherNode if the
// machine of that UID is not there any more.
func (r Raised) Hold(ctx context.Context) (again bool, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := r.read(ctx)
		if err != nil || r.stands(node) {
			return err
		}
		_, again = node.Annotations[RaisedAnnotation]
		if err := r.keep(ctx, node); err != nil {
			return err
		}
		return r.patchStatus(ctx, node, &r.Condition)
	})
	return again, err
}

// TakeBack puts back what stood before Hold, if the condition still stands as raised. For a node that is gone it does nothing.
func (r Raised) TakeBack(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := r.read(ctx)
		if err != nil {
			if errors.Is(err, ErrAnotherNode) {
				return nil
			}
			return err
		}
		before, raised, err := keptOn(node)
		if err != nil || !raised {
			return err
		}
		if r.stands(node) {
			if err := r.patchStatus(ctx, node, before.Before); err != nil {
				return err
			}
		}
		return r.patch(ctx, node, func(n *corev1.Node) { delete(n.Annotations, RaisedAnnotation) })
	})
}

func (r Raised) read(ctx context.Context) (*corev1.Node, error) {
	var node corev1.Node
	err := r.Client.Get(ctx, client.ObjectKey{Name: r.Node.Name}, &node)
	switch {
	case apierrors.IsNotFound(err), err == nil && node.UID != r.Node.UID:
		return nil, ErrAnotherNode
	case err != nil:
		return nil, fmt.Errorf("read the node %s: %w", r.Node.Name, err)
	}
	return &node, nil
}

// stands says whether the condition is as raised.
func (r Raised) stands(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == r.Condition.Type && c.Status == r.Condition.Status && c.Reason == r.Condition.Reason && c.Message == r.Condition.Message
	})
}

// keep notes what stands before the condition is raised for the first time.
func (r Raised) keep(ctx context.Context, node *corev1.Node) error {
	before, raised, err := keptOn(node)
	switch {
	case err != nil:
		return err
	case raised && before.Type != r.Condition.Type:
		return fmt.Errorf("another drill has set %s on the node %s and has not restored it", before.Type, node.Name)
	case raised:
		return nil
	}
	keep := kept{Type: r.Condition.Type}
	if at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == keep.Type }); at >= 0 {
		keep.Before = &node.Status.Conditions[at]
	}
	data, err := json.Marshal(keep)
	if err != nil {
		return fmt.Errorf("encode the condition %s: %w", keep.Type, err)
	}
	return r.patch(ctx, node, func(n *corev1.Node) { metav1.SetMetaDataAnnotation(&n.ObjectMeta, RaisedAnnotation, string(data)) })
}

func keptOn(node *corev1.Node) (before kept, raised bool, err error) {
	data, raised := node.Annotations[RaisedAnnotation]
	if !raised {
		return kept{}, false, nil
	}
	if err := json.Unmarshal([]byte(data), &before); err != nil {
		return kept{}, false, fmt.Errorf("read the annotation %s of the node %s: %w", RaisedAnnotation, node.Name, err)
	}
	return before, true, nil
}

// patch changes a node as it was read, which is then as it was written.
func (r Raised) patch(ctx context.Context, node *corev1.Node, change func(*corev1.Node)) error {
	before := node.DeepCopy()
	change(node)
	if err := r.Client.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("change the node %s: %w", node.Name, err)
	}
	return nil
}

// patchStatus sets one condition and leaves others alone; nil takes it away.
func (r Raised) patchStatus(ctx context.Context, node *corev1.Node, condition *corev1.NodeCondition) error {
	before := node.DeepCopy()
	all := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(c corev1.NodeCondition) bool { return c.Type == r.Condition.Type })
	if condition != nil {
		all = append(all, *condition)
	}
	node.Status.Conditions = all
	patch := client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, node, patch); err != nil {
		return fmt.Errorf("write the condition %s of the node %s: %w", r.Condition.Type, node.Name, err)
	}
	return nil
}
