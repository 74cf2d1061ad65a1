package compare

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// maxProbes is the maximum number of pods that are tried on a node.
const maxProbes = 10

// nodes compares two nodes. To find what keeps pods off only one of them, it tries pods that run on the other and pods that
// are Pending.
func (c *comparison) nodes(ctx context.Context, bad, good *corev1.Node) {
	c.nodeFacts(bad, good)
	c.Others = otherLabels(bad, good)
	probes := c.probes(good)
	switch {
	case !c.CanSimulate():
		c.addUntried()
		c.classify(nil)
	default:
		c.classify(func(some []difference) int { return c.tryNode(ctx, bad, probes, some) })
		if len(probes) > 0 {
			c.addObservation(sentence.ProbesFit(len(probes), c.Unlike, c.tryNode(ctx, bad, probes, nil), c.Comparison.Subject))
		}
	}
	c.summarize(nodeCause)
}

// probes are pods to try on a node: one of each workload on the node that works, and Pending pods.
func (c *comparison) probes(good *corev1.Node) []*corev1.Pod {
	var probes []*corev1.Pod
	seen := map[change.Ref]bool{}
	for _, pod := range c.World.PodsOn(good.Name) {
		workload := facts.WorkloadRef(c.World, pod)
		if len(probes) < maxProbes && facts.IsActive(pod) && !cluster.IsMirror(pod) && !facts.ControlledBy(pod, cluster.DaemonSet) && !seen[workload] && len(facts.ZonalMounts(c.World, pod)) == 0 {
			seen[workload] = true
			probes = append(probes, unscheduledCopy(pod))
		}
	}
	for _, pod := range c.World.Pods() {
		if len(probes) < 2*maxProbes && facts.WaitsForNode(pod) {
			probes = append(probes, pod)
		}
	}
	return probes
}

// tryNode is the number of probes that fit on the node without some differences.
func (c *comparison) tryNode(ctx context.Context, bad *corev1.Node, probes []*corev1.Pod, some []difference) int {
	t := &modified{node: bad.DeepCopy()}
	for _, d := range some {
		d.apply(t)
	}
	c.Judge.Fork()
	defer c.Judge.Revert()
	if len(some) > 0 {
		if err := c.Judge.Apply(append(t.edits, cluster.Put(t.node))...); err != nil {
			return 0
		}
	}
	n := 0
	for _, probe := range probes {
		if fit, err := c.Judge.Fit(ctx, pinned(probe, bad.Name)); err == nil && slices.Contains(fit.Feasible, bad.Name) {
			n++
		}
	}
	return n
}

// pinned is a pod that can be placed on one node only, so that the scheduler looks at no other.
func pinned(pod *corev1.Pod, node string) *corev1.Pod {
	only := pod.DeepCopy()
	affinity := affinityFor(only)
	if affinity.NodeAffinity == nil {
		affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil {
		required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchFields = append(term.MatchFields, corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}})
	}
	affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	return only
}

// nodeFacts adds the differences between two nodes that matter for pods.
func (c *comparison) nodeFacts(bad, good *corev1.Node) {
	fact := func(rank int, field, value, other string, flip func(*modified)) {
		c.addDifference(difference{rank: rank, apply: flip, Difference: finding.Difference{
			Object: facts.RefTo(cluster.Node, bad), Other: facts.RefTo(cluster.Node, good), Field: field, Value: value, OtherValue: other,
		}})
	}
	c.nodeConditionsDiffer(bad, good, fact)
	fact(rankNear, "spec.unschedulable", cordonText(bad), cordonText(good), func(t *modified) { swapCordon(t, good) })
	for _, taint := range bad.Spec.Taints {
		if !slices.ContainsFunc(good.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&taint) }) && !facts.LifecycleTaints[taint.Key] {
			fact(rankNear, "spec.taints["+taint.Key+"]", taint.ToString(), "", func(t *modified) { removeTaint(t, taint.Key) })
		}
	}
	c.nodeDrivers(bad, good)
	c.nodeAgents(bad, good)
	for _, name := range status.SortedResources(unionResources(bad.Status.Allocatable, good.Status.Allocatable)) {
		a, b := bad.Status.Allocatable[name], good.Status.Allocatable[name]
		rank := rankNear
		if float64(a.MilliValue()) > 0.9*float64(b.MilliValue()) { // Nodes of the same type differ slightly.
			rank = rankFar
		}
		fact(rank, "status.allocatable["+string(name)+"]", a.String(), b.String(), func(t *modified) {
			t.node.Status.Allocatable = unionResources(nil, t.node.Status.Allocatable)
			t.node.Status.Allocatable[name] = b
		})
	}
	fact(rankNear, "status.addresses", addressesText(bad), addressesText(good), nil)
	fact(rankNode, "spec.podCIDRs", strconv.Itoa(len(bad.Spec.PodCIDRs)), strconv.Itoa(len(good.Spec.PodCIDRs)), nil)
	c.nodePodsWithoutAddress(bad, good)
	c.nodeNetwork(bad, good)
	c.nodeInfo(bad, good, fact)
	c.nodeLabels(bad, good, fact)
	c.nodeEvents(bad, good, fact)
}

type addFunc func(rank int, field, value, other string, flip func(*modified))

// nodeConditionsDiffer compares the status of each condition. Only the taints that follow from Ready can be simulated.
func (c *comparison) nodeConditionsDiffer(bad, good *corev1.Node, fact addFunc) {
	kinds := map[string]bool{}
	for _, node := range []*corev1.Node{bad, good} {
		for _, condition := range node.Status.Conditions {
			kinds[string(condition.Type)] = true
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		var flip func(*modified)
		if kind == string(corev1.NodeReady) {
			flip = func(t *modified) {
				removeTaint(t, corev1.TaintNodeNotReady)
				removeTaint(t, corev1.TaintNodeUnreachable)
			}
		}
		fact(rankNear, "status.conditions["+kind+"]", conditionText(bad, kind), conditionText(good, kind), flip)
	}
}

func conditionText(node *corev1.Node, kind string) string {
	switch c := kube.NodeCondition(node, corev1.NodeConditionType(kind)); {
	case c == nil:
		return ""
	case c.Status == corev1.ConditionTrue || c.Message == "":
		return strings.TrimSpace(string(c.Status) + " " + c.Reason)
	default:
		return string(c.Status) + " " + c.Reason + ": " + c.Message
	}
}

func cordonText(node *corev1.Node) string {
	if node.Spec.Unschedulable {
		return "true"
	}
	return ""
}

func swapCordon(t *modified, good *corev1.Node) {
	t.node.Spec.Unschedulable = good.Spec.Unschedulable
	if !good.Spec.Unschedulable {
		removeTaint(t, corev1.TaintNodeUnschedulable)
	}
}

func removeTaint(t *modified, key string) {
	t.node.Spec.Taints = slices.DeleteFunc(t.node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == key })
}

// nodeDrivers compares the registered CSI drivers.
func (c *comparison) nodeDrivers(bad, good *corev1.Node) {
	if !c.Known(cluster.CSINode) {
		return
	}
	has, wants := c.World.CSINode(bad.Name), c.World.CSINode(good.Name)
	d := difference{rank: rankNear, Difference: finding.Difference{
		Object: change.Ref{Kind: string(cluster.CSINode), Name: bad.Name}, Other: change.Ref{Kind: string(cluster.CSINode), Name: good.Name},
		Field: "spec.drivers", Value: driversText(has), OtherValue: driversText(wants),
	}}
	if wants != nil {
		d.apply = func(t *modified) {
			copied := wants.DeepCopy()
			copied.Name = bad.Name
			t.edits = append(t.edits, cluster.Put(copied))
		}
	}
	c.addDifference(d)
}

func driversText(csi *storagev1.CSINode) string {
	if csi == nil {
		return ""
	}
	var words []string
	for _, driver := range csi.Spec.Drivers {
		word := driver.Name
		if driver.Allocatable != nil && driver.Allocatable.Count != nil {
			word += " (" + strconv.Itoa(int(*driver.Allocatable.Count)) + ")"
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// nodeAgents compares the DaemonSets that have a pod on only one of the nodes, such as network plugins and drivers.
func (c *comparison) nodeAgents(bad, good *corev1.Node) {
	agents := func(node string) map[string]string {
		states := map[string]string{}
		for _, pod := range c.World.PodsOn(node) {
			if !facts.ControlledBy(pod, cluster.DaemonSet) {
				continue
			}
			how := status.PodState(pod)
			if !status.IsWell(pod) && how == string(corev1.PodRunning) {
				how = "NotReady"
			}
			states[pod.Namespace+"/"+pod.OwnerReferences[0].Name] = how
		}
		return states
	}
	has, wants := agents(bad.Name), agents(good.Name)
	for _, name := range slices.Sorted(maps.Keys(keysOf(has, wants))) {
		namespace, daemon, _ := strings.Cut(name, "/")
		ref := change.Ref{Kind: string(cluster.DaemonSet), Namespace: namespace, Name: daemon}
		if has[name] == wants[name] {
			continue
		}
		rank := rankNear
		if has[name] == string(corev1.PodRunning) {
			rank = rankFar
		}
		c.addDifference(difference{rank: rank, Difference: finding.Difference{
			Message: sentence.DiffersAgent(ref, has[name], facts.RefTo(cluster.Node, bad), wants[name], facts.RefTo(cluster.Node, good)),
			Object:  ref, Other: ref, Field: "status.pods[" + bad.Name + "]", Value: has[name], OtherValue: wants[name],
		}})
	}
}

// nodePodsWithoutAddress compares the number of pods that wait for an IP address.
func (c *comparison) nodePodsWithoutAddress(bad, good *corev1.Node) {
	count := func(node string) int {
		n := 0
		for _, pod := range c.World.PodsOn(node) {
			if !cluster.Ended(pod) && pod.Status.PodIP == "" {
				n++
			}
		}
		return n
	}
	if has, wants := count(bad.Name), count(good.Name); has > wants {
		c.addDifference(difference{rank: rankNear, Difference: finding.Difference{
			Object: facts.RefTo(cluster.Node, bad), Other: facts.RefTo(cluster.Node, good),
			Measure: sentence.FieldNoAddress(), Value: strconv.Itoa(has), OtherValue: strconv.Itoa(wants),
		}})
	}
}

// nodeNetwork compares what a cloud tells of the nodes' addresses: what their interfaces have for pods, and what is free in their subnets.
func (c *comparison) nodeNetwork(bad, good *corev1.Node) {
	r := c.Addresses()
	if r == nil {
		return
	}
	has, wants := r.Node(bad.Name), r.Node(good.Name)
	if has == nil || wants == nil {
		return
	}
	free := func(n *addresses.Node) int {
		sum := 0
		for _, s := range r.Usable(n) {
			sum += int(s.Free)
		}
		return sum
	}
	for _, one := range []struct {
		known      bool
		measure    message.Sentence
		has, wants int
	}{
		{r.Has(cloud.Interfaces), sentence.FieldPodAddresses(), has.Slots, wants.Slots},
		{r.Has(cloud.Subnets), sentence.FieldSubnetFree(), free(has), free(wants)},
	} {
		if one.known && one.has < one.wants {
			c.addDifference(difference{rank: rankNear, Difference: finding.Difference{
				Object: facts.RefTo(cluster.Node, bad), Other: facts.RefTo(cluster.Node, good),
				Measure: one.measure, Value: strconv.Itoa(one.has), OtherValue: strconv.Itoa(one.wants),
			}})
		}
	}
}

// nodeInfo compares versions and machine types.
func (c *comparison) nodeInfo(bad, good *corev1.Node, fact addFunc) {
	a, b := bad.Status.NodeInfo, good.Status.NodeInfo
	for _, one := range []struct{ field, value, other string }{
		{"kubeletVersion", a.KubeletVersion, b.KubeletVersion},
		{"containerRuntimeVersion", a.ContainerRuntimeVersion, b.ContainerRuntimeVersion},
		{"osImage", a.OSImage, b.OSImage},
		{"kernelVersion", a.KernelVersion, b.KernelVersion},
		{"architecture", a.Architecture, b.Architecture},
	} {
		fact(rankNode, "status.nodeInfo."+one.field, one.value, one.other, nil)
	}
}

// perNodeLabels are labels that only identify a node.
var perNodeLabels = []string{corev1.LabelHostname, "alpha.eksctl.io/instance-id", "topology.ebs.csi.aws.com/zone", "topology.gke.io/zone", "topology.disk.csi.azure.com/zone", corev1.LabelFailureDomainBetaZone}

// topologyLabels are labels by which pods and volumes commonly select nodes.
var topologyLabels = []string{corev1.LabelTopologyZone, corev1.LabelInstanceTypeStable, corev1.LabelArchStable, corev1.LabelOSStable}

// nodeLabels compares the labels, except those that only identify a node; topology labels rank higher than others.
func (c *comparison) nodeLabels(bad, good *corev1.Node, fact addFunc) {
	for _, key := range slices.Sorted(maps.Keys(keysOf(bad.Labels, good.Labels))) {
		rank := rankNode
		switch {
		case slices.Contains(perNodeLabels, key) || otherLabel(key):
			continue
		case !slices.Contains(topologyLabels, key):
			rank = rankFar
		}
		value, ok := good.Labels[key]
		fact(rank, "metadata.labels["+key+"]", bad.Labels[key], value, func(t *modified) {
			t.node.Labels = maps.Clone(t.node.Labels)
			if delete(t.node.Labels, key); ok {
				t.node.Labels[key] = value
			}
		})
	}
}

// otherLabel reports whether a label is the name of a group or machine, by which pods rarely select nodes.
func otherLabel(key string) bool {
	return strings.Contains(key, "sourceLaunchTemplate") || strings.HasSuffix(key, "nodegroup-image") || strings.Contains(key, "instance-id")
}

func otherLabels(bad, good *corev1.Node) int {
	n := 0
	for key := range keysOf(bad.Labels, good.Labels) {
		if otherLabel(key) && bad.Labels[key] != good.Labels[key] {
			n++
		}
	}
	return n
}

// nodeEvents compares the warning Events.
func (c *comparison) nodeEvents(bad, good *corev1.Node, fact addFunc) {
	warned := func(node *corev1.Node) map[string]*corev1.Event {
		reasons := map[string]*corev1.Event{}
		for _, e := range c.Events(node) {
			if e.Type == corev1.EventTypeWarning && reasons[e.Reason] == nil {
				reasons[e.Reason] = e
			}
		}
		return reasons
	}
	has, wants := warned(bad), warned(good)
	for _, reason := range slices.Sorted(maps.Keys(has)) {
		if wants[reason] == nil {
			fact(rankNear, "events["+reason+"]", has[reason].Message, "", nil)
		}
	}
}

// addressesText counts a node's addresses by type; the addresses themselves always differ.
func addressesText(node *corev1.Node) string {
	n := map[string]int{}
	for _, address := range node.Status.Addresses {
		n[string(address.Type)]++
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		words = append(words, kind+" "+strconv.Itoa(n[kind]))
	}
	return strings.Join(words, ", ")
}

// unionResources are the resources of both lists, with b's quantity where it has one.
func unionResources(a, b corev1.ResourceList) corev1.ResourceList {
	all := corev1.ResourceList{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
