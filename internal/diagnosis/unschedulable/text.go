package unschedulable

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// mostNear is how many nearest misses are told.
const mostNear = 3

// refused explains pods that the scheduler looked at every node for.
func (a *answer) refused(ctx context.Context, d *query.Verdict) {
	near := nearest(a.View, a.one, d)
	switch only := facts.DaemonNode(a.one); {
	case only != "" && a.World.Node(only) == nil:
		a.says(message.UnplacedOnlyGone, message.Args{"node": facts.NodeRef(only)})
	case only != "":
		a.says(message.UnplacedOnly, message.Args{"node": facts.NodeRef(only), "misses": a.misses(near[0])})
	case len(d.Everywhere) > 0:
		a.says(message.UnplacedElse, message.Args{"says": wordsOf(d.Everywhere)})
	case len(d.Closed) == 0:
		a.says(message.UnplacedNoNodes, nil)
	case a.pinnedBy() != nil:
		a.saysPinned(*a.pinnedBy(), d)
	default:
		args := message.Args{"nodes": len(d.Closed), "why": query.TallyOf(d.Closed).Said(a.Say), "nearest": ""}
		if len(d.Closed) > 1 && worthTelling[near[0].Gravest().Kind] {
			args["nearest"] = a.miss(near[0])
		}
		a.says(message.UnplacedNodes, args)
	}
	for _, o := range d.Everywhere {
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
func nearest(v query.View, pod *corev1.Pod, d *query.Verdict) []query.ClosedNode {
	only := facts.DaemonNode(pod)
	type ranked struct {
		query.ClosedNode
		kinds, grave int
		share        float64
	}
	all := make([]ranked, 0, len(d.Closed))
	for _, n := range d.Closed {
		if only != "" && n.Node.Name != only {
			continue
		}
		r := ranked{n, len(n.Obstacles), slices.Index(query.Gravest, n.Gravest().Kind), 0}
		if n.Has(message.ObstacleFull) {
			r.share = v.Shortage(pod, n.Node)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(a.kinds, b.kinds), cmp.Compare(b.grave, a.grave), cmp.Compare(a.share, b.share),
			cmp.Compare(a.Node.Name, b.Node.Name),
		)
	})
	var near []query.ClosedNode
	for _, r := range all[:min(len(all), mostNear)] {
		near = append(near, r.ClosedNode)
	}
	return near
}

// miss says what a node lacks to take the pod, with the node's name.
func (a *answer) miss(n query.ClosedNode) string {
	return a.Say.Text(message.NodeMisses, message.Args{"node": facts.NodeRef(n.Node.Name), "misses": a.misses(n)})
}

func (a *answer) missesOf(nodes []query.ClosedNode) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, a.miss(n))
	}
	return all
}

// worthTelling are the obstacles of which the nearest node tells more than their count.
var worthTelling = map[message.ID]bool{
	message.ObstacleTainted: true, message.ObstaclePort: true, message.ObstacleLimit: true, message.ObstacleFull: true,
	message.ObstacleNotReady: true, message.ObstacleCordoned: true,
}

// saysPinned is about pods whose volume lies on certain nodes, as a local disk does.
func (a *answer) saysPinned(m facts.Mount, d *query.Verdict) {
	hosts := m.Hosts()
	there := slices.DeleteFunc(slices.Clone(d.Closed), func(n query.ClosedNode) bool { return !m.Allows(n.Node) })
	a.says(message.UnplacedPinned, message.Args{
		"claim": facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), "nodes": hosts, "gone": len(gone(a.View, hosts)) == len(hosts),
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
func (a *answer) misses(n query.ClosedNode) []string {
	var said []string
	for _, o := range n.Obstacles {
		args := message.Args{"says": o.Reasons}
		switch o.Kind {
		case message.ObstacleTainted:
			var taints []string
			for _, taint := range query.LastingTaints(a.one, n.Node) {
				taints = append(taints, taint.ToString())
			}
			args["taints"] = taints
		case message.ObstacleFull:
			args["needs"] = a.needs(n.Node)
		}
		said = append(said, a.Say.Text(missOf[o.Kind], args))
	}
	return said
}

// needs are what a node has too little of, in words.
func (a *answer) needs(node *corev1.Node) []string {
	var said []string
	for _, n := range a.ShortOf(a.one, node) {
		if n.Resource == corev1.ResourcePods {
			said = append(said, a.Say.Text(message.ShortOfPods, nil))
			continue
		}
		said = append(said, a.Say.Text(message.ShortOf, message.Args{"amount": n.Amount(n.Short()), "resource": string(n.Resource)}))
	}
	return said
}

func (a *answer) nearFacts(near []query.ClosedNode) []finding.Evidence {
	var facts []finding.Evidence
	for _, n := range near {
		for _, o := range n.Obstacles {
			facts = append(facts, a.FactsOf(a.one, n.Node, o)...)
		}
	}
	return facts
}

// autoscaler is what an autoscaler says of the pod.
func (a *answer) autoscaler() {
	a.Causes = append(a.Causes, query.ScalingLinks(a.View, a.one)...)
	if said := query.ScalingHeadline(a.View, a.one); said != "" {
		a.Message = a.Say.Text(message.UnplacedAlso, message.Args{"said": a.Message, "also": said})
	}
}

// podsThat are the pods on a node that satisfy a condition and have not ended.
func podsThat(v query.View, node string, holds func(*corev1.Pod) bool) []change.Ref {
	var refs []change.Ref
	for _, pod := range v.World.PodsOn(node) {
		if !cluster.Ended(pod) && holds(pod) {
			refs = append(refs, facts.RefTo(cluster.Pod, pod))
		}
	}
	return refs
}
