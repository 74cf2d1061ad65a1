package aws

import "github.com/naosu-dev/naosu/lab/cloud"

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceStatus.html
type (
	statusesAnswer struct {
		RequestID string                `xml:"requestId"`
		Statuses  items[instanceStatus] `xml:"instanceStatusSet"`
		NextToken string                `xml:"nextToken,omitempty"`
	}
	instanceStatus struct {
		InstanceID string    `xml:"instanceId"`
		Zone       string    `xml:"availabilityZone"`
		State      stateCode `xml:"instanceState"`
		System     summary   `xml:"systemStatus"`
		Instance   summary   `xml:"instanceStatus"`
	}
	summary struct {
		Status  string        `xml:"status"`
		Details items[detail] `xml:"details"`
	}
	detail struct {
		Name   string `xml:"name"`
		Status string `xml:"status"`
	}
)

// A status check's summaries; without details where there is nothing to check.
var (
	passed        = reachability("ok", "passed")
	failed        = reachability("impaired", "failed")
	initializing  = reachability("initializing", "initializing")
	notApplicable = summary{Status: "not-applicable"}
)

func reachability(status, detailed string) summary {
	return summary{Status: status, Details: items[detail]{[]detail{{"reachability", detailed}}}}
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceStatus.html
func describeInstanceStatus(r request) (any, error) {
	all, err := r.parameters.flag("IncludeAllInstances")
	if err != nil {
		return nil, err
	}
	running := func(i cloud.Instance) bool { return all || i.State == cloud.Running }
	found, token, err := selection(r, r.server.instances(), r.server.delayedView().Instances, running)
	if err != nil {
		return nil, err
	}
	answer := statusesAnswer{RequestID: r.id, NextToken: token}
	for _, i := range found {
		system, inside := r.server.checks(i)
		answer.Statuses.Items = append(answer.Statuses.Items, instanceStatus{i.ID, i.Zone, stateOf(i), system, inside})
	}
	return answer, nil
}

// checks are the two status checks. A machine that does not answer fails the instance's; where the whole zone is lost,
// what is beneath the machine fails too.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html
func (s *Server) checks(i cloud.Instance) (system, inside summary) {
	switch {
	case i.State != cloud.Running:
		return notApplicable, notApplicable
	case s.Cloud.Lost(i.Zone):
		return failed, failed
	case i.Impaired:
		return passed, failed
	case !i.Booted:
		return passed, initializing
	}
	return passed, passed
}
