package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Faults by which people, or an attacker, change naosu's own objects.
const (
	rejected  kind = "a person who calls it off"
	deleted   kind = "a person who deletes a Remediation"
	aborted   kind = "a person who aborts what runs"
	recreated kind = "a Remediation deleted past its finalizer, and made again under its name"
	forged    kind = "a Remediation made by hand, of a node that may be well"
	forgedRun kind = "a Remediation made by hand, whose status says that it runs"
	copied    kind = "a Remediation that goes on, made once more under another name"
	edited    kind = "a policy that asks for nothing for a while"
	paused    kind = "a policy that is paused for a while"
	// uncordoned is of nodes whose machines have not been acted on yet.
	uncordoned kind = "a person who uncordons what is being drained"
)

// peopleFault injects a fault by a person or an attacker; false if the kind is not such a fault.
func (n *run) peopleFault(ctx context.Context, f fault, begins bool) (bool, error) {
	switch f.Kind {
	case edited:
		n.emptyVariant, n.checker.policyEmpty = f.Target, begins
		return true, n.edit(ctx)
	case paused:
		n.checker.paused = begins
		return true, n.edit(ctx)
	case rejected, deleted, aborted, recreated, copied, forged, forgedRun, uncordoned:
	default:
		return false, nil
	}
	if !begins {
		return true, nil
	}
	switch f.Kind {
	case rejected:
		return true, n.change(ctx, func(r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Rejected })
	case aborted:
		return true, n.change(ctx, func(r *v1alpha1.Remediation) {
			metav1.SetMetaDataAnnotation(&r.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
		})
	case uncordoned:
		return true, n.uncordon(ctx)
	case deleted, recreated:
		return true, n.remove(ctx, f)
	case copied:
		return true, n.copy(ctx, f)
	default:
		return true, n.forge(ctx, f)
	}
}

// change changes all Remediations that run.
func (n *run) change(ctx context.Context, change func(*v1alpha1.Remediation)) error {
	for _, r := range n.checker.running(ctx) {
		change(&r)
		if err := n.c.api.Direct.Update(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}

// copy makes once more what goes on.
func (n *run) copy(ctx context.Context, f fault) error {
	var all v1alpha1.RemediationList
	if err := n.c.api.Direct.List(ctx, &all); err != nil {
		return err
	}
	for i, r := range all.Items {
		again := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("copied-%d-%d-%d", f.Tick, f.Target, i)}, Spec: r.Spec}
		again.Spec.Approval = ""
		if r.Status.Phase == v1alpha1.PhaseEnded {
			continue
		}
		if err := n.c.api.Direct.Create(ctx, again); client.IgnoreAlreadyExists(err) != nil {
			return err
		}
	}
	return nil
}

// uncordon has a person uncordon all nodes that are being drained, but for those that a zonal shift has cordoned. A controller that does not care finds them as they were.
func (n *run) uncordon(ctx context.Context) error {
	for _, r := range n.checker.running(ctx) {
		var node corev1.Node
		err := n.c.api.Direct.Get(ctx, client.ObjectKey{Name: r.Spec.Node.Name}, &node)
		switch {
		case apierrors.IsNotFound(err), err == nil && !node.Spec.Unschedulable, n.checker.acted[r.UID] > 0, n.shifted[node.Name]:
			continue
		case err != nil:
			return err
		}
		n.checker.uncordoned[r.UID] = true
		if n.flaw == ignoresUncordon {
			continue
		}
		node.Spec.Unschedulable = false
		if err := n.c.api.Direct.Update(ctx, &node); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes one Remediation, whatever its state, and, past its finalizer, makes it again.
func (n *run) remove(ctx context.Context, f fault) error {
	var all v1alpha1.RemediationList
	if err := n.c.api.Direct.List(ctx, &all); err != nil || len(all.Items) == 0 {
		return err
	}
	r := &all.Items[f.Target%len(all.Items)]
	if f.Kind == deleted {
		return client.IgnoreNotFound(n.c.api.Direct.Delete(ctx, r))
	}
	again := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: r.Name}, Spec: r.Spec}
	again.Spec.Approval = ""
	if err := n.c.api.Direct.Delete(ctx, r); err != nil {
		return err
	}
	if err := n.c.api.Direct.Get(ctx, client.ObjectKeyFromObject(r), r); err == nil {
		r.Finalizers = nil
		if err := n.c.api.Direct.Update(ctx, r); err != nil {
			return err
		}
	}
	return n.c.api.Direct.Create(ctx, again)
}

// forge makes a Remediation that no policy asks for, or that claims to have come as far as to its act or beyond.
func (n *run) forge(ctx context.Context, f fault) error {
	all := slices.Sorted(maps.Keys(n.c.machines))
	var node corev1.Node
	switch err := n.c.api.Direct.Get(ctx, client.ObjectKey{Name: all[f.Target%len(all)]}, &node); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	r := &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("forged-%d-%d", f.Tick, f.Target)},
		Spec: v1alpha1.RemediationSpec{
			Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "default", Rule: "network"},
			Node:     v1alpha1.NodeReference{Name: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse, Since: metav1.Now()},
			Plan:     v1alpha1.NodePlan([]v1alpha1.Action{v1alpha1.ActionReboot, v1alpha1.ActionReplace}[f.Target%2], ""),
		},
	}
	if f.Kind == forged && f.Target%3 == 0 {
		r.Spec.Policy.Rule = "no-such-rule"
	}
	if err := n.c.api.Direct.Create(ctx, r); err != nil {
		return client.IgnoreAlreadyExists(err)
	}
	if f.Kind == forged {
		return nil
	}
	n.checker.forged[r.UID] = true
	at := metav1.NewMicroTime(n.c.now())
	for _, name := range []v1alpha1.StepName{v1alpha1.StepCordon, v1alpha1.StepDrain, v1alpha1.StepAct, v1alpha1.StepWait}[:1+f.Target%4] {
		r.Status.Steps = append(r.Status.Steps, v1alpha1.Step{Name: name, StartedAt: at, EndedAt: &at, Result: v1alpha1.StepDone})
	}
	last := &r.Status.Steps[len(r.Status.Steps)-1]
	last.EndedAt, last.Result = nil, ""
	r.Status.Phase = v1alpha1.PhaseRunning
	return n.c.api.Direct.Status().Update(ctx, r)
}

// edit has the policy ask for nothing, in one of several ways, or for what it did before, and pauses it or not.
func (n *run) edit(ctx context.Context) error {
	var policy v1alpha1.NodeRepairPolicy
	if err := n.c.api.Direct.Get(ctx, client.ObjectKey{Name: "default"}, &policy); err != nil {
		return err
	}
	policy.Spec = *n.checker.policy.Spec.DeepCopy()
	policy.Spec.Paused = n.checker.paused
	if n.checker.policyEmpty {
		switch n.emptyVariant % 4 {
		case 0:
			policy.Spec.NodeSelector.MatchLabels = map[string]string{"no": "node"}
		case 1:
			for i := range policy.Spec.Rules {
				policy.Spec.Rules[i].Action = v1alpha1.ActionNone
			}
		case 2:
			for i := range policy.Spec.Rules {
				policy.Spec.Rules[i].For.Duration = 24 * time.Hour
			}
		default:
			policy.Spec.Mode = v1alpha1.ModeReport
		}
	}
	return n.c.api.Direct.Update(ctx, &policy)
}
