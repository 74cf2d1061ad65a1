package aws

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// required is a parameter that must be there.
func (p parameters) required(name string) (string, error) {
	if value := p.text(name); value != "" {
		return value, nil
	}
	return "", refuse("MissingParameter", "The request must contain the parameter %s", name)
}

// identifier is a required ID.
func (p parameters) identifier(name string, pattern *regexp.Regexp, malformed string) (string, error) {
	id, err := p.required(name)
	if err == nil && !pattern.MatchString(id) {
		err = refuse(malformed, `Invalid id: "%s"`, id)
	}
	return id, err
}

func (r request) interfaceID() (string, error) {
	kind := r.server.interfaces()
	return r.parameters.identifier("NetworkInterfaceId", kind.pattern, kind.malformed)
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNetworkInterface.html
func createNetworkInterface(r request) (any, error) {
	kind := r.server.subnets()
	id, err := r.parameters.identifier("SubnetId", kind.pattern, kind.malformed)
	if err != nil {
		return nil, err
	}
	addresses, err := r.parameters.count("SecondaryPrivateIpAddressCount")
	if err != nil {
		return nil, err
	}
	prefixes, err := r.parameters.count("Ipv4PrefixCount")
	if err != nil {
		return nil, err
	}
	created, err := r.server.Cloud.CreateNetworkInterface(cloud.NetworkInterfaceRequest{
		Subnet: id, Description: r.parameters.text("Description"), SecondaryAddresses: addresses, Prefixes: prefixes,
		Tags: r.parameters.tags("TagSpecification.1.Tag"),
	})
	if err != nil {
		return nil, err
	}
	return struct {
		RequestID string           `xml:"requestId"`
		Interface networkInterface `xml:"networkInterface"`
	}{r.id, r.server.describeInterface(created)}, nil
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNetworkInterface.html
func deleteNetworkInterface(r request) (any, error) {
	id, err := r.interfaceID()
	if err != nil {
		return nil, err
	}
	if err := r.server.Cloud.DeleteNetworkInterface(id); err != nil {
		return nil, err
	}
	return r.done(), nil
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachNetworkInterface.html
func attachNetworkInterface(r request) (any, error) {
	id, err := r.interfaceID()
	if err != nil {
		return nil, err
	}
	instance, err := r.parameters.identifier("InstanceId", instanceID, "InvalidInstanceID.Malformed")
	if err != nil {
		return nil, err
	}
	index, err := r.parameters.required("DeviceIndex")
	if err != nil {
		return nil, err
	}
	device, err := strconv.Atoi(index)
	if err != nil || device < 1 {
		return nil, refuse(cloud.CodeInvalidParameter, "Invalid value '%s' for deviceIndex", index)
	}
	attached, err := r.server.Cloud.AttachNetworkInterface(id, instance, device)
	if err != nil {
		return nil, err
	}
	return struct {
		RequestID  string `xml:"requestId"`
		Attachment string `xml:"attachmentId"`
	}{r.id, attached}, nil
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachNetworkInterface.html
func detachNetworkInterface(r request) (any, error) {
	id, err := r.parameters.required("AttachmentId")
	if err != nil {
		return nil, err
	}
	if err := r.server.Cloud.DetachNetworkInterface(id); err != nil {
		return nil, err
	}
	return r.done(), nil
}

// modifyNetworkInterfaceAttribute knows an attachment's DeleteOnTermination alone.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyNetworkInterfaceAttribute.html
func modifyNetworkInterfaceAttribute(r request) (any, error) {
	id, err := r.interfaceID()
	if err != nil {
		return nil, err
	}
	attachment, err := r.parameters.required("Attachment.AttachmentId")
	if err != nil {
		return nil, err
	}
	deleted, err := r.parameters.flag("Attachment.DeleteOnTermination")
	if err != nil {
		return nil, err
	}
	if err := r.server.Cloud.SetDeleteOnTermination(id, attachment, deleted); err != nil {
		return nil, err
	}
	return r.done(), nil
}

type assignedAnswer struct {
	RequestID   string                  `xml:"requestId"`
	InterfaceID string                  `xml:"networkInterfaceId"`
	Addresses   items[privateIPAddress] `xml:"assignedPrivateIpAddressesSet"`
	Prefixes    items[ipv4Prefix]       `xml:"assignedIpv4PrefixSet"`
	Return      bool                    `xml:"return"`
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssignPrivateIpAddresses.html
func assignPrivateIPAddresses(r request) (any, error) {
	id, err := r.interfaceID()
	if err != nil {
		return nil, err
	}
	addresses, err := r.parameters.count("SecondaryPrivateIpAddressCount")
	if err != nil {
		return nil, err
	}
	prefixes, err := r.parameters.count("Ipv4PrefixCount")
	if err != nil {
		return nil, err
	}
	answer := assignedAnswer{RequestID: r.id, InterfaceID: id, Return: true}
	switch {
	case addresses > 0 && prefixes > 0:
		return nil, refuse(cloud.CodeInvalidParameterCombination, "The parameter SecondaryPrivateIpAddressCount cannot be used with the parameter Ipv4PrefixCount")
	case prefixes > 0:
		assigned, err := r.server.Cloud.AssignPrefixes(id, prefixes)
		for _, p := range assigned {
			answer.Prefixes.Items = append(answer.Prefixes.Items, ipv4Prefix{p.String()})
		}
		return answer, err
	case addresses > 0:
		assigned, err := r.server.Cloud.AssignPrivateIPAddresses(id, addresses)
		for _, a := range assigned {
			answer.Addresses.Items = append(answer.Addresses.Items, privateIPAddress{a.String(), false})
		}
		return answer, err
	}
	return nil, refuse("MissingParameter", "The request must contain the parameter SecondaryPrivateIpAddressCount")
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_UnassignPrivateIpAddresses.html
func unassignPrivateIPAddresses(r request) (any, error) {
	id, err := r.interfaceID()
	if err != nil {
		return nil, err
	}
	var blocks []netip.Prefix
	for _, text := range r.parameters.list("PrivateIpAddress") {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, refuse(cloud.CodeInvalidParameter, "Value (%s) for parameter privateIpAddresses is invalid. Invalid IPv4 address", text)
		}
		blocks = append(blocks, netip.PrefixFrom(a, a.BitLen()))
	}
	for _, text := range r.parameters.list("Ipv4Prefix") {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, refuse(cloud.CodeInvalidParameter, "Value (%s) for parameter ipv4Prefixes is invalid. Invalid IPv4 prefix", text)
		}
		blocks = append(blocks, p)
	}
	if err := r.server.Cloud.UnassignPrivateIPAddresses(id, blocks...); err != nil {
		return nil, err
	}
	return r.done(), nil
}

// createTags knows network interfaces and subnets.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html
func createTags(r request) (any, error) {
	ids, tags := r.parameters.list("ResourceId"), r.parameters.tags("Tag")
	if len(ids) == 0 || len(tags) == 0 {
		return nil, refuse("MissingParameter", "The request must contain the parameters ResourceId and Tag")
	}
	taggers := map[string]func(string, map[string]string) error{"eni": r.server.Cloud.TagNetworkInterface, "subnet": r.server.Cloud.TagSubnet}
	for _, id := range ids {
		if kind, _, _ := strings.Cut(id, "-"); taggers[kind] == nil {
			return nil, refuse("InvalidID", "The ID '%s' is not valid", id)
		}
	}
	for _, id := range ids {
		kind, _, _ := strings.Cut(id, "-")
		if err := taggers[kind](id, tags); err != nil {
			return nil, err
		}
	}
	return r.done(), nil
}
