package aws

import (
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// instance is what both sides can say of one.
type instance struct {
	ID, Type, Zone, Name, Address, State string
	StateCode                            int32
	Launched                             time.Time
	Group, Nodegroup                     string
}

func held(i cloud.Instance) instance {
	codes := map[cloud.InstanceState]int32{
		cloud.Pending: 0, cloud.Running: 16, cloud.ShuttingDown: 32, cloud.Terminated: 48, cloud.Stopping: 64, cloud.Stopped: 80,
	}
	return instance{
		ID: i.ID, Type: i.Type, Zone: i.Zone, Name: i.NodeName, Address: i.PrivateIP, State: string(i.State), StateCode: codes[i.State],
		Launched: second(i.Launched), Group: i.Group, Nodegroup: i.Labels["eks.amazonaws.com/nodegroup"],
	}
}

func decoded(i types.Instance) instance {
	tags := map[string]string{}
	for _, t := range i.Tags {
		tags[sdk.ToString(t.Key)] = sdk.ToString(t.Value)
	}
	return instance{
		ID: sdk.ToString(i.InstanceId), Type: string(i.InstanceType), Zone: sdk.ToString(i.Placement.AvailabilityZone),
		Name: sdk.ToString(i.PrivateDnsName), Address: sdk.ToString(i.PrivateIpAddress), State: string(i.State.Name),
		StateCode: sdk.ToInt32(i.State.Code), Launched: second(sdk.ToTime(i.LaunchTime)),
		Group: tags["aws:autoscaling:groupName"], Nodegroup: tags["eks:nodegroup-name"],
	}
}

func byID(a, b instance) int { return strings.Compare(a.ID, b.ID) }

// describe follows every page.
func (b *fixture) describe(input *ec2.DescribeInstancesInput) (found []instance, pages int) {
	b.t.Helper()
	for p := ec2.NewDescribeInstancesPaginator(b.clients().ec2, input); p.HasMorePages(); pages++ {
		out, err := p.NextPage(b.t.Context())
		b.must(err)
		for _, r := range out.Reservations {
			for _, i := range r.Instances {
				found = append(found, decoded(i))
			}
		}
	}
	slices.SortFunc(found, byID)
	return found, pages
}

func (b *fixture) held(keep func(cloud.Instance) bool) []instance {
	var all []instance
	for _, i := range b.cloud.Instances() {
		if keep(i) {
			all = append(all, held(i))
		}
	}
	slices.SortFunc(all, byID)
	return all
}

func everything(cloud.Instance) bool { return true }

// unsettle brings instances of several states about.
func (b *fixture) unsettle() (stopping, ending cloud.Instance) {
	b.t.Helper()
	stopping, ending = b.members("workers")[0], b.members("workers")[1]
	b.must(b.cloud.StopInstance(stopping.ID))
	b.must(b.cloud.Terminate(ending.ID, false)) // and another is pending in its place
	return stopping, ending
}

func TestDescribeInstances(t *testing.T) {
	b := newFixture(t)
	b.unsettle()
	got, pages := b.describe(&ec2.DescribeInstancesInput{})
	if diff := cmp.Diff(b.held(everything), got); diff != "" || pages != 1 {
		t.Errorf("instances on %d pages (-held +decoded):\n%s", pages, diff)
	}
}

// TestDescribeInstancesByPage also meets a page on which the filter leaves nothing.
func TestDescribeInstancesByPage(t *testing.T) {
	b := newFixture(t)
	got, pages := b.describe(&ec2.DescribeInstancesInput{MaxResults: sdk.Int32(5)})
	if diff := cmp.Diff(b.held(everything), got); diff != "" || pages != 2 {
		t.Errorf("instances on %d pages, want 2 (-held +decoded):\n%s", pages, diff)
	}
	last := got[len(got)-1].ID
	filtered := []types.Filter{{Name: sdk.String("instance-id"), Values: []string{last}}}
	got, pages = b.describe(&ec2.DescribeInstancesInput{MaxResults: sdk.Int32(5), Filters: filtered})
	want := b.held(func(i cloud.Instance) bool { return i.ID == last })
	if diff := cmp.Diff(want, got); diff != "" || pages != 2 {
		t.Errorf("the filtered on %d pages, want 2 (-held +decoded):\n%s", pages, diff)
	}
}

func TestDescribeInstancesFilters(t *testing.T) {
	b := newFixture(t)
	stopping, _ := b.unsettle()
	tests := []struct {
		name   string
		filter types.Filter
		keep   func(cloud.Instance) bool
	}{
		{"instance-id", types.Filter{Values: []string{stopping.ID}}, func(i cloud.Instance) bool { return i.ID == stopping.ID }},
		{"instance-state-name", types.Filter{Values: []string{"stopping", "pending"}}, func(i cloud.Instance) bool { return i.State == cloud.Stopping || i.State == cloud.Pending }},
		{"availability-zone", types.Filter{Values: []string{"us-east-b?"}}, func(cloud.Instance) bool { return false }},
		{"availability-zone", types.Filter{Values: []string{"us-*-?b"}}, func(i cloud.Instance) bool { return i.Zone == "us-east-1b" }},
		{"private-dns-name", types.Filter{Values: []string{stopping.NodeName}}, func(i cloud.Instance) bool { return i.ID == stopping.ID }},
		{"tag:aws:autoscaling:groupName", types.Filter{Values: []string{"spare"}}, func(i cloud.Instance) bool { return i.Group == "spare" }},
		{"tag-key", types.Filter{Values: []string{"eks:nodegroup-name"}}, func(i cloud.Instance) bool { return i.Group != "own" }},
	}
	for _, tc := range tests {
		t.Run(tc.name+"="+tc.filter.Values[0], func(t *testing.T) {
			tc.filter.Name = &tc.name
			got, _ := b.describe(&ec2.DescribeInstancesInput{Filters: []types.Filter{tc.filter}})
			if diff := cmp.Diff(b.held(tc.keep), got); diff != "" {
				t.Errorf("instances (-held +decoded):\n%s", diff)
			}
		})
	}
}

func TestDescribeInstanceStatus(t *testing.T) {
	b := newFixture(t)
	stopping, ending := b.unsettle()
	dead, rebooted, lost := b.members("workers")[0], b.members("workers")[1], b.members("own")[0]
	b.must(b.cloud.SetImpaired(dead.ID, true))
	b.must(b.cloud.Reboot(rebooted.ID))
	well := b.members("spare")[0]
	if lost.Zone == well.Zone || lost.Zone == dead.Zone || lost.Zone == rebooted.Zone {
		t.Fatalf("the zone %s to lose holds another of the instances that are looked at", lost.Zone)
	}
	b.must(b.cloud.LoseZone(lost.Zone))

	type status struct{ State, System, Instance string }
	want := map[string]status{
		well.ID:     {"running", "ok", "ok"},
		dead.ID:     {"running", "ok", "impaired"},
		rebooted.ID: {"running", "ok", "initializing"},
		lost.ID:     {"running", "impaired", "impaired"},
	}
	ask := func(all bool) map[string]status {
		out, err := b.clients().ec2.DescribeInstanceStatus(t.Context(), &ec2.DescribeInstanceStatusInput{
			InstanceIds: []string{well.ID, dead.ID, rebooted.ID, lost.ID, stopping.ID, ending.ID}, IncludeAllInstances: &all,
		})
		b.must(err)
		got := map[string]status{}
		for _, s := range out.InstanceStatuses {
			got[sdk.ToString(s.InstanceId)] = status{string(s.InstanceState.Name), string(s.SystemStatus.Status), string(s.InstanceStatus.Status)}
		}
		return got
	}
	if diff := cmp.Diff(want, ask(false)); diff != "" {
		t.Errorf("status of the running (-want +got):\n%s", diff)
	}
	want[stopping.ID] = status{"stopping", "not-applicable", "not-applicable"}
	want[ending.ID] = status{"shutting-down", "not-applicable", "not-applicable"}
	if diff := cmp.Diff(want, ask(true)); diff != "" {
		t.Errorf("status of all (-want +got):\n%s", diff)
	}
}

func TestRebootInstances(t *testing.T) {
	b := newFixture(t)
	first, second := b.members("workers")[0], b.members("spare")[0]
	_, err := b.clients().ec2.RebootInstances(t.Context(), &ec2.RebootInstancesInput{InstanceIds: []string{first.ID, second.ID}})
	b.must(err)
	for _, i := range b.cloud.Instances() {
		want := 0
		if i.ID == first.ID || i.ID == second.ID {
			want = 1
		}
		if i.Reboots != want {
			t.Errorf("%s was rebooted %d times, want %d", i.ID, i.Reboots, want)
		}
	}
}
