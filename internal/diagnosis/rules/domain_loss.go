package rules

import (
	"context"
	"fmt"
	"slices"
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
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// DomainLoss finds N503 and N103: it simulates the loss of every node and every zone, and finds the pods that would be Pending.
type DomainLoss struct{}

var _ query.Rule = DomainLoss{}

// Codes of DomainLoss.
func (DomainLoss) Codes() []finding.Code { return []finding.Code{finding.N503, finding.N103} }

// RequiredKinds of DomainLoss.
func (DomainLoss) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{
		cluster.Node, cluster.Pod, cluster.PersistentVolumeClaim, cluster.PersistentVolume,
		cluster.ReplicaSet, cluster.StatefulSet, cluster.Job,
	}
}

// Applies to the whole world, a node or a zone.
func (DomainLoss) Applies(q query.Query) bool {
	return !q.PresentOnly && (q.Subject == nil || q.Subject.Kind == string(cluster.Node) || q.Subject.Kind == "Zone")
}

// Find simulates the loss of one domain after the other.
func (rule DomainLoss) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) || !q.CanSimulate() {
		return nil
	}
	var nodes, zones []domainLoss
	for _, ref := range FailureDomains(q.World) {
		if q.Subject != nil && *q.Subject != ref || ctx.Err() != nil {
			continue
		}
		q.ReportProgress()
		l := simulateLoss(ctx, q, ref)
		if ref.Kind == "Zone" {
			zones = append(zones, l)
		} else {
			nodes = append(nodes, l)
		}
	}
	var found []finding.Finding
	if f, ok := describeNoCapacity(ctx, q, nodes, headroomMessages); ok {
		found = append(found, f)
	}
	if f, ok := describeNoCapacity(ctx, q, zones, zoneMessages); ok {
		found = append(found, f)
	}
	if f, ok := describeVolumeBound(q, zones); ok {
		found = append(found, f)
	}
	return q.AboutSubject(found)
}

// FailureDomains are the nodes that are up, and the zones if there are several. The loss of the only zone needs no simulation.
func FailureDomains(world *cluster.Snapshot) []change.Ref {
	var nodes, zones []change.Ref
	for _, node := range world.Nodes() {
		if !kube.IsNodeReady(node) {
			continue
		}
		nodes = append(nodes, facts.RefTo(cluster.Node, node))
		if zone := cluster.Zone(node); zone != "" {
			zones = append(zones, facts.ZoneRef(zone))
		}
	}
	if zones = facts.UniqueRefs(zones); len(zones) < 2 {
		zones = nil
	}
	return append(nodes, zones...)
}

// domainLoss is a lost domain and the pods that are then Pending.
type domainLoss struct {
	domain change.Ref
	// noCapacity are pods for which no other node has capacity; rooted are pods whose volumes allow no other node.
	noCapacity, volumeBound []outcome.Fate
}

func loseDomain(place change.Ref) change.Change {
	if place.Kind == "Zone" {
		return change.LoseZone{Zone: place.Name}
	}
	return change.LoseNode{Node: place.Name}
}

func simulateLoss(ctx context.Context, q query.Query, place change.Ref) domainLoss {
	l := domainLoss{domain: place}
	result, ok := q.Simulate(ctx, loseDomain(place))
	if !ok {
		return l
	}
	code := finding.N503
	if place.Kind == "Zone" {
		code = finding.N103
	}
	reachable := map[string]bool{}
	for _, fate := range result.Fates {
		pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if !leftWaiting(fate, pod) || q.Excludes(code, facts.WorkloadRef(q.World, pod)) {
			continue
		}
		if tied := facts.ZonalMounts(q.World, pod); len(tied) > 0 && !anyNodeReaches(result.World, tied, reachable) {
			l.volumeBound = append(l.volumeBound, fate)
		} else {
			l.noCapacity = append(l.noCapacity, fate)
		}
	}
	return l
}

// leftWaiting reports whether a pod is Pending because of the loss. Pods with a negative priority do not count.
func leftWaiting(fate outcome.Fate, pod *corev1.Pod) bool {
	return fate.Kind == outcome.Waiting && fate.From != "" && pod != nil && !placeholder(pod)
}

// placeholder reports whether a pod is a placeholder: its priority is negative, so that others preempt it.
func placeholder(pod *corev1.Pod) bool { return pod.Spec.Priority != nil && *pod.Spec.Priority < 0 }

// anyNodeReaches reports whether all of the volumes can be used on some node of the world. Known caches the answers, since many
// volumes have the same node affinity.
func anyNodeReaches(world *cluster.Snapshot, tied []facts.Mount, known map[string]bool) bool {
	var ties strings.Builder
	for _, m := range tied {
		fmt.Fprintln(&ties, m.Selectors)
	}
	reached, ok := known[ties.String()]
	if !ok {
		reached = slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool {
			return !slices.ContainsFunc(tied, func(m facts.Mount) bool { return !m.Allows(n) })
		})
		known[ties.String()] = reached
	}
	return reached
}

// lossMessages are the sentences for the two kinds of loss.
type lossMessages struct {
	code    finding.Code
	summary func(place any, n int, workloads message.List, others int, total any) message.Sentence
}

var (
	headroomMessages = lossMessages{finding.N503, sentence.ScarceNode}
	zoneMessages     = lossMessages{finding.N103, sentence.ScarceZone}
)

// describeNoCapacity combines all losses that leave pods without capacity into one finding.
func describeNoCapacity(ctx context.Context, q query.Query, losses []domainLoss, words lossMessages) (finding.Finding, bool) {
	f := finding.Finding{Code: words.code, Severity: finding.Warning}
	var worst domainLoss
	var bad, owners []change.Ref
	for _, l := range losses {
		if len(l.noCapacity) == 0 {
			continue
		}
		bad = append(bad, l.domain)
		owners = append(owners, ownersOf(q.World, l.noCapacity)...)
		if len(l.noCapacity) > len(worst.noCapacity) {
			worst = l
		}
	}
	if len(bad) == 0 {
		return f, false
	}
	owners = facts.UniqueRefs(owners)
	bad = append([]change.Ref{worst.domain}, slices.DeleteFunc(bad, func(r change.Ref) bool { return r == worst.domain })...)
	held, holders := heldByPlaceholders(q.World)
	requested := requestedByPending(q.World, worst.noCapacity)
	f.Subjects = slices.Concat(bad[:min(len(bad), query.MaxListed)], owners)
	f.Message = words.summary(worst.domain, len(worst.noCapacity), q.Enumerate(ownersOf(q.World, worst.noCapacity)), len(bad)-1, len(losses))
	f.Causes = []finding.Link{waitLink(worst.noCapacity, message.ListOf(requested), shortOf(ctx, q, worst)), {Message: sentence.CauseNoPlaceholder(holders, held)}}
	f.Remedies = proposeLargerGroup(ctx, q, worst)
	return f, true
}

// waitLink names the Pending pods, what they request, what is short of it, and the scheduler's reason.
func waitLink(fates []outcome.Fate, requested, short message.List) finding.Link {
	link := finding.Link{Message: sentence.CauseWouldWait(len(fates), requested, short)}
	for _, fate := range fates[:min(len(fates), query.MaxListed)] {
		link.Evidence = append(link.Evidence, finding.Evidence{Object: fate.Pod, Field: "simulation", Account: fate.Why})
	}
	return link
}

func ownersOf(world *cluster.Snapshot, fates []outcome.Fate) []change.Ref {
	var refs []change.Ref
	for _, fate := range fates {
		if pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil {
			refs = append(refs, facts.WorkloadRef(world, pod))
		}
	}
	return facts.UniqueRefs(refs)
}

// describeVolumeBound combines the pods of all zones whose volumes are lost with their zone into one finding.
func describeVolumeBound(q query.Query, zones []domainLoss) (finding.Finding, bool) {
	f := finding.Finding{Code: finding.N103, Severity: finding.Info}
	var owners, places []change.Ref
	link := finding.Link{}
	for _, l := range zones {
		if len(l.volumeBound) > 0 {
			places = append(places, l.domain)
		}
		owners = append(owners, ownersOf(q.World, l.volumeBound)...)
		for _, fate := range l.volumeBound {
			if len(link.Evidence) < query.MaxListed {
				m := facts.ZonalMounts(q.World, q.World.Pod(fate.Pod.Namespace, fate.Pod.Name))[0]
				link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.PersistentVolume, m.Volume), m.Field, m.Value))
			}
		}
	}
	if len(owners) == 0 {
		return f, false
	}
	owners = facts.UniqueRefs(owners)

	f.Subjects = slices.Concat(owners, places)
	f.Message = sentence.RootedInZone(q.Enumerate(owners), len(owners), message.ListOf(namesOf(places)))
	link.Message = sentence.CauseVolumesLive(q.Enumerate(owners), message.ListOf(namesOf(places)))
	f.Causes = []finding.Link{link, {Message: sentence.CauseNoCopy()}}
	return f, true
}
