package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/iam"
	"github.com/naosu-dev/naosu/internal/message"
)

// Calls by their names in IAM.
const (
	callDescribeInstances     = iam.DescribeInstances
	callDescribeSubnets       = iam.DescribeSubnets
	callDescribeInterfaces    = iam.DescribeNetworkInterfaces
	callGetReservations       = iam.GetSubnetCidrReservations
	callDescribeInstanceTypes = iam.DescribeInstanceTypes
	callDescribeGroups        = iam.DescribeAutoScalingGroups
)

// Bounds of the calls that read the network.
const (
	// pageSize is the largest page of DescribeSubnets and DescribeNetworkInterfaces.
	pageSize = 1000
	// maxPages bounds the pages of one call: more interfaces than any VPC has addresses for.
	maxPages = 2000
	// typesPerCall and groupsPerCall are how many types and groups may be named in a call.
	typesPerCall, groupsPerCall = 100, 50
	// valuesPerFilter is how many values a filter may have.
	// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html
	valuesPerFilter = 200
)

// Tags of instances, interfaces and subnets.
const (
	tagScalingGroup = "aws:autoscaling:groupName"
	tagRoleCNI      = "kubernetes.io/role/cni"
	// tagSubnetCluster begins the key of a tag that ends with a cluster's name.
	tagSubnetCluster = "cni.networking.k8s.aws/cluster/"
	tagCluster       = "cluster.k8s.amazonaws.com/name"
	tagInstance      = "node.k8s.amazonaws.com/instance_id"
	tagCreatedAt     = "node.k8s.amazonaws.com/createdAt"
	tagUnmanaged     = "node.k8s.amazonaws.com/no_manage"
	tagMadeBy        = "eks:eni:owner"
)

var (
	errNoVPC       = errors.New("no VPC is known, because no instance of the nodes could be read")
	errOtherRegion = errors.New("no node runs in the region that naosu is configured for,")
	errTooLarge    = fmt.Errorf("more than %d pages", maxPages)
)

var _ cloud.NetworkReader = (*Provider)(nil)

// Network reads the instances of machines, the subnets and interfaces of their VPCs, the limits of their types, and their Auto Scaling groups.
// It takes a call for each 100 instances, each 1,000 subnets, each 1,000 interfaces, each subnet that the machines use, each 100 types and each 50 groups, one for
// the other groups of the cluster, and one for each 100 instances that the VPC CNI made an available interface for. Tags other than those in cloud.Network are not kept.
func (p *Provider) Network(ctx context.Context, machines []cloud.Machine) cloud.Network {
	r, ids := p.networkReader(ctx, machines, cloud.NetworkParts)
	if len(ids) == 0 {
		return r.n
	}
	vpcs := r.instances(ids)
	r.subnets(vpcs)
	r.interfaces(vpcs)
	r.reservations(ids)
	r.limits()
	r.groups()
	return r.n
}

// ScalingGroups takes a call for each 100 instances, each 1,000 subnets and each 50 groups of the instances, and one for the other groups of the cluster.
func (p *Provider) ScalingGroups(ctx context.Context, machines []cloud.Machine) cloud.Network {
	r, ids := p.networkReader(ctx, machines, cloud.ScalingGroupParts)
	if len(ids) == 0 {
		return r.n
	}
	r.subnets(r.instances(ids))
	r.groups()
	return r.n
}

// networkReader is a reader of parts of the network of machines, and the IDs of their instances; without one, it has missed all parts.
func (p *Provider) networkReader(ctx context.Context, machines []cloud.Machine, parts []cloud.NetworkPart) (r *networkReader, ids []string) {
	r = &networkReader{Provider: p, ctx: ctx, parts: parts, n: cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{}}}
	for _, m := range machines {
		if p.Owns(m) {
			ids = append(ids, instanceOf(m))
		}
	}
	if len(ids) == 0 {
		for _, part := range parts {
			r.missed(part, fmt.Errorf("%w %s", errOtherRegion, p.region))
		}
	}
	return r, ids
}

// networkReader reads one Network.
type networkReader struct {
	*Provider
	ctx   context.Context // It lives as long as one reading.
	parts []cloud.NetworkPart
	n     cloud.Network
}

// missed notes why a part could not be read, if it is wanted. Without it the part has none of what was read before the error.
func (r *networkReader) missed(part cloud.NetworkPart, err error) {
	if !slices.Contains(r.parts, part) {
		return
	}
	why := cloud.Unread{Err: messageOf(err)}
	switch {
	case errors.Is(err, errNoVPC):
		why.Reason = cloud.NoVPC
	case errors.Is(err, errOtherRegion):
		why.Reason, why.Detail = cloud.OtherRegion, r.region
	case errors.Is(err, errTooLarge):
		why.Reason, why.Detail = cloud.TooLarge, strconv.Itoa(maxPages)
	}
	if refused, is := errors.AsType[*cloud.RefusedError](err); is {
		why.Permission = refused.Permission
	}
	r.n.Unread[part] = why
}

// instances reads the instances and returns their VPCs.
func (r *networkReader) instances(ids []string) []string {
	found, err := r.Provider.instances(r.ctx, ids)
	if err != nil {
		r.missed(cloud.Instances, err)
		r.missed(cloud.InstanceTypes, err)
		r.missed(cloud.ScalingGroups, err)
		return r.vpcsOfInterfaces(ids)
	}
	vpcs := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		i := found[id]
		if vpc := sdk.ToString(i.VpcId); vpc != "" {
			vpcs[vpc] = true
		}
		r.n.Instances = append(r.n.Instances, cloud.Instance{
			ID: id, Type: string(i.InstanceType), Subnet: sdk.ToString(i.SubnetId), VPC: sdk.ToString(i.VpcId), Group: tag(i.Tags, tagScalingGroup),
		})
	}
	return slices.Sorted(maps.Keys(vpcs))
}

// vpcsOfInterfaces are the VPCs of the interfaces of some instances, for credentials that may not describe instances.
func (r *networkReader) vpcsOfInterfaces(ids []string) []string {
	vpcs := map[string]bool{}
	_ = r.eachInterface("attachment.instance-id", ids[:min(len(ids), valuesPerFilter)], func(i types.NetworkInterface) {
		vpcs[sdk.ToString(i.VpcId)] = true
	}) // The same call is made again for the interfaces, and its error noted then.
	delete(vpcs, "")
	return slices.Sorted(maps.Keys(vpcs))
}

func (r *networkReader) subnets(vpcs []string) {
	if len(vpcs) == 0 {
		r.missed(cloud.Subnets, errNoVPC)
		return
	}
	input := &ec2.DescribeSubnetsInput{Filters: filter("vpc-id", vpcs), MaxResults: sdk.Int32(pageSize)}
	var found []cloud.Subnet
	for range maxPages {
		out, err := ask(r.ctx, callDescribeSubnets, r.ec2.DescribeSubnets, input)
		if err != nil {
			r.missed(cloud.Subnets, err)
			return
		}
		for _, s := range out.Subnets {
			found = append(found, cloud.Subnet{
				ID: sdk.ToString(s.SubnetId), Zone: sdk.ToString(s.AvailabilityZone), VPC: sdk.ToString(s.VpcId), CIDR: sdk.ToString(s.CidrBlock),
				Free: int64(sdk.ToInt32(s.AvailableIpAddressCount)), RoleCNI: tag(s.Tags, tagRoleCNI), Clusters: clustersOf(s.Tags),
			})
		}
		if input.NextToken = out.NextToken; sdk.ToString(out.NextToken) == "" {
			r.n.Subnets = found
			return
		}
	}
	r.missed(cloud.Subnets, errTooLarge)
}

// clustersOf are the clusters that tags of a subnet name.
func clustersOf(tags []types.Tag) []string {
	var names []string
	for _, t := range tags {
		if name, is := strings.CutPrefix(sdk.ToString(t.Key), tagSubnetCluster); is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *networkReader) interfaces(vpcs []string) {
	if len(vpcs) == 0 {
		r.missed(cloud.Interfaces, errNoVPC)
		return
	}
	var found []cloud.Interface
	if err := r.eachInterface("vpc-id", vpcs, func(i types.NetworkInterface) { found = append(found, interfaceOf(i)) }); err != nil {
		r.missed(cloud.Interfaces, err)
		return
	}
	r.n.Interfaces = found
	_ = r.ownerStates(r.ctx, found) // Without it, the states remain unknown.
}

// eachInterface calls a function with each interface that a filter selects. A page may be empty and not be the last.
func (r *networkReader) eachInterface(name string, values []string, each func(types.NetworkInterface)) error {
	input := &ec2.DescribeNetworkInterfacesInput{Filters: filter(name, values), MaxResults: sdk.Int32(pageSize)}
	for range maxPages {
		out, err := ask(r.ctx, callDescribeInterfaces, r.ec2.DescribeNetworkInterfaces, input)
		if err != nil {
			return err
		}
		for _, i := range out.NetworkInterfaces {
			each(i)
		}
		if input.NextToken = out.NextToken; sdk.ToString(out.NextToken) == "" {
			return nil
		}
	}
	return errTooLarge
}

func interfaceOf(i types.NetworkInterface) cloud.Interface {
	one := cloud.Interface{
		ID: sdk.ToString(i.NetworkInterfaceId), Subnet: sdk.ToString(i.SubnetId), State: cloud.InterfaceState(i.Status), Type: cloud.InterfaceType(i.InterfaceType),
		Description: sdk.ToString(i.Description), Cluster: tag(i.TagSet, tagCluster), Instance: tag(i.TagSet, tagInstance),
		ByVPCCNI: tag(i.TagSet, tagMadeBy) == madeByVPCCNI, Unmanaged: kept(i.TagSet), RequesterManaged: sdk.ToBool(i.RequesterManaged),
		OperatorManaged: i.Operator != nil && sdk.ToBool(i.Operator.Managed),
	}
	if at, err := time.Parse(time.RFC3339, tag(i.TagSet, tagCreatedAt)); err == nil {
		one.CreatedAt = new(at.UTC())
	}
	if a := i.Attachment; a != nil {
		one.AttachedTo, one.Primary = sdk.ToString(a.InstanceId), a.InstanceId != nil && a.DeviceIndex != nil && *a.DeviceIndex == 0 && sdk.ToInt32(a.NetworkCardIndex) == 0
	}
	for _, address := range i.PrivateIpAddresses {
		if sdk.ToBool(address.Primary) {
			one.Addresses = slices.Insert(one.Addresses, 0, sdk.ToString(address.PrivateIpAddress))
		} else {
			one.Addresses = append(one.Addresses, sdk.ToString(address.PrivateIpAddress))
		}
	}
	for _, prefix := range i.Ipv4Prefixes {
		one.Prefixes = append(one.Prefixes, sdk.ToString(prefix.Ipv4Prefix))
	}
	return one
}

// limits reads the limits of the instances' types.
func (r *networkReader) limits() {
	kinds := map[types.InstanceType]types.NetworkInfo{}
	for _, i := range r.n.Instances {
		kinds[types.InstanceType(i.Type)] = types.NetworkInfo{}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(kinds)), typesPerCall) {
		out, err := ask(r.ctx, callDescribeInstanceTypes, r.ec2.DescribeInstanceTypes, &ec2.DescribeInstanceTypesInput{InstanceTypes: some})
		if err != nil {
			r.missed(cloud.InstanceTypes, err)
			return
		}
		for _, one := range out.InstanceTypes {
			if one.NetworkInfo != nil {
				kinds[one.InstanceType] = *one.NetworkInfo
			}
		}
	}
	for i := range r.n.Instances {
		known := kinds[types.InstanceType(r.n.Instances[i].Type)]
		r.n.Instances[i].MaxInterfaces = int(sdk.ToInt32(known.MaximumNetworkInterfaces))
		r.n.Instances[i].AddressesPerInterface = int(sdk.ToInt32(known.Ipv4AddressesPerInterface))
	}
}

func filter(name string, values []string) []types.Filter {
	return []types.Filter{{Name: sdk.String(name), Values: values}}
}

func tag(tags []types.Tag, key string) string {
	for _, t := range tags {
		if sdk.ToString(t.Key) == key {
			return sdk.ToString(t.Value)
		}
	}
	return ""
}

var _ cloud.NetworkReader = NoAccess{}

// Network is unknown, for want of credentials or a region.
func (b NoAccess) Network(_ context.Context, machines []cloud.Machine) cloud.Network {
	return b.unread(machines, cloud.NetworkParts)
}

// ScalingGroups are unknown, for the same reason.
func (b NoAccess) ScalingGroups(_ context.Context, machines []cloud.Machine) cloud.Network {
	return b.unread(machines, cloud.ScalingGroupParts)
}

func (b NoAccess) unread(machines []cloud.Machine, parts []cloud.NetworkPart) cloud.Network {
	n := cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{}}
	why := cloud.Unread{Reason: cloud.NoCredentials, Err: message.English().Say(b.Why)}
	if words, is := b.Why.Args["words"].(string); is {
		why.Detail = words
	}
	if b.Why.ID == message.CloudNoRegion {
		why.Reason = cloud.NoRegion
	}
	if slices.ContainsFunc(machines, b.Owns) {
		for _, part := range parts {
			n.Unread[part] = why
		}
	}
	return n
}
