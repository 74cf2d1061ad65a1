package repaircheck

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/message"
)

// Report is one thing that an agent can report.
type Report struct {
	Agent     Agent
	Condition string
	// Status is the condition's when it is ill.
	Status metav1.ConditionStatus
	Reason string
	// Severity says whether it turns the condition (fatal), is an Event only (warning), or is switched off.
	Severity reason.Severity
	// Never says why it does not come although it is documented; empty if it does.
	Never message.ID
	// Lasts is for how long the condition stands after the last evidence; zero is as long as the fault does.
	Lasts time.Duration
}

// ofNaosu are what naosu's agent reports, as it is configured.
func ofNaosu(f *Facts) []Report {
	reports := make([]Report, 0, len(reason.Catalogue)+len(f.OwnReasons))
	for _, r := range slices.Concat(reason.Catalogue, f.OwnReasons) {
		severity := r.Severity
		if configured, ok := f.Configured[r.ID]; ok {
			severity = configured
		}
		reports = append(reports, Report{
			Agent: Naosu, Condition: string(r.Condition), Status: metav1.ConditionFalse, Reason: string(r.ID), Severity: severity, Lasts: r.Clears.Quiet,
		})
	}
	return reports
}

// kubelets is what the kubelet reports of itself, and the node lifecycle controller of a kubelet that is silent
// (kubernetes pkg/kubelet/nodestatus/setters.go, pkg/controller/nodelifecycle).
var kubelets = []Report{
	{Agent: Kubelet, Condition: string(corev1.NodeReady), Status: metav1.ConditionFalse, Reason: "KubeletNotReady", Severity: reason.Fatal},
	{Agent: Kubelet, Condition: string(corev1.NodeReady), Status: metav1.ConditionUnknown, Reason: "NodeStatusUnknown", Severity: reason.Fatal},
}

// reportsOf are all that an agent can report.
func reportsOf(agent Agent, f *Facts) []Report {
	switch agent {
	case Naosu:
		return ofNaosu(f)
	case EKS:
		return ofEKS
	case NPD:
		return ofNPD
	case Kubelet:
		return kubelets
	}
	return nil
}

// seen are the agents of which pods or conditions tell. What node-problem-detector and the EKS agent report depends on what
// they were configured for and what hardware there is: only conditions that are on some node count for them, unless there
// are none at all, which is silence.
func seen(f *Facts) []Report {
	on := map[Agent]map[string]bool{}
	for _, node := range f.Nodes {
		for _, c := range node.Status.Conditions {
			if agent := writer(c); agent != Nobody {
				if on[agent] == nil {
					on[agent] = map[string]bool{}
				}
				on[agent][string(c.Type)] = true
			}
		}
	}
	var reports []Report
	for _, agent := range []Agent{Kubelet, Naosu, EKS, NPD} {
		if on[agent] == nil && !slices.Contains(f.Agents, agent) {
			continue
		}
		for _, r := range reportsOf(agent, f) {
			if agent == Naosu && !withoutAll(f.Nodes, r.Condition) || agent != Naosu && len(on[agent]) == 0 || on[agent][r.Condition] {
				reports = append(reports, r)
			}
		}
	}
	return reports
}

// fixed are the reasons of naosu's conditions that no fault has (internal/agent/report).
var fixed = []string{"NoFault", "NotKnown", "NotWatched"}

// writer is the agent that wrote a condition. The EKS agent and naosu's use the same types and tell them apart by what
// they say: naosu's has a line for each reason, or one of three reasons of its own.
func writer(c corev1.NodeCondition) Agent {
	name := string(c.Type)
	switch {
	case c.Type == corev1.NodeReady:
		return Kubelet
	case slices.Contains(reason.Conditions, reason.Condition(name)):
		if slices.Contains(fixed, c.Reason) || len(reason.Parse(c.Message)) > 0 {
			return Naosu
		}
		return EKS
	case slices.ContainsFunc(ofNPD, func(r Report) bool { return r.Condition == name }):
		return NPD
	}
	return Nobody
}

// blind is why naosu's agent cannot tell a reason on a node; empty if it can.
func blind(c corev1.NodeCondition, id string) string {
	for line := range strings.Lines(c.Message) {
		if what, why, is := strings.Cut(strings.TrimSpace(line), " unknown: "); is && what == id {
			return why
		}
	}
	return ""
}
