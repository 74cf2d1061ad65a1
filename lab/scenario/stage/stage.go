// Package stage puts scenarios on the lab: it builds the cluster that a pass needs and hands it to the player.
package stage

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Stage is a lab that a scenario is played on.
type Stage struct{ *lab.Lab }

var _ play.Stage = Stage{}

// Builder builds labs; place may change where they keep their data and listen, and is nil for temporary ones.
func Builder(place func(*lab.Options)) play.Builder {
	return func(ctx context.Context, s play.Setup) (play.Stage, error) {
		o := options(s)
		if place != nil {
			place(&o)
		}
		l, err := lab.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		return Stage{l}, nil
	}
}

// Config reaches the API server as an administrator.
func (s Stage) Config() *rest.Config { return s.Plane.AdminConfig() }

// Cloud is what the nodes run in.
func (s Stage) Cloud() *cloud.Cloud { return s.Lab.Cloud }

// SetState brings the machines of a target into a state and returns the names of their nodes.
func (s Stage) SetState(_ context.Context, t scenario.Target, state string) ([]string, error) {
	return s.Fault(lab.Target(t), nodes.State(state))
}

// options are the lab that a pass needs.
func options(s play.Setup) lab.Options {
	o := lab.Options{
		Cloud: s.Cloud, Addons: lab.Addons(s.Addons), FeatureGates: s.FeatureGates, Pace: s.Pace,
		Flags: map[controlplane.Component][]string{},
	}
	for component, flags := range s.Flags {
		o.Flags[controlplane.Component(component)] = flags
	}
	return o
}
