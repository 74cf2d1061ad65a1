package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// CordonedByAnnotation on a node names the Remediation that cordoned it, so that it uncordons nothing that another has
// cordoned, and that what it left can be found.
const CordonedByAnnotation = "naosu.dev/cordoned-by"

func cordonedBy(node *corev1.Node) string { return node.Annotations[CordonedByAnnotation] }

// markedBy is the Remediation that has cordoned a node, or keeps autoscalers from removing it; empty if none does.
func markedBy(node *corev1.Node) string {
	by, _ := scaleDownDisabledBy(node)
	return cmp.Or(cordonedBy(node), by)
}

// cordonDue says whether cordon has something to do yet: the node takes pods, another Remediation, which is over, has left
// its cordon there, or, before a reboot, nothing keeps autoscalers from removing the node.
func cordonDue(r *v1alpha1.Remediation, node *corev1.Node) bool {
	by, _ := scaleDownDisabledBy(node)
	return !othersCordon(node) && cordonedBy(node) != r.Name || r.Spec.Action() == v1alpha1.ActionReboot && by != r.Name
}

// othersCordon says whether a node is cordoned, and not by naosu.
func othersCordon(node *corev1.Node) bool { return node.Spec.Unschedulable && cordonedBy(node) == "" }

// cordon marks and cordons a node as it was looked at, unless others have, and, before a reboot, keeps autoscalers from
// removing it: when it is empty, it looks as if nobody needed it. To replace the machine, nothing has to be kept.
func (p *Performer) cordon(ctx context.Context, r *v1alpha1.Remediation, node *corev1.Node) error {
	return p.patch(ctx, node, func(n *corev1.Node) {
		if !othersCordon(n) {
			n.Spec.Unschedulable = true
			metav1.SetMetaDataAnnotation(&n.ObjectMeta, CordonedByAnnotation, r.Name)
		}
		enableScaleDown(n)
		if r.Spec.Action() == v1alpha1.ActionReboot {
			disableScaleDown(n, r.Name)
		}
	})
}

// uncordon undoes cordon on a node as it was looked at. A cordon without the mark is another's.
func (p *Performer) uncordon(ctx context.Context, node *corev1.Node) error {
	return p.patch(ctx, node, func(n *corev1.Node) {
		if cordonedBy(n) != "" {
			n.Spec.Unschedulable = false
			delete(n.Annotations, CordonedByAnnotation)
		}
		enableScaleDown(n)
	})
}

// tellForbidden writes down, once, that a node stays cordoned since the controller may not change it any more, as after its
// rights were lowered. The Remediation goes on until somebody has uncordoned the node, and its budget with it.
func (p *Performer) recordForbidden(ctx context.Context, r *v1alpha1.Remediation) error {
	text := englishText(sentence.ActionMayNotUncordon(nodeOf(r), message.List{CordonedByAnnotation, ScaleDownDisabledByAnnotation}))
	if lastStep(r).Message == text {
		return nil
	}
	_, err := p.write(ctx, r, transition{}, func(status *v1alpha1.RemediationStatus) { status.Steps[len(status.Steps)-1].Message = text })
	return err
}

// patch changes a node if it is still as it was looked at: the precondition on its version is one on its UID too.
func (p *Performer) patch(ctx context.Context, node *corev1.Node, change func(*corev1.Node)) error {
	return patchNode(ctx, p.Client, node, change)
}

func patchNode(ctx context.Context, write client.Client, node *corev1.Node, change func(*corev1.Node)) error {
	after := node.DeepCopy()
	change(after)
	if err := write.Patch(ctx, after, client.MergeFromWithOptions(node, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("change the node %s: %w", node.Name, err)
	}
	return nil
}

// evict asks for pods to leave, each as it was looked at. One that a PodDisruptionBudget holds is asked for another time; so
// is one that several hold, which the API server calls an internal error.
//
// Source: EvictionREST.Create in kubernetes pkg/registry/core/pod/storage/eviction.go.
func (p *Performer) evict(ctx context.Context, pods []*corev1.Pod) error {
	var failed []error
	for _, pod := range pods {
		err := p.Client.SubResource("eviction").Create(ctx, pod.DeepCopy(), evictionOf(pod))
		switch {
		case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err), apierrors.IsTooManyRequests(err), internal(err):
		case ctx.Err() != nil:
			return fmt.Errorf("evict pods: %w", ctx.Err())
		default:
			failed = append(failed, fmt.Errorf("evict %s/%s: %w", pod.Namespace, pod.Name, err))
		}
	}
	return errors.Join(failed...)
}

// evictionOf is the eviction of a pod, and not of a later one of its name.
func evictionOf(pod *corev1.Pod) *policyv1.Eviction {
	return &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))},
	}
}

// internal says whether the API server calls an error its own, with a reason or without.
func internal(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError
}
