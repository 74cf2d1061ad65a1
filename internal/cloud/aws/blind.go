package aws

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
)

// Blind stands in for AWS where it cannot be asked: it does nothing, and says of EKS's node groups that it is not known
// whether EKS repairs their nodes.
type Blind struct {
	// Why AWS cannot be asked.
	Why message.Sentence
}

var _ interface {
	cloud.Provider
	cloud.Repairers
} = Blind{}

// Name is aws.
func (Blind) Name() string { return name }

// Owns what AWS's cloud controller manager says is an EC2 instance, in whichever region.
func (Blind) Owns(m cloud.Machine) bool { return instanceOf(m) != "" }

// Repairers are EKS's Auto Mode, which no call has to confirm, and all node groups as not known.
func (b Blind) Repairers(_ context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	auto, groups := eksNodes(machines)
	repairers := autoMode(auto)
	for _, g := range groups {
		repairers = append(repairers, cloud.Repairer{By: change.Ref{Kind: "Group", Name: g.name}, Nodes: nodes(g.members), Unknown: b.Why})
	}
	return repairers, nil
}
