package aws

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The parts of EC2's Subnet that the lab's cloud holds.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Subnet.html
type (
	subnetsAnswer struct {
		RequestID string        `xml:"requestId"`
		Subnets   items[subnet] `xml:"subnetSet"`
		NextToken string        `xml:"nextToken,omitempty"`
	}
	subnet struct {
		SubnetID  string     `xml:"subnetId"`
		ARN       string     `xml:"subnetArn"`
		State     string     `xml:"state"`
		VPCID     string     `xml:"vpcId"`
		OwnerID   string     `xml:"ownerId"`
		CIDRBlock string     `xml:"cidrBlock"`
		Available int        `xml:"availableIpAddressCount"`
		Zone      string     `xml:"availabilityZone"`
		Default   bool       `xml:"defaultForAz"`
		PublicIP  bool       `xml:"mapPublicIpOnLaunch"`
		Tags      items[tag] `xml:"tagSet"`
	}
)

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html
func describeSubnets(r request) (any, error) {
	found, token, err := selection(r, r.server.subnets(), r.server.delayedView().Subnets, every)
	if err != nil {
		return nil, err
	}
	answer := subnetsAnswer{RequestID: r.id, NextToken: token}
	for _, s := range found {
		answer.Subnets.Items = append(answer.Subnets.Items, subnet{
			SubnetID: s.ID, ARN: fmt.Sprintf("arn:aws:ec2:%s:%s:subnet/%s", r.server.Cloud.Region(), account, s.ID), State: "available",
			VPCID: r.server.Cloud.VPC(), OwnerID: account, CIDRBlock: s.CIDR.String(), Available: s.Free, Zone: s.Zone,
			Tags: items[tag]{sortedTags(s.Tags)},
		})
	}
	return answer, nil
}

func (s *Server) subnets() resource[cloud.Subnet] {
	return resource[cloud.Subnet]{
		parameter: "SubnetId", set: "subnetSet", pattern: idPattern("subnet"),
		malformed: "InvalidSubnetID.Malformed", notFound: cloud.CodeSubnetNotFound,
		absent: "The subnet ID '%s' does not exist", absents: "The subnet IDs '%s' do not exist",
		filters: []string{
			"subnet-id", "vpc-id", "availability-zone", "cidr-block", "state", "owner-id", "available-ip-address-count", "tag-key",
		},
		fields: func(subnet cloud.Subnet) map[string][]string {
			return addTags(map[string][]string{
				"subnet-id": {subnet.ID}, "vpc-id": {s.Cloud.VPC()}, "availability-zone": {subnet.Zone}, "cidr-block": {subnet.CIDR.String()},
				"state": {"available"}, "owner-id": {account}, "available-ip-address-count": {strconv.Itoa(subnet.Free)},
			}, sortedTags(subnet.Tags))
		},
		id: func(subnet cloud.Subnet) string { return subnet.ID }, lowest: 5, highest: 1000,
	}
}

func sortedTags(tags map[string]string) []tag {
	sorted := make([]tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		sorted = append(sorted, tag{key, tags[key]})
	}
	return sorted
}
