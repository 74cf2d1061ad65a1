package aws

import (
	"slices"
	"strconv"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The parts of EC2's NetworkInterface, and of an Instance's, that the lab's cloud holds.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInterface.html
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterface.html
type (
	interfacesAnswer struct {
		RequestID  string                  `xml:"requestId"`
		Interfaces items[networkInterface] `xml:"networkInterfaceSet"`
		NextToken  string                  `xml:"nextToken,omitempty"`
	}
	networkInterface struct {
		attachedInterface

		Zone             string     `xml:"availabilityZone"`
		RequesterManaged bool       `xml:"requesterManaged"`
		Operator         *operator  `xml:"operator,omitempty"`
		Tags             items[tag] `xml:"tagSet"`
	}
	attachedInterface struct {
		ID               string                  `xml:"networkInterfaceId"`
		SubnetID         string                  `xml:"subnetId"`
		VPCID            string                  `xml:"vpcId"`
		OwnerID          string                  `xml:"ownerId"`
		Description      string                  `xml:"description"`
		Status           cloud.InterfaceStatus   `xml:"status"`
		InterfaceType    string                  `xml:"interfaceType"`
		PrivateIPAddress string                  `xml:"privateIpAddress"`
		Addresses        items[privateIPAddress] `xml:"privateIpAddressesSet"`
		Prefixes         items[ipv4Prefix]       `xml:"ipv4PrefixSet"`
		Attachment       *attachment             `xml:"attachment,omitempty"`
	}
	privateIPAddress struct {
		Address string `xml:"privateIpAddress"`
		Primary bool   `xml:"primary"`
	}
	ipv4Prefix struct {
		Prefix string `xml:"ipv4Prefix"`
	}
	attachment struct {
		ID                  string    `xml:"attachmentId"`
		InstanceID          string    `xml:"instanceId,omitempty"`
		InstanceOwnerID     string    `xml:"instanceOwnerId,omitempty"`
		DeviceIndex         int       `xml:"deviceIndex"`
		Status              string    `xml:"status"`
		AttachTime          timestamp `xml:"attachTime"`
		DeleteOnTermination bool      `xml:"deleteOnTermination"`
	}
	operator struct {
		Managed   bool   `xml:"managed"`
		Principal string `xml:"principal"`
	}
)

// unpagedInterfaces is how many interfaces can be described at once without pages or one of the filters below. AWS says that there is a
// limit, and not which.
const unpagedInterfaces = 1000

var filtersWithoutPages = []string{"private-ip-address", "subnet-id", "vpc-id"}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeNetworkInterfaces.html
func describeNetworkInterfaces(r request) (any, error) {
	all := r.server.delayedView().Interfaces
	if len(all) > unpagedInterfaces && !r.parameters.paged() {
		return nil, refuse(cloud.CodeOperationNotPermitted, "There are too many network interfaces to describe at once. Use pagination or filters.")
	}
	found, token, err := selection(r, r.server.interfaces(), all, every)
	if err != nil {
		return nil, err
	}
	answer := interfacesAnswer{RequestID: r.id, NextToken: token}
	for _, i := range found {
		answer.Interfaces.Items = append(answer.Interfaces.Items, r.server.describeInterface(i))
	}
	return answer, nil
}

// paged says whether a call names interfaces, wants pages, or filters by what leaves few.
func (p parameters) paged() bool {
	if p.text("MaxResults") != "" || len(p.list("NetworkInterfaceId")) > 0 {
		return true
	}
	for n := 1; ; n++ {
		name := p.text("Filter." + strconv.Itoa(n) + ".Name")
		if name == "" || slices.Contains(filtersWithoutPages, name) {
			return name != ""
		}
	}
}

func (s *Server) interfaces() resource[*cloud.NetworkInterface] {
	return resource[*cloud.NetworkInterface]{
		parameter: "NetworkInterfaceId", set: "networkInterfaceIdSet", pattern: idPattern("eni"),
		malformed: "InvalidNetworkInterfaceId.Malformed", notFound: cloud.CodeInterfaceNotFound,
		absent: "The networkInterface ID '%s' does not exist", absents: "The networkInterface IDs '%s' do not exist",
		filters: []string{
			"attachment.attachment-id", "attachment.delete-on-termination", "attachment.device-index", "attachment.instance-id",
			"attachment.status", "availability-zone", "description", "interface-type", "network-interface-id", "operator.managed",
			"operator.principal", "private-ip-address", "addresses.private-ip-address", "requester-managed", "status", "subnet-id", "tag-key", "vpc-id",
		},
		fields: s.interfaceFields,
		id:     func(i *cloud.NetworkInterface) string { return i.ID }, lowest: 5, highest: 1000, pagesOrIDs: true,
	}
}

func (s *Server) interfaceFields(i *cloud.NetworkInterface) map[string][]string {
	fields := map[string][]string{
		"availability-zone": {i.Zone}, "description": {i.Description}, "interface-type": {i.Type}, "network-interface-id": {i.ID},
		"operator.managed": {strconv.FormatBool(i.Operator != "")}, "private-ip-address": {i.PrivateIP.String()},
		"requester-managed": {strconv.FormatBool(i.RequesterManaged)}, "status": {string(i.Status)}, "subnet-id": {i.Subnet},
		"vpc-id": {s.Cloud.VPC()}, "addresses.private-ip-address": {i.PrivateIP.String()},
	}
	if i.Operator != "" {
		fields["operator.principal"] = []string{i.Operator}
	}
	for _, a := range i.Secondary {
		fields["addresses.private-ip-address"] = append(fields["addresses.private-ip-address"], a.String())
	}
	if a := describeAttachment(i); a != nil {
		fields["attachment.attachment-id"], fields["attachment.instance-id"] = []string{a.ID}, []string{a.InstanceID}
		fields["attachment.status"], fields["attachment.device-index"] = []string{a.Status}, []string{strconv.Itoa(a.DeviceIndex)}
		fields["attachment.delete-on-termination"] = []string{strconv.FormatBool(a.DeleteOnTermination)}
	}
	return addTags(fields, sortedTags(i.Tags))
}

func (s *Server) describeInterface(i *cloud.NetworkInterface) networkInterface {
	shown := networkInterface{
		attachedInterface: s.describeAttached(i), Zone: i.Zone, RequesterManaged: i.RequesterManaged, Tags: items[tag]{sortedTags(i.Tags)},
	}
	if shown.Attachment = describeAttachment(i); i.Operator != "" {
		shown.Operator = &operator{true, i.Operator}
	}
	return shown
}

// describeAttached is an interface as its instance shows it.
func (s *Server) describeAttached(i *cloud.NetworkInterface) attachedInterface {
	shown := attachedInterface{
		ID: i.ID, SubnetID: i.Subnet, VPCID: s.Cloud.VPC(), OwnerID: account, Description: i.Description, Status: i.Status,
		InterfaceType: i.Type, PrivateIPAddress: i.PrivateIP.String(),
		Addresses: items[privateIPAddress]{[]privateIPAddress{{i.PrivateIP.String(), true}}},
	}
	for _, a := range i.Secondary {
		shown.Addresses.Items = append(shown.Addresses.Items, privateIPAddress{a.String(), false})
	}
	for _, p := range i.Prefixes {
		shown.Prefixes.Items = append(shown.Prefixes.Items, ipv4Prefix{p.String()})
	}
	if a := describeAttachment(i); a != nil {
		a.InstanceID, a.InstanceOwnerID = "", ""
		shown.Attachment = a
	}
	return shown
}

// attachmentStatus is an attachment's status by its interface's.
var attachmentStatus = map[cloud.InterfaceStatus]string{
	cloud.InterfaceAttaching: "attaching", cloud.InterfaceInUse: "attached", cloud.InterfaceDetaching: "detaching",
}

func describeAttachment(i *cloud.NetworkInterface) *attachment {
	if i.Attachment == nil {
		return nil
	}
	return &attachment{
		ID: i.Attachment.ID, InstanceID: i.Attachment.Instance, InstanceOwnerID: account, DeviceIndex: i.Attachment.DeviceIndex,
		Status: attachmentStatus[i.Status], AttachTime: toSecond(i.Attachment.Began), DeleteOnTermination: i.Attachment.DeleteOnTermination,
	}
}
