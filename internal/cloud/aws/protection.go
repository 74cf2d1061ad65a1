package aws

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// notProtected returns an error for an instance that is protected from scale-in. Auto Scaling would terminate it all the same when it is named, but
// a person has protected it. It also returns an error if that is unknown.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-instance-protection.html
func (p *Provider) notProtected(ctx context.Context, id string) error {
	member, err := p.member(ctx, id)
	if err != nil {
		return err
	}
	if protected(member) {
		return fmt.Errorf("%s is protected from scale-in in the Auto Scaling group %s", id, sdk.ToString(member.AutoScalingGroupName))
	}
	return nil
}

// protected says whether a member of a group, nil if there is none, is protected from scale-in and not terminating already.
func protected(member *types.AutoScalingInstanceDetails) bool {
	return member != nil && sdk.ToBool(member.ProtectedFromScaleIn) && !terminating(member)
}

// terminating says whether Auto Scaling is terminating an instance. While a lifecycle hook waits, it still runs.
func terminating(member *types.AutoScalingInstanceDetails) bool {
	return strings.HasPrefix(sdk.ToString(member.LifecycleState), string(types.LifecycleStateTerminating))
}
