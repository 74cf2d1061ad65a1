package aws

var ec2 = &service{
	name: "ec2",
	operations: map[string]operation{
		"AssignPrivateIpAddresses":        assignPrivateIPAddresses,
		"AttachNetworkInterface":          attachNetworkInterface,
		"CreateNetworkInterface":          createNetworkInterface,
		"CreateTags":                      createTags,
		"DeleteNetworkInterface":          deleteNetworkInterface,
		"DescribeInstances":               describeInstances,
		"DescribeInstanceStatus":          describeInstanceStatus,
		"DescribeInstanceTypes":           describeInstanceTypes,
		"DescribeNetworkInterfaces":       describeNetworkInterfaces,
		"DescribeSubnets":                 describeSubnets,
		"DetachNetworkInterface":          detachNetworkInterface,
		"GetSubnetCidrReservations":       getSubnetCIDRReservations,
		"ModifyNetworkInterfaceAttribute": modifyNetworkInterfaceAttribute,
		"RebootInstances":                 rebootInstances,
		"UnassignPrivateIpAddresses":      unassignPrivateIPAddresses,
	},
	read: readForm, answer: answerEC2, refuse: refuseEC2,
	unknownKey: "AuthFailure", wrongSignature: "SignatureDoesNotMatch", unauthorized: "UnauthorizedOperation",
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
func rebootInstances(r request) (any, error) {
	found, err := named(r, r.server.instances(), r.server.Cloud.Instances())
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(found))
	for _, i := range found {
		ids = append(ids, i.ID)
	}
	if len(ids) == 0 {
		return nil, refuse("MissingParameter", "The request must contain the parameter InstanceId")
	}
	if err := r.server.Cloud.Reboot(ids...); err != nil {
		return nil, err
	}
	return r.done(), nil
}

// done is the answer of an action that has nothing to say.
func (r request) done() any {
	return struct {
		RequestID string `xml:"requestId"`
		Return    bool   `xml:"return"`
	}{r.id, true}
}
