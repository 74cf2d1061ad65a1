package aws

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

const absentInterface = "eni-0123456789abcdef0"

// newNetwork is a VPC of two subnets, with two workers, a load balancer's interface, and four that removed workers have left behind.
func newNetwork(t *testing.T) *fixture {
	t.Helper()
	left := cloud.NetworkInterfaceSpec{Subnet: "narrow", SecondaryAddresses: 2, Tags: map[string]string{
		"cluster.k8s.amazonaws.com/name": "shop", "node.k8s.amazonaws.com/createdAt": "2026-11-02T08:00:00Z",
	}}
	spec := cloud.Spec{
		Zones: []string{"us-east-1a", "us-east-1b"},
		Subnets: []cloud.SubnetSpec{
			{Name: "wide", Zone: "us-east-1a", CIDR: "10.0.0.0/24", Tags: map[string]string{"kubernetes.io/role/cni": "1"}, Reservations: []cloud.CIDRReservation{
				{CIDR: "10.0.0.128/28", Type: "prefix"}, {CIDR: "10.0.0.240/29", Type: "explicit"},
			}},
			{Name: "narrow", Zone: "us-east-1b", CIDR: "10.0.1.0/26"},
		},
		NetworkInterfaces: []cloud.NetworkInterfaceSpec{
			{Subnet: "wide", Description: "ELB app/shop/0123456789abcdef", InterfaceType: "load_balancer", RequesterManaged: true},
			{Subnet: "wide", Description: "Auto Mode", Operator: "eks.amazonaws.com", Prefixes: 1},
		},
		Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 2, Max: 100}},
	}
	for n := range 4 {
		left.Description = fmt.Sprintf("aws-K8S-i-0123456789abcdef%d", n)
		spec.NetworkInterfaces = append(spec.NetworkInterfaces, left)
	}
	c, err := cloud.New(cloud.Options{InstantStart: true, Spec: spec})
	if err != nil {
		t.Fatalf("building the cloud: %v", err)
	}
	endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: c, ClusterName: "shop", Keys: []lab.Key{
		{ID: operator, Secret: secret},
		{ID: reader, Secret: secret, Denied: []string{"ec2:DeleteNetworkInterface"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, endpoint)
	point(t, endpoint)
	return &fixture{t: t, cloud: c, server: endpoint.Server}
}

// interfaces are those that a call describes, on all of its pages, with the IDs as the cloud has them.
func (b *fixture) interfaces(input *ec2.DescribeNetworkInterfacesInput) (found []types.NetworkInterface, pages int) {
	b.t.Helper()
	for p := ec2.NewDescribeNetworkInterfacesPaginator(b.clients().ec2, input); p.HasMorePages(); pages++ {
		out, err := p.NextPage(b.t.Context())
		b.must(err)
		found = append(found, out.NetworkInterfaces...)
	}
	return found, pages
}

// heldInterface is what both sides can say of one.
type heldInterface struct {
	ID, Subnet, VPC, Zone, Status, Type, Description, Address string
	Secondary, Prefixes                                       []string
	Requester, Operator                                       bool
	Attachment, Instance, Attached                            string
	Device                                                    int32
	Deleted                                                   bool
	Tags                                                      map[string]string
}

func (b *fixture) holds(i *cloud.NetworkInterface) heldInterface {
	h := heldInterface{
		ID: i.ID, Subnet: i.Subnet, VPC: b.cloud.VPC(), Zone: i.Zone, Status: string(i.Status), Type: i.Type, Description: i.Description,
		Address: i.PrivateIP.String(), Requester: i.RequesterManaged, Operator: i.Operator != "", Tags: map[string]string{},
	}
	for _, a := range i.Secondary {
		h.Secondary = append(h.Secondary, a.String())
	}
	for _, p := range i.Prefixes {
		h.Prefixes = append(h.Prefixes, p.String())
	}
	maps.Copy(h.Tags, i.Tags)
	if a := i.Attachment; a != nil {
		h.Attachment, h.Instance, h.Device, h.Deleted = a.ID, a.Instance, int32(a.DeviceIndex), a.DeleteOnTermination
		h.Attached = map[cloud.InterfaceStatus]string{cloud.InterfaceAttaching: "attaching", cloud.InterfaceInUse: "attached", cloud.InterfaceDetaching: "detaching"}[i.Status]
	}
	return h
}

func decodedInterface(i types.NetworkInterface) heldInterface {
	h := heldInterface{
		ID: *i.NetworkInterfaceId, Subnet: *i.SubnetId, VPC: *i.VpcId, Zone: *i.AvailabilityZone, Status: string(i.Status),
		Type: string(i.InterfaceType), Description: *i.Description, Address: *i.PrivateIpAddress, Requester: *i.RequesterManaged,
		Operator: i.Operator != nil && *i.Operator.Managed, Tags: map[string]string{},
	}
	for _, a := range i.PrivateIpAddresses {
		if !*a.Primary {
			h.Secondary = append(h.Secondary, *a.PrivateIpAddress)
		}
	}
	for _, p := range i.Ipv4Prefixes {
		h.Prefixes = append(h.Prefixes, *p.Ipv4Prefix)
	}
	for _, t := range i.TagSet {
		h.Tags[*t.Key] = *t.Value
	}
	if a := i.Attachment; a != nil {
		h.Attachment, h.Instance, h.Device, h.Deleted, h.Attached = *a.AttachmentId, *a.InstanceId, *a.DeviceIndex, *a.DeleteOnTermination, string(a.Status)
	}
	return h
}

func (b *fixture) compareInterfaces(input *ec2.DescribeNetworkInterfacesInput, keep func(*cloud.NetworkInterface) bool) (pages int) {
	b.t.Helper()
	byID := func(a, b heldInterface) int { return strings.Compare(a.ID, b.ID) }
	var want, got []heldInterface
	for _, i := range b.cloud.NetworkInterfaces() {
		if keep(i) {
			want = append(want, b.holds(i))
		}
	}
	found, pages := b.interfaces(input)
	for _, i := range found {
		got = append(got, decodedInterface(i))
	}
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("interfaces (-held +decoded):\n%s", diff)
	}
	return pages
}

func everyInterface(*cloud.NetworkInterface) bool { return true }

func filterOf(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: &name, Values: values}}
}

func TestDescribeNetworkInterfaces(t *testing.T) {
	b := newNetwork(t)
	owner := b.members("workers")[0]
	created, err := b.cloud.CreateNetworkInterface(cloud.NetworkInterfaceRequest{Subnet: owner.Subnet, Description: "aws-K8S-" + owner.ID, SecondaryAddresses: 3})
	b.must(err)
	_, err = b.cloud.AttachNetworkInterface(created.ID, owner.ID, 1)
	b.must(err)
	available := func(i *cloud.NetworkInterface) bool { return i.Status == cloud.InterfaceAvailable }
	left := func(i *cloud.NetworkInterface) bool {
		return available(i) && strings.HasPrefix(i.Description, "aws-K8S-i-")
	}
	tests := []struct {
		name   string
		values []string
		keep   func(*cloud.NetworkInterface) bool
	}{
		{"status", []string{"available"}, available},
		{"status", []string{"in-use", "attaching"}, func(i *cloud.NetworkInterface) bool { return i.Status != cloud.InterfaceAvailable }},
		{"vpc-id", []string{b.cloud.VPC()}, everyInterface},
		{"vpc-id", []string{"vpc-01234567"}, func(*cloud.NetworkInterface) bool { return false }},
		{"subnet-id", []string{owner.Subnet}, func(i *cloud.NetworkInterface) bool { return i.Subnet == owner.Subnet }},
		{"description", []string{"aws-K8S-i-0123456789abcde??"}, left},
		{"description", []string{"aws-K8S-*"}, func(i *cloud.NetworkInterface) bool { return left(i) || i.ID == created.ID }},
		{"interface-type", []string{"load_*"}, func(i *cloud.NetworkInterface) bool { return i.RequesterManaged }},
		{"requester-managed", []string{"true"}, func(i *cloud.NetworkInterface) bool { return i.RequesterManaged }},
		{"operator.managed", []string{"true"}, func(i *cloud.NetworkInterface) bool { return i.Operator != "" }},
		{"attachment.instance-id", []string{owner.ID}, func(i *cloud.NetworkInterface) bool { return i.Attachment != nil && i.Attachment.Instance == owner.ID }},
		{"network-interface-id", []string{created.ID}, func(i *cloud.NetworkInterface) bool { return i.ID == created.ID }},
		{"tag:cluster.k8s.amazonaws.com/name", []string{"shop"}, left},
		{"tag-key", []string{"node.k8s.amazonaws.com/created*"}, left},
	}
	for _, tc := range tests {
		t.Run(tc.name+"="+tc.values[0], func(t *testing.T) {
			asked := *b
			asked.t = t
			asked.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{Filters: filterOf(tc.name, tc.values...)}, tc.keep)
		})
	}
	b.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{}, everyInterface)
	b.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{created.ID}}, func(i *cloud.NetworkInterface) bool { return i.ID == created.ID })
}

// TestDescribeNetworkInterfacesByPage also meets pages that are empty and not the last: one that a filter leaves nothing on, and
// two that EC2 makes up.
func TestDescribeNetworkInterfacesByPage(t *testing.T) {
	b := newNetwork(t)
	all := b.cloud.NetworkInterfaces()
	if pages := b.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{MaxResults: sdk.Int32(5)}, everyInterface); pages != 2 {
		t.Errorf("%d interfaces came on %d pages, want 2", len(all), pages)
	}
	last := slices.MaxFunc(all, func(a, b *cloud.NetworkInterface) int { return strings.Compare(a.ID, b.ID) })
	b.server.ScriptEmptyPages("ec2:DescribeNetworkInterfaces", 2)
	input := &ec2.DescribeNetworkInterfacesInput{MaxResults: sdk.Int32(5), Filters: filterOf("network-interface-id", last.ID)}
	if pages := b.compareInterfaces(input, func(i *cloud.NetworkInterface) bool { return i.ID == last.ID }); pages != 4 {
		t.Errorf("the last interface came on page %d, want 4", pages)
	}
}

// TestManyNetworkInterfaces: EC2 refuses to describe very many at once.
func TestManyNetworkInterfaces(t *testing.T) {
	spec := cloud.Spec{Zones: []string{"us-east-1a"}}
	for range 1001 {
		spec.NetworkInterfaces = append(spec.NetworkInterfaces, cloud.NetworkInterfaceSpec{Subnet: "us-east-1a"})
	}
	c, err := cloud.New(cloud.Options{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: c})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, endpoint)
	point(t, endpoint)
	b := &fixture{t: t, cloud: c, server: endpoint.Server}
	all := func(input ec2.DescribeNetworkInterfacesInput) attempt {
		return func(ctx context.Context, c clients) error {
			_, err := c.ec2.DescribeNetworkInterfaces(ctx, &input)
			return err
		}
	}
	b.refused(all(ec2.DescribeNetworkInterfacesInput{}), "OperationNotPermitted", http.StatusBadRequest)
	b.refused(all(ec2.DescribeNetworkInterfacesInput{Filters: filterOf("status", "available")}), "OperationNotPermitted", http.StatusBadRequest)
	b.must(all(ec2.DescribeNetworkInterfacesInput{Filters: filterOf("vpc-id", c.VPC())})(t.Context(), b.clients()))
	if pages := b.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{MaxResults: sdk.Int32(1000)}, everyInterface); pages != 2 {
		t.Errorf("1001 interfaces came on %d pages, want 2", pages)
	}
}

func TestDescribeSubnets(t *testing.T) {
	b := newNetwork(t)
	type described struct {
		ID, VPC, Zone, CIDR, State, Name string
		Free                             int32
	}
	ask := func(input *ec2.DescribeSubnetsInput) (found []described) {
		out, err := b.clients().ec2.DescribeSubnets(t.Context(), input)
		b.must(err)
		for _, s := range out.Subnets {
			name := slices.IndexFunc(s.Tags, func(t types.Tag) bool { return *t.Key == "Name" })
			found = append(found, described{*s.SubnetId, *s.VpcId, *s.AvailabilityZone, *s.CidrBlock, string(s.State), *s.Tags[name].Value, *s.AvailableIpAddressCount})
		}
		slices.SortFunc(found, func(a, b described) int { return strings.Compare(a.CIDR, b.CIDR) })
		return found
	}
	subnets := b.cloud.Subnets()
	wide := described{subnets[0].ID, b.cloud.VPC(), "us-east-1a", "10.0.0.0/24", "available", "wide", 256 - 5 - 1 - 17 - 1}
	narrow := described{subnets[1].ID, b.cloud.VPC(), "us-east-1b", "10.0.1.0/26", "available", "narrow", 64 - 5 - 4*3 - 1}
	for name, tc := range map[string]struct {
		input ec2.DescribeSubnetsInput
		want  []described
	}{
		"all":       {ec2.DescribeSubnetsInput{}, []described{wide, narrow}},
		"by ID":     {ec2.DescribeSubnetsInput{SubnetIds: []string{narrow.ID}}, []described{narrow}},
		"by tag":    {ec2.DescribeSubnetsInput{Filters: filterOf("tag:kubernetes.io/role/cni", "1")}, []described{wide}},
		"by name":   {ec2.DescribeSubnetsInput{Filters: filterOf("tag:Name", "nar*")}, []described{narrow}},
		"by zone":   {ec2.DescribeSubnetsInput{Filters: filterOf("availability-zone", "us-east-1a")}, []described{wide}},
		"by VPC":    {ec2.DescribeSubnetsInput{Filters: filterOf("vpc-id", b.cloud.VPC())}, []described{wide, narrow}},
		"by counts": {ec2.DescribeSubnetsInput{Filters: filterOf("available-ip-address-count", "46")}, []described{narrow}},
	} {
		if diff := cmp.Diff(tc.want, ask(&tc.input)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDescribeInstanceTypes(t *testing.T) {
	b := newNetwork(t)
	type described struct {
		CPUs, Interfaces, Addresses int32
		Memory                      int64
	}
	got := map[string]described{}
	for p := ec2.NewDescribeInstanceTypesPaginator(b.clients().ec2, &ec2.DescribeInstanceTypesInput{MaxResults: sdk.Int32(5)}); p.HasMorePages(); {
		out, err := p.NextPage(t.Context())
		b.must(err)
		for _, i := range out.InstanceTypes {
			got[string(i.InstanceType)] = described{*i.VCpuInfo.DefaultVCpus, *i.NetworkInfo.MaximumNetworkInterfaces, *i.NetworkInfo.Ipv4AddressesPerInterface, *i.MemoryInfo.SizeInMiB}
		}
	}
	if len(got) != len(cloud.WellKnownTypes()) {
		t.Errorf("%d types, want %d", len(got), len(cloud.WellKnownTypes()))
	}
	if want := (described{2, 3, 10, 8192}); got["m5.large"] != want {
		t.Errorf("m5.large: %+v, want %+v", got["m5.large"], want)
	}
	out, err := b.clients().ec2.DescribeInstanceTypes(t.Context(), &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{types.InstanceTypeM54xlarge}})
	b.must(err)
	if len(out.InstanceTypes) != 1 || *out.InstanceTypes[0].NetworkInfo.MaximumNetworkInterfaces != 8 {
		t.Errorf("m5.4xlarge: %+v", out.InstanceTypes)
	}
}

// TestInterfacesOfInstances: DescribeInstances says where an instance's network is.
func TestInterfacesOfInstances(t *testing.T) {
	b := newNetwork(t)
	owner := b.members("workers")[0]
	out, err := b.clients().ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{owner.ID}})
	b.must(err)
	i := out.Reservations[0].Instances[0]
	if *i.SubnetId != owner.Subnet || *i.VpcId != b.cloud.VPC() || len(i.NetworkInterfaces) != 1 {
		t.Fatalf("the instance is in subnet %s of %s with %d interfaces", *i.SubnetId, *i.VpcId, len(i.NetworkInterfaces))
	}
	if one := i.NetworkInterfaces[0]; *one.PrivateIpAddress != owner.PrivateIP || *one.Attachment.DeviceIndex != 0 || !*one.Attachment.DeleteOnTermination || one.Status != types.NetworkInterfaceStatusInUse {
		t.Errorf("the primary interface is %+v", one)
	}
	for _, name := range []string{"subnet-id", "vpc-id"} {
		value := map[string]string{"subnet-id": owner.Subnet, "vpc-id": b.cloud.VPC()}[name]
		found, _ := b.describe(&ec2.DescribeInstancesInput{Filters: filterOf(name, value)})
		if want := map[string]int{"subnet-id": 1, "vpc-id": 2}[name]; len(found) != want {
			t.Errorf("%d instances by %s, want %d", len(found), name, want)
		}
	}
}

// TestChangeNetworkInterfaces does over the SDK what the VPC CNI does.
func TestChangeNetworkInterfaces(t *testing.T) {
	b := newNetwork(t)
	ctx, c := t.Context(), b.clients().ec2
	workers := b.members("workers")
	owner := workers[slices.IndexFunc(workers, func(i cloud.Instance) bool { return i.Zone == "us-east-1a" })] // where a prefix is free
	created, err := c.CreateNetworkInterface(ctx, &ec2.CreateNetworkInterfaceInput{
		SubnetId: &owner.Subnet, Description: sdk.String("aws-K8S-" + owner.ID), SecondaryPrivateIpAddressCount: sdk.Int32(5),
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeNetworkInterface, Tags: []types.Tag{{Key: sdk.String("a"), Value: sdk.String("b")}}}},
	})
	b.must(err)
	id := created.NetworkInterface.NetworkInterfaceId
	attached, err := c.AttachNetworkInterface(ctx, &ec2.AttachNetworkInterfaceInput{NetworkInterfaceId: id, InstanceId: &owner.ID, DeviceIndex: sdk.Int32(1)})
	b.must(err)
	_, err = c.ModifyNetworkInterfaceAttribute(ctx, &ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: id, Attachment: &types.NetworkInterfaceAttachmentChanges{AttachmentId: attached.AttachmentId, DeleteOnTermination: sdk.Bool(true)},
	})
	b.must(err)
	assigned, err := c.AssignPrivateIpAddresses(ctx, &ec2.AssignPrivateIpAddressesInput{NetworkInterfaceId: id, SecondaryPrivateIpAddressCount: sdk.Int32(3)})
	b.must(err)
	_, err = c.UnassignPrivateIpAddresses(ctx, &ec2.UnassignPrivateIpAddressesInput{NetworkInterfaceId: id, PrivateIpAddresses: []string{*assigned.AssignedPrivateIpAddresses[0].PrivateIpAddress}})
	b.must(err)
	prefix, err := c.AssignPrivateIpAddresses(ctx, &ec2.AssignPrivateIpAddressesInput{NetworkInterfaceId: id, Ipv4PrefixCount: sdk.Int32(1)})
	b.must(err)
	_, err = c.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{*id}, Tags: []types.Tag{{Key: sdk.String("c"), Value: sdk.String("d")}}})
	b.must(err)
	_, err = c.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{owner.Subnet}, Tags: []types.Tag{{Key: sdk.String("e"), Value: sdk.String("f")}}})
	b.must(err)
	tagged, err := c.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{Filters: filterOf("tag:e", "f")})
	b.must(err)
	if len(tagged.Subnets) != 1 || *tagged.Subnets[0].SubnetId != owner.Subnet || len(tagged.Subnets[0].Tags) < 2 {
		t.Errorf("tagged are %+v", tagged.Subnets)
	}
	found, _ := b.interfaces(&ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{*id}})
	got := decodedInterface(found[0])
	if len(got.Secondary) != 7 || !slices.Equal(got.Prefixes, []string{*prefix.AssignedIpv4Prefixes[0].Ipv4Prefix}) || !got.Deleted || got.Status != "attaching" || len(got.Tags) != 2 {
		t.Errorf("the interface is %+v", got)
	}
	_, err = c.UnassignPrivateIpAddresses(ctx, &ec2.UnassignPrivateIpAddressesInput{NetworkInterfaceId: id, Ipv4Prefixes: got.Prefixes})
	b.must(err)
	if found, _ = b.interfaces(&ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{*id}}); len(found[0].Ipv4Prefixes) != 0 {
		t.Errorf("the interface still has %v", found[0].Ipv4Prefixes)
	}
	_, err = c.DetachNetworkInterface(ctx, &ec2.DetachNetworkInterfaceInput{AttachmentId: attached.AttachmentId})
	b.must(err)
	if found, _ = b.interfaces(&ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{*id}}); found[0].Status != types.NetworkInterfaceStatusDetaching {
		t.Errorf("the interface is %s, want it detaching", found[0].Status)
	}
	left, _ := b.interfaces(&ec2.DescribeNetworkInterfacesInput{Filters: filterOf("description", "aws-K8S-i-0123456789abcdef0")})
	_, err = c.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: left[0].NetworkInterfaceId})
	b.must(err)
	left, _ = b.interfaces(&ec2.DescribeNetworkInterfacesInput{Filters: filterOf("description", "aws-K8S-i-0123456789abcdef?")})
	if len(left) != 3 {
		t.Errorf("%d interfaces are left behind, want 3", len(left))
	}
}

func deleteInterface(id string, dry bool) attempt {
	return func(ctx context.Context, c clients) error {
		_, err := c.ec2.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &id, DryRun: &dry})
		return err
	}
}

func TestNetworkRefusals(t *testing.T) {
	b := newNetwork(t)
	all, subnet := b.cloud.NetworkInterfaces(), b.cloud.Subnets()[1]
	managed, left, primary := all[0].ID, all[2].ID, all[len(all)-1].ID
	describe := func(input ec2.DescribeNetworkInterfacesInput) attempt {
		return func(ctx context.Context, c clients) error {
			_, err := c.ec2.DescribeNetworkInterfaces(ctx, &input)
			return err
		}
	}
	subnets := func(id string) attempt {
		return func(ctx context.Context, c clients) error {
			_, err := c.ec2.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{id}})
			return err
		}
	}
	create := func(secondary, prefixes int32) attempt {
		return func(ctx context.Context, c clients) error {
			input := &ec2.CreateNetworkInterfaceInput{SubnetId: &subnet.ID, SecondaryPrivateIpAddressCount: &secondary}
			if prefixes > 0 {
				input.SecondaryPrivateIpAddressCount, input.Ipv4PrefixCount = nil, &prefixes
			}
			_, err := c.ec2.CreateNetworkInterface(ctx, input)
			return err
		}
	}
	instanceType := func(ctx context.Context, c clients) error {
		_, err := c.ec2.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{InstanceTypes: []types.InstanceType{"m5.tiny"}})
		return err
	}
	detach := func(ctx context.Context, c clients) error {
		_, err := c.ec2.DetachNetworkInterface(ctx, &ec2.DetachNetworkInterfaceInput{AttachmentId: &all[len(all)-1].Attachment.ID})
		return err
	}
	for _, tc := range []struct {
		name   string
		try    attempt
		code   string
		status int
	}{
		{"delete: dry run", deleteInterface(left, true), "DryRunOperation", http.StatusPreconditionFailed},
		{"delete: in use", deleteInterface(primary, false), "InvalidParameterValue", http.StatusBadRequest},
		{"delete: a load balancer's", deleteInterface(managed, false), "OperationNotPermitted", http.StatusBadRequest},
		{"delete: not found", deleteInterface(absentInterface, false), "InvalidNetworkInterfaceID.NotFound", http.StatusBadRequest},
		{"delete: malformed", deleteInterface("eni-1", false), "InvalidNetworkInterfaceId.Malformed", http.StatusBadRequest},
		{"describe: not found", describe(ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{absentInterface}}), "InvalidNetworkInterfaceID.NotFound", http.StatusBadRequest},
		{"describe: IDs and pages", describe(ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{left}, MaxResults: sdk.Int32(5)}), "InvalidParameterCombination", http.StatusBadRequest},
		{"describe: unknown filter", describe(ec2.DescribeNetworkInterfacesInput{Filters: filterOf("colour", "red")}), "InvalidParameterValue", http.StatusBadRequest},
		{"subnets: not found", subnets("subnet-0123456789abcdef0"), "InvalidSubnetID.NotFound", http.StatusBadRequest},
		{"types: not found", instanceType, "InvalidInstanceType", http.StatusBadRequest},
		{"create: a full subnet", create(46, 0), "InsufficientFreeAddressesInSubnet", http.StatusBadRequest},
		{"create: no prefix left", create(0, 3), "InsufficientCidrBlocks", http.StatusBadRequest},
		{"detach: primary", detach, "OperationNotPermitted", http.StatusBadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := *b
			asked.t = t
			asked.refused(tc.try, tc.code, tc.status)
		})
	}
	b.compareInterfaces(&ec2.DescribeNetworkInterfacesInput{}, everyInterface)
	b.as(reader, secret)
	b.refused(deleteInterface(left, true), "UnauthorizedOperation", http.StatusForbidden)
	b.refused(deleteInterface(left, false), "UnauthorizedOperation", http.StatusForbidden)
	if n := len(b.cloud.NetworkInterfaces()); n != len(all) {
		t.Errorf("%d interfaces after refused calls, were %d", n, len(all))
	}
}

// TestNetworkLags: what Describe calls say of interfaces and of free addresses is some seconds old.
func TestNetworkLags(t *testing.T) {
	now := clocktesting.NewFakeClock(time.Now())
	b := newFixtureAt(t, clock.WithTicker(now), 2*time.Second)
	subnet := b.cloud.Subnets()[0]
	free := func() int32 {
		out, err := b.clients().ec2.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: []string{subnet.ID}})
		b.must(err)
		return *out.Subnets[0].AvailableIpAddressCount
	}
	before := free()
	_, err := b.cloud.CreateNetworkInterface(cloud.NetworkInterfaceRequest{Subnet: subnet.ID})
	b.must(err)
	if got := free(); got != before {
		t.Errorf("%d addresses are free at once, want the %d of before", got, before)
	}
	now.Step(2 * time.Second)
	if got := free(); got != before-1 {
		t.Errorf("%d addresses are free later, want %d", got, before-1)
	}
}

// TestFullNodegroup: EKS says of a group that its subnets have no address for another instance.
func TestFullNodegroup(t *testing.T) {
	b := newNetwork(t)
	nodegroup := func() *eks.DescribeNodegroupOutput {
		out, err := b.clients().eks.DescribeNodegroup(t.Context(), &eks.DescribeNodegroupInput{ClusterName: sdk.String("shop"), NodegroupName: sdk.String("workers")})
		b.must(err)
		return out
	}
	group := nodegroup().Nodegroup
	if len(group.Health.Issues) != 0 || len(group.Subnets) != 2 {
		t.Errorf("a group that has what it wants has the issues %+v in subnets %v", group.Health.Issues, group.Subnets)
	}
	for _, subnet := range b.cloud.Subnets() {
		for _, r := range subnet.Reservations {
			if r.Type == "explicit" { // An interface has the whole one for prefixes.
				subnet.Free -= 1 << (32 - netip.MustParsePrefix(r.CIDR).Bits())
			}
		}
		_, err := b.cloud.CreateNetworkInterface(cloud.NetworkInterfaceRequest{Subnet: subnet.ID, SecondaryAddresses: subnet.Free - 1})
		b.must(err)
	}
	b.must(b.cloud.SetDesired("workers", 3))
	if issues := nodegroup().Nodegroup.Health.Issues; len(issues) != 1 || issues[0].Code != "InsufficientFreeAddresses" {
		t.Errorf("issues of a group without addresses: %+v", issues)
	}
}

// TestAttachedMeanwhile attaches an interface that was listed as available before it is deleted: it is refused, and the interface stays.
func TestAttachedMeanwhile(t *testing.T) {
	b := newNetwork(t)
	workers := b.members("workers")
	owner := workers[slices.IndexFunc(workers, func(i cloud.Instance) bool { return i.Zone == "us-east-1b" })]
	found, _ := b.interfaces(&ec2.DescribeNetworkInterfacesInput{Filters: filterOf("status", "available")})
	at := slices.IndexFunc(found, func(i types.NetworkInterface) bool { return *i.SubnetId == owner.Subnet })
	id := *found[at].NetworkInterfaceId
	b.server.Before("ec2:DeleteNetworkInterface", 1, func() {
		if _, err := b.cloud.AttachNetworkInterface(id, owner.ID, 1); err != nil {
			t.Error(err)
		}
	})
	b.refused(deleteInterface(id, false), "InvalidParameterValue", http.StatusBadRequest)
	if found, _ = b.interfaces(&ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: []string{id}}); *found[0].Attachment.InstanceId != owner.ID {
		t.Errorf("the interface is %+v", found[0])
	}
}
