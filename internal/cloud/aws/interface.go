package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

var _ cloud.InterfaceDeleter = (*Provider)(nil)

// madeByVPCCNI is the value of the tag eks:eni:owner of the VPC CNI's interfaces.
const madeByVPCCNI = "amazon-vpc-cni"

const callDeleteInterface = iam.DeleteNetworkInterface

// Codes of deleting a network interface.
const (
	codeInterfaceNotFound = "InvalidNetworkInterfaceID.NotFound"
	codeInterfaceInUse    = "InvalidNetworkInterface.InUse"
	codeParameter         = "InvalidParameterValue"
	codeNotPermitted      = "OperationNotPermitted"
)

// inUse is in the message of the general code that EC2 answers the deletion of an interface in use with.
//
// Source: https://github.com/aws/amazon-vpc-cni-k8s/issues/1399.
const inUse = "currently in use"

// instanceID is what EC2 accepts as an instance's ID.
var instanceID = regexp.MustCompile(`^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$`)

// kept says whether tags keep the VPC CNI, and naosu, from managing an interface.
func kept(tags []types.Tag) bool {
	return slices.ContainsFunc(tags, func(t types.Tag) bool { return sdk.ToString(t.Key) == tagUnmanaged && sdk.ToString(t.Value) != "false" })
}

// ownerStates reads the states of the instances that the VPC CNI made some available interfaces for.
func (p *Provider) ownerStates(ctx context.Context, of []cloud.Interface) error {
	owners := map[string]cloud.Running{}
	for _, i := range of {
		if id := i.Owner(); i.State == cloud.InterfaceAvailable && instanceID.MatchString(id) {
			owners[id] = cloud.NotFound
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(owners)), batch) {
		out, err := p.known(ctx, some)
		if err != nil {
			return err
		}
		for _, r := range out.Reservations {
			for _, i := range r.Instances {
				owners[sdk.ToString(i.InstanceId)] = stateOf(i, types.InstanceStatus{}).Running
			}
		}
	}
	for at := range of {
		if of[at].State == cloud.InterfaceAvailable {
			of[at].InstanceState = owners[of[at].Owner()]
		}
	}
	return nil
}

// Interface describes a network interface and the state of the instance that it was made for, in two calls.
func (p *Provider) Interface(ctx context.Context, id string) (*cloud.Interface, error) {
	out, err := ask(ctx, callDescribeInterfaces, p.ec2.DescribeNetworkInterfaces, &ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{id}})
	if code(err) == codeInterfaceNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, i := range out.NetworkInterfaces {
		found := []cloud.Interface{interfaceOf(i)}
		if found[0].ID != id {
			continue
		}
		if err := p.ownerStates(ctx, found); err != nil {
			return nil, err
		}
		return &found[0], nil
	}
	return nil, nil
}

// MayDeleteInterface makes a dry run.
func (p *Provider) MayDeleteInterface(ctx context.Context, id string) error {
	err := p.deleteInterface(ctx, id, true)
	if code(err) == codeDryRun {
		return nil
	}
	return err
}

// DeleteInterface makes one request and never repeats it: EC2 limits the deletions of all callers of an account together, and the VPC CNI is one of them.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNetworkInterface.html
func (p *Provider) DeleteInterface(ctx context.Context, id string) error {
	err := p.deleteInterface(ctx, id, false)
	if err == nil || errors.Is(err, cloud.ErrInterfaceInUse) || errors.Is(err, cloud.ErrInterfaceManaged) {
		return err
	}
	return unlessKnownNotDone(err)
}

func (p *Provider) deleteInterface(ctx context.Context, id string, dry bool) error {
	_, err := ask(ctx, callDeleteInterface, p.ec2.DeleteNetworkInterface, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &id, DryRun: &dry},
		func(o *ec2.Options) { o.Retryer = sdk.NopRetryer{} })
	switch code(err) {
	case codeInterfaceNotFound:
		return nil
	case codeNotPermitted:
		return fmt.Errorf("%w: %w", cloud.ErrInterfaceManaged, err)
	case codeInterfaceInUse:
		return fmt.Errorf("%w: %w", cloud.ErrInterfaceInUse, err)
	case codeParameter:
		if strings.Contains(messageOf(err), inUse) {
			return fmt.Errorf("%w: %w", cloud.ErrInterfaceInUse, err)
		}
	}
	return err
}
