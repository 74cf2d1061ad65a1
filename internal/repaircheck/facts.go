package repaircheck

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
)

// Facts are what the links are checked by. What could not be read is not known, and no link holds by it.
type Facts struct {
	Now   time.Time
	Nodes []*corev1.Node
	// Groups are the names of the nodes' groups, by the nodes' names.
	Groups map[string]string
	// Agents are those that have pods; others are known by the conditions that they write.
	Agents []Agent
	// Configured are the severities that the configuration of naosu's agent gives to reasons, where it differs from the catalogue.
	Configured map[reason.ID]reason.Severity
	// OwnReasons are what the configuration adds to the catalogue.
	OwnReasons []reason.Reason
	// AgentImages are the images of naosu's agent, by node.
	AgentImages map[string]string

	// Own is why naosu's own resources could not be read; zero if they could.
	Own          message.Sentence
	Policies     []v1alpha1.NodeRepairPolicy
	Remediations []v1alpha1.Remediation
	// Ledger is nil if it could not be read, LedgerUnread why. LedgerDamaged is that it cannot be decoded, which the controller fails at
	// too.
	Ledger        *ledger.Ledger
	LedgerUnread  error
	LedgerDamaged bool
	// Lease is the controller's, nil if there is none; LeaseUnread is why it could not be read.
	Lease       *coordinationv1.Lease
	LeaseUnread message.Sentence

	// Repairers are the other repairers of nodes, as far as they could be read.
	Repairers []cloud.Repairer
	// Gaps are the providers that could not be asked.
	Gaps []cloud.Gap
}

// Agent is a program that writes node conditions.
type Agent string

// The agents whose reports are known.
const (
	Naosu   Agent = kube.NaosuAgent
	EKS     Agent = kube.EKSMonitoringAgent
	NPD     Agent = kube.NodeProblemDetector
	Kubelet Agent = "kubelet"
	// Nobody is the agent of a condition that a rule waits for and no known agent reports.
	Nobody Agent = ""
)

// DaemonSets are the agents that run as DaemonSets.
var DaemonSets = []Agent{Naosu, EKS, NPD}

func conditionOf(node *corev1.Node, kind string) (corev1.NodeCondition, bool) {
	at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return string(c.Type) == kind })
	if at < 0 {
		return corev1.NodeCondition{}, false
	}
	return node.Status.Conditions[at], true
}
