package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ResizesLeft are the resizes that still help, given the autoscaler's report about the pod: none once it has requested a node; at the maximum
// size, the same with a higher maximum.
func (q Query) ResizesLeft(pod *corev1.Pod, proposals []ProposedRemedy) []ProposedRemedy {
	switch {
	case ScaleUpPending(q, pod):
		return nil
	case !GroupsAtMaximum(q, pod):
		return proposals
	}
	var raised []ProposedRemedy
	for _, proposal := range proposals {
		if w, ok := q.raiseMaximum(proposal); ok {
			raised = append(raised, w)
		}
	}
	return raised
}

// raiseMaximum replaces a resize of a group whose sizes are not known with a higher maximum, so that the autoscaler resizes the group; false if the provider has
// no command for it.
func (q Query) raiseMaximum(proposal ProposedRemedy) (ProposedRemedy, bool) {
	resize, ok := proposal.Change.(change.ResizeGroup)
	if !ok {
		return ProposedRemedy{}, false
	}
	for _, group := range q.World.Groups() {
		if group.Name != resize.Group {
			continue
		}
		switch {
		case q.HasSizes(group): // The resize raises the maximum if it must be raised: it may be another group that is at its maximum.
			return proposal, true
		case resize.RaiseMaximum() == "":
			return ProposedRemedy{}, false
		}
		before := 0
		for _, n := range NodesByZone(group) {
			before += n
		}

		raised := q.Propose(resize, sentence.RemedyRaiseMax(facts.GroupRef(group), resize.To, resize.To-before), sentence.RemedyResizeCost(InstanceType(group), resize.To-before), sentence.RemedyRaiseMaxRisk())
		raised.Command = resize.RaiseMaximum()
		return raised, true
	}
	return ProposedRemedy{}, false
}

// AutoscalerRemedies are remedies for what keeps an autoscaler from adding a node. They cannot be verified: quotas and limits are not
// simulated.
func (q Query) AutoscalerRemedies(pod *corev1.Pod, c GroupCandidates) []finding.Remedy {
	var proposals []finding.Remedy
	for _, s := range AutoscalerReports(q, pod) {
		if s.QuotaExceeded() {
			proposals = append(proposals, q.quotaRemedy(s, c)...)
		}
		if pool := s.limitingNodePool(); pool != "" {
			proposals = append(proposals, q.LimitRemedy(pool))
		}
	}
	return proposals
}

// quotaRemedy is the command that shows which of the cloud's quotas is used up.
func (q Query) quotaRemedy(s AutoscalerReport, c GroupCandidates) []finding.Remedy {
	provider, region := change.Provider(""), s.RegionOfFailure()
	groups := q.World.Groups()
	if len(c.Suitable) > 0 {
		groups = append(groups[:0:0], c.Suitable[0].Group)
	}
	if len(groups) > 0 {
		provider = groups[0].Provider
		if region == "" {
			region = groups[0].Region()
		}
	}
	if strings.Contains(s.Event.Message, "GCE") { // Nodes of Autopilot have no label with the name of their node pool.
		provider = change.GKE
	}
	command := change.Quotas(provider, region)
	if command == "" {
		return nil
	}
	return []finding.Remedy{{
		Message: sentence.RemedyCloudQuota(region), Command: command,
		Cost: sentence.RemedyCloudQuotaCost(), Risk: sentence.RemedyCloudQuotaRisk(),
	}}
}
