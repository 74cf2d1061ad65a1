// Package stage puts scenarios on the lab: it builds the cluster that a pass needs and hands it to the player.
package stage

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Stage is a lab that a scenario is played on.
type Stage struct{ *lab.Lab }

var _ play.Stage = Stage{}

// Builder builds labs; place says how their control plane is started, and may change where they keep their data and listen.
func Builder(place func(*lab.Options)) play.Builder {
	return func(ctx context.Context, s play.Setup) (play.Stage, error) {
		o := options(s)
		place(&o)
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

// Calls are the AWS calls that the cloud has answered or refused so far, oldest first.
func (s Stage) Calls() []aws.Call { return s.AWS.Calls() }

// Dir is the folder of the control plane's data.
func (s Stage) Dir() string { return s.Plane.DataDir() }

// Environment leads programs to the API server and to the cloud's AWS endpoint. The kubeconfig stands in the data folder.
func (s Stage) Environment() ([]string, error) {
	file := filepath.Join(s.Dir(), "programs.kubeconfig")
	if err := s.Plane.WriteKubeconfig(file); err != nil {
		return nil, fmt.Errorf("writing the kubeconfig for programs: %w", err)
	}
	return append(s.AWS.Environment(), "KUBECONFIG="+file), nil
}

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
