package zonecoverage

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
	"github.com/naosu-dev/naosu/internal/zonecoverage"
)

// longestMessage, mostZones and mostWorkloads are what the status holds at most.
const longestMessage, mostZones, mostWorkloads = 4096, 100, 100

// observation is what is known and decided of the zones for a policy.
type observation struct {
	at     time.Time
	asked  bool
	unread []cluster.Kind
	zones  []observedZone
	// wait is the time after which to decide again although nothing happens.
	wait time.Duration
}

type observedZone struct {
	zonecoverage.Zone
	facts    zonecoverage.Facts
	decision zonecoverage.Decision
	status   v1alpha1.HeadroomZoneStatus
}

func hasStatus(policy *v1alpha1.HeadroomPolicy) bool {
	return len(policy.Status.Zones) > 0 || meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.ZonesCovered) != nil
}

// observe decides for each zone. Node groups are read only for zones that are not covered.
func (c *Reconciler) observe(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, coverage zonecoverage.Coverage, remediations []v1alpha1.Remediation) observation {
	o := observation{at: c.Clock.Now(), asked: policy.Spec.ZoneCoverage != nil, unread: coverage.Unread, wait: resyncInterval}
	if !o.asked {
		return o
	}
	for _, zone := range coverage.Zones[:min(len(coverage.Zones), mostZones)] {
		before := v1alpha1.HeadroomZoneStatus{}
		if at := slices.IndexFunc(policy.Status.Zones, func(s v1alpha1.HeadroomZoneStatus) bool { return s.Name == zone.Name }); at >= 0 {
			before = policy.Status.Zones[at]
		}
		before.Resize = zonecoverage.LastResize(policy, zone.Name, before.Resize, remediations)
		facts := zonecoverage.Facts{
			Policy: policy, Before: &before, Open: zonecoverage.OpenFor(zone.Name, remediations), Autoscaler: zonecoverage.ClusterAutoscaler(world), Now: o.at,
		}
		var groups []zonecoverage.Group
		if !policy.AddsNodes() {
			groups = c.read(ctx, zone.Candidates)
		}
		d := zonecoverage.Decide(zone, groups, facts)
		if d.Wait > 0 {
			o.wait = min(o.wait, d.Wait)
		}
		o.zones = append(o.zones, observedZone{zone, facts, d, statusOf(zone, d, before, o.at)})
	}
	return o
}

// statusOf is what the status says of a zone.
func statusOf(zone zonecoverage.Zone, d zonecoverage.Decision, before v1alpha1.HeadroomZoneStatus, now time.Time) v1alpha1.HeadroomZoneStatus {
	s := v1alpha1.HeadroomZoneStatus{Name: zone.Name, Covered: zone.Covered, Reason: d.Reason, Placeholders: before.Placeholders, Resize: before.Resize}
	if d.Why.ID != "" {
		s.Message = english(d.Why)
	}
	for _, ref := range zone.Workloads[:min(len(zone.Workloads), mostWorkloads)] {
		s.Workloads = append(s.Workloads, change.NamespacedRef(ref).String())
	}
	if zone.Covered == metav1.ConditionFalse {
		if s.LackingSince = before.LackingSince; s.LackingSince == nil {
			s.LackingSince = new(metav1.NewTime(now.Truncate(time.Second)))
		}
	}
	return s
}

// condition is ZonesCovered.
func (o observation) condition(policy *v1alpha1.HeadroomPolicy) metav1.Condition {
	c := metav1.Condition{
		Type: v1alpha1.ZonesCovered, Status: metav1.ConditionTrue, Reason: v1alpha1.ZonesCoveredReason, ObservedGeneration: policy.Generation, LastTransitionTime: metav1.NewTime(o.at),
	}
	if len(o.unread) > 0 {
		var kinds []string
		for _, kind := range o.unread {
			kinds = append(kinds, string(kind))
		}
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, v1alpha1.ZoneUnreadReason, english(sentence.ZoneUnread(message.ListOf(kinds)))
		return c
	}
	var worst *observedZone
	var names []string
	for i := range o.zones {
		if z := &o.zones[i]; z.Covered != metav1.ConditionTrue {
			names = append(names, z.Name)
			if worst == nil || worst.Covered == metav1.ConditionUnknown && z.Covered == metav1.ConditionFalse {
				worst = z
			}
		}
	}
	switch {
	case worst != nil:
		c.Status, c.Reason, c.Message = worst.Covered, worst.decision.Reason, english(sentence.ZonesNotCovered(message.ListOf(names), worst.decision.Why))
	case len(o.zones) == 0:
		c.Message = english(sentence.ZonesNoVolumes())
	default:
		c.Message = english(sentence.ZonesCoveredAll(len(o.zones)))
	}
	return c
}

// updateStatus writes the zones of a policy, and makes an Event when they are covered no longer, or again. What cannot be read leaves the zones as they were.
func (c *Reconciler) updateStatus(ctx context.Context, policy *v1alpha1.HeadroomPolicy, o observation) (*v1alpha1.HeadroomPolicy, error) {
	before := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.ZonesCovered)
	condition := o.condition(policy)
	var zones []v1alpha1.HeadroomZoneStatus
	for _, z := range o.zones {
		zones = append(zones, z.status)
	}
	c.counts.set(policy.Name, zones)
	written, err := c.Records.UpdateHeadroomPolicyStatus(ctx, policy, func(s *v1alpha1.HeadroomPolicyStatus) {
		if !o.asked {
			s.Zones = nil
			meta.RemoveStatusCondition(&s.Conditions, v1alpha1.ZonesCovered)
			return
		}
		meta.SetStatusCondition(&s.Conditions, condition)
		if len(o.unread) > 0 {
			return
		}
		s.Zones = zones
	})
	if err != nil || !o.asked || before == nil || before.Status == condition.Status {
		return written, err
	}
	kind, reason := corev1.EventTypeNormal, "ZonesCovered"
	if condition.Status != metav1.ConditionTrue {
		kind, reason = corev1.EventTypeWarning, "ZonesNotCovered"
	}
	c.Records.Event(reference(policy.Name, policy.UID), kind, reason, "Assess", condition.Message)
	return written, nil
}

// english is what a status says.
func english(why message.Sentence) string {
	return textutil.Truncate(message.English().Say(why), longestMessage)
}

// reference is a policy that Events are about.
func reference(name string, uid types.UID) *v1alpha1.HeadroomPolicy {
	policy := &v1alpha1.HeadroomPolicy{}
	policy.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.HeadroomPolicyKind))
	policy.Name, policy.UID = name, uid
	return policy
}

// noteUpdate logs what has changed in the status of a Remediation, and makes an Event of its beginning and its end.
func (c *Reconciler) noteUpdate(before, after *v1alpha1.Remediation) {
	log := c.Log.WithValues("remediation", after.Name, "policy", after.Spec.Policy.Name)
	for i, step := range after.Status.Steps {
		if step.EndedAt != nil && (i >= len(before.Status.Steps) || before.Status.Steps[i].EndedAt == nil) {
			log.Info("Step ended", "step", step.Name, "result", step.Result, "message", step.Message)
		}
	}
	if before.Status.Phase == after.Status.Phase {
		return
	}
	log.Info("Phase changed", "phase", after.Status.Phase)
	policy := reference(after.Spec.Policy.Name, after.Spec.Policy.UID)
	end := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.RemediationSucceeded)
	switch {
	case end != nil:
		kind := corev1.EventTypeNormal
		switch end.Reason {
		case v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationRefusedReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationNotAsForecastReason:
			kind = corev1.EventTypeWarning
		}
		c.Records.Event(policy, kind, "Resize"+end.Reason, string(v1alpha1.ActionResizeNodeGroup), end.Message)
	case after.Status.Phase == v1alpha1.PhaseRunning:
		resize, _ := after.Spec.Changes[0].Resize()
		began := sentence.ZoneResizeBegan("remediation/"+after.Name, "group/"+resize.Group, resize.Desired, resize.Zone)
		c.Records.Event(policy, corev1.EventTypeNormal, "ResizeBegan", string(v1alpha1.ActionResizeNodeGroup), message.English().Say(began))
	}
}
