package aws

import (
	"cmp"
	"context"
	"errors"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Labels of nodes: of EKS's managed node groups, of EKS Auto Mode, and eksctl's name of the cluster.
// https://docs.aws.amazon.com/eks/latest/userguide/automode-learn-instances.html
const (
	labelGroup   = "eks.amazonaws.com/nodegroup"
	labelCompute = "eks.amazonaws.com/compute-type"
	labelCluster = "alpha.eksctl.io/cluster-name"
)

// Repairers are EKS's own node repair where it is enabled: always in Auto Mode, in managed node groups by their NodeRepairConfig, which takes
// one call for each group.
func (p *Provider) Repairers(ctx context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	auto, groups := eksNodes(machines)
	repairers := autoMode(auto)
	for _, g := range groups {
		found, err := p.repairer(ctx, g)
		if err != nil {
			return nil, err
		}
		repairers = append(repairers, found...)
	}
	return repairers, nil
}

// group is a managed node group by the label of its nodes.
type group struct {
	name    string
	members []cloud.Machine
}

// eksNodes are the machines of EKS Auto Mode and those of managed node groups, in the order in which they come.
func eksNodes(machines []cloud.Machine) (auto []cloud.Machine, groups []*group) {
	known := map[string]*group{}
	for _, m := range machines {
		name := m.Labels[labelGroup]
		switch {
		case m.Labels[labelCompute] == "auto":
			auto = append(auto, m)
			continue
		case name == "":
			continue
		case known[name] == nil:
			known[name] = &group{name: name}
			groups = append(groups, known[name])
		}
		known[name].members = append(known[name].members, m)
	}
	return auto, groups
}

func autoMode(machines []cloud.Machine) []cloud.Repairer {
	if len(machines) == 0 {
		return nil
	}
	return []cloud.Repairer{{By: change.Ref{Kind: "EKS", Name: "auto-mode"}, Nodes: nodes(machines), Rules: autoRules}}
}

// repairer is that of one managed node group: none where its repair is off.
func (p *Provider) repairer(ctx context.Context, g *group) ([]cloud.Repairer, error) {
	found := cloud.Repairer{By: change.Ref{Kind: "Group", Name: g.name}, Nodes: nodes(g.members)}
	cluster, err := p.clusterOf(ctx, g.name, g.members[0])
	if err != nil {
		return unknown(found, err)
	}
	if cluster == "" {
		found.Unknown = sentence.CloudNoCluster(found.By.String())
		return []cloud.Repairer{found}, nil
	}
	out, err := ask(ctx, callDescribeNodegroup, p.eks.DescribeNodegroup, &eks.DescribeNodegroupInput{ClusterName: &cluster, NodegroupName: &g.name})
	if err != nil {
		return unknown(found, err)
	}
	says := out.Nodegroup.NodeRepairConfig
	if says == nil || !sdk.ToBool(says.Enabled) {
		return nil, nil
	}
	found.Rules = rulesOf(says)
	return []cloud.Repairer{found}, nil
}

// unknown reports a group whose configuration cannot be read as unknown, so that the others are reported all the same. An error that all calls
// would have is returned.
func unknown(r cloud.Repairer, err error) ([]cloud.Repairer, error) {
	if errors.Is(err, cloud.ErrPassing) || ctxEnded(err) {
		return nil, err
	}
	r.Unknown = sentence.CloudUnread(r.By.String(), messageOf(err))
	return []cloud.Repairer{r}, nil
}

// clusterOf is the EKS cluster of a group: as it was given, as a label says, or as EKS tags its instances; else empty.
// https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html
func (p *Provider) clusterOf(ctx context.Context, group string, member cloud.Machine) (string, error) {
	if told := cmp.Or(p.cluster, member.Labels[labelCluster]); told != "" {
		return told, nil
	}
	if known, before := p.groups.Load(group); before {
		return known.(string), nil
	}
	id := instanceOf(member)
	if id == "" {
		return "", nil
	}
	instances, err := p.instances(ctx, []string{id})
	if err != nil {
		return "", err
	}
	for _, t := range instances[id].Tags {
		if key := sdk.ToString(t.Key); key == tagEKSCluster || key == "aws:"+tagEKSCluster {
			p.groups.Store(group, sdk.ToString(t.Value))
			return sdk.ToString(t.Value), nil
		}
	}
	return "", nil
}

func nodes(machines []cloud.Machine) []string {
	names := make([]string, 0, len(machines))
	for _, m := range machines {
		names = append(names, m.Node)
	}
	return names
}

// rulesOf are the group's own rules before EKS's.
func rulesOf(says *types.NodeRepairConfig) []cloud.RepairerRule {
	var rules []cloud.RepairerRule
	for _, o := range says.NodeRepairConfigOverrides {
		rules = append(rules, cloud.RepairerRule{
			Condition: corev1.NodeConditionType(sdk.ToString(o.NodeMonitoringCondition)), Status: corev1.ConditionFalse,
			Reasons: []string{sdk.ToString(o.NodeUnhealthyReason)},
			For:     time.Duration(sdk.ToInt32(o.MinRepairWaitTimeMins)) * time.Minute,
			Action:  repairActions[o.RepairAction],
		})
	}
	return append(rules, defaultRules...)
}

var repairActions = map[types.RepairAction]v1alpha1.Action{
	types.RepairActionReplace:  v1alpha1.ActionReplace,
	types.RepairActionReboot:   v1alpha1.ActionReboot,
	types.RepairActionNoAction: v1alpha1.ActionNone,
}
