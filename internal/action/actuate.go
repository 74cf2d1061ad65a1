package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// actuate asks the provider to act on the machine, at most once for a reboot: the request is recorded before it is made, and
// a controller that finds it recorded does not repeat it.
func (p *Performer) actuate(ctx context.Context, r *v1alpha1.Remediation, s observation, m transition) error {
	provider, ok := p.provider(r, s.node)
	if !ok || provider == nil {
		return cloud.ErrNotOffered
	}
	if err := p.recordReplacing(ctx, r, s); err != nil {
		return err
	}
	if m.writes() {
		var err error
		if r, err = p.write(ctx, r, m, func(status *v1alpha1.RemediationStatus) {
			step := &status.Steps[len(status.Steps)-1]
			step.Actuator = provider.Name()
			step.Preexisting = preexisting(r, s)
			if r.Spec.Action() == v1alpha1.ActionReboot {
				step.Before = s.node.Status.NodeInfo.BootID
			}
		}); err != nil {
			return err
		}
	}
	if held := p.Clock.Since(s.now); held > actuateTimeout {
		return fmt.Errorf("%s was not asked about %s: the last observation is %v old", provider.Name(), r.Spec.Node.Name, held)
	}
	operation, err := cloud.Act(ctx, provider, r.Spec.Action(), cloud.MachineOf(s.node))
	then, err := transitionAfter(r, provider.Name(), operation, err)
	if err != nil {
		return err
	}
	_, err = p.write(ctx, r, then)
	return err
}

// preexisting are the types of the other conditions of the node that meet a rule; none if the policy is gone.
func preexisting(r *v1alpha1.Remediation, s observation) []string {
	if s.policy == nil || s.node == nil {
		return nil
	}
	return repairpolicy.Preexisting(s.policy.Spec.Rules, r.Spec.Evidence, s.node.Status.Conditions)
}

// transitionAfter is the transition that follows from a provider's answer. One that cannot act now is asked again; one that refuses has
// not acted, so that no harsher action follows.
func transitionAfter(r *v1alpha1.Remediation, by string, operation cloud.Operation, err error) (transition, error) {
	switch {
	case err == nil:
		return transition{end: &stepEnd{result: v1alpha1.StepDone, operation: operation.ID}, begin: v1alpha1.StepWait}, nil
	case errors.Is(err, cloud.ErrUnsure), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if r.Spec.Action() == v1alpha1.ActionReplace { // It is asked again.
			return transition{}, fmt.Errorf("ask %s to replace %s: %w", by, r.Spec.Node.Name, err)
		}
		return transition{end: doneWith(sentence.ActionUnsure(by, err.Error())), begin: v1alpha1.StepWait}, nil
	case errors.Is(err, cloud.ErrPassing):
		return transition{end: failed(sentence.ActionTurnedAway(by, err.Error()))}, nil
	}
	permission := ""
	if refused, ok := errors.AsType[*cloud.RefusedError](err); ok {
		permission = refused.Permission
	}
	why := sentence.ActionRefused(by, permission, err.Error())
	return ended(r, failed(why), &conclusion{v1alpha1.RemediationRefusedReason, why}), nil
}
