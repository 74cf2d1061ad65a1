package noderepair

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// maxAsked is for how many machines an actuator is asked at once for one action of one policy: clouds limit requests.
	maxAsked = 20
	// maxGroups is how many groups a Permission holds (api/v1alpha1).
	maxGroups = 64
)

// machineKind is a set of machines that are expected to have the same permissions, and one of them to ask about.
type machineKind struct {
	group   string
	machine cloud.Machine
}

// What a cloud's permissions may depend on besides the node group, as far as nodes tell it: conditions of IAM look at tags, which
// come with the group, the cluster or Karpenter's EC2NodeClass, at the region, and at whether an instance is a Spot Instance.
// Machines of no known group may be of any: they are told apart by zone and instance type too.
//
// Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2".
var (
	kindLabels = []string{
		corev1.LabelTopologyRegion, "alpha.eksctl.io/cluster-name", "karpenter.k8s.aws/ec2nodeclass", "karpenter.sh/capacity-type",
		"eks.amazonaws.com/capacityType", "node-role.kubernetes.io/control-plane",
	}
	ungroupedLabels = []string{corev1.LabelTopologyZone, corev1.LabelInstanceTypeStable}
)

// kindsOf are the kinds of the machines of nodes, each with the first of them. Each group's first kind comes before any second, so
// that as many groups as possible are asked about.
func kindsOf(nodes []*corev1.Node) []machineKind {
	known := map[string]bool{}
	perGroup := map[string][]machineKind{}
	for _, node := range nodes {
		group := cluster.GroupName(node)
		key := []string{group}
		for _, label := range kindLabels {
			key = append(key, node.Labels[label])
		}
		if group == "" {
			for _, label := range ungroupedLabels {
				key = append(key, node.Labels[label])
			}
		}
		if joined := strings.Join(key, "\x00"); !known[joined] {
			known[joined] = true
			perGroup[group] = append(perGroup[group], machineKind{group, cloud.MachineOf(node)})
		}
	}
	var kinds []machineKind
	for turn := 0; len(kinds) < len(known); turn++ {
		for _, group := range slices.Sorted(maps.Keys(perGroup)) {
			if of := perGroup[group]; turn < len(of) {
				kinds = append(kinds, of[turn])
			}
		}
	}
	return kinds
}

// groupNames are the names of the groups in a Permission about kinds.
func groupNames(kinds []machineKind) []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.group)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxGroups)]
}

// summarize is a Permission with the worst answer, and the worst of each group.
func summarize(kinds []machineKind, answers []answer) v1alpha1.Permission {
	if len(kinds) == 0 {
		return v1alpha1.Permission{May: answers[0].may, Message: truncateCondition(answers[0].why)}
	}
	of := map[string]answer{}
	for i, kind := range kinds {
		if before, told := of[kind.group]; !told || worse(answers[i].may, before.may) {
			of[kind.group] = answers[i]
		}
	}
	names := slices.Sorted(maps.Keys(of))
	worst := of[names[0]]
	for _, name := range names {
		if worse(of[name].may, worst.may) {
			worst = of[name]
		}
	}
	all := v1alpha1.Permission{May: worst.may, Message: truncateCondition(worst.why)}
	var so []string // the groups with the worst answer
	for _, name := range names {
		if of[name].may == worst.may {
			so = append(so, groupText(name))
		}
	}
	if len(so) < len(names) {
		if more := len(so) - maxNames; more > 0 {
			so = append(so[:maxNames], message.English().Say(sentence.ProofMore(more)))
		}
		all.Message = truncateCondition(message.English().Say(sentence.PermissionGroups(message.ListOf(so), worst.why)))
	}
	for _, name := range names[:min(len(names), maxGroups)] {
		all.Groups = append(all.Groups, v1alpha1.GroupPermission{Name: name, May: of[name].may, Message: truncateGroup(of[name].why)})
	}
	return all
}

// maxNames is how many groups a message names.
const maxNames = 5

func groupText(name string) string {
	if name == "" {
		return message.English().Say(sentence.PermissionUngrouped())
	}
	return change.Ref{Kind: "Group", Name: name}.String()
}

// worse says whether a is worse than b: No, then Unknown, then Yes.
func worse(a, b v1alpha1.May) bool {
	order := []v1alpha1.May{v1alpha1.MayNo, v1alpha1.MayUnknown, v1alpha1.MayYes}
	return cmp.Less(slices.Index(order, a), slices.Index(order, b))
}
