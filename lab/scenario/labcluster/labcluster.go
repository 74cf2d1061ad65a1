// Package labcluster builds the lab that a pass of a scenario needs and adapts it to the player.
package labcluster

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

// Cluster is a lab that a scenario is played on.
type Cluster struct{ *lab.Lab }

var _ play.Cluster = Cluster{}

// Builder builds labs; place says how their control plane is started, and may change where they keep their data and listen.
func Builder(place func(*lab.Options)) play.Builder {
	return func(ctx context.Context, s play.Setup) (play.Cluster, error) {
		o := options(s)
		place(&o)
		l, err := lab.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		return Cluster{l}, nil
	}
}

// Config reaches the API server as an administrator.
func (c Cluster) Config() *rest.Config { return c.Plane.AdminConfig() }

// Cloud is what the nodes run in.
func (c Cluster) Cloud() *cloud.Cloud { return c.Lab.Cloud }

// Calls are the AWS calls that the cloud has answered or refused so far, oldest first.
func (c Cluster) Calls() []aws.Call { return c.AWS.Calls() }

// Dir is the folder of the control plane's data.
func (c Cluster) Dir() string { return c.Plane.DataDir() }

// Environment is the environment by which programs find the API server and the cloud's AWS endpoint. The kubeconfig is in the data folder.
func (c Cluster) Environment() ([]string, error) {
	file := filepath.Join(c.Dir(), "programs.kubeconfig")
	if err := c.Plane.WriteKubeconfig(file); err != nil {
		return nil, fmt.Errorf("writing the kubeconfig for programs: %w", err)
	}
	return append(c.AWS.Environment(), "KUBECONFIG="+file), nil
}

// SetState brings the machines of a target into a state and returns the names of their nodes.
func (c Cluster) SetState(_ context.Context, t scenario.Target, state string) ([]string, error) {
	return c.Fault(lab.Target(t), nodes.State(state))
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
