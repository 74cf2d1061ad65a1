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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// maxNearest is the number of nearest nodes that are described.
const maxNearest = 3

// explainInfeasible explains pods for which the scheduler has filtered all nodes out.
func (a *explanation) explainInfeasible(ctx context.Context, d *query.Verdict) {
	near, largest := nearestNodes(a.Query, a.representative, d), a.largestNode(d)
	a.setInfeasibleMessage(d, near, largest)
	for _, o := range d.OnAllNodes {
		a.addCause(sentence.CausePlugin(o.Plugin, message.ListOf(obstacleReasons([]scheduling.Obstacle{o}))))
	}
	if len(near) > 0 {
		a.addCause(sentence.CauseNearest(a.describeNodes(near)), a.nearestEvidence(near)...)
		a.explainObstacles(d)
		a.explainPreemption(ctx, d)
	}
	a.autoscaler()
	a.remedies(ctx, d, near, largest)
}

// setInfeasibleMessage sets the message: why the pods fit on no node.
func (a *explanation) setInfeasibleMessage(d *query.Verdict, near []query.NodeObstacles, largest *largestNode) {
	switch only := kube.OnlyNodeName(a.representative); {
	case only != "" && a.World.Node(only) == nil:
		a.Message = sentence.UnplacedOnlyGone(a.who(), len(a.subjects), facts.NodeRef(only))
	case only != "":
		a.Message = sentence.UnplacedOnly(a.who(), len(a.subjects), facts.NodeRef(only), a.shortfalls(near[0]))
	case len(d.OnAllNodes) > 0:
		a.Message = sentence.UnplacedElse(a.who(), len(a.subjects), message.ListOf(obstacleReasons(d.OnAllNodes)))
	case len(d.Infeasible) == 0:
		a.Message = sentence.UnplacedNoNodes(a.who(), len(a.subjects))
	case largest != nil:
		a.setTooLargeMessage(largest)
	case a.hostVolume() != nil:
		a.setPinnedMessage(*a.hostVolume(), d)
	default:
		nearest := message.Sentence{}
		if len(d.Infeasible) > 1 && mentionedObstacles[near[0].MostSevere().Kind] {
			nearest = a.describeNode(near[0])
		}
		a.Message = sentence.UnplacedNodes(a.who(), len(a.subjects), len(d.Infeasible), query.CountObstacles(d.Infeasible).Sentences(), nearest)
	}
}

func obstacleReasons(obstacles []scheduling.Obstacle) []string {
	var words []string
	for _, o := range obstacles {
		words = append(words, o.Reasons...)
	}
	return words
}

// nearestNodes are the nodes with the fewest obstacles, the least severe ones, and the smallest shortage. For a pod that can
// run on one node only, it is that node.
func nearestNodes(q query.Query, pod *corev1.Pod, d *query.Verdict) []query.NodeObstacles {
	only := kube.OnlyNodeName(pod)
	type ranked struct {
		query.NodeObstacles
		kinds, order int
		share        float64
	}
	all := make([]ranked, 0, len(d.Infeasible))
	for _, n := range d.Infeasible {
		if only != "" && n.Node.Name != only {
			continue
		}
		r := ranked{n, len(n.Obstacles), slices.Index(query.ObstacleOrder, n.MostSevere().Kind), 0}
		if n.Has(message.ObstacleFull) {
			r.share = q.ShortageScore(pod, n.Node)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(a.kinds, b.kinds), cmp.Compare(b.order, a.order), cmp.Compare(a.share, b.share),
			cmp.Compare(a.Node.Name, b.Node.Name),
		)
	})
	var near []query.NodeObstacles
	for _, r := range all[:min(len(all), maxNearest)] {
		near = append(near, r.NodeObstacles)
	}
	return near
}

// describeNode describes what excludes a node, with its name.
func (a *explanation) describeNode(n query.NodeObstacles) message.Sentence {
	return sentence.NodeMisses(facts.NodeRef(n.Node.Name), a.shortfalls(n))
}

func (a *explanation) describeNodes(nodes []query.NodeObstacles) message.List {
	var all message.List
	for _, n := range nodes {
		all = append(all, a.describeNode(n))
	}
	return all
}

// mentionedObstacles are the obstacles for which the summary describes the nearest node.
var mentionedObstacles = map[message.ID]bool{
	message.ObstacleTainted: true, message.ObstaclePort: true, message.ObstacleLimit: true, message.ObstacleFull: true,
	message.ObstacleNotReady: true, message.ObstacleCordoned: true,
}

// setPinnedMessage sets the message for pods whose volume is on certain nodes, such as a local disk.
func (a *explanation) setPinnedMessage(m facts.Mount, d *query.Verdict) {
	hosts := m.Hostnames()
	there := slices.DeleteFunc(slices.Clone(d.Infeasible), func(n query.NodeObstacles) bool { return !m.Allows(n.Node) })
	a.Message = sentence.UnplacedPinned(a.who(), len(a.subjects), facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), message.ListOf(hosts), len(missingNodes(a.Query, hosts)) == len(hosts), a.describeNodes(there[:min(len(there), maxNearest)]))
}

// shortfalls describe a node's obstacles.
func (a *explanation) shortfalls(n query.NodeObstacles) message.List {
	var said message.List
	for _, o := range n.Obstacles {
		said = append(said, a.shortfall(n.Node, o))
	}
	return said
}

// missed are the descriptions of obstacles without details.
var missed = map[message.ID]func() message.Sentence{
	message.ObstacleSelector: sentence.MissSelector,
	message.ObstacleLabel:    sentence.MissLabel,
	message.ObstacleVolume:   sentence.MissVolume,
	message.ObstacleStorage:  sentence.MissStorage,
	message.ObstacleInUse:    sentence.MissInUse,
	message.ObstacleTogether: sentence.MissTogether,
	message.ObstacleApart:    sentence.MissApart,
	message.ObstacleDomain:   sentence.MissDomain,
	message.ObstacleSpread:   sentence.MissSpread,
	message.ObstacleDevice:   sentence.MissDevice,
	message.ObstaclePort:     sentence.MissPort,
	message.ObstacleLimit:    sentence.MissLimit,
	message.ObstacleNotReady: sentence.MissNotReady,
	message.ObstacleCordoned: sentence.MissCordoned,
}

// shortfall describes an obstacle of a node.
func (a *explanation) shortfall(node *corev1.Node, o query.Obstacle) message.Sentence {
	switch o.Kind {
	case message.ObstacleTainted:
		var taints message.List
		for _, taint := range query.UntoleratedNonLifecycleTaints(a.representative, node) {
			taints = append(taints, taint.ToString())
		}
		return sentence.MissTainted(taints)
	case message.ObstacleFull:
		return sentence.MissFull(a.missingResources(node))
	case message.ObstacleOther:
		return sentence.MissOther(message.ListOf(o.Reasons))
	default:
		return missed[o.Kind]()
	}
}

// missingResources describe the resources of which a node has too little left.
func (a *explanation) missingResources(node *corev1.Node) message.List {
	var said message.List
	for _, n := range a.Shortages(a.representative, node) {
		if n.Resource == corev1.ResourcePods {
			said = append(said, sentence.ShortOfPods())
			continue
		}
		said = append(said, sentence.ShortOf(n.Format(n.Missing()), string(n.Resource)))
	}
	return said
}

func (a *explanation) nearestEvidence(near []query.NodeObstacles) []finding.Evidence {
	var facts []finding.Evidence
	for _, n := range near {
		for _, o := range n.Obstacles {
			facts = append(facts, a.ObstacleEvidence(a.representative, n.Node, o)...)
		}
	}
	return facts
}

// autoscaler adds what an autoscaler reports about the pod.
func (a *explanation) autoscaler() {
	a.Causes = append(a.Causes, query.AutoscalerLinks(a.Query, a.representative)...)
	if said := query.AutoscalerSummary(a.Query, a.representative); !said.IsZero() {
		a.Message = sentence.UnplacedAlso(a.Message, said)
	}
}

// podsOnNode are the pods on a node that satisfy a condition and have not ended.
func podsOnNode(q query.Query, node string, holds func(*corev1.Pod) bool) []change.Ref {
	var refs []change.Ref
	for _, pod := range q.World.PodsOn(node) {
		if !cluster.Ended(pod) && holds(pod) {
			refs = append(refs, facts.RefTo(cluster.Pod, pod))
		}
	}
	return refs
}
