package unschedulable

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// explainObstacles adds a link with the cause of each kind of obstacle, the most severe first.
func (a *explanation) explainObstacles(d *query.Verdict) {
	explain := map[message.ID]func([]query.NodeObstacles){
		message.ObstacleSelector: a.explainSelector, message.ObstacleTainted: a.explainTaints, message.ObstacleVolume: a.explainVolumeAffinity,
		message.ObstacleStorage: a.explainProvisioning, message.ObstacleDevice: a.explainPlugin, message.ObstacleOther: a.explainPlugin,
		message.ObstacleInUse: a.explainClaimInUse, message.ObstacleTogether: a.explainAffinity, message.ObstacleApart: a.explainAntiAffinity,
		message.ObstacleDomain: a.explainDomainLabels, message.ObstacleSpread: a.explainSpread, message.ObstaclePort: a.explainPorts, message.ObstacleLimit: a.explainVolumeLimits,
		message.ObstacleFull: a.explainResources,
	}
	only := kube.OnlyNodeName(a.representative)
	for _, kind := range query.ObstacleOrder {
		nodes := slices.DeleteFunc(slices.Clone(d.Infeasible), func(n query.NodeObstacles) bool { return !n.Has(kind) || only != "" && n.Node.Name != only })
		if why := explain[kind]; why != nil && len(nodes) > 0 {
			why(nodes)
		}
	}
}

// explainSelector counts the nodes that match the pod's selector; if none does, it names the existing values of its
// labels.
func (a *explanation) explainSelector(nodes []query.NodeObstacles) {
	if kube.OnlyNodeName(a.representative) != "" {
		return
	}
	total := len(a.World.Nodes())
	if len(nodes) < total {
		a.addCause(sentence.CauseSelector(total-len(nodes), total), facts.SelectorEvidence(a.representative)...)
		return
	}
	var values message.List
	for _, key := range facts.SelectorKeys(a.representative) {
		there := map[string]bool{}
		for _, node := range a.World.Nodes() {
			if value, ok := node.Labels[key]; ok {
				there[value] = true
			}
		}
		if len(there) == 0 {
			values = append(values, sentence.LabelNowhere(key))
			continue
		}
		sorted := slices.Sorted(maps.Keys(there))
		values = append(values, sentence.LabelValues(key, message.ListOf(sorted[:min(len(sorted), query.MaxListed)])))
	}
	a.addCause(sentence.CauseSelectorNone(values), facts.SelectorEvidence(a.representative)...)
}

// explainTaints names the taints, each with the number of nodes that have it.
func (a *explanation) explainTaints(nodes []query.NodeObstacles) {
	counts := map[string]int{}
	for _, n := range nodes {
		for _, taint := range query.UntoleratedNonLifecycleTaints(a.representative, n.Node) {
			counts[taint.ToString()]++
		}
	}
	var taints []string
	for _, taint := range slices.Sorted(maps.Keys(counts)) {
		taints = append(taints, taint+" ("+strconv.Itoa(counts[taint])+")")
	}
	a.addCause(sentence.CauseTaint(message.ListOf(taints[:min(len(taints), query.MaxListed)])),
		facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.tolerations", facts.FormatTolerations(a.representative.Spec.Tolerations)))
	a.explainOwnedTaints(nodes)
}

// explainResources compares the pod's requests with what is free, and with the largest node.
func (a *explanation) explainResources(nodes []query.NodeObstacles) {
	asked := query.PodRequests(a.representative)
	counts := map[corev1.ResourceName]int{}
	free, most, largest := map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}
	for _, n := range nodes {
		for _, need := range a.Shortages(a.representative, n.Node) {
			counts[need.Resource]++
		}
		for name := range asked {
			all := query.QuantityValue(name, n.Node.Status.Allocatable[name])
			left := max(all-a.Judge.Requested(n.Node.Name, name), 0)
			free[name] += left
			most[name], largest[name] = max(most[name], left), max(largest[name], all)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		want := query.QuantityValue(name, asked[name])
		requested, emptiest := query.FormatQuantity(name, want), query.FormatQuantity(name, most[name])
		said := sentence.CauseFull(requested, string(name), len(nodes), emptiest)
		switch {
		case name == corev1.ResourcePods:
			said = sentence.CauseFullPods(len(nodes))
		case largest[name] == 0 && isOptional(name):
			a.explainNotOffered(name)
			continue
		case largest[name] < want:
			said = sentence.CauseTooLarge(requested, string(name), query.FormatQuantity(name, largest[name]))
		case free[name] >= want && most[name] < want:
			said = sentence.CauseFragmented(requested, string(name), len(nodes), query.FormatQuantity(name, free[name]), emptiest)
		case most[name] >= want:
			continue // Some node has enough of it: another resource explains why it does not fit there.
		}
		a.addCause(said, facts.RequestEvidence(facts.RefTo(cluster.Pod, a.representative), "spec", &a.representative.Spec, name)...)
	}
}

// explainPorts names the pods that use the host ports.
func (a *explanation) explainPorts(nodes []query.NodeObstacles) {
	for _, want := range hostPorts(a.representative) {
		var holders []change.Ref
		for _, n := range nodes {
			holders = append(holders, podsOnNode(a.Query, n.Node.Name, func(p *corev1.Pod) bool {
				return slices.ContainsFunc(hostPorts(p), func(have corev1.ContainerPort) bool { return portsConflict(want, have) })
			})...)
		}
		if len(holders) == 0 {
			continue
		}
		port := strconv.Itoa(int(want.HostPort)) + "/" + string(protocol(want))
		a.addCause(sentence.CausePort(port, len(nodes), a.Enumerate(holders)),
			facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.containers[*].ports[*].hostPort", strconv.Itoa(int(want.HostPort))))
	}
}

func hostPorts(pod *corev1.Pod) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, port := range container.Ports {
			if port.HostPort > 0 {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

func protocol(p corev1.ContainerPort) corev1.Protocol {
	if p.Protocol == "" {
		return corev1.ProtocolTCP
	}
	return p.Protocol
}

// portsConflict reports whether two host ports conflict; an empty address, like 0.0.0.0, means all addresses.
func portsConflict(a, b corev1.ContainerPort) bool {
	every := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	return a.HostPort == b.HostPort && protocol(a) == protocol(b) && (every(a.HostIP) || every(b.HostIP) || a.HostIP == b.HostIP)
}

// explainClaimInUse names the pods that use a ReadWriteOncePod claim.
func (a *explanation) explainClaimInUse(nodes []query.NodeObstacles) {
	said := false
	for _, m := range facts.Mounts(a.World, a.representative) {
		if !slices.Contains(m.Claim.Spec.AccessModes, corev1.ReadWriteOncePod) {
			continue
		}
		var users []change.Ref
		for _, pod := range a.World.PodsUsing(m.Claim.Namespace, m.Claim.Name) {
			if pod != a.representative && pod.Spec.NodeName != "" && !cluster.Ended(pod) {
				users = append(users, facts.RefTo(cluster.Pod, pod))
			}
		}
		claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
		if len(users) > 0 {
			said = true
			a.Subjects = append(a.Subjects, claim)
			a.addCause(sentence.CauseInUse(claim, a.Enumerate(users)),
				facts.Evidence(claim, "spec.accessModes", string(corev1.ReadWriteOncePod)))
		}
	}
	if !said {
		a.explainPlugin(nodes)
	}
}

// explainVolumeLimits shows the attach limits of the nodes.
func (a *explanation) explainVolumeLimits(nodes []query.NodeObstacles) {
	drivers := map[string]bool{}
	for _, m := range facts.Mounts(a.World, a.representative) {
		drivers[m.Driver()] = true
	}
	var limits []finding.Evidence
	for _, n := range nodes {
		csi := a.World.CSINode(n.Node.Name)
		if csi == nil {
			continue
		}
		for _, driver := range csi.Spec.Drivers {
			if drivers[driver.Name] && driver.Allocatable != nil && driver.Allocatable.Count != nil && len(limits) < query.MaxListed {
				limits = append(limits, facts.Evidence(facts.RefTo(cluster.CSINode, csi), "spec.drivers["+driver.Name+"].allocatable.count", strconv.Itoa(int(*driver.Allocatable.Count))))
			}
		}
	}
	a.addCause(sentence.CauseLimit(len(nodes)), limits...)
}

// explainVolumeAffinity names the topology that the volumes are restricted to.
func (a *explanation) explainVolumeAffinity([]query.NodeObstacles) {
	for _, m := range facts.Mounts(a.World, a.representative) {
		if m.Volume == nil || len(m.Selectors) == 0 {
			continue
		}
		claim, volume := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), facts.RefTo(cluster.PersistentVolume, m.Volume)
		a.Subjects = append(a.Subjects, claim, volume)
		said, field, value := sentence.CauseVolumeTied(claim, volume), "spec.nodeAffinity", facts.FormatSelector(m.Selectors[0])
		switch {
		case len(m.Hostnames()) > 0:
			said = sentence.CausePinned(claim, volume, message.ListOf(m.Hostnames()), message.ListOf(missingNodes(a.Query, m.Hostnames())))
		case m.Scope == facts.ScopeZone:
			said, field, value = sentence.CauseInZone(claim, volume, message.ListOf(m.Zones)), m.Field, m.Value
		}
		a.addCause(said, facts.Evidence(volume, field, value))
	}
}

// explainProvisioning names the topology in which volumes can be provisioned.
func (a *explanation) explainProvisioning(nodes []query.NodeObstacles) {
	said := false
	for _, m := range facts.Mounts(a.World, a.representative) {
		if m.Volume != nil || len(m.Selectors) == 0 {
			continue
		}
		said = true
		there := slices.DeleteFunc(slices.Clone(a.World.Nodes()), func(n *corev1.Node) bool { return !m.Allows(n) })
		class := facts.RefTo(cluster.StorageClass, m.Class)
		a.addCause(sentence.CauseClassNodes(class, facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), len(there), len(a.World.Nodes())),
			facts.Evidence(class, "allowedTopologies", facts.FormatSelector(m.Selectors[0])))
	}
	if !said {
		a.explainPlugin(nodes)
	}
}

// missingNodes are the nodes that do not exist.
func missingNodes(q query.Query, nodes []string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		return slices.ContainsFunc(q.World.Nodes(), func(n *corev1.Node) bool { return n.Labels[corev1.LabelHostname] == name || n.Name == name })
	})
}

// explainPlugin quotes the plugin's reasons, for obstacles that naosu cannot explain better.
func (a *explanation) explainPlugin(nodes []query.NodeObstacles) {
	said := map[string]bool{}
	for _, n := range nodes {
		for _, o := range n.Obstacles {
			words := o.Plugin + strings.Join(o.Reasons, "")
			if kinds := pluginExplained[o.Kind]; kinds && !said[words] {
				said[words] = true
				a.addCause(sentence.CausePlugin(o.Plugin, message.ListOf(o.Reasons)))
			}
		}
	}
}

var pluginExplained = map[message.ID]bool{
	message.ObstacleStorage: true, message.ObstacleDevice: true, message.ObstacleOther: true, message.ObstacleInUse: true,
}
