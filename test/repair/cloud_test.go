package repair

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// behavior is how the cloud takes the next requests to act.
type behavior int

const (
	// working performs requests.
	working behavior = iota
	// failing answers with an error and does nothing.
	failing
	// actsWithoutAnswer performs the request, but its answer is lost; noActNoAnswer does not perform it.
	actsWithoutAnswer
	noActNoAnswer
	// answersWithoutAct accepts the request and does nothing, as in story 3.
	answersWithoutAct
	// forbidding refuses for lack of a permission.
	forbidding
	behaviors
)

// provider runs the cluster's machines.
type provider struct {
	c        *testCluster
	checker  *checker
	behavior behavior
	// otherRepairer is whether something else repairs all machines.
	otherRepairer bool
}

func (*provider) Name() string { return "cloud" }

func (*provider) Owns(cloud.Machine) bool { return true }

func (p *provider) machine(of cloud.Machine) (*machine, error) {
	for _, m := range p.c.machines {
		if "aws:///"+m.zone+"/"+m.id == of.ProviderID {
			return m, nil
		}
	}
	return nil, fmt.Errorf("there is no machine %s", of.ProviderID)
}

func (p *provider) has(one cloud.Machine) bool {
	_, err := p.machine(one)
	return err == nil
}

func (p *provider) States(_ context.Context, all ...cloud.Machine) ([]cloud.State, error) {
	if p.behavior == failing {
		return nil, fmt.Errorf("describe: %w", cloud.ErrPassing)
	}
	var states []cloud.State
	for _, one := range all {
		state := cloud.State{Running: cloud.Gone}
		if m, err := p.machine(one); err == nil {
			state.Running = cloud.On
			if !m.up {
				state.Running = cloud.Changes
			}
		}
		states = append(states, state)
	}
	return states, nil
}

func (p *provider) Reboot(ctx context.Context, of cloud.Machine) (cloud.Operation, error) {
	return p.act(ctx, v1alpha1.ActionReboot, of, p.c.restart)
}

func (p *provider) Replace(ctx context.Context, of cloud.Machine) (cloud.Operation, error) {
	if !p.has(of) { // Gone already, as wanted.
		return cloud.Operation{At: p.c.now()}, nil
	}
	return p.act(ctx, v1alpha1.ActionReplace, of, p.c.replace)
}

func (p *provider) act(ctx context.Context, action v1alpha1.Action, of cloud.Machine, do func(*machine)) (cloud.Operation, error) {
	m, err := p.machine(of)
	if err != nil {
		return cloud.Operation{}, err
	}
	if p.behavior == failing {
		return cloud.Operation{}, fmt.Errorf("%s: %w", action, cloud.ErrPassing)
	}
	if p.behavior == forbidding {
		p.checker.onRefusal(action, m)
		return cloud.Operation{}, &cloud.RefusedError{Permission: string(action), Err: fmt.Errorf("%s: not permitted", action)}
	}
	p.checker.onAct(ctx, action, m, p.behavior != noActNoAnswer)
	m.replacementLost = m.replacementLost || p.behavior == answersWithoutAct && action == v1alpha1.ActionReplace
	if p.behavior == working || p.behavior == actsWithoutAnswer {
		do(m)
	}
	if p.behavior == actsWithoutAnswer || p.behavior == noActNoAnswer {
		return cloud.Operation{}, fmt.Errorf("%s: %w", action, cloud.ErrUnsure)
	}
	return cloud.Operation{At: p.c.now()}, nil
}

// Repairers are those who repair all machines, if any does.
func (p *provider) Repairers(_ context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	if !p.otherRepairer {
		return nil, nil
	}
	one := cloud.Repairer{By: change.Ref{Kind: "Group", Name: "workers"}, Rules: []cloud.RepairerRule{
		{Condition: "NetworkingReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace},
		{Condition: corev1.NodeReady, Status: corev1.ConditionUnknown, Action: v1alpha1.ActionReplace},
	}}
	for _, m := range machines {
		one.Nodes = append(one.Nodes, m.Node)
	}
	return []cloud.Repairer{one}, nil
}

// May lets everything through.
func (*provider) May(context.Context, v1alpha1.Action, cloud.Machine) (cloud.Permission, error) {
	return cloud.Permission{May: v1alpha1.MayYes}, nil
}
