// Package gke tells which nodes Google Kubernetes Engine repairs by itself. It calls nothing and changes nothing.
package gke

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// labelPool is the label of nodes with the name of their node pool.
	labelPool = "cloud.google.com/gke-nodepool"
	// autopilotPrefix begins the names of the nodes of Autopilot clusters.
	autopilotPrefix = "gk3-"
	// repairWait is how long a node is not ready before GKE repairs it, approximately.
	repairWait = 10 * time.Minute
)

// Provider offers no action. It is safe for concurrent use.
type Provider struct{}

var _ interface {
	cloud.Provider
	cloud.Repairers
} = Provider{}

// Name is gke.
func (Provider) Name() string { return "gke" }

// Owns says whether a machine is of a GKE node pool.
func (Provider) Owns(m cloud.Machine) bool {
	return strings.HasPrefix(m.ProviderID, "gce://") && m.Labels[labelPool] != ""
}

// rules are what node auto-repair does: it drains the node for up to an hour and creates it again under the same name. It also acts on a full boot
// disk, which is no condition of the node.
//
// Source: https://docs.cloud.google.com/kubernetes-engine/docs/how-to/node-auto-repair.
var rules = []cloud.RepairerRule{
	{Condition: corev1.NodeReady, Status: corev1.ConditionFalse, For: repairWait, Action: v1alpha1.ActionReplace},
	{Condition: corev1.NodeReady, Status: corev1.ConditionUnknown, For: repairWait, Action: v1alpha1.ActionReplace},
}

// Repairers are the node pools, each with what node auto-repair does. It is always enabled in Autopilot clusters. In others it is by default, and only
// Google's API shows whether a pool has it switched off: it is unknown.
func (p Provider) Repairers(_ context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	var found []cloud.Repairer
	at := map[string]int{}
	for _, m := range machines {
		if !p.Owns(m) {
			continue
		}
		pool := m.Labels[labelPool]
		i, known := at[pool]
		if !known {
			i = len(found)
			at[pool] = i
			one := cloud.Repairer{By: change.Ref{Kind: "Group", Name: pool}, Rules: rules}
			if !strings.HasPrefix(m.Node, autopilotPrefix) {
				one.Unknown = sentence.CloudGKERepair("group/" + pool)
			}
			found = append(found, one)
		}
		found[i].Nodes = append(found[i].Nodes, m.Node)
	}
	return found, nil
}
