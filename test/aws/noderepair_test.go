package aws

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	ekstypes "github.com/aws/aws-sdk-go-v2/service/eks/types"
)

// TestNodeRepairConfig sets what a group says of EKS's repair by the call that `aws eks update-nodegroup-config` makes, and
// reads it back.
func TestNodeRepairConfig(t *testing.T) {
	b := newFixture(t)
	group := sdk.String("workers")
	set := func(config *ekstypes.NodeRepairConfig) {
		t.Helper()
		out, err := b.clients().eks.UpdateNodegroupConfig(t.Context(), &eks.UpdateNodegroupConfigInput{
			ClusterName: sdk.String("shop"), NodegroupName: group, NodeRepairConfig: config,
		})
		b.must(err)
		if out.Update.Type != ekstypes.UpdateTypeConfigUpdate || sdk.ToString(out.Update.Id) == "" || out.Update.CreatedAt == nil {
			t.Errorf("the update is %+v, want a ConfigUpdate with an ID and a time", out.Update)
		}
	}
	get := func() *ekstypes.NodeRepairConfig {
		t.Helper()
		out, err := b.clients().eks.DescribeNodegroup(t.Context(), &eks.DescribeNodegroupInput{ClusterName: sdk.String("shop"), NodegroupName: group})
		b.must(err)
		return out.Nodegroup.NodeRepairConfig
	}
	set(&ekstypes.NodeRepairConfig{
		Enabled: sdk.Bool(true), MaxUnhealthyNodeThresholdPercentage: sdk.Int32(40), MaxParallelNodesRepairedCount: sdk.Int32(2),
		NodeRepairConfigOverrides: []ekstypes.NodeRepairConfigOverrides{{
			NodeMonitoringCondition: sdk.String("NetworkingReady"), NodeUnhealthyReason: sdk.String("InterfaceNotUp"),
			MinRepairWaitTimeMins: sdk.Int32(12), RepairAction: ekstypes.RepairActionReboot,
		}},
	})
	got := get()
	if sdk.ToInt32(got.MaxUnhealthyNodeThresholdPercentage) != 40 || sdk.ToInt32(got.MaxParallelNodesRepairedCount) != 2 ||
		len(got.NodeRepairConfigOverrides) != 1 || got.NodeRepairConfigOverrides[0].RepairAction != ekstypes.RepairActionReboot ||
		sdk.ToInt32(got.NodeRepairConfigOverrides[0].MinRepairWaitTimeMins) != 12 {
		t.Errorf("EKS holds %+v, not what was set", got)
	}
	set(&ekstypes.NodeRepairConfig{Enabled: sdk.Bool(false)})
	if sdk.ToBool(get().Enabled) {
		t.Error("the repair is still enabled after it was switched off")
	}
	_, err := b.clients().eks.UpdateNodegroupConfig(t.Context(), &eks.UpdateNodegroupConfigInput{
		ClusterName: sdk.String("shop"), NodegroupName: group, NodeRepairConfig: &ekstypes.NodeRepairConfig{MaxUnhealthyNodeThresholdCount: sdk.Int32(3)},
	})
	if err == nil {
		t.Error("a count beside a percentage is accepted, want it refused")
	}
}
