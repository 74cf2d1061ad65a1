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
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Losses finds N503 and N103: it loses every node and every zone once, in simulation, and sees who would wait.
type Losses struct{}

var _ query.Rule = Losses{}

// Codes of Losses.
func (Losses) Codes() []finding.Code { return []finding.Code{finding.N503, finding.N103} }

// Needs of Losses.
func (Losses) Needs() []cluster.Kind {
	return []cluster.Kind{
		cluster.Node, cluster.Pod, cluster.PersistentVolumeClaim, cluster.PersistentVolume,
		cluster.ReplicaSet, cluster.StatefulSet, cluster.Job,
	}
}

// Concerns the whole world, a node or a zone.
func (Losses) Concerns(v query.View) bool {
	return !v.Now && (v.Subject == nil || v.Subject.Kind == string(cluster.Node) || v.Subject.Kind == "Zone")
}

// Find loses one place after the other.
func (rule Losses) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(rule.Needs()...) || !v.Foresees() {
		return nil
	}
	var nodes, zones []loss
	for _, ref := range Places(v.World) {
		if v.Subject != nil && *v.Subject != ref || ctx.Err() != nil {
			continue
		}
		v.Progress()
		l := lose(ctx, v, ref)
		if ref.Kind == "Zone" {
			zones = append(zones, l)
		} else {
			nodes = append(nodes, l)
		}
	}
	var found []finding.Finding
	if f, ok := scarce(ctx, v, nodes, headroomWords); ok {
		found = append(found, f)
	}
	if f, ok := scarce(ctx, v, zones, zoneWords); ok {
		found = append(found, f)
	}
	if f, ok := rooted(v, zones); ok {
		found = append(found, f)
	}
	return v.Concerning(found)
}

// Places are the nodes that are up, and the zones if there are several. That the only zone takes everything with it
// needs no simulation.
func Places(world *cluster.Snapshot) []change.Ref {
	var nodes, zones []change.Ref
	for _, node := range world.Nodes() {
		if facts.Down(node) {
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

// loss is a place that is lost and who then waits.
type loss struct {
	place change.Ref
	// scarce pods would have to find room elsewhere, and there is none. rooted ones may not leave for their volumes.
	scarce, rooted []simulation.Fate
}

func lostBy(place change.Ref) change.Change {
	if place.Kind == "Zone" {
		return change.LoseZone{Zone: place.Name}
	}
	return change.LoseNode{Node: place.Name}
}

func lose(ctx context.Context, v query.View, place change.Ref) loss {
	l := loss{place: place}
	outcome, ok := v.Future(ctx, lostBy(place))
	if !ok {
		return l
	}
	code := finding.N503
	if place.Kind == "Zone" {
		code = finding.N103
	}
	reachable := map[string]bool{}
	for _, fate := range outcome.Fates {
		pod := v.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if !leftWaiting(fate, pod) || v.PassesOver(code, facts.RefOfWorkload(v.World, pod)) {
			continue
		}
		if tied := facts.ZoneMounts(v.World, pod); len(tied) > 0 && !reaches(outcome.World, tied, reachable) {
			l.rooted = append(l.rooted, fate)
		} else {
			l.scarce = append(l.scarce, fate)
		}
	}
	return l
}

// leftWaiting says whether the loss took a pod's place. Those of negative priority are there to give theirs.
func leftWaiting(fate simulation.Fate, pod *corev1.Pod) bool {
	return fate.Kind == simulation.Waiting && fate.From != "" && pod != nil && !placeholder(pod)
}

// placeholder says whether a pod holds room for others: whoever sets a priority below zero wants it to go first.
func placeholder(pod *corev1.Pod) bool { return pod.Spec.Priority != nil && *pod.Spec.Priority < 0 }

// reaches says whether a node of the world is allowed by all of the volumes. Known keeps the answers: many volumes are tied alike.
func reaches(world *cluster.Snapshot, tied []facts.Mount, known map[string]bool) bool {
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

// lossWords is how the two kinds of loss are told.
type lossWords struct {
	code   finding.Code
	scarce message.ID
}

var (
	headroomWords = lossWords{finding.N503, message.ScarceNode}
	zoneWords     = lossWords{finding.N103, message.ScarceZone}
)

// scarce tells of all the losses that leave pods without room as one: it is the same room that lacks.
func scarce(ctx context.Context, v query.View, losses []loss, words lossWords) (finding.Finding, bool) {
	f := finding.Finding{Code: words.code, Severity: finding.Warning}
	var worst loss
	var bad, owners []change.Ref
	for _, l := range losses {
		if len(l.scarce) == 0 {
			continue
		}
		bad = append(bad, l.place)
		owners = append(owners, ownersOf(v.World, l.scarce)...)
		if len(l.scarce) > len(worst.scarce) {
			worst = l
		}
	}
	if len(bad) == 0 {
		return f, false
	}
	owners = facts.UniqueRefs(owners)
	bad = append([]change.Ref{worst.place}, slices.DeleteFunc(bad, func(r change.Ref) bool { return r == worst.place })...)
	held, holders := heldFree(v.World)
	short := lacking(v.World, worst.scarce)
	args := message.Args{
		"place": worst.place, "n": len(worst.scarce), "workloads": v.Some(ownersOf(v.World, worst.scarce)),
		"others": len(bad) - 1, "total": len(losses), "room": short, "held": held, "holders": holders,
	}
	f.Subjects = slices.Concat(bad[:min(len(bad), query.MostListed)], owners)
	f.Message = v.Say.Text(words.scarce, args)
	f.Causes = []finding.Link{waitLink(v, worst.scarce, args), {Message: v.Say.Text(message.CauseNoPlaceholder, args)}}
	f.Remedies = enlarge(ctx, v, worst)
	return f, true
}

// waitLink says who would wait and why, in the scheduler's words.
func waitLink(v query.View, fates []simulation.Fate, args message.Args) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseWouldWait, args)}
	for _, fate := range fates[:min(len(fates), query.MostListed)] {
		why := v.Say.Say(fate.Why)
		link.Evidence = append(link.Evidence, facts.Fact(fate.Pod, "simulation", why))
	}
	return link
}

func ownersOf(world *cluster.Snapshot, fates []simulation.Fate) []change.Ref {
	var refs []change.Ref
	for _, fate := range fates {
		if pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil {
			refs = append(refs, facts.RefOfWorkload(world, pod))
		}
	}
	return facts.UniqueRefs(refs)
}

// rooted tells, once for all zones, of pods whose volumes live in a zone and die with it.
func rooted(v query.View, zones []loss) (finding.Finding, bool) {
	f := finding.Finding{Code: finding.N103, Severity: finding.Info}
	var owners, places []change.Ref
	link := finding.Link{}
	for _, l := range zones {
		if len(l.rooted) > 0 {
			places = append(places, l.place)
		}
		owners = append(owners, ownersOf(v.World, l.rooted)...)
		for _, fate := range l.rooted {
			if len(link.Evidence) < query.MostListed {
				m := facts.ZoneMounts(v.World, v.World.Pod(fate.Pod.Namespace, fate.Pod.Name))[0]
				link.Evidence = append(link.Evidence, facts.Fact(facts.RefTo(cluster.PersistentVolume, m.Volume), m.Field, m.Value))
			}
		}
	}
	if len(owners) == 0 {
		return f, false
	}
	owners = facts.UniqueRefs(owners)
	args := message.Args{"workloads": v.Some(owners), "n": len(owners), "zones": namesOf(places)}
	f.Subjects = slices.Concat(owners, places)
	f.Message = v.Say.Text(message.RootedInZone, args)
	link.Message = v.Say.Text(message.CauseVolumesLive, args)
	f.Causes = []finding.Link{link, {Message: v.Say.Text(message.CauseNoCopy, args)}}
	return f, true
}
