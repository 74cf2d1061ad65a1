package aws

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
)

// NoAccess is the provider where AWS cannot be called: it offers no action, and reports of EKS's node groups that it is unknown whether EKS
// repairs their nodes.
type NoAccess struct {
	// Why is why AWS cannot be called.
	Why message.Sentence
}

var _ interface {
	cloud.Provider
	cloud.Repairers
} = NoAccess{}

// Name is aws.
func (NoAccess) Name() string { return name }

// Owns says whether a machine is an EC2 instance by its provider ID, in any region.
func (NoAccess) Owns(m cloud.Machine) bool { return instanceOf(m) != "" }

// Repairers are EKS Auto Mode, which takes no call, and all managed node groups, as unknown.
func (b NoAccess) Repairers(_ context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	auto, groups := eksNodes(machines)
	repairers := autoMode(auto)
	for _, g := range groups {
		repairers = append(repairers, cloud.Repairer{By: change.Ref{Kind: "Group", Name: g.name}, Nodes: nodes(g.members), Unknown: b.Why})
	}
	return repairers, nil
}
