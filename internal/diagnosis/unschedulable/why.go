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
	"github.com/naosu-dev/naosu/internal/message"
)

// explainKinds adds a link for each kind of obstacle, the gravest first: what lies behind it.
func (a *answer) explainKinds(d *query.Verdict) {
	explain := map[message.ID]func([]query.ClosedNode){
		message.ObstacleSelector: a.whySelector, message.ObstacleTainted: a.whyTaints, message.ObstacleVolume: a.whyVolume,
		message.ObstacleStorage: a.whyStorage, message.ObstacleDevice: a.whyPlugin, message.ObstacleOther: a.whyPlugin,
		message.ObstacleInUse: a.whyInUse, message.ObstacleTogether: a.whyTogether, message.ObstacleApart: a.whyApart,
		message.ObstacleSpread: a.whySpread, message.ObstaclePort: a.whyPorts, message.ObstacleLimit: a.whyLimits,
		message.ObstacleFull: a.whyFull,
	}
	only := facts.DaemonNode(a.one)
	for _, kind := range query.Gravest {
		nodes := slices.DeleteFunc(slices.Clone(d.Closed), func(n query.ClosedNode) bool { return !n.Has(kind) || only != "" && n.Node.Name != only })
		if why := explain[kind]; why != nil && len(nodes) > 0 {
			why(nodes)
		}
	}
}

// whySelector says how many nodes the pod's selector leaves, and if none, what there would be to select.
func (a *answer) whySelector(nodes []query.ClosedNode) {
	if facts.DaemonNode(a.one) != "" {
		return
	}
	total := len(a.World.Nodes())
	if len(nodes) < total {
		a.because(message.CauseSelector, message.Args{"n": total - len(nodes), "total": total}, facts.SelectorFacts(a.one)...)
		return
	}
	var values []string
	for _, key := range facts.LabelKeys(a.one) {
		there := map[string]bool{}
		for _, node := range a.World.Nodes() {
			if value, ok := node.Labels[key]; ok {
				there[value] = true
			}
		}
		id := message.LabelValues
		if len(there) == 0 {
			id = message.LabelNowhere
		}
		sorted := slices.Sorted(maps.Keys(there))
		values = append(values, a.Say.Text(id, message.Args{"label": key, "values": sorted[:min(len(sorted), query.MostListed)]}))
	}
	a.because(message.CauseSelectorNone, message.Args{"values": values}, facts.SelectorFacts(a.one)...)
}

// whyTaints names the taints and how many nodes have each.
func (a *answer) whyTaints(nodes []query.ClosedNode) {
	counts := map[string]int{}
	for _, n := range nodes {
		for _, taint := range query.LastingTaints(a.one, n.Node) {
			counts[taint.ToString()]++
		}
	}
	var taints []string
	for _, taint := range slices.Sorted(maps.Keys(counts)) {
		taints = append(taints, taint+" ("+strconv.Itoa(counts[taint])+")")
	}
	a.because(message.CauseTaint, message.Args{"taints": taints[:min(len(taints), query.MostListed)]},
		facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.tolerations", facts.FormatTolerations(a.one.Spec.Tolerations)))
	a.keptTaints(nodes)
}

// whyFull says what the pod asks for beside what is free, and whether any node would be large enough.
func (a *answer) whyFull(nodes []query.ClosedNode) {
	asked := query.Asks(a.one)
	counts := map[corev1.ResourceName]int{}
	free, most, largest := map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}
	for _, n := range nodes {
		for _, need := range a.ShortOf(a.one, n.Node) {
			counts[need.Resource]++
		}
		for name := range asked {
			all := query.Units(name, n.Node.Status.Allocatable[name])
			left := max(all-a.Judge.Taken(n.Node.Name, name), 0)
			free[name] += left
			most[name], largest[name] = max(most[name], left), max(largest[name], all)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		want := query.Units(name, asked[name])
		args := message.Args{
			"resource": string(name), "asked": query.Amount(name, want), "most": query.Amount(name, most[name]),
			"largest": query.Amount(name, largest[name]), "free": query.Amount(name, free[name]), "nodes": len(nodes),
		}
		id := message.CauseFull
		switch {
		case name == corev1.ResourcePods:
			id = message.CauseFullPods
		case largest[name] < want:
			id = message.CauseTooLarge
		case free[name] >= want && most[name] < want:
			id = message.CauseFragmented
		case most[name] >= want:
			continue // Some node has enough of it: what that one lacks is told by another resource.
		}
		a.because(id, args, facts.RequestFacts(facts.RefTo(cluster.Pod, a.one), "spec", &a.one.Spec, name)...)
	}
}

// whyPorts names who holds the host ports.
func (a *answer) whyPorts(nodes []query.ClosedNode) {
	for _, want := range hostPorts(a.one) {
		var holders []change.Ref
		for _, n := range nodes {
			holders = append(holders, podsThat(a.View, n.Node.Name, func(p *corev1.Pod) bool {
				return slices.ContainsFunc(hostPorts(p), func(have corev1.ContainerPort) bool { return clash(want, have) })
			})...)
		}
		if len(holders) == 0 {
			continue
		}
		port := strconv.Itoa(int(want.HostPort)) + "/" + string(protocol(want))
		a.because(message.CausePort, message.Args{"port": port, "pods": a.Some(holders), "n": len(nodes)},
			facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.containers[*].ports[*].hostPort", strconv.Itoa(int(want.HostPort))))
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

// clash says whether two host ports are the same; an empty address, like 0.0.0.0, is every one.
func clash(a, b corev1.ContainerPort) bool {
	every := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	return a.HostPort == b.HostPort && protocol(a) == protocol(b) && (every(a.HostIP) || every(b.HostIP) || a.HostIP == b.HostIP)
}

// whyInUse names who uses a claim that one pod at a time may use.
func (a *answer) whyInUse(nodes []query.ClosedNode) {
	said := false
	for _, m := range facts.Mounts(a.World, a.one) {
		if !slices.Contains(m.Claim.Spec.AccessModes, corev1.ReadWriteOncePod) {
			continue
		}
		var users []change.Ref
		for _, pod := range a.World.PodsUsing(m.Claim.Namespace, m.Claim.Name) {
			if pod != a.one && pod.Spec.NodeName != "" && !cluster.Ended(pod) {
				users = append(users, facts.RefTo(cluster.Pod, pod))
			}
		}
		claim := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)
		if len(users) > 0 {
			said = true
			a.Subjects = append(a.Subjects, claim)
			a.because(message.CauseInUse, message.Args{"claim": claim, "pods": a.Some(users)},
				facts.Fact(claim, "spec.accessModes", string(corev1.ReadWriteOncePod)))
		}
	}
	if !said {
		a.whyPlugin(nodes)
	}
}

// whyLimits says how many volumes the nodes may attach.
func (a *answer) whyLimits(nodes []query.ClosedNode) {
	drivers := map[string]bool{}
	for _, m := range facts.Mounts(a.World, a.one) {
		drivers[m.Driver()] = true
	}
	var limits []finding.Evidence
	for _, n := range nodes {
		csi := a.World.CSINode(n.Node.Name)
		if csi == nil {
			continue
		}
		for _, driver := range csi.Spec.Drivers {
			if drivers[driver.Name] && driver.Allocatable != nil && driver.Allocatable.Count != nil && len(limits) < query.MostListed {
				limits = append(limits, facts.Fact(facts.RefTo(cluster.CSINode, csi), "spec.drivers["+driver.Name+"].allocatable.count", strconv.Itoa(int(*driver.Allocatable.Count))))
			}
		}
	}
	a.because(message.CauseLimit, message.Args{"n": len(nodes)}, limits...)
}

// whyVolume says where the volumes are tied to.
func (a *answer) whyVolume([]query.ClosedNode) {
	for _, m := range facts.Mounts(a.World, a.one) {
		if m.Volume == nil || len(m.Selectors) == 0 {
			continue
		}
		claim, volume := facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), facts.RefTo(cluster.PersistentVolume, m.Volume)
		a.Subjects = append(a.Subjects, claim, volume)
		args := message.Args{"claim": claim, "volume": volume, "zones": m.Zones, "nodes": m.Hosts(), "gone": gone(a.View, m.Hosts())}
		id, field, value := message.CauseVolumeTied, "spec.nodeAffinity", facts.FormatSelector(m.Selectors[0])
		switch {
		case len(m.Hosts()) > 0:
			id = message.CausePinned
		case m.Tie == facts.TiedToZone:
			id, field, value = message.CauseInZone, m.Field, m.Value
		}
		a.because(id, args, facts.Fact(volume, field, value))
	}
}

// whyStorage says where volumes that are yet to be made may be made.
func (a *answer) whyStorage(nodes []query.ClosedNode) {
	said := false
	for _, m := range facts.Mounts(a.World, a.one) {
		if m.Volume != nil || len(m.Selectors) == 0 {
			continue
		}
		said = true
		there := slices.DeleteFunc(slices.Clone(a.World.Nodes()), func(n *corev1.Node) bool { return !m.Allows(n) })
		class := facts.RefTo(cluster.StorageClass, m.Class)
		a.because(message.CauseClassNodes, message.Args{"class": class, "claim": facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), "n": len(there), "total": len(a.World.Nodes())},
			facts.Fact(class, "allowedTopologies", facts.FormatSelector(m.Selectors[0])))
	}
	if !said {
		a.whyPlugin(nodes)
	}
}

// gone are those of the nodes that the world does not hold.
func gone(v query.View, nodes []string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		return slices.ContainsFunc(v.World.Nodes(), func(n *corev1.Node) bool { return n.Labels[corev1.LabelHostname] == name || n.Name == name })
	})
}

// whyPlugin repeats what the plugin says, where it says more than naosu could.
func (a *answer) whyPlugin(nodes []query.ClosedNode) {
	said := map[string]bool{}
	for _, n := range nodes {
		for _, o := range n.Obstacles {
			words := o.Plugin + strings.Join(o.Reasons, "")
			if kinds := explainedByPlugin[o.Kind]; kinds && !said[words] {
				said[words] = true
				a.because(message.CausePlugin, message.Args{"plugin": o.Plugin, "says": o.Reasons})
			}
		}
	}
}

var explainedByPlugin = map[message.ID]bool{
	message.ObstacleStorage: true, message.ObstacleDevice: true, message.ObstacleOther: true, message.ObstacleInUse: true,
}
