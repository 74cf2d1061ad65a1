package repair

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// observe returns how the machine was acted on, empty if it was not: it was rebooted, is gone, or another has its name. It also records
// the first sign that a repair has started.
func (t *conditionDrill) observe(ctx context.Context) (string, error) {
	var node corev1.Node
	switch err := t.objects.Get(ctx, client.ObjectKey{Name: t.Node}, &node); {
	case apierrors.IsNotFound(err):
		return t.Say.Say(sentence.DrillGone("node/" + t.Node)), nil
	case err != nil:
		return "", err
	}
	return t.observedAction(&node), nil
}

func (t *conditionDrill) observedAction(node *corev1.Node) string {
	before, now := t.node.Status.NodeInfo.BootID, node.Status.NodeInfo.BootID
	switch {
	case node.UID != t.node.UID:
		return t.Say.Say(sentence.DrillReplaced("node/" + t.Node))
	case before != now && now != "":
		return t.Say.Say(sentence.DrillRebooted("node/"+t.Node, before, now))
	case t.sign != "":
	case node.DeletionTimestamp != nil:
		t.sign = "metadata.deletionTimestamp"
	case node.Spec.Unschedulable && !t.node.Spec.Unschedulable:
		t.sign = "spec.unschedulable"
	case len(node.Spec.Taints) > len(t.node.Spec.Taints):
		t.sign = "spec.taints"
	}
	return ""
}

// verify waits until the machine, or another in its group, is Ready again.
func (t *conditionDrill) verify(ctx context.Context) error {
	ticker := t.Clock.NewTicker(conditionPollInterval)
	defer ticker.Stop()
	for {
		var nodes corev1.NodeList
		if err := t.objects.List(ctx, &nodes); err != nil {
			return t.failed(ctx, err)
		}
		for i := range nodes.Items {
			if node := &nodes.Items[i]; t.isRepaired(node) {
				t.pass(HopVerify, v1alpha1.StepVerify, t.Say.Say(sentence.DrillMended("node/"+node.Name)))
				t.answer.Passed = true
				return nil
			}
		}
		if t.Clock.Now().Sub(t.acted) >= max(t.Margin, time.Second) {
			t.answer.FailedAt, t.answer.Message = HopVerify, t.Say.Say(sentence.DrillNotMended("node/"+t.Node, t.Margin.String()))
			return nil
		}
		select {
		case <-ctx.Done():
			return exit.Failure(sentence.ErrInterrupted())
		case <-ticker.C():
		}
	}
}

// isRepaired says whether a node is the machine after a reboot, or a new one in its group, and Ready.
func (t *conditionDrill) isRepaired(node *corev1.Node) bool {
	if !kube.IsNodeReady(node) {
		return false
	}
	if node.UID == t.node.UID {
		return node.Status.NodeInfo.BootID != t.node.Status.NodeInfo.BootID
	}
	return cluster.GroupName(node) == cluster.GroupName(t.node) && node.CreationTimestamp.After(t.raised.Add(-time.Second))
}
