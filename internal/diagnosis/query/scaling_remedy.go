package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Sizable are ways to size groups that what the autoscaler says of the pod leaves: none once it has asked the cloud for a node, and
// at the maximum the same with the maximum raised.
func (v View) Sizable(pod *corev1.Pod, ways []Way) []Way {
	switch {
	case Scaled(v, pod):
		return nil
	case !AtMaximum(v, pod):
		return ways
	}
	var raised []Way
	for _, way := range ways {
		if w, ok := v.raiseMaximum(way); ok {
			raised = append(raised, w)
		}
	}
	return raised
}

// raiseMaximum lets the autoscaler size the group that a way would size itself; false if the provider has no command for it.
func (v View) raiseMaximum(way Way) (Way, bool) {
	resize, ok := way.Change.(change.ResizeGroup)
	if !ok || resize.RaiseMaximum() == "" {
		return Way{}, false
	}
	for _, group := range v.World.Groups() {
		if group.Name != resize.Group {
			continue
		}
		before := 0
		for _, n := range Standing(group) {
			before += n
		}
		args := message.Args{"group": facts.GroupRef(group), "to": resize.To, "more": resize.To - before, "type": InstanceType(group)}
		raised := v.Way(resize, message.RemedyRaiseMax, message.RemedyResizeCost, message.RemedyRaiseMaxRisk, args)
		raised.Command = resize.RaiseMaximum()
		return raised, true
	}
	return Way{}, false
}

// ScalingRemedies are ways past what an autoscaler says keeps it from adding a node. No simulation can tell of quotas and limits.
func (v View) ScalingRemedies(pod *corev1.Pod, c Candidates) []finding.Remedy {
	var ways []finding.Remedy
	for _, s := range Scalings(v, pod) {
		if s.ForQuota() {
			ways = append(ways, v.quotaRemedy(s, c)...)
		}
		if pool := s.refusedByLimit(); pool != "" {
			ways = append(ways, v.LimitRemedy(pool))
		}
	}
	return ways
}

// quotaRemedy is how to see which of the cloud's quotas is used up.
func (v View) quotaRemedy(s Scaling, c Candidates) []finding.Remedy {
	provider, region := change.Provider(""), s.RegionOfFailure()
	groups := v.World.Groups()
	if len(c.Suited) > 0 {
		groups = append(groups[:0:0], c.Suited[0].Group)
	}
	if len(groups) > 0 {
		provider = groups[0].Provider
		if region == "" {
			region = groups[0].Region()
		}
	}
	if strings.Contains(s.Event.Message, "GCE") { // Autopilot's nodes carry no label of a node pool that is seen.
		provider = change.GKE
	}
	command := change.Quotas(provider, region)
	if command == "" {
		return nil
	}
	return []finding.Remedy{{
		Message: v.Say.Text(message.RemedyCloudQuota, message.Args{"region": region}), Command: command,
		Cost: v.Say.Text(message.RemedyCloudQuotaCost, nil), Risk: v.Say.Text(message.RemedyCloudQuotaRisk, nil),
	}}
}
