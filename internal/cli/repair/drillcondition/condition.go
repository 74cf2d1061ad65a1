package drillcondition

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

// Annotation on a node says that a drill has set a condition there, and keeps the condition that was there before, as JSON: the
// process that drilled may have ended when it is to be restored.
const Annotation = "naosu.dev/raised"

// Condition is a condition that a drill sets on a node, with the permissions of the person who drills.
type Condition struct {
	Client client.Client
	Node   v1alpha1.NodeReference
	// Condition is what is set, with its LastTransitionTime.
	Condition corev1.NodeCondition
}

// ErrNodeGone is that the node no longer exists, or another has its name.
var ErrNodeGone = errors.New("node gone")

// errDrillConflict is that another drill has set a condition of the node.
var errDrillConflict = errors.New("drill conflict")

// saved is what Annotation holds.
type saved struct {
	Type corev1.NodeConditionType `json:"type"`
	// Before is nil if the node had no such condition.
	Before *corev1.NodeCondition `json:"before,omitempty"`
}

// Set sets the condition. It says whether somebody had changed it since, so that it was set again: whoever waits for the condition to
// last waits from then. The condition before is saved on the Node first. It fails with ErrNodeGone if the Node of that UID is gone.
func (c Condition) Set(ctx context.Context) (again bool, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := c.read(ctx)
		if err != nil || c.isSet(node) {
			return err
		}
		_, again = node.Annotations[Annotation]
		if err := c.save(ctx, node); err != nil {
			return err
		}
		return c.patchStatus(ctx, node, &c.Condition)
	})
	return again, err
}

// Restore restores the condition before Set, if the condition is still as it was set. For a node that is gone it does nothing.
func (c Condition) Restore(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := c.read(ctx)
		if err != nil {
			if errors.Is(err, ErrNodeGone) {
				return nil
			}
			return err
		}
		before, found, err := savedOn(node)
		if err != nil || !found {
			return err
		}
		if c.isSet(node) {
			if err := c.patchStatus(ctx, node, before.Before); err != nil {
				return err
			}
		}
		return c.patch(ctx, node, func(n *corev1.Node) { delete(n.Annotations, Annotation) })
	})
}

func (c Condition) read(ctx context.Context) (*corev1.Node, error) {
	var node corev1.Node
	err := c.Client.Get(ctx, client.ObjectKey{Name: c.Node.Name}, &node)
	switch {
	case apierrors.IsNotFound(err), err == nil && node.UID != c.Node.UID:
		return nil, ErrNodeGone
	case err != nil:
		return nil, fmt.Errorf("read the node %s: %w", c.Node.Name, err)
	}
	return &node, nil
}

// isSet says whether the node has the condition.
func (c Condition) isSet(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(o corev1.NodeCondition) bool {
		return o.Type == c.Condition.Type && o.Status == c.Condition.Status && o.Reason == c.Condition.Reason && o.Message == c.Condition.Message
	})
}

// save saves the condition before it is set for the first time.
func (c Condition) save(ctx context.Context, node *corev1.Node) error {
	before, found, err := savedOn(node)
	switch {
	case err != nil:
		return err
	case found && before.Type != c.Condition.Type:
		return fmt.Errorf("%w: another drill has set %s on the node %s and has not restored it", errDrillConflict, before.Type, node.Name)
	case found:
		return nil
	}
	s := saved{Type: c.Condition.Type}
	if at := slices.IndexFunc(node.Status.Conditions, func(o corev1.NodeCondition) bool { return o.Type == s.Type }); at >= 0 {
		s.Before = &node.Status.Conditions[at]
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the condition %s: %w", s.Type, err)
	}
	return c.patch(ctx, node, func(n *corev1.Node) { metav1.SetMetaDataAnnotation(&n.ObjectMeta, Annotation, string(data)) })
}

func savedOn(node *corev1.Node) (before saved, found bool, err error) {
	data, found := node.Annotations[Annotation]
	if !found {
		return saved{}, false, nil
	}
	if err := json.Unmarshal([]byte(data), &before); err != nil {
		return saved{}, false, fmt.Errorf("read the annotation %s of the node %s: %w", Annotation, node.Name, err)
	}
	return before, true, nil
}

// patch changes a node as it was read, which is then as it was written.
func (c Condition) patch(ctx context.Context, node *corev1.Node, change func(*corev1.Node)) error {
	before := node.DeepCopy()
	change(node)
	if err := c.Client.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("change the node %s: %w", node.Name, err)
	}
	return nil
}

// patchStatus sets one condition and leaves others alone; nil takes it away.
func (c Condition) patchStatus(ctx context.Context, node *corev1.Node, condition *corev1.NodeCondition) error {
	before := node.DeepCopy()
	all := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(o corev1.NodeCondition) bool { return o.Type == c.Condition.Type })
	if condition != nil {
		all = append(all, *condition)
	}
	node.Status.Conditions = all
	patch := client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})
	if err := c.Client.Status().Patch(ctx, node, patch); err != nil {
		return fmt.Errorf("write the condition %s of the node %s: %w", c.Condition.Type, node.Name, err)
	}
	return nil
}
