package aws

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// notProtected fails for an instance that is protected from scale-in. Auto Scaling would end it all the same when asked for it
// by name, but somebody has said that it is to stay. What is not known of it is not taken to be well.
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

// protected says whether a member of a group is protected from scale-in, and not on its way out already; nil is none.
func protected(member *types.AutoScalingInstanceDetails) bool {
	return member != nil && sdk.ToBool(member.ProtectedFromScaleIn) && !terminating(member)
}

// terminating says whether Auto Scaling is ending an instance. Held by a lifecycle hook, it still runs.
func terminating(member *types.AutoScalingInstanceDetails) bool {
	return strings.HasPrefix(sdk.ToString(member.LifecycleState), string(types.LifecycleStateTerminating))
}
