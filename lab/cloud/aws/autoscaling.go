package aws

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/naosu-dev/naosu/lab/cloud"
)

var autoscaling = &service{
	name: "autoscaling",
	operations: map[string]operation{
		"DescribeAutoScalingGroups":           describeAutoScalingGroups,
		"DescribeAutoScalingInstances":        describeAutoScalingInstances,
		"ResumeProcesses":                     suspend(false),
		"SuspendProcesses":                    suspend(true),
		"TerminateInstanceInAutoScalingGroup": terminateInstance,
		"UpdateAutoScalingGroup":              updateAutoScalingGroup,
	},
	read: readForm, answer: answerQuery, refuse: refuseQuery,
	unknownKey: "InvalidClientTokenId", wrongSignature: "SignatureDoesNotMatch", unauthorized: "AccessDenied",
}

// The parts of an AutoScalingGroup that the lab's cloud holds, with AWS's defaults for two that must be there.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_AutoScalingGroup.html
type (
	groupsAnswer struct {
		Groups    members[scalingGroup] `xml:"AutoScalingGroups"`
		NextToken string                `xml:"NextToken,omitempty"`
	}
	scalingGroup struct {
		Name               string                 `xml:"AutoScalingGroupName"`
		ARN                string                 `xml:"AutoScalingGroupARN"`
		MinSize            int                    `xml:"MinSize"`
		MaxSize            int                    `xml:"MaxSize"`
		DesiredCapacity    int                    `xml:"DesiredCapacity"`
		DefaultCooldown    int                    `xml:"DefaultCooldown"`
		HealthCheckType    string                 `xml:"HealthCheckType"`
		CreatedTime        timestamp              `xml:"CreatedTime"`
		Zones              members[string]        `xml:"AvailabilityZones"`
		Subnets            string                 `xml:"VPCZoneIdentifier"`
		Instances          members[scalingMember] `xml:"Instances"`
		SuspendedProcesses members[suspended]     `xml:"SuspendedProcesses"`
		Tags               members[scalingTag]    `xml:"Tags"`
	}
	scalingMember struct {
		InstanceID           string `xml:"InstanceId"`
		InstanceType         string `xml:"InstanceType"`
		Zone                 string `xml:"AvailabilityZone"`
		LifecycleState       string `xml:"LifecycleState"`
		HealthStatus         string `xml:"HealthStatus"`
		ProtectedFromScaleIn bool   `xml:"ProtectedFromScaleIn"`
	}
	suspended  struct{ ProcessName string }
	scalingTag struct {
		ResourceID   string `xml:"ResourceId"`
		ResourceType string
		Key          string
		Value        string
	}
)

// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html
func describeAutoScalingGroups(r request) (any, error) {
	wanted, err := r.parameters.readPage("MaxRecords", 1, 100, 50)
	if err != nil {
		return nil, err
	}
	view := r.server.delayedView()
	groups := slices.Clone(view.Groups)
	if names := r.parameters.list("AutoScalingGroupNames.member"); len(names) > 0 {
		groups = slices.DeleteFunc(groups, func(g cloud.Group) bool { return !slices.Contains(names, g.Name) })
	}
	filters, err := r.parameters.groupFilters()
	if err != nil {
		return nil, err
	}
	groups = slices.DeleteFunc(groups, func(g cloud.Group) bool {
		fields := addTags(map[string][]string{}, r.server.groupTags(g))
		return slices.ContainsFunc(filters, func(f filter) bool { return !f.matches(fields) })
	})
	groups, token := take(wanted, groups, func(g cloud.Group) string { return g.Name })
	answer := groupsAnswer{NextToken: token}
	instances := view.Instances
	for _, g := range groups {
		answer.Groups.Members = append(answer.Groups.Members, r.server.describeGroup(g, instances))
	}
	return answer, nil
}

// subnetIDs are the IDs of the subnets that a group may launch in.
func subnetIDs(g cloud.Group, subnets []cloud.Subnet) []string {
	var ids []string
	for _, s := range subnets {
		named := len(g.Subnets) == 0 || slices.Contains(g.Subnets, s.ID) || slices.Contains(g.Subnets, s.Tags["Name"])
		if named && slices.Contains(g.Zones, s.Zone) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (s *Server) describeGroup(g cloud.Group, instances []cloud.Instance) scalingGroup {
	shown := scalingGroup{
		Name: g.Name, ARN: s.groupARN(g.Name), MinSize: g.Min, MaxSize: g.Max, DesiredCapacity: g.Desired,
		DefaultCooldown: 300, HealthCheckType: "EC2", CreatedTime: timestamp(g.Created), Zones: members[string]{g.Zones},
		Subnets: strings.Join(subnetIDs(g, s.Cloud.Subnets()), ","),
	}
	for _, i := range instances {
		if i.Group == g.Name && member(i) {
			shown.Instances.Members = append(shown.Instances.Members, scalingMember{
				InstanceID: i.ID, InstanceType: i.Type, Zone: i.Zone, LifecycleState: lifecycleState(i), HealthStatus: "Healthy",
			})
		}
	}
	for _, process := range g.SuspendedProcesses {
		shown.SuspendedProcesses.Members = append(shown.SuspendedProcesses.Members, suspended{process})
	}
	for _, t := range s.groupTags(g) {
		shown.Tags.Members = append(shown.Tags.Members, scalingTag{g.Name, "auto-scaling-group", t.Key, t.Value})
	}
	return shown
}

func (s *Server) groupTags(g cloud.Group) []tag {
	tags := []tag{{"kubernetes.io/cluster/" + s.ClusterName, "owned"}}
	if !g.Foreign {
		tags = append(tags, tag{"eks:cluster-name", s.ClusterName}, tag{"eks:nodegroup-name", g.Name},
			// EKS tags the groups of its node groups so, whether or not cluster-autoscaler runs.
			// https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
			tag{"k8s.io/cluster-autoscaler/enabled", "true"}, tag{"k8s.io/cluster-autoscaler/" + s.ClusterName, "owned"})
	}
	for _, key := range slices.Sorted(maps.Keys(g.Tags)) {
		tags = append(tags, tag{key, g.Tags[key]})
	}
	return tags
}

// groupFilters are those of Auto Scaling, by tags alone: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Filter.html.
func (p parameters) groupFilters() ([]filter, error) {
	var filters []filter
	for n := 1; ; n++ {
		at := fmt.Sprintf("Filters.member.%d", n)
		name := p.text(at + ".Name")
		if name == "" {
			return filters, nil
		}
		if name != "tag-key" && !strings.HasPrefix(name, "tag:") {
			return nil, refuse(cloud.CodeValidation, "The lab does not filter groups by %s.", name)
		}
		f := filter{name: name}
		for _, value := range p.list(at + ".Values.member") {
			f.values = append(f.values, regexp.MustCompile("^"+regexp.QuoteMeta(value)+"$"))
		}
		filters = append(filters, f)
	}
}

// member instances are those that Auto Scaling knows.
func member(i cloud.Instance) bool {
	return i.Group != "" && !i.Detached && i.State != cloud.Terminated
}

// The parts of AutoScalingInstanceDetails that the lab's cloud holds.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_AutoScalingInstanceDetails.html
type (
	membersAnswer struct {
		Instances members[memberDetails] `xml:"AutoScalingInstances"`
		NextToken string                 `xml:"NextToken,omitempty"`
	}
	memberDetails struct {
		InstanceID           string `xml:"InstanceId"`
		InstanceType         string `xml:"InstanceType"`
		Group                string `xml:"AutoScalingGroupName"`
		Zone                 string `xml:"AvailabilityZone"`
		LifecycleState       string `xml:"LifecycleState"`
		HealthStatus         string `xml:"HealthStatus"`
		ProtectedFromScaleIn bool   `xml:"ProtectedFromScaleIn"`
	}
)

// Instances that are in no group are left out, as Auto Scaling does.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingInstances.html
func describeAutoScalingInstances(r request) (any, error) {
	wanted, err := r.parameters.readPage("MaxRecords", 1, 50, 50)
	if err != nil {
		return nil, err
	}
	named := r.parameters.list("InstanceIds.member")
	if len(named) > 50 {
		return nil, refuse(cloud.CodeValidation, "The number of instance ids that may be passed in is limited to 50")
	}
	instances := slices.DeleteFunc(slices.Clone(r.server.delayedView().Instances), func(i cloud.Instance) bool {
		return !member(i) || len(named) > 0 && !slices.Contains(named, i.ID)
	})
	instances, token := take(wanted, instances, func(i cloud.Instance) string { return i.ID })
	answer := membersAnswer{NextToken: token}
	for _, i := range instances {
		answer.Instances.Members = append(answer.Instances.Members, memberDetails{
			InstanceID: i.ID, InstanceType: i.Type, Group: i.Group, Zone: i.Zone, LifecycleState: lifecycleState(i), HealthStatus: "HEALTHY",
		})
	}
	return answer, nil
}

func (s *Server) groupARN(name string) string {
	return fmt.Sprintf("arn:aws:autoscaling:%s:%s:autoScalingGroup:*:autoScalingGroupName/%s", s.Cloud.Region(), account, name)
}

// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-lifecycle.html
func lifecycleState(i cloud.Instance) string {
	switch i.State {
	case cloud.Pending:
		return "Pending"
	case cloud.ShuttingDown:
		return "Terminating"
	}
	return "InService"
}

// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SuspendProcesses.html
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_ResumeProcesses.html
func suspend(off bool) operation {
	return func(r request) (any, error) {
		err := r.server.Cloud.Suspend(r.parameters.text("AutoScalingGroupName"), off, r.parameters.list("ScalingProcesses.member")...)
		return nil, err
	}
}

// updateAutoScalingGroup changes the sizes that are given. What else Auto Scaling changes by this call is refused here.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
func updateAutoScalingGroup(r request) (any, error) {
	name := r.parameters.text("AutoScalingGroupName")
	groups := r.server.Cloud.Groups()
	at := slices.IndexFunc(groups, func(g cloud.Group) bool { return g.Name == name })
	if at < 0 {
		return nil, refuse(cloud.CodeValidation, "AutoScalingGroup name not found - AutoScalingGroup %s not found", name)
	}
	g := groups[at]
	sizes := map[string]*int{"MinSize": &g.Min, "MaxSize": &g.Max, "DesiredCapacity": &g.Desired}
	for key := range r.parameters {
		if _, known := sizes[key]; !known && !slices.Contains([]string{"Action", "Version", "AutoScalingGroupName"}, key) {
			return nil, refuse(cloud.CodeValidation, "The lab does not change %s of a group.", key)
		}
	}
	for key, size := range sizes {
		if r.parameters.text(key) == "" {
			continue
		}
		n, err := r.parameters.count(key)
		if err != nil {
			return nil, err
		}
		*size = n
	}
	return nil, r.server.Cloud.SetSize(name, g.Min, g.Desired, g.Max)
}

// activity is an entry of a group's history.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Activity.html
type activity struct {
	ActivityID  string `xml:"ActivityId"`
	Group       string `xml:"AutoScalingGroupName"`
	Description string
	Cause       string
	StartTime   timestamp
	StatusCode  string
	Progress    int
}

// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
func terminateInstance(r request) (any, error) {
	id := r.parameters.text("InstanceId")
	if id == "" || r.parameters.text("ShouldDecrementDesiredCapacity") == "" {
		return nil, refuse(cloud.CodeValidation, "InstanceId and ShouldDecrementDesiredCapacity are required")
	}
	decrement, err := r.parameters.flag("ShouldDecrementDesiredCapacity")
	if err != nil {
		return nil, err
	}
	i, known := r.server.Cloud.Instance(id)
	if !known || !member(i) {
		return nil, refuse(cloud.CodeValidation, "Instance Id not found - No managed instance found for instance ID: %s", id)
	}
	if err := r.server.Cloud.Terminate(id, decrement); err != nil {
		return nil, err
	}
	now := timestamp(r.server.Clock.Now())
	moment, _ := now.MarshalText()
	return struct{ Activity activity }{activity{
		ActivityID: string(uuid.NewUUID()), Group: i.Group, Description: "Terminating EC2 instance: " + id,
		Cause:     fmt.Sprintf("At %s instance %s was taken out of service in response to a user request.", moment, id),
		StartTime: now, StatusCode: "InProgress",
	}}, nil
}
