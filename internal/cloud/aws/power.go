package aws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

// States are those of EC2, with its status checks of machines that run. EC2 has no record of a machine some time after it was
// terminated, and of those of other accounts and regions.
func (p *Provider) States(ctx context.Context, machines ...cloud.Machine) ([]cloud.State, error) {
	ids := make([]string, 0, len(machines))
	for _, m := range machines {
		id := instanceOf(m)
		if id == "" {
			return nil, fmt.Errorf("%s is not an EC2 instance: its provider ID is %q", m.Node, m.ProviderID)
		}
		ids = append(ids, id)
	}
	instances, err := p.instances(ctx, ids)
	if err != nil {
		return nil, err
	}
	running := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		i, known := instances[id]
		return !known || i.State.Name != types.InstanceStateNameRunning
	})
	checks, err := p.checks(ctx, running)
	if err != nil {
		return nil, err
	}
	states := make([]cloud.State, 0, len(ids))
	for _, id := range ids {
		states = append(states, stateOf(instances[id], checks[id]))
	}
	return states, nil
}

// stateOf is the state of an instance; the zero Instance is one that EC2 does not know.
func stateOf(i types.Instance, checks types.InstanceStatus) cloud.State {
	if i.State == nil {
		return cloud.State{Running: cloud.NotFound, Message: codeNotFound}
	}
	state := cloud.State{Running: powers[i.State.Name], Message: string(i.State.Name)}
	if reason := i.StateReason; reason != nil && sdk.ToString(reason.Message) != "" {
		state.Message += ": " + sdk.ToString(reason.Message)
	}
	state.Impaired = impaired(checks)
	if said := sayChecks(checks); said != "" {
		state.Message += "; " + said
	}
	return state
}

// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
var powers = map[types.InstanceStateName]cloud.Running{
	types.InstanceStateNamePending:      cloud.Changes,
	types.InstanceStateNameRunning:      cloud.On,
	types.InstanceStateNameStopping:     cloud.Changes,
	types.InstanceStateNameStopped:      cloud.Off,
	types.InstanceStateNameShuttingDown: cloud.Changes,
	types.InstanceStateNameTerminated:   cloud.Gone,
}

// summaries are an instance's status checks by EC2's names: of the host, the instance, and the attached volumes.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html
func summaries(checks types.InstanceStatus) map[string]types.SummaryStatus {
	found := map[string]types.SummaryStatus{}
	if s := checks.SystemStatus; s != nil {
		found["system"] = s.Status
	}
	if s := checks.InstanceStatus; s != nil {
		found["instance"] = s.Status
	}
	if s := checks.AttachedEbsStatus; s != nil {
		found["attached EBS"] = s.Status
	}
	return found
}

// impaired says whether a check fails; nil while checks are initializing.
func impaired(checks types.InstanceStatus) *bool {
	var bad, good bool
	for _, status := range summaries(checks) {
		bad = bad || status == types.SummaryStatusImpaired
		good = good || status == types.SummaryStatusOk
	}
	if !bad && !good {
		return nil
	}
	return &bad
}

func sayChecks(checks types.InstanceStatus) string {
	var said []string
	for which, status := range summaries(checks) {
		said = append(said, fmt.Sprintf("%s status %s", which, status))
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}

// Reboot asks EC2 for a reboot. One that does not answer within four minutes EC2 reboots hard.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
func (p *Provider) Reboot(ctx context.Context, m cloud.Machine) (cloud.Operation, error) {
	if err := p.identify(ctx, m); err != nil {
		return cloud.Operation{}, err
	}
	out, err := ask(ctx, callReboot, p.ec2.RebootInstances, &ec2.RebootInstancesInput{InstanceIds: []string{instanceOf(m)}},
		func(o *ec2.Options) { o.Retryer = throttleRetryer })
	if err != nil {
		return cloud.Operation{}, unlessKnownNotDone(err)
	}
	return operation(out.ResultMetadata, ""), nil
}

const callReboot = iam.RebootInstances
