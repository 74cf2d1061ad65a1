package aws

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

var ec2 = &service{
	name: "ec2",
	operations: map[string]operation{
		"DescribeInstances":      describeInstances,
		"DescribeInstanceStatus": describeInstanceStatus,
		"RebootInstances":        rebootInstances,
	},
	read: readForm, answer: answerEC2, refuse: refuseEC2,
	unknownKey: "AuthFailure", wrongSignature: "SignatureDoesNotMatch", unauthorized: "UnauthorizedOperation",
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
func rebootInstances(r request) (any, error) {
	instances, err := r.named(r.server.Cloud.Instances())
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(instances))
	for _, i := range instances {
		ids = append(ids, i.ID)
	}
	if len(ids) == 0 {
		return nil, refuse("MissingParameter", "The request must contain the parameter InstanceId")
	}
	if err := r.server.Cloud.Reboot(ids...); err != nil {
		return nil, err
	}
	return struct {
		RequestID string `xml:"requestId"`
		Return    bool   `xml:"return"`
	}{r.id, true}, nil
}

var instanceID = regexp.MustCompile(`^i-([0-9a-f]{8}|[0-9a-f]{17})$`)

// named are those of the instances that the call names; each must be there.
func (r request) named(instances []cloud.Instance) ([]cloud.Instance, error) {
	var found []cloud.Instance
	var missing []string
	for _, id := range r.parameters.list("InstanceId") {
		at := slices.IndexFunc(instances, func(i cloud.Instance) bool { return i.ID == id })
		switch {
		case at >= 0:
			found = append(found, instances[at])
		case !instanceID.MatchString(id):
			return nil, refuse("InvalidInstanceID.Malformed", `Invalid id: "%s"`, id)
		default:
			missing = append(missing, id)
		}
	}
	switch len(missing) {
	case 0:
		return found, nil
	case 1:
		return nil, refuse(cloud.CodeInstanceNotFound, "The instance ID '%s' does not exist", missing[0])
	}
	return nil, refuse(cloud.CodeInstanceNotFound, "The instance IDs '%s' do not exist", strings.Join(missing, ", "))
}

// selection is the page of instances that a Describe call asks for. As in EC2, a filter works on the page: one may be
// empty and still not be the last.
func (r request) selection(read func(cloud.Instance) bool) (selected []cloud.Instance, token string, err error) {
	filters, err := r.parameters.filters()
	if err != nil {
		return nil, "", err
	}
	wanted, err := r.parameters.readPage("MaxResults", 5, 1000, 1000)
	if err != nil {
		return nil, "", err
	}
	view := r.server.delayedView().Instances
	instances, err := r.named(view)
	if err != nil {
		return nil, "", err
	}
	if len(instances) == 0 {
		instances = slices.Clone(view)
	} else if r.parameters.text("MaxResults") != "" {
		return nil, "", refuse("InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults")
	}
	instances = slices.DeleteFunc(instances, func(i cloud.Instance) bool { return !read(i) })
	instances, token = take(wanted, instances, func(i cloud.Instance) string { return i.ID })
	instances = slices.DeleteFunc(slices.Clone(instances), func(i cloud.Instance) bool {
		return slices.ContainsFunc(filters, func(f filter) bool { return !f.matches(r.server.fields(i)) })
	})
	return instances, token, nil
}

// filter keeps what has one of its values, in which "*" and "?" stand for any characters and any one.
type filter struct {
	name   string
	values []*regexp.Regexp
}

var filterNames = []string{"instance-id", "instance-state-name", "instance-type", "availability-zone", "private-dns-name", "private-ip-address", "tag-key"}

func (p parameters) filters() ([]filter, error) {
	var filters []filter
	for n := 1; ; n++ {
		at := fmt.Sprintf("Filter.%d", n)
		name := p.text(at + ".Name")
		if name == "" {
			return filters, nil
		}
		if !slices.Contains(filterNames, name) && !strings.HasPrefix(name, "tag:") {
			return nil, refuse(cloud.CodeInvalidParameter, "The filter '%s' is invalid", name)
		}
		f := filter{name: name}
		for _, value := range p.list(at + ".Value") {
			f.values = append(f.values, wildcard(value))
		}
		filters = append(filters, f)
	}
}

func wildcard(pattern string) *regexp.Regexp {
	quoted := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile(`(?s)^` + quoted + `$`)
}

func (f filter) matches(fields map[string][]string) bool {
	return slices.ContainsFunc(fields[f.name], func(field string) bool {
		return slices.ContainsFunc(f.values, func(value *regexp.Regexp) bool { return value.MatchString(field) })
	})
}

// fields are what the filters read of an instance.
func (s *Server) fields(i cloud.Instance) map[string][]string {
	fields := map[string][]string{
		"instance-id": {i.ID}, "instance-state-name": {string(i.State)}, "instance-type": {i.Type},
		"availability-zone": {i.Zone}, "private-dns-name": {i.NodeName}, "private-ip-address": {i.PrivateIP},
	}
	for _, t := range s.tags(i) {
		fields["tag-key"] = append(fields["tag-key"], t.Key)
		fields["tag:"+t.Key] = []string{t.Value}
	}
	return fields
}
