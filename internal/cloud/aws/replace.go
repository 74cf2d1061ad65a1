package aws

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	smithy "github.com/aws/smithy-go/middleware"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

const callTerminate = iam.TerminateInstanceInGroup

// Replace has Auto Scaling terminate the instance and launch another: the group's desired capacity stays.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
func (p *Provider) Replace(ctx context.Context, m cloud.Machine) (cloud.Operation, error) {
	if err := p.identify(ctx, m); err != nil {
		return cloud.Operation{}, err
	}
	id := instanceOf(m)
	if err := p.notProtected(ctx, id); err != nil {
		return cloud.Operation{}, err
	}
	out, err := ask(ctx, callTerminate, p.scaling.TerminateInstanceInAutoScalingGroup, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		InstanceId: &id, ShouldDecrementDesiredCapacity: sdk.Bool(false),
	})
	switch code(err) {
	case codeValidation, (*types.ScalingActivityInProgressFault)(nil).ErrorCode():
		return p.alreadyTerminating(ctx, id, err)
	}
	if err != nil {
		return cloud.Operation{}, unlessKnownNotDone(err)
	}
	if out.Activity == nil {
		return operation(out.ResultMetadata, ""), nil
	}
	return operation(out.ResultMetadata, sdk.ToString(out.Activity.ActivityId)), nil
}

// alreadyTerminating finds out why Auto Scaling rejected an instance: it is terminated or terminating already, which is no error, or is in no
// group.
func (p *Provider) alreadyTerminating(ctx context.Context, id string, cause error) (cloud.Operation, error) {
	instances, err := p.instances(ctx, []string{id})
	if err != nil {
		return cloud.Operation{}, err
	}
	i, known := instances[id]
	if !known || i.State.Name == ec2types.InstanceStateNameShuttingDown || i.State.Name == ec2types.InstanceStateNameTerminated {
		return cloud.Operation{}, nil
	}
	member, err := p.member(ctx, id)
	switch {
	case err != nil:
		return cloud.Operation{}, err
	case member == nil:
		return cloud.Operation{}, fmt.Errorf("%w: %s is in no Auto Scaling group: %w", cloud.ErrNotOffered, id, cause)
	case terminating(member):
		return cloud.Operation{}, nil
	}
	return cloud.Operation{}, cause
}

// member is an instance as Auto Scaling sees it, nil if it is in no group.
func (p *Provider) member(ctx context.Context, id string) (*types.AutoScalingInstanceDetails, error) {
	out, err := ask(ctx, iam.DescribeAutoScalingInstances, p.scaling.DescribeAutoScalingInstances,
		&autoscaling.DescribeAutoScalingInstancesInput{InstanceIds: []string{id}})
	if err != nil || len(out.AutoScalingInstances) == 0 {
		return nil, err
	}
	return &out.AutoScalingInstances[0], nil
}

// operation is identified by AWS's token, or else by the request ID, by which CloudTrail finds it.
func operation(answer smithy.Metadata, token string) cloud.Operation {
	at, _ := middleware.GetResponseAt(answer)
	if token == "" {
		token, _ = middleware.GetRequestIDMetadata(answer)
	}
	return cloud.Operation{ID: token, At: at.Truncate(time.Second)}
}
