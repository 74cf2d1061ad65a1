package aws

import "github.com/naosu-dev/naosu/lab/cloud"

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
		Tags             items[tag] `xml:"tagSet"`
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
	found, token, err := r.selection(func(cloud.Instance) bool { return true })
	if err != nil {
		return nil, err
	}
	answer := instancesAnswer{RequestID: r.id, NextToken: token}
	for _, i := range found {
		answer.Reservations.Items = append(answer.Reservations.Items, reservation{
			ReservationID: "r" + i.ID[min(1, len(i.ID)):], OwnerID: account,
			Instances: items[instance]{[]instance{r.server.describe(i)}},
		})
	}
	return answer, nil
}

// describe leaves a terminated instance without the names and addresses that it has given back.
func (s *Server) describe(i cloud.Instance) instance {
	shown := instance{
		InstanceID: i.ID, State: stateOf(i), InstanceType: i.Type, LaunchTime: toSecond(i.Launched), Zone: i.Zone,
		Tags: items[tag]{s.tags(i)},
	}
	if i.State != cloud.Terminated {
		shown.PrivateDNSName, shown.PrivateIPAddress = i.NodeName, i.PrivateIP
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
