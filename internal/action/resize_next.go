package action

import (
	"errors"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// resizeInterval is the time between two looks at an update or at the nodes.
	resizeInterval = 5 * time.Second
	// resizeTimeout is for how long a step may take: the request, while another update is in progress; and the new node, until it is ready.
	resizeTimeout = 15 * time.Minute
)

// resizeEffect is what a resizeTransition does beside what it records. Each is idempotent.
type resizeEffect string

const (
	noResizeEffect resizeEffect = ""
	startResize    resizeEffect = "start"  // runs the guard's checks, and begins with the request
	resizeGroup    resizeEffect = "resize" // requests the size
	verifyResize   resizeEffect = "verify" // follows the update, and looks for the node
)

// resizeTransition is the next change of a Remediation of a HeadroomPolicy: its effect, or what is recorded, then after what time to observe again.
type resizeTransition struct {
	end          *stepEnd
	begin        *v1alpha1.Step
	conclude     *conclusion
	effect       resizeEffect
	requeueAfter time.Duration
}

// apply is what a transition records.
func (t resizeTransition) apply(status *v1alpha1.RemediationStatus, now time.Time) {
	rebalanceTransition{end: t.end, begin: t.begin, conclude: t.conclude}.apply(status, now)
}

// nextResize is the next transition of a Remediation of a HeadroomPolicy. Once a size was requested, it is followed to its end whatever the policy says: what
// was requested cannot be taken back.
func nextResize(r *v1alpha1.Remediation, policy *v1alpha1.HeadroomPolicy, now time.Time) resizeTransition {
	switch {
	case r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil:
		return resizeTransition{}
	case r.Annotations[v1alpha1.RemediationAbortAnnotation] == "true":
		return stopResize(r, conclude(v1alpha1.RemediationAbortedReason, sentence.ActionAborted()))
	case r.Spec.Approval == v1alpha1.Rejected:
		return stopResize(r, conclude(v1alpha1.RemediationRejectedReason, sentence.GuardRejected()))
	case !isResize(r):
		return stopResize(r, conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionLost()))
	}
	return unlessStopped(r, policy, now)
}

// unlessStopped is the next transition of a Remediation that no person has stopped.
func unlessStopped(r *v1alpha1.Remediation, policy *v1alpha1.HeadroomPolicy, now time.Time) resizeTransition {
	last := lastStep(r)
	requested := last.Name == v1alpha1.StepVerify || last.EndedAt != nil
	switch {
	case policy == nil && !requested:
		return stopResize(r, conclude(v1alpha1.RemediationNotAskedReason, sentence.ActionPolicyGone()))
	case policy != nil && !requested && !wantsResize(policy):
		return stopResize(r, conclude(v1alpha1.RemediationNotAskedReason, sentence.ZoneNotAskedAny()))
	case r.Status.Phase != v1alpha1.PhaseRunning:
		return resizeTransition{effect: startResize}
	case last.Name == v1alpha1.StepAct && last.EndedAt == nil:
		return resizeTransition{effect: resizeGroup}
	case last.Name == v1alpha1.StepAct:
		return resizeTransition{begin: &v1alpha1.Step{Name: v1alpha1.StepVerify, StartedAt: metav1.NewMicroTime(now)}}
	}
	return resizeTransition{effect: verifyResize}
}

// wantsResize says whether a policy has zones covered.
func wantsResize(policy *v1alpha1.HeadroomPolicy) bool {
	return policy.Spec.ZoneCoverage != nil && policy.Spec.Mode == v1alpha1.ModeAuto
}

// isResize says whether a Remediation is as the controller writes it: one resize, and its steps in their order.
func isResize(r *v1alpha1.Remediation) bool {
	if len(r.Spec.Changes) != 1 || len(r.Status.Steps) > 2 || r.Status.Phase == v1alpha1.PhaseRunning && len(r.Status.Steps) == 0 {
		return false
	}
	for i, step := range r.Status.Steps {
		if want := []v1alpha1.StepName{v1alpha1.StepAct, v1alpha1.StepVerify}[i]; step.Name != want {
			return false
		}
	}
	_, is := r.Spec.Changes[0].Resize()
	return is
}

// stopResize ends a Remediation, and the step that it is in.
func stopResize(r *v1alpha1.Remediation, with *conclusion) resizeTransition {
	t := resizeTransition{conclude: with}
	if n := len(r.Status.Steps); n > 0 && r.Status.Steps[n-1].EndedAt == nil {
		t.end = &stepEnd{result: v1alpha1.StepSkipped}
	}
	return t
}

// unneeded ends a Remediation that has not begun, if the zone is covered, or the group is not the one that it was planned for.
func unneeded(resize v1alpha1.NodeGroupResize, covered bool, group *cloud.NodeGroup) resizeTransition {
	_, spans := group.Zones[resize.Zone]
	switch {
	case covered:
		return resizeTransition{conclude: conclude(v1alpha1.RemediationNotNeededReason, sentence.ZoneNotNeeded(resize.Zone))}
	case group.Desired >= resize.Desired || group.Max < resize.Desired || !spans:
		return resizeTransition{conclude: conclude(v1alpha1.RemediationNotNeededReason, sentence.ZoneGroupChanged(groupName(resize)))}
	}
	return resizeTransition{}
}

// beforeResize says what becomes of the request for a group as it was just read, unless the request is to be made: somebody else may have resized the group, or
// a process that made the request was killed before it was recorded.
func beforeResize(r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, group *cloud.NodeGroup, now time.Time) (resizeTransition, bool) {
	switch {
	case group.Desired >= resize.Desired:
		return resizeTransition{end: doneWith(sentence.ZoneGroupLarger(groupName(resize), group.Desired))}, true
	case strconv.Itoa(group.Desired) != lastStep(r).Before || group.Max < resize.Desired:
		return stopResize(r, conclude(v1alpha1.RemediationNotNeededReason, sentence.ZoneGroupChanged(groupName(resize)))), true
	case group.Updating:
		return orTimeout(r, resize, cloud.ErrPassing, now), true
	}
	return resizeTransition{}, false
}

// afterResize is what a request came to.
func afterResize(r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, operation cloud.Operation, err error, now time.Time) resizeTransition {
	if err == nil {
		end := doneWith(sentence.ZoneGroupResized(groupName(resize), lastStep(r).Before, resize.Desired, resize.Min))
		end.operation = operation.ID
		return resizeTransition{end: end}
	}
	if errors.Is(err, cloud.ErrPassing) || errors.Is(err, cloud.ErrUnsure) { // The group is read again before another request.
		return orTimeout(r, resize, err, now)
	}
	reason, why := v1alpha1.RemediationGaveUpReason, sentence.ZoneResizeNotAnswered(groupName(resize), err.Error())
	if refused, is := errors.AsType[*cloud.RefusedError](err); is {
		reason, why = v1alpha1.RemediationRefusedReason, sentence.ZoneResizeRefused(groupName(resize), refused.Permission, err.Error())
	}
	return resizeTransition{end: failed(why), conclude: conclude(reason, why)}
}

// orTimeout tries again later, until the step has taken too long.
func orTimeout(r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, err error, now time.Time) resizeTransition {
	if now.Sub(lastStep(r).StartedAt.Time) < resizeTimeout {
		return resizeTransition{requeueAfter: resizeInterval}
	}
	why := sentence.ZoneResizeNotAnswered(groupName(resize), err.Error())
	return resizeTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationGaveUpReason, why)}
}

// followed says what becomes of a Remediation by the state of the provider's update, unless the update has ended well. An update that cannot be read is left
// out: the nodes tell whether it helped.
func followed(r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, state cloud.ResizeState, err error, now time.Time) (resizeTransition, bool) {
	switch {
	case err != nil:
		return resizeTransition{}, false
	case state.Failed != "":
		why := sentence.ZoneUpdateFailed(groupName(resize), state.Failed)
		return resizeTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationDidNotHelpReason, why)}, true
	case !state.Ended && now.Sub(lastStep(r).StartedAt.Time) < resizeTimeout:
		return resizeTransition{requeueAfter: resizeInterval}, true
	}
	return resizeTransition{}, false
}

// orUnfollowed adds to an outcome why the provider's update could not be followed; nil if it could.
func orUnfollowed(outcome message.Sentence, unread error) message.Sentence {
	if unread == nil {
		return outcome
	}
	permission := ""
	if refused, is := errors.AsType[*cloud.RefusedError](unread); is {
		permission = refused.Permission
	}
	return sentence.ZoneUpdateUnread(outcome, permission, unread.Error())
}

// verifiedResize looks for a new ready node in the zone with which the zone is covered. If all nodes that the resize adds are ready elsewhere, it has failed. The
// outcome tells why the provider's update could not be followed, if unread is not nil.
func verifiedResize(r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, nodes []*corev1.Node, covered bool, unread error, now time.Time) resizeTransition {
	began := r.Status.Steps[0].StartedAt.Truncate(time.Second)
	var added []string
	inZone := ""
	for _, node := range nodes {
		if node.CreationTimestamp.Time.Before(began) || !kube.IsNodeReady(node) || cluster.GroupName(node) != managedName(resize) {
			continue
		}
		ref := change.Ref{Kind: string(cluster.Node), Name: node.Name}.String()
		added = append(added, ref+" ("+cluster.Zone(node)+")")
		if cluster.Zone(node) == resize.Zone {
			inZone = ref
		}
	}
	before, err := strconv.Atoi(r.Status.Steps[0].Before)
	wanted := resize.Desired - before
	switch {
	case inZone != "" && covered:
		why := orUnfollowed(sentence.ZoneNodeReady(inZone, resize.Zone), unread)
		return resizeTransition{end: doneWith(why), conclude: conclude(v1alpha1.RemediationAsForecastReason, why)}
	case inZone == "" && err == nil && len(added) >= wanted:
		why := orUnfollowed(sentence.ZoneElsewhere(groupName(resize), message.ListOf(added), resize.Zone), unread)
		return resizeTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationNotAsForecastReason, why)}
	case now.Sub(lastStep(r).StartedAt.Time) < resizeTimeout:
		return resizeTransition{requeueAfter: resizeInterval}
	}
	why := sentence.ZoneNoNode(groupName(resize), resize.Zone, resizeTimeout.String())
	if inZone != "" {
		why = sentence.ZoneNodeNotEnough(inZone, resize.Zone)
	}
	why = orUnfollowed(why, unread)
	return resizeTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationDidNotHelpReason, why)}
}

// managedName is the name of the group in a label of its nodes; nodes of an Auto Scaling group of no managed node group have none.
func managedName(resize v1alpha1.NodeGroupResize) string {
	if resize.Cluster == "" {
		return ""
	}
	return resize.Group
}

func groupName(resize v1alpha1.NodeGroupResize) string {
	return change.Ref{Kind: "Group", Name: resize.Group}.String()
}
