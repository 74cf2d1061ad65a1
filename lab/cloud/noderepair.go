package cloud

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NodeRepairConfig is what a managed node group says of EKS's own repair of its nodes, with EKS's fields. The cloud only
// stores and returns it: package eksnoderepair repairs.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_NodeRepairConfig.html
type NodeRepairConfig struct {
	Enabled bool `json:"enabled"`
	// MaxUnhealthyNodeThresholdCount and -Percentage are how many nodes may be unhealthy before none is repaired any more;
	// one of the two, and without them EKS's own limit.
	MaxUnhealthyNodeThresholdCount      int `json:"maxUnhealthyNodeThresholdCount,omitempty"`
	MaxUnhealthyNodeThresholdPercentage int `json:"maxUnhealthyNodeThresholdPercentage,omitempty"`
	// MaxParallelNodesRepairedCount and -Percentage are how many nodes are repaired at once; one of the two.
	MaxParallelNodesRepairedCount      int `json:"maxParallelNodesRepairedCount,omitempty"`
	MaxParallelNodesRepairedPercentage int `json:"maxParallelNodesRepairedPercentage,omitempty"`
	// NodeRepairConfigOverrides change what is done for single reasons.
	NodeRepairConfigOverrides []NodeRepairOverride `json:"nodeRepairConfigOverrides,omitempty"`
}

// NodeRepairOverride is what is done for one reason of one condition; EKS wants all four fields.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_NodeRepairConfigOverrides.html
type NodeRepairOverride struct {
	NodeMonitoringCondition string `json:"nodeMonitoringCondition"`
	NodeUnhealthyReason     string `json:"nodeUnhealthyReason"`
	MinRepairWaitTimeMins   int    `json:"minRepairWaitTimeMins"`
	// RepairAction is Replace, Reboot or NoAction.
	RepairAction string `json:"repairAction"`
}

// UnhealthyReason is why a node is unhealthy: a condition of it, and the condition's reason.
type UnhealthyReason struct {
	Condition string `json:"condition"`
	Reason    string `json:"reason"`
}

// RepairSwitchedOff says whether EKS's own repair does nothing about a reason, whatever the group's NodeRepairConfig says.
func (c *Cloud) RepairSwitchedOff(r UnhealthyReason) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.state.Region.RepairSwitchedOff, r)
}

// What EKS does about a node.
const (
	RepairReplace  = "Replace"
	RepairReboot   = "Reboot"
	RepairNoAction = "NoAction"
)

var repairActions = []string{RepairReplace, RepairReboot, RepairNoAction}

// SetNodeRepair changes what a group says of EKS's own repair.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html
func (c *Cloud) SetNodeRepair(name string, config NodeRepairConfig) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		if errs := config.validate(nil); len(errs) > 0 {
			return refuse(CodeInvalidParameter, "%v", errs.ToAggregate())
		}
		g.NodeRepair = config.clone()
		return nil
	})
}

func (r *NodeRepairConfig) clone() *NodeRepairConfig {
	if r == nil {
		return nil
	}
	copied := *r
	copied.NodeRepairConfigOverrides = slices.Clone(r.NodeRepairConfigOverrides)
	return &copied
}

func (r *NodeRepairConfig) validate(path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	var errs field.ErrorList
	limit := func(countName, percentName string, count, percent int) {
		if count < 0 {
			errs = append(errs, field.Invalid(path.Child(countName), count, "must be greater than zero"))
		}
		if percent < 0 || percent > 100 {
			errs = append(errs, field.Invalid(path.Child(percentName), percent, "must be from 1 to 100"))
		}
		if count != 0 && percent != 0 {
			errs = append(errs, field.Forbidden(path.Child(percentName), "stands beside "+countName+"; give one of the two"))
		}
	}
	limit("maxUnhealthyNodeThresholdCount", "maxUnhealthyNodeThresholdPercentage", r.MaxUnhealthyNodeThresholdCount, r.MaxUnhealthyNodeThresholdPercentage)
	limit("maxParallelNodesRepairedCount", "maxParallelNodesRepairedPercentage", r.MaxParallelNodesRepairedCount, r.MaxParallelNodesRepairedPercentage)
	for i, o := range r.NodeRepairConfigOverrides {
		errs = append(errs, o.validate(path.Child("nodeRepairConfigOverrides").Index(i))...)
	}
	return errs
}

func (o NodeRepairOverride) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if o.NodeMonitoringCondition == "" {
		errs = append(errs, field.Required(path.Child("nodeMonitoringCondition"), ""))
	}
	if o.NodeUnhealthyReason == "" {
		errs = append(errs, field.Required(path.Child("nodeUnhealthyReason"), ""))
	}
	if o.MinRepairWaitTimeMins < 1 {
		errs = append(errs, field.Invalid(path.Child("minRepairWaitTimeMins"), o.MinRepairWaitTimeMins, "must be at least 1"))
	}
	if !slices.Contains(repairActions, o.RepairAction) {
		errs = append(errs, field.NotSupported(path.Child("repairAction"), o.RepairAction, repairActions))
	}
	return errs
}
