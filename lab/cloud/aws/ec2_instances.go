package aws

import (
	"slices"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The parts of EC2's Instance that the lab's cloud holds.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html
type (
	instancesAnswer struct {
		RequestID    string             `xml:"requestId"`
		Reservations items[reservation] `xml:"reservationSet"`
		NextToken    string             `xml:"nextToken,omitempty"`
	}
	reservation struct {
		ReservationID string          `xml:"reservationId"`
		OwnerID       string          `xml:"ownerId"`
		Instances     items[instance] `xml:"instancesSet"`
	}
	instance struct {
		InstanceID       string     `xml:"instanceId"`
		State            stateCode  `xml:"instanceState"`
		PrivateDNSName   string     `xml:"privateDnsName,omitempty"`
		PrivateIPAddress string     `xml:"privateIpAddress,omitempty"`
		InstanceType     string     `xml:"instanceType"`
		LaunchTime       timestamp  `xml:"launchTime"`
		Zone             string     `xml:"placement>availabilityZone"`
		SubnetID         string     `xml:"subnetId,omitempty"`
		VPCID            string     `xml:"vpcId,omitempty"`
		Tags             items[tag] `xml:"tagSet"`
		// Interfaces are without what EC2 says of them only in DescribeNetworkInterfaces.
		Interfaces items[attachedInterface] `xml:"networkInterfaceSet"`
	}
	stateCode struct {
		Code int                 `xml:"code"`
		Name cloud.InstanceState `xml:"name"`
	}
	tag struct {
		Key   string `xml:"key"`
		Value string `xml:"value"`
	}
)

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceState.html
var stateCodes = map[cloud.InstanceState]int{
	cloud.Pending: 0, cloud.Running: 16, cloud.ShuttingDown: 32, cloud.Terminated: 48, cloud.Stopping: 64, cloud.Stopped: 80,
}

func stateOf(i cloud.Instance) stateCode { return stateCode{stateCodes[i.State], i.State} }

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
func describeInstances(r request) (any, error) {
	view := r.server.delayedView()
	found, token, err := selection(r, r.server.instances(), view.Instances, every)
	if err != nil {
		return nil, err
	}
	attached := interfacesByInstance(view.Interfaces)
	answer := instancesAnswer{RequestID: r.id, NextToken: token}
	for _, i := range found {
		answer.Reservations.Items = append(answer.Reservations.Items, reservation{
			ReservationID: "r" + i.ID[min(1, len(i.ID)):], OwnerID: account,
			Instances: items[instance]{[]instance{r.server.describe(i, attached[i.ID])}},
		})
	}
	return answer, nil
}

// instances are what Describe calls of instances choose from.
func (s *Server) instances() resource[cloud.Instance] {
	return resource[cloud.Instance]{
		parameter: "InstanceId", set: "instancesSet", pattern: instanceID,
		malformed: "InvalidInstanceID.Malformed", notFound: cloud.CodeInstanceNotFound,
		absent: "The instance ID '%s' does not exist", absents: "The instance IDs '%s' do not exist",
		filters: []string{
			"instance-id", "instance-state-name", "instance-type", "availability-zone", "private-dns-name", "private-ip-address", "subnet-id",
			"vpc-id", "tag-key",
		},
		fields: func(i cloud.Instance) map[string][]string {
			fields := map[string][]string{
				"instance-id": {i.ID}, "instance-state-name": {string(i.State)}, "instance-type": {i.Type},
				"availability-zone": {i.Zone}, "private-dns-name": {i.NodeName}, "private-ip-address": {i.PrivateIP},
			}
			if i.Subnet != "" {
				fields["subnet-id"], fields["vpc-id"] = []string{i.Subnet}, []string{s.Cloud.VPC()}
			}
			return addTags(fields, s.tags(i))
		},
		id: func(i cloud.Instance) string { return i.ID }, lowest: 5, highest: 1000, pagesOrIDs: true,
	}
}

var instanceID = idPattern("i")

func interfacesByInstance(interfaces []*cloud.NetworkInterface) map[string][]*cloud.NetworkInterface {
	attached := map[string][]*cloud.NetworkInterface{}
	for _, i := range interfaces {
		if i.Attachment != nil {
			attached[i.Attachment.Instance] = append(attached[i.Attachment.Instance], i)
		}
	}
	for _, list := range attached {
		slices.SortFunc(list, func(a, b *cloud.NetworkInterface) int { return a.Attachment.DeviceIndex - b.Attachment.DeviceIndex })
	}
	return attached
}

// describe leaves a terminated instance without the names and addresses that it has given back.
func (s *Server) describe(i cloud.Instance, attached []*cloud.NetworkInterface) instance {
	shown := instance{
		InstanceID: i.ID, State: stateOf(i), InstanceType: i.Type, LaunchTime: toSecond(i.Launched), Zone: i.Zone,
		Tags: items[tag]{s.tags(i)},
	}
	if i.State == cloud.Terminated {
		return shown
	}
	shown.PrivateDNSName, shown.PrivateIPAddress = i.NodeName, i.PrivateIP
	if i.Subnet != "" {
		shown.SubnetID, shown.VPCID = i.Subnet, s.Cloud.VPC()
	}
	for _, one := range attached {
		shown.Interfaces.Items = append(shown.Interfaces.Items, s.describeAttached(one))
	}
	return shown
}

// tags are those that Auto Scaling and EKS put on what they launch.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html
// https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
func (s *Server) tags(i cloud.Instance) []tag {
	tags := []tag{{"kubernetes.io/cluster/" + s.ClusterName, "owned"}}
	if i.Group == "" {
		return tags
	}
	if !i.Detached {
		tags = append(tags, tag{"aws:autoscaling:groupName", i.Group})
	}
	if _, managed := i.Labels["eks.amazonaws.com/nodegroup"]; managed {
		tags = append(tags, tag{"eks:cluster-name", s.ClusterName}, tag{"eks:nodegroup-name", i.Group})
	}
	return tags
}
