package main

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

// stage is a lab that a scenario is played on.
type stage struct{ *lab.Lab }

var _ play.Stage = stage{}

func (s stage) Config() *rest.Config { return s.Plane.AdminConfig() }

func (s stage) Cloud() *cloud.Cloud { return s.Lab.Cloud }

func (s stage) SetState(_ context.Context, t scenario.Target, state string) ([]string, error) {
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
