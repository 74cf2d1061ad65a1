package diagnosis

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// mostNear is how many nearest misses are told.
const mostNear = 3

// refused explains pods that the scheduler looked at every node for.
func (a *answer) refused(ctx context.Context, d *verdict) {
	near := a.nearest(a.one, d)
	switch only := daemonNode(a.one); {
	case only != "" && a.World.Node(only) == nil:
		a.says(message.UnplacedOnlyGone, message.Args{"node": nodeRef(only)})
	case only != "":
		a.says(message.UnplacedOnly, message.Args{"node": nodeRef(only), "misses": a.misses(near[0])})
	case len(d.everywhere) > 0:
		a.says(message.UnplacedElse, message.Args{"says": wordsOf(d.everywhere)})
	case len(d.closed) == 0:
		a.says(message.UnplacedNoNodes, nil)
	case a.pinnedBy() != nil:
		a.saysPinned(*a.pinnedBy(), d)
	default:
		args := message.Args{"nodes": len(d.closed), "why": tallyOf(d.closed).said(a.Say), "nearest": ""}
		if len(d.closed) > 1 && worthTelling[near[0].gravest().kind] {
			args["nearest"] = a.miss(near[0])
		}
		a.says(message.UnplacedNodes, args)
	}
	for _, o := range d.everywhere {
		a.because(message.CausePlugin, message.Args{"plugin": o.Plugin, "says": wordsOf([]scheduling.Obstacle{o})})
	}
	if len(near) > 0 {
		a.because(message.CauseNearest, message.Args{"misses": a.missesOf(near)}, a.nearFacts(near)...)
		a.explainKinds(d)
		a.preemption(ctx, d)
	}
	a.autoscaler()
	a.remedies(ctx, d, near)
}

func wordsOf(obstacles []scheduling.Obstacle) []string {
	var words []string
	for _, o := range obstacles {
		words = append(words, o.Reasons...)
	}
	return words
}

// nearest are the nodes that come closest to taking the pod: those with the fewest obstacles, the least grave, and the
// smallest shortage. A pod meant for one node has only that.
func (v View) nearest(pod *corev1.Pod, d *verdict) []closedNode {
	only := daemonNode(pod)
	type ranked struct {
		closedNode
		kinds, grave int
		share        float64
	}
	all := make([]ranked, 0, len(d.closed))
	for _, n := range d.closed {
		if only != "" && n.node.Name != only {
			continue
		}
		r := ranked{n, len(n.obstacles), slices.Index(gravest, n.gravest().kind), 0}
		if n.has(message.ObstacleFull) {
			r.share = v.shortage(pod, n.node)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(a.kinds, b.kinds), cmp.Compare(b.grave, a.grave), cmp.Compare(a.share, b.share),
			cmp.Compare(a.node.Name, b.node.Name),
		)
	})
	var near []closedNode
	for _, r := range all[:min(len(all), mostNear)] {
		near = append(near, r.closedNode)
	}
	return near
}

// miss says what a node lacks to take the pod, with the node's name.
func (a *answer) miss(n closedNode) string {
	return a.Say.Text(message.NodeMisses, message.Args{"node": nodeRef(n.node.Name), "misses": a.misses(n)})
}

func (a *answer) missesOf(nodes []closedNode) string {
	var all []string
	for _, n := range nodes {
		all = append(all, a.miss(n))
	}
	return strings.Join(all, "; ")
}

// worthTelling are the obstacles of which the nearest node tells more than their count.
var worthTelling = map[message.ID]bool{
	message.ObstacleTainted: true, message.ObstaclePort: true, message.ObstacleLimit: true, message.ObstacleFull: true,
	message.ObstacleNotReady: true, message.ObstacleCordoned: true,
}

// saysPinned is about pods whose volume lies on certain nodes, as a local disk does.
func (a *answer) saysPinned(m mount, d *verdict) {
	hosts := m.hosts()
	there := slices.DeleteFunc(slices.Clone(d.closed), func(n closedNode) bool { return !m.allows(n.node) })
	a.says(message.UnplacedPinned, message.Args{
		"claim": refTo(cluster.PersistentVolumeClaim, m.claim), "nodes": hosts, "gone": len(a.gone(hosts)) == len(hosts),
		"misses": a.missesOf(there[:min(len(there), mostNear)]),
	})
}

// missOf is what a node's obstacle is called beside its name.
var missOf = map[message.ID]message.ID{
	message.ObstacleSelector: message.MissSelector, message.ObstacleLabel: message.MissLabel,
	message.ObstacleTainted: message.MissTainted, message.ObstacleVolume: message.MissVolume,
	message.ObstacleStorage: message.MissStorage, message.ObstacleInUse: message.MissInUse,
	message.ObstacleTogether: message.MissTogether, message.ObstacleApart: message.MissApart,
	message.ObstacleSpread: message.MissSpread, message.ObstacleDevice: message.MissDevice,
	message.ObstacleOther: message.MissOther, message.ObstaclePort: message.MissPort,
	message.ObstacleLimit: message.MissLimit, message.ObstacleFull: message.MissFull,
	message.ObstacleNotReady: message.MissNotReady, message.ObstacleCordoned: message.MissCordoned,
}

// misses are what a node lacks to take the pod.
func (a *answer) misses(n closedNode) []string {
	var said []string
	for _, o := range n.obstacles {
		args := message.Args{"says": o.reasons}
		switch o.kind {
		case message.ObstacleTainted:
			var taints []string
			for _, taint := range lastingTaints(a.one, n.node) {
				taints = append(taints, taint.ToString())
			}
			args["taints"] = taints
		case message.ObstacleFull:
			args["needs"] = a.needs(n.node)
		}
		said = append(said, a.Say.Text(missOf[o.kind], args))
	}
	return said
}

// needs are what a node has too little of, in words.
func (a *answer) needs(node *corev1.Node) []string {
	var said []string
	for _, n := range a.shortOf(a.one, node) {
		if n.resource == corev1.ResourcePods {
			said = append(said, a.Say.Text(message.ShortOfPods, nil))
			continue
		}
		said = append(said, a.Say.Text(message.ShortOf, message.Args{"amount": n.amount(n.short()), "resource": string(n.resource)}))
	}
	return said
}

func (a *answer) nearFacts(near []closedNode) []finding.Evidence {
	var facts []finding.Evidence
	for _, n := range near {
		for _, o := range n.obstacles {
			facts = append(facts, a.factsOf(a.one, n.node, o)...)
		}
	}
	return facts
}

// autoscaler is what an autoscaler says of the pod.
func (a *answer) autoscaler() {
	if link, ok := autoscalerLink(a.View, a.one); ok {
		a.Causes = append(a.Causes, link)
	}
}

// holders are the pods on a node that satisfy a condition and have not ended.
func (v View) holders(node string, holds func(*corev1.Pod) bool) []change.Ref {
	var refs []change.Ref
	for _, pod := range v.World.PodsOn(node) {
		if !ended(pod) && holds(pod) {
			refs = append(refs, refTo(cluster.Pod, pod))
		}
	}
	return refs
}
