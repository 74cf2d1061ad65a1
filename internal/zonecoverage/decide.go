package zonecoverage

import (
	"errors"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// startTimeout is for how long an instance in the zone whose node is not ready is waited for, from when the zone has not been covered.
	startTimeout = 10 * time.Minute
	// restAfterRefusal is for how long no resize follows one that was not carried out.
	restAfterRefusal = 15 * time.Minute
	// restAfterChange is for how long no resize follows one that was not needed any more: what was seen may be some seconds old.
	restAfterChange = time.Minute
	// mostNamed is how many workloads a message names.
	mostNamed = 10
)

// Group is a candidate as its provider has it.
type Group struct {
	Candidate
	// Found is what was read; nil if no provider of the nodes sizes groups, or if Err says why it could not be read.
	Found *cloud.NodeGroup
	Err   error
}

// name is how messages refer to the group.
func (g Group) name() string {
	name := g.Name
	if g.Found != nil {
		name = g.Found.Name
	}
	if name == "" {
		return change.Ref{Kind: string(cluster.Node), Name: g.Nodes[0].Name}.String()
	}
	return change.Ref{Kind: "Group", Name: name}.String()
}

// Facts are what is decided by for one zone.
type Facts struct {
	Policy *v1alpha1.HeadroomPolicy
	// Before is what the policy's status says of the zone; nil if it says nothing.
	Before *v1alpha1.HeadroomZoneStatus
	// Open is the Remediation that resizes a group for the zone now; empty if none does.
	Open string
	// Autoscaler is whether cluster-autoscaler runs.
	Autoscaler metav1.ConditionStatus
	Now        time.Time
}

// Decision is whether a node group is resized for a zone now, and otherwise why not.
type Decision struct {
	Reason string
	Why    message.Sentence
	// Resize is what is wanted, Due whether it is proposed now. Wait is the time after which to decide again although nothing happens; zero is no time.
	Resize *v1alpha1.NodeGroupResize
	Due    bool
	Wait   time.Duration
}

// ClusterAutoscaler says whether a Deployment runs cluster-autoscaler; Unknown if Deployments cannot be read.
func ClusterAutoscaler(world *cluster.Snapshot) metav1.ConditionStatus {
	switch {
	case !world.Knowledge(cluster.Deployment).Known():
		return metav1.ConditionUnknown
	case len(world.ClusterAutoscalers()) > 0:
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// Decide says what is done for a zone, and why not more.
func Decide(z Zone, groups []Group, f Facts) Decision {
	switch z.Covered {
	case metav1.ConditionTrue:
		return Decision{Reason: v1alpha1.ZonesCoveredReason}
	case metav1.ConditionUnknown:
		return Decision{Reason: v1alpha1.ZoneUnreadReason, Why: sentence.ZoneNotModelled(named(z.Unfit))}
	}
	d := decideLacking(z, groups, f)
	d.Why = sentence.ZoneUnfit(z.Name, named(z.Unfit), d.Why)
	return d
}

func decideLacking(z Zone, groups []Group, f Facts) Decision {
	if f.Open != "" {
		return Decision{Reason: v1alpha1.ZoneResizingReason, Why: sentence.ZoneResizing(remediation(f.Open))}
	}
	if last := lastResize(f); last != nil && hasFailed(last.Reason) && last.Generation == f.Policy.Generation {
		return Decision{Reason: v1alpha1.ZoneResizeFailedReason, Why: sentence.ZoneResizeFailed(remediation(last.Remediation), last.Message)}
	}
	if f.Policy.AddsNodes() {
		return decidePlaceholders(z, f)
	}
	d, g := choose(z, groups, f)
	if d.Resize == nil {
		return d
	}
	return whetherDue(d, g, f)
}

// whetherDue says of the resize of a group whether it is proposed now.
func whetherDue(d Decision, g Group, f Facts) Decision {
	lack := lackOf(f.Policy)
	left := lack
	if f.Before != nil && f.Before.LackingSince != nil {
		left = lack - f.Now.Sub(f.Before.LackingSince.Time)
	}
	if last := lastResize(f); last != nil && last.Reason == v1alpha1.RemediationNotNeededReason {
		left = max(left, restAfterChange-f.Now.Sub(last.EndedAt.Time))
	}
	switch last := lastResize(f); {
	case f.Policy.Spec.Mode != v1alpha1.ModeAuto:
		d.Reason, d.Why = v1alpha1.ZoneReportOnlyReason, sentence.ZoneNotAsked(g.name(), g.Found.Desired, d.Resize.Desired)
	case f.Policy.Spec.Paused:
		d.Reason, d.Why = v1alpha1.PolicyPausedReason, sentence.GuardPaused()
	case last != nil && rests(last.Reason) && f.Now.Sub(last.EndedAt.Time) < restAfterRefusal && last.Generation == f.Policy.Generation:
		d.Reason, d.Wait = v1alpha1.ZoneLackingReason, restAfterRefusal-f.Now.Sub(last.EndedAt.Time)
		if last.Reason == v1alpha1.RemediationRefusedReason {
			d.Reason = v1alpha1.PolicyNotPermittedReason
		}
		d.Why = sentence.ZoneResizeRests(remediation(last.Remediation), int(restAfterRefusal.Minutes()), last.Message)
	default:
		d.Reason, d.Due, d.Wait = v1alpha1.ZoneLackingReason, left <= 0, max(left, 0)
		d.Why = sentence.ZoneLacking(g.name(), d.Resize.Desired, int(lack.Seconds()))
	}
	return d
}

// choose is the resize of the group that places the most pods, and of those that adds the fewest nodes; otherwise why the first cannot.
func choose(z Zone, groups []Group, f Facts) (Decision, Group) {
	var best *Decision
	var of Group
	for _, g := range groups {
		d := plan(z, g, f)
		if best == nil || d.Resize != nil && (best.Resize == nil || isBetter(d, g, *best, of)) {
			best, of = &d, g
		}
	}
	if best == nil {
		return Decision{Reason: v1alpha1.ZoneNoNodeGroupReason, Why: sentence.ZoneNoGroup(z.Name)}, of
	}
	return *best, of
}

// isBetter says whether the resize of a group is better than that of another.
func isBetter(d Decision, g Group, than Decision, of Group) bool {
	if g.Placed != of.Placed {
		return g.Placed > of.Placed
	}
	return d.Resize.Desired-g.Found.Desired < than.Resize.Desired-of.Found.Desired
}

// plan is the resize of one group for a zone, or why there is none.
func plan(z Zone, g Group, f Facts) Decision {
	if d := obstacle(z, g, f); d.Reason != "" {
		return d
	}
	needed := max(1, g.Needed)
	to, _ := query.SizeFor(g.Found.Zones, z.Name, needed)
	most := mostAdded(f.Policy)
	switch {
	case to > g.Found.Max:
		return Decision{Reason: v1alpha1.ZoneMaximumReachedReason, Why: sentence.ZoneMaximum(g.name(), to, needed, g.Found.Max)}
	case to-g.Found.Desired > most:
		return Decision{Reason: v1alpha1.ZoneMaximumReachedReason, Why: sentence.ZoneTooMany(g.name(), to-g.Found.Desired, needed, most)}
	case to <= g.Found.Desired: // Auto Scaling is about to end instances; which, is not known.
		return Decision{Reason: v1alpha1.ZoneResizingReason, Why: sentence.ZoneGroupUpdating(g.name())}
	}
	return Decision{Resize: &v1alpha1.NodeGroupResize{Group: g.Found.Name, Cluster: g.Found.Cluster, Zone: z.Name, Desired: to, Min: to}}
}

// obstacle is why a group is not resized for a zone whatever the size would be; its reason is empty if there is none.
func obstacle(z Zone, g Group, f Facts) Decision {
	if g.Provider == change.Karpenter {
		return Decision{Reason: v1alpha1.ZoneAutoscalerReason, Why: sentence.ZoneKarpenter(g.name())}
	}
	if g.Found == nil {
		return Decision{Reason: v1alpha1.ZoneUnreadReason, Why: unread(g)}
	}
	zones := slices.Sorted(maps.Keys(g.Found.Zones))
	running := 0
	for _, n := range g.Found.Zones {
		running += n
	}
	switch {
	case !slices.Contains(zones, z.Name):
		return Decision{Reason: v1alpha1.ZoneNoNodeGroupReason, Why: sentence.ZoneGroupElsewhere(g.name(), message.ListOf(zones))}
	case f.Autoscaler == metav1.ConditionTrue || g.Found.Autoscaled:
		return Decision{Reason: v1alpha1.ZoneAutoscalerReason, Why: sentence.ZoneAutoscaler(g.name(), len(zones))}
	case f.Autoscaler == metav1.ConditionUnknown:
		return Decision{Reason: v1alpha1.ZoneUnreadReason, Why: sentence.ZoneAutoscalerUnknown(g.name())}
	case g.Found.Updating || g.Found.Desired > running:
		return Decision{Reason: v1alpha1.ZoneResizingReason, Why: sentence.ZoneGroupUpdating(g.name())}
	case g.Found.LaunchSuspended:
		return Decision{Reason: v1alpha1.ZoneNoNodeGroupReason, Why: sentence.ZoneLaunchSuspended(g.name())}
	case g.Found.Zones[z.Name] > readyIn(g.Nodes, z.Name) && !lackedFor(f, startTimeout):
		return Decision{Reason: v1alpha1.ZoneNodeStartingReason, Why: sentence.ZoneNodeStarting(g.name())}
	}
	return Decision{}
}

func unread(g Group) message.Sentence {
	if g.Err == nil {
		return sentence.ZoneNoAccess()
	}
	permission := ""
	if refused, is := errors.AsType[*cloud.RefusedError](g.Err); is {
		permission = refused.Permission
	}
	return sentence.ZoneGroupUnread(g.name(), permission, g.Err.Error())
}

// readyIn counts the ready nodes of a zone, cordoned ones included.
func readyIn(nodes []*corev1.Node, zone string) int {
	n := 0
	for _, node := range nodes {
		if kube.IsNodeReady(node) && cluster.Zone(node) == zone {
			n++
		}
	}
	return n
}

// lackedFor says whether the zone has not been covered for a time.
func lackedFor(f Facts, d time.Duration) bool {
	return f.Before != nil && f.Before.LackingSince != nil && f.Now.Sub(f.Before.LackingSince.Time) >= d
}

func lastResize(f Facts) *v1alpha1.HeadroomZoneResize {
	if f.Before == nil {
		return nil
	}
	return f.Before.Resize
}

// hasFailed says whether a resize that ended so was carried out, or decided against by a person, without covering the zone.
func hasFailed(reason string) bool {
	return slices.Contains([]string{
		v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationNotAsForecastReason, v1alpha1.RemediationRejectedReason, v1alpha1.RemediationAbortedReason,
	}, reason)
}

// rests says whether a resize that ended so was not carried out.
func rests(reason string) bool {
	return reason == v1alpha1.RemediationRefusedReason || reason == v1alpha1.RemediationGaveUpReason
}

func remediation(name string) string { return "remediation/" + name }

// named are workloads in words, the first of them.
func named(refs []change.Ref) message.List {
	var names []string
	for _, ref := range refs[:min(len(refs), mostNamed)] {
		names = append(names, change.NamespacedRef(ref).String())
	}
	return message.ListOf(names)
}
