package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	scalingtypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

var _ cloud.NodeGroupSizer = (*Provider)(nil)

const (
	// tagAutoscaler is the tag by which cluster-autoscaler finds the groups that it sizes. EKS sets it on each group of a managed node group, whether or not
	// cluster-autoscaler runs: it says something of other groups only.
	//
	// Sources: kubernetes/autoscaler cluster-autoscaler/cloudprovider/aws/README.md (auto-discovery);
	// https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html.
	tagAutoscaler = "k8s.io/cluster-autoscaler/enabled"
	// maxToken is how long a token of a request may be.
	maxToken = 64
)

// Calls that size node groups, by their names in IAM.
const (
	callDescribeNodegroup = iam.DescribeNodegroup
	callUpdateNodegroup   = iam.UpdateNodegroupConfig
	callDescribeUpdate    = iam.DescribeUpdate
	callUpdateScaling     = iam.UpdateAutoScalingGroup
)

var (
	errNoScalingGroup = errors.New("the node group has no Auto Scaling group")
	errNoClusterName  = errors.New("the EKS cluster's name is not known; the controller's flag --eks-cluster sets it")
)

// NodeGroupOf finds the managed node group that a label names, or else the Auto Scaling group of the instance.
func (p *Provider) NodeGroupOf(ctx context.Context, m cloud.Machine) (*cloud.NodeGroupRef, error) {
	if name := m.Labels[labelGroup]; name != "" {
		cluster, err := p.clusterOf(ctx, name, m)
		if err == nil && cluster == "" {
			err = errNoClusterName
		}
		return &cloud.NodeGroupRef{Name: name, Cluster: cluster}, err
	}
	member, err := p.member(ctx, instanceOf(m))
	if err != nil || member == nil {
		return nil, err
	}
	return &cloud.NodeGroupRef{Name: sdk.ToString(member.AutoScalingGroupName)}, nil
}

// NodeGroup reads a group: one call for an Auto Scaling group, two for a managed node group, whose sizes are EKS's.
func (p *Provider) NodeGroup(ctx context.Context, ref cloud.NodeGroupRef) (*cloud.NodeGroup, error) {
	if ref.Cluster == "" {
		return p.scalingGroup(ctx, ref, ref.Name)
	}
	out, err := ask(ctx, callDescribeNodegroup, p.eks.DescribeNodegroup, &eks.DescribeNodegroupInput{ClusterName: &ref.Cluster, NodegroupName: &ref.Name})
	if err != nil {
		return nil, err
	}
	n := out.Nodegroup
	if n.Resources == nil || len(n.Resources.AutoScalingGroups) == 0 || n.ScalingConfig == nil {
		return nil, fmt.Errorf("%s: %w", ref.Name, errNoScalingGroup)
	}
	g, err := p.scalingGroup(ctx, ref, sdk.ToString(n.Resources.AutoScalingGroups[0].Name))
	if err != nil {
		return nil, err
	}
	g.Min, g.Desired, g.Max = int(sdk.ToInt32(n.ScalingConfig.MinSize)), int(sdk.ToInt32(n.ScalingConfig.DesiredSize)), int(sdk.ToInt32(n.ScalingConfig.MaxSize))
	g.Updating, g.Autoscaled = n.Status != types.NodegroupStatusActive && n.Status != types.NodegroupStatusDegraded, false
	return g, nil
}

// scalingGroup reads the Auto Scaling group of a node group.
func (p *Provider) scalingGroup(ctx context.Context, ref cloud.NodeGroupRef, name string) (*cloud.NodeGroup, error) {
	found, err := p.scalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{name}})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %w", name, errNoScalingGroup)
	}
	read := found[0]
	sizes := scalingGroupOf(read)
	g := &cloud.NodeGroup{
		NodeGroupRef: ref, Min: sizes.Min, Desired: sizes.Desired, Max: sizes.Max, Zones: map[string]int{},
		Autoscaled: slices.ContainsFunc(read.Tags, func(t scalingtypes.TagDescription) bool { return sdk.ToString(t.Key) == tagAutoscaler }),
		LaunchSuspended: slices.ContainsFunc(read.SuspendedProcesses, func(s scalingtypes.SuspendedProcess) bool {
			return sdk.ToString(s.ProcessName) == "Launch"
		}),
	}
	for _, zone := range read.AvailabilityZones {
		g.Zones[zone] = 0
	}
	for _, i := range read.Instances {
		if state := string(i.LifecycleState); state == string(scalingtypes.LifecycleStateInService) || strings.HasPrefix(state, "Pending") {
			g.Zones[sdk.ToString(i.AvailabilityZone)]++
		}
	}
	return g, nil
}

// Resize sets the sizes of a managed node group by EKS, which takes a while, and of another group by Auto Scaling, at once.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
func (p *Provider) Resize(ctx context.Context, ref cloud.NodeGroupRef, desired, lowest int, token string) (cloud.Operation, error) {
	if ref.Cluster == "" {
		out, err := ask(ctx, callUpdateScaling, p.scaling.UpdateAutoScalingGroup, &autoscaling.UpdateAutoScalingGroupInput{
			AutoScalingGroupName: &ref.Name, DesiredCapacity: sdk.Int32(int32(desired)), MinSize: sdk.Int32(int32(lowest)),
		})
		if err != nil {
			return cloud.Operation{}, unlessKnownNotDone(err)
		}
		return operation(out.ResultMetadata, ""), nil
	}
	out, err := ask(ctx, callUpdateNodegroup, p.eks.UpdateNodegroupConfig, &eks.UpdateNodegroupConfigInput{
		ClusterName: &ref.Cluster, NodegroupName: &ref.Name, ClientRequestToken: sdk.String(token[:min(len(token), maxToken)]),
		ScalingConfig: &types.NodegroupScalingConfig{DesiredSize: sdk.Int32(int32(desired)), MinSize: sdk.Int32(int32(lowest))},
	})
	if err != nil {
		return cloud.Operation{}, unlessKnownNotDone(err)
	}
	return operation(out.ResultMetadata, sdk.ToString(out.Update.Id)), nil
}

// ResizeState follows the update of a managed node group. One of another group has ended.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeUpdate.html
func (p *Provider) ResizeState(ctx context.Context, ref cloud.NodeGroupRef, id string) (cloud.ResizeState, error) {
	if ref.Cluster == "" {
		return cloud.ResizeState{Ended: true}, nil
	}
	out, err := ask(ctx, callDescribeUpdate, p.eks.DescribeUpdate, &eks.DescribeUpdateInput{Name: &ref.Cluster, NodegroupName: &ref.Name, UpdateId: &id})
	if err != nil {
		return cloud.ResizeState{}, err
	}
	switch out.Update.Status {
	case types.UpdateStatusInProgress:
		return cloud.ResizeState{}, nil
	case types.UpdateStatusSuccessful:
		return cloud.ResizeState{Ended: true}, nil
	}
	why := []string{string(out.Update.Status)}
	for _, e := range out.Update.Errors {
		why = append(why, string(e.ErrorCode)+": "+sdk.ToString(e.ErrorMessage))
	}
	return cloud.ResizeState{Ended: true, Failed: strings.Join(why, "; ")}, nil
}
