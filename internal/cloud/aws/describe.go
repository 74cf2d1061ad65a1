package aws

import (
	"context"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

// batch is the number of instances of one call. EC2 allows 1,000 and advises fewer.
// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
const batch = 100

// instances describes those that EC2 knows.
func (p *Provider) instances(ctx context.Context, ids []string) (map[string]types.Instance, error) {
	found := map[string]types.Instance{}
	for some := range slices.Chunk(ids, batch) {
		out, err := ask(ctx, callDescribeInstances, p.ec2.DescribeInstances, &ec2.DescribeInstancesInput{InstanceIds: some})
		if code(err) == codeNotFound {
			out, err = p.known(ctx, some)
		}
		if err != nil {
			return nil, err
		}
		for _, r := range out.Reservations {
			for _, i := range r.Instances {
				found[sdk.ToString(i.InstanceId)] = i
			}
		}
	}
	return found, nil
}

// known describes instances by a filter, which leaves out those that EC2 does not know; a call with their IDs would fail.
func (p *Provider) known(ctx context.Context, ids []string) (*ec2.DescribeInstancesOutput, error) {
	all := &ec2.DescribeInstancesOutput{}
	input := &ec2.DescribeInstancesInput{Filters: byID(ids)}
	for {
		out, err := ask(ctx, callDescribeInstances, p.ec2.DescribeInstances, input)
		if err != nil {
			return nil, err
		}
		all.Reservations = append(all.Reservations, out.Reservations...)
		if input.NextToken = out.NextToken; sdk.ToString(out.NextToken) == "" {
			return all, nil
		}
	}
}

func byID(ids []string) []types.Filter {
	return []types.Filter{{Name: sdk.String("instance-id"), Values: ids}}
}

// checks are the status checks of running instances. EC2 leaves out those that no longer run.
func (p *Provider) checks(ctx context.Context, ids []string) (map[string]types.InstanceStatus, error) {
	found := map[string]types.InstanceStatus{}
	for some := range slices.Chunk(ids, batch) {
		out, err := ask(ctx, iam.DescribeInstanceStatus, p.ec2.DescribeInstanceStatus, &ec2.DescribeInstanceStatusInput{InstanceIds: some})
		if code(err) == codeNotFound { // gone since it was described
			out, err = &ec2.DescribeInstanceStatusOutput{}, nil
		}
		if err != nil {
			return nil, err
		}
		for _, s := range out.InstanceStatuses {
			found[sdk.ToString(s.InstanceId)] = s
		}
	}
	return found, nil
}
