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
	// Status is the condition's status when something is wrong.
	Status metav1.ConditionStatus
	Reason string
	// Severity says whether it changes the condition (fatal), is an Event only (warning), or is disabled.
	Severity reason.Severity
	// NeverReported says why the agent does not report it although it is documented; empty if it does.
	NeverReported message.Sentence
	// Lasts is for how long the condition keeps its status after the last evidence; zero is as long as the fault lasts.
	Lasts time.Duration
}

// naosuReports are what naosu's agent reports, as it is configured.
func naosuReports(f *Facts) []Report {
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

// kubeletReports is what the kubelet reports of itself, and the node lifecycle controller of a kubelet that is silent
// (kubernetes pkg/kubelet/nodestatus/setters.go, pkg/controller/nodelifecycle).
var kubeletReports = []Report{
	{Agent: Kubelet, Condition: string(corev1.NodeReady), Status: metav1.ConditionFalse, Reason: "KubeletNotReady", Severity: reason.Fatal},
	{Agent: Kubelet, Condition: string(corev1.NodeReady), Status: metav1.ConditionUnknown, Reason: "NodeStatusUnknown", Severity: reason.Fatal},
}

// agentReports are all that an agent can report.
func agentReports(agent Agent, f *Facts) []Report {
	switch agent {
	case Naosu:
		return naosuReports(f)
	case EKS:
		return eksReports
	case NPD:
		return npdReports
	case Kubelet:
		return kubeletReports
	}
	return nil
}

// clusterReports are the reports of the agents that have pods or conditions in the cluster. What node-problem-detector and the EKS agent
// report depends on their configuration and the hardware: of them only conditions that some node has count, unless no node has any,
// as when they do not report at all.
func clusterReports(f *Facts) []Report {
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
		for _, r := range agentReports(agent, f) {
			if agent == Naosu && !allLackDevice(f.Nodes, r.Condition) || agent != Naosu && len(on[agent]) == 0 || on[agent][r.Condition] {
				reports = append(reports, r)
			}
		}
	}
	return reports
}

// clearedReasons are the reasons of naosu's conditions that are no faults (internal/agent/report).
var clearedReasons = []string{"NoFault", "NotKnown", "NotWatched"}

// writer is the agent that wrote a condition. The EKS agent and naosu's use the same types and tell them apart by what
// they say: naosu's has a line for each reason, or one of three reasons of its own.
func writer(c corev1.NodeCondition) Agent {
	name := string(c.Type)
	switch {
	case c.Type == corev1.NodeReady:
		return Kubelet
	case slices.Contains(reason.Conditions, reason.Condition(name)):
		if slices.Contains(clearedReasons, c.Reason) || len(reason.Parse(c.Message)) > 0 {
			return Naosu
		}
		return EKS
	case slices.ContainsFunc(npdReports, func(r Report) bool { return r.Condition == name }):
		return NPD
	}
	return Nobody
}

// notWatched is why naosu's agent cannot tell a reason on a node; empty if it can.
func notWatched(c corev1.NodeCondition, id string) string {
	for line := range strings.Lines(c.Message) {
		if what, why, is := strings.Cut(strings.TrimSpace(line), " unknown: "); is && what == id {
			return why
		}
	}
	return ""
}
