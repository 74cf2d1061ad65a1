package play

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
)

// Cluster is the cluster that a pass is played on.
type Cluster interface {
	// Config reaches the API server as an administrator.
	Config() *rest.Config
	// Cloud is what the nodes run in.
	Cloud() *cloud.Cloud
	// SetState brings the machines of a target into one of scenario.States, or back to "on". A node is given by the name
	// of its Node object. It returns the names of the affected nodes.
	SetState(ctx context.Context, t scenario.Target, state string) ([]string, error)
	// Calls are the AWS calls that the cloud has answered or refused so far, oldest first.
	Calls() []aws.Call
	// Dir is the folder of the cluster's data, in which a log may be kept.
	Dir() string
	// Environment leads programs to the API server and to the cloud's AWS endpoint, as NAME=value.
	Environment() ([]string, error)
	// Wait blocks until ctx ends, or until a part of the cluster dies, and then says which.
	Wait(ctx context.Context) error
	// Stop ends the cluster and returns when nothing of it is left.
	Stop() error
}

// Setup is the cluster that a pass needs.
type Setup struct {
	Cloud cloud.Spec
	// Flags are arguments by component, such as "--v=4", already at the lab's pace.
	Flags        map[string][]string
	FeatureGates map[string]bool
	Addons       scenario.Addons
	Pace         *pace.Pace
}

// Builder starts a cluster whose instances are there from the first moment, and returns once its API is ready.
type Builder func(context.Context, Setup) (Cluster, error)

// SetupOf is the cluster that a pass needs at a pace.
func SetupOf(p scenario.Pass, pc *pace.Pace) Setup {
	s := Setup{Cloud: p.Cluster.Cloud, Flags: p.Cluster.Arguments(pc), FeatureGates: p.Cluster.FeatureGates, Pace: pc}
	if p.Cluster.Addons != nil {
		s.Addons = *p.Cluster.Addons
	}
	return s
}
