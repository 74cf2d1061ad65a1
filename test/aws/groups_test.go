package aws

import (
	"slices"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	ekstypes "github.com/aws/aws-sdk-go-v2/service/eks/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// group is what both sides can say of one.
type group struct {
	Name                       string
	Min, Desired, Max          int
	Created                    time.Time
	Zones, Suspended           []string
	Members                    []member
	Nodegroup, ClusterNodesTag string
}

type member struct{ ID, Type, Zone, Lifecycle, Health string }

func (b *fixture) heldGroups() []group {
	var groups []group
	lifecycles := map[cloud.InstanceState]string{
		cloud.Pending: "Pending", cloud.Running: "InService", cloud.ShuttingDown: "Terminating", cloud.Stopping: "InService",
	}
	for _, g := range b.cloud.Groups() {
		shown := group{
			Name: g.Name, Min: g.Min, Desired: g.Desired, Max: g.Max, Created: g.Created.UTC().Truncate(time.Millisecond), Zones: g.Zones, Suspended: g.SuspendedProcesses,
			ClusterNodesTag: "owned",
		}
		if !g.Foreign {
			shown.Nodegroup = g.Name
		}
		for _, i := range b.cloud.Instances() {
			if i.Group == g.Name {
				shown.Members = append(shown.Members, member{i.ID, i.Type, i.Zone, lifecycles[i.State], "Healthy"})
			}
		}
		groups = append(groups, shown)
	}
	return groups
}

// describeGroups follows every page.
func (b *fixture) describeGroups(input *autoscaling.DescribeAutoScalingGroupsInput) (groups []group, pages int) {
	b.t.Helper()
	for p := autoscaling.NewDescribeAutoScalingGroupsPaginator(b.clients().autoscaling, input); p.HasMorePages(); pages++ {
		out, err := p.NextPage(b.t.Context())
		b.must(err)
		for _, g := range out.AutoScalingGroups {
			shown := group{
				Name: sdk.ToString(g.AutoScalingGroupName), Min: int(sdk.ToInt32(g.MinSize)), Desired: int(sdk.ToInt32(g.DesiredCapacity)),
				Max: int(sdk.ToInt32(g.MaxSize)), Created: sdk.ToTime(g.CreatedTime).UTC(), Zones: g.AvailabilityZones,
			}
			for _, s := range g.SuspendedProcesses {
				shown.Suspended = append(shown.Suspended, sdk.ToString(s.ProcessName))
			}
			for _, i := range g.Instances {
				shown.Members = append(shown.Members, member{
					sdk.ToString(i.InstanceId), sdk.ToString(i.InstanceType), sdk.ToString(i.AvailabilityZone),
					string(i.LifecycleState), sdk.ToString(i.HealthStatus),
				})
			}
			for _, tag := range g.Tags {
				switch sdk.ToString(tag.Key) {
				case "eks:nodegroup-name":
					shown.Nodegroup = sdk.ToString(tag.Value)
				case "kubernetes.io/cluster/shop":
					shown.ClusterNodesTag = sdk.ToString(tag.Value)
				}
			}
			groups = append(groups, shown)
		}
	}
	return groups, pages
}

var anyOrder = cmpopts.SortSlices(func(a, b group) bool { return a.Name < b.Name })

func TestDescribeAutoScalingGroups(t *testing.T) {
	b := newFixture(t)
	b.unsettle()
	for size, want := range map[int32]int{1: 3, 2: 2, 100: 1} {
		got, pages := b.describeGroups(&autoscaling.DescribeAutoScalingGroupsInput{MaxRecords: &size})
		if diff := cmp.Diff(b.heldGroups(), got, anyOrder, cmpopts.EquateEmpty()); diff != "" || pages != want {
			t.Errorf("groups on %d pages, want %d (-held +decoded):\n%s", pages, want, diff)
		}
	}
	got, _ := b.describeGroups(&autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{"spare", "absent"}})
	want := slices.DeleteFunc(b.heldGroups(), func(g group) bool { return g.Name != "spare" })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("groups by name (-held +decoded):\n%s", diff)
	}
}

// TestTerminateInstance keeps the group's capacity, or lowers it.
func TestTerminateInstance(t *testing.T) {
	for _, decrement := range []bool{false, true} {
		b := newFixture(t)
		struck := b.members("workers")[0]
		out, err := b.clients().autoscaling.TerminateInstanceInAutoScalingGroup(t.Context(), &autoscaling.TerminateInstanceInAutoScalingGroupInput{
			InstanceId: &struck.ID, ShouldDecrementDesiredCapacity: &decrement,
		})
		b.must(err)
		if a := out.Activity; sdk.ToString(a.AutoScalingGroupName) != "workers" || a.StatusCode != "InProgress" || sdk.ToString(a.ActivityId) == "" || a.StartTime == nil {
			t.Errorf("activity: %+v", a)
		}
		if i, _ := b.cloud.Instance(struck.ID); i.State != cloud.ShuttingDown {
			t.Errorf("the instance is %s, want shutting-down", i.State)
		}
		want := 6
		if decrement {
			want = 5
		}
		for _, g := range b.cloud.Groups() {
			if g.Name == "workers" && (g.Desired != want || len(g.Instances) != want) {
				t.Errorf("decrement %t: desired %d with %d instances, want %d", decrement, g.Desired, len(g.Instances), want)
			}
		}
	}
}

// heldRepair is what the SDK is to make of what the cloud holds of a group's repair.
func heldRepair(g cloud.Group) *ekstypes.NodeRepairConfig {
	held := g.NodeRepair
	if held == nil {
		return &ekstypes.NodeRepairConfig{Enabled: sdk.Bool(false)}
	}
	stated := func(n int) *int32 {
		if n == 0 {
			return nil
		}
		return sdk.Int32(int32(n))
	}
	shown := &ekstypes.NodeRepairConfig{
		Enabled:                             &held.Enabled,
		MaxParallelNodesRepairedCount:       stated(held.MaxParallelNodesRepairedCount),
		MaxParallelNodesRepairedPercentage:  stated(held.MaxParallelNodesRepairedPercentage),
		MaxUnhealthyNodeThresholdCount:      stated(held.MaxUnhealthyNodeThresholdCount),
		MaxUnhealthyNodeThresholdPercentage: stated(held.MaxUnhealthyNodeThresholdPercentage),
	}
	for _, o := range held.NodeRepairConfigOverrides {
		shown.NodeRepairConfigOverrides = append(shown.NodeRepairConfigOverrides, ekstypes.NodeRepairConfigOverrides{
			NodeMonitoringCondition: &o.NodeMonitoringCondition, NodeUnhealthyReason: &o.NodeUnhealthyReason,
			MinRepairWaitTimeMins: stated(o.MinRepairWaitTimeMins), RepairAction: ekstypes.RepairAction(o.RepairAction),
		})
	}
	return shown
}

// TestDescribeAutoScalingInstances: those in no group, and those that have ended, are left out.
func TestDescribeAutoScalingInstances(t *testing.T) {
	b := newFixture(t)
	b.unsettle()
	var want []member
	ids := []string{absent}
	for _, g := range b.heldGroups() {
		for _, m := range g.Members {
			m.Health = "HEALTHY"
			want = append(want, m)
			ids = append(ids, m.ID)
		}
	}
	for name, input := range map[string]autoscaling.DescribeAutoScalingInstancesInput{
		"all": {}, "by page": {MaxRecords: sdk.Int32(3)}, "named": {InstanceIds: ids},
	} {
		var got []member
		for p := autoscaling.NewDescribeAutoScalingInstancesPaginator(b.clients().autoscaling, &input); p.HasMorePages(); {
			out, err := p.NextPage(t.Context())
			b.must(err)
			for _, i := range out.AutoScalingInstances {
				got = append(got, member{
					sdk.ToString(i.InstanceId), sdk.ToString(i.InstanceType), sdk.ToString(i.AvailabilityZone), sdk.ToString(i.LifecycleState), sdk.ToString(i.HealthStatus),
				})
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b member) bool { return a.ID < b.ID })); diff != "" {
			t.Errorf("%s (-held +decoded):\n%s", name, diff)
		}
	}
}

func TestDescribeNodegroup(t *testing.T) {
	b := newFixture(t)
	b.must(b.cloud.SetNodeRepair("workers", cloud.NodeRepairConfig{
		Enabled: true, MaxUnhealthyNodeThresholdCount: 3, MaxParallelNodesRepairedPercentage: 40, NodeRepairConfigOverrides: []cloud.NodeRepairOverride{
			{NodeMonitoringCondition: "NetworkingReady", NodeUnhealthyReason: "InterfaceNotUp", MinRepairWaitTimeMins: 12, RepairAction: cloud.RepairReboot},
			{NodeMonitoringCondition: "KernelReady", NodeUnhealthyReason: "ForkFailedOutOfPIDs", MinRepairWaitTimeMins: 5, RepairAction: cloud.RepairNoAction},
		},
	}))
	for _, g := range b.cloud.Groups() {
		if g.Foreign {
			continue
		}
		out, err := b.clients().eks.DescribeNodegroup(t.Context(), &eks.DescribeNodegroupInput{ClusterName: sdk.String("shop"), NodegroupName: &g.Name})
		b.must(err)
		want := &ekstypes.Nodegroup{
			NodegroupName: &g.Name, ClusterName: sdk.String("shop"), Status: ekstypes.NodegroupStatusActive, CapacityType: ekstypes.CapacityTypesOnDemand,
			NodegroupArn: sdk.String("arn:aws:eks:us-east-1:111122223333:nodegroup/shop/" + g.Name),
			ScalingConfig: &ekstypes.NodegroupScalingConfig{
				MinSize: sdk.Int32(int32(g.Min)), MaxSize: sdk.Int32(int32(g.Max)), DesiredSize: sdk.Int32(int32(g.Desired)),
			},
			InstanceTypes: []string{g.InstanceType}, Labels: g.Labels,
			Resources:        &ekstypes.NodegroupResources{AutoScalingGroups: []ekstypes.AutoScalingGroup{{Name: &g.Name}}},
			NodeRepairConfig: heldRepair(g), Health: &ekstypes.NodegroupHealth{},
		}
		for _, subnet := range b.cloud.Subnets() {
			if slices.Contains(g.Zones, subnet.Zone) {
				want.Subnets = append(want.Subnets, subnet.ID)
			}
		}
		if g.Name == "workers" {
			want.Taints = []ekstypes.Taint{{Key: sdk.String("dedicated"), Value: sdk.String("search"), Effect: ekstypes.TaintEffectNoSchedule}}
		}
		if diff := cmp.Diff(want, out.Nodegroup, cmpopts.IgnoreUnexported(
			ekstypes.Nodegroup{}, ekstypes.NodegroupScalingConfig{}, ekstypes.NodegroupResources{}, ekstypes.AutoScalingGroup{},
			ekstypes.NodeRepairConfig{}, ekstypes.NodeRepairConfigOverrides{}, ekstypes.Taint{}, ekstypes.NodegroupHealth{},
		), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("node group %s (-held +decoded):\n%s", g.Name, diff)
		}
	}
}
