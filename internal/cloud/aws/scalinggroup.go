package aws

import (
	"context"
	"maps"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// Tags of Auto Scaling groups. EKS sets all of them on the group of a managed node group; self-managed nodes need the one with the name of the cluster in its key.
//
// Sources: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html, https://docs.aws.amazon.com/eks/latest/userguide/launch-workers.html.
const (
	tagEKSCluster    = "eks:cluster-name"
	tagNodeGroup     = "eks:nodegroup-name"
	tagClusterPrefix = "kubernetes.io/cluster/"
	// groupsPerPage is the largest page of DescribeAutoScalingGroups.
	groupsPerPage = 100
)

// groups reads the Auto Scaling groups of the instances, and the others of their clusters: those without instances.
func (r *networkReader) groups() {
	names := map[string]bool{}
	for _, i := range r.n.Instances {
		names[i.Group] = true
	}
	delete(names, "")
	found := map[string]cloud.ScalingGroup{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(names)), groupsPerCall) {
		if !r.describe(found, &autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: some}) {
			return
		}
	}
	var keys []string
	for _, g := range found {
		if g.Cluster != "" {
			keys = append(keys, tagClusterPrefix+g.Cluster)
		}
	}
	if slices.Sort(keys); len(keys) > 0 {
		filters := []types.Filter{{Name: sdk.String("tag-key"), Values: slices.Compact(keys)}}
		if !r.describe(found, &autoscaling.DescribeAutoScalingGroupsInput{Filters: filters, MaxRecords: sdk.Int32(groupsPerPage)}) {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		r.n.Groups = append(r.n.Groups, found[name])
	}
}

// describe adds groups by their names; false if they could not be read, which it notes.
func (r *networkReader) describe(found map[string]cloud.ScalingGroup, input *autoscaling.DescribeAutoScalingGroupsInput) bool {
	groups, err := r.scalingGroups(r.ctx, input)
	if err != nil {
		r.missed(cloud.ScalingGroups, err)
		return false
	}
	for _, g := range groups {
		one := scalingGroupOf(g)
		found[one.Name] = one
	}
	return true
}

// scalingGroups are all pages of a description.
func (p *Provider) scalingGroups(ctx context.Context, input *autoscaling.DescribeAutoScalingGroupsInput) ([]types.AutoScalingGroup, error) {
	var found []types.AutoScalingGroup
	for range maxPages {
		out, err := ask(ctx, callDescribeGroups, p.scaling.DescribeAutoScalingGroups, input)
		if err != nil {
			return nil, err
		}
		found = append(found, out.AutoScalingGroups...)
		if input.NextToken = out.NextToken; sdk.ToString(out.NextToken) == "" {
			return found, nil
		}
	}
	return nil, errTooLarge
}

func scalingGroupOf(g types.AutoScalingGroup) cloud.ScalingGroup {
	one := cloud.ScalingGroup{
		Name: sdk.ToString(g.AutoScalingGroupName), Min: int(sdk.ToInt32(g.MinSize)), Max: int(sdk.ToInt32(g.MaxSize)), Desired: int(sdk.ToInt32(g.DesiredCapacity)),
	}
	for subnet := range strings.SplitSeq(sdk.ToString(g.VPCZoneIdentifier), ",") {
		if subnet = strings.TrimSpace(subnet); subnet != "" {
			one.Subnets = append(one.Subnets, subnet)
		}
	}
	for _, t := range g.Tags {
		key, value := sdk.ToString(t.Key), sdk.ToString(t.Value)
		name, ofCluster := strings.CutPrefix(key, tagClusterPrefix)
		switch {
		case key == tagEKSCluster:
			one.Cluster = value
		case key == tagNodeGroup:
			one.NodeGroup = value
		case ofCluster && one.Cluster == "":
			one.Cluster = name
		}
	}
	return one
}
