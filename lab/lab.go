package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/lab/addons/clusterautoscaler"
	"github.com/naosu-dev/naosu/lab/addons/cpvpa"
	"github.com/naosu-dev/naosu/lab/addons/eksmonitor"
	"github.com/naosu-dev/naosu/lab/addons/eksnoderepair"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud/csi"
	"github.com/naosu-dev/naosu/lab/cloud/nodecontroller"
	"github.com/naosu-dev/naosu/lab/cloud/vpccni"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
)

// Options say which cluster to build.
type Options struct {
	// ControlPlane starts the control plane that the cluster has: inprocess.Start, or one in a child process.
	ControlPlane controlplane.Starter
	// Cloud is the region, its instance types and the node groups.
	Cloud cloud.Spec
	// Addons are the programs whose part the lab plays.
	Addons Addons
	// DataDir keeps the control plane's data, its CA and the cloud's state; empty means a temporary one.
	DataDir string
	// BindAddress is listened on beside loopback.
	BindAddress string
	// Flags and FeatureGates are handed to the control plane's components, in real time.
	Flags        map[controlplane.Component][]string
	FeatureGates map[string]bool
	// Pace is how much faster than reality the lab runs.
	Pace *pace.Pace
	// Log receives what the components log; nil means a file in the data folder.
	Log io.Writer
	// Existing is a cluster that is there already when the lab starts; nil means an empty one.
	Existing *Existing
}

// Existing are the parts of a cluster that is there already: its objects, and the machines and volumes behind them.
type Existing struct {
	Fill  controlplane.Fill
	Cloud cloud.Existing
}

// Addons are the simulated programs that a cluster of the scenario's kind would run.
type Addons struct {
	// ClusterAutoscaler resizes node groups for pods that wait, and removes empty nodes.
	ClusterAutoscaler bool `json:"clusterAutoscaler,omitempty"`
	// VerticalAutoscaler plays every Deployment that runs the cluster-proportional vertical autoscaler.
	VerticalAutoscaler bool `json:"verticalAutoscaler,omitempty"`
	// NodeMonitoringAgent plays the EKS node monitoring agent in its pods: those labelled
	// app.kubernetes.io/name=eks-node-monitoring-agent.
	NodeMonitoringAgent bool `json:"nodeMonitoringAgent,omitempty"`
	// NodeRepair plays EKS's own repair of nodes, for the groups whose nodeRepairConfig is enabled.
	NodeRepair bool `json:"nodeRepair,omitempty"`
	// VPCCNI plays the address manager of the Amazon VPC CNI plugin: pods get addresses of the cloud's subnets, as many as there
	// are. Without it, there are as many addresses as pods.
	VPCCNI bool `json:"vpcCNI,omitempty"`
}

// Lab is a running cluster.
type Lab struct {
	Plane *controlplane.Plane
	Cloud *cloud.Cloud
	// AWS answers AWS's calls for the cloud.
	AWS   *aws.Endpoint
	Nodes *nodes.Fleet
	Pace  *pace.Pace

	cancel     context.CancelFunc
	background *errgroup.Group
}

// Start builds the cluster and returns once its API is ready; nodes come up after that. It runs until Stop is called or
// ctx ends.
func Start(ctx context.Context, o Options) (*Lab, error) {
	options := controlplane.Options{
		DataDir: o.planeDir(), BindAddress: o.BindAddress, Flags: o.Flags, FeatureGates: o.FeatureGates, Pace: o.Pace, Log: o.Log,
	}
	if o.Existing != nil {
		options.Fill, options.Bare = o.Existing.Fill, true
	}
	plane, err := o.ControlPlane(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("starting the control plane: %w", err)
	}
	l := &Lab{Plane: plane, Pace: o.Pace}
	if err := l.startParts(ctx, o); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	if o.Existing != nil {
		if err := l.startControllers(ctx); err != nil {
			return nil, errors.Join(err, l.Stop())
		}
	}
	return l, nil
}

// startControllers starts the controllers of an existing cluster once its nodes have sent heartbeats: a controller considers a node dead
// that has sent none for long enough, which in a fast lab is soon.
func (l *Lab) startControllers(ctx context.Context) error {
	for _, instance := range l.Cloud.Instances() {
		if err := l.syncMachine(instance); err != nil {
			return err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	if err := l.Nodes.WaitForHeartbeats(waiting); err != nil {
		return err
	}
	for _, c := range []controlplane.Component{controlplane.ControllerManager, controlplane.Scheduler} {
		if err := l.Plane.StartComponent(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// heartbeatTimeout bounds how long the nodes of an existing cluster may take to send heartbeats, on the wall clock.
const heartbeatTimeout = 15 * time.Minute

// describeLag is by how much scenario time AWS's Describe calls are behind; a few seconds are usual.
const describeLag = 2 * time.Second

// startParts starts everything beside the control plane.
func (l *Lab) startParts(ctx context.Context, o Options) (err error) {
	region := cloud.Options{Spec: o.Cloud, Pace: o.Pace, StatePath: o.cloudState(), InstantStart: true}
	if o.Existing != nil {
		region.Existing = o.Existing.Cloud
	}
	l.Cloud, err = cloud.New(region)
	if err != nil {
		return fmt.Errorf("building the cloud: %w", err)
	}
	config := l.Plane.AdminConfig()
	l.AWS, err = aws.Listen(ctx, aws.Options{Cloud: l.Cloud, Pace: o.Pace, Lag: describeLag})
	if err != nil {
		return err
	}
	fleet := nodes.Options{Config: config, Pace: o.Pace, Events: true}
	var addresses *vpccni.Manager
	if o.Addons.VPCCNI {
		addresses = vpccni.New(vpccni.Options{Cloud: l.Cloud, Pace: o.Pace, Admit: l.AWS.Admit})
		fleet.Addresses = addresses
	}
	l.Nodes, err = nodes.New(fleet)
	if err != nil {
		return fmt.Errorf("building the nodes: %w", err)
	}

	ctx, l.cancel = context.WithCancel(ctx)
	l.background, ctx = errgroup.WithContext(ctx)
	run := func(name string, part func(context.Context) error) {
		l.background.Go(func() error {
			if err := part(ctx); err != nil && ctx.Err() == nil {
				return fmt.Errorf("running the %s: %w", name, err)
			}
			return nil
		})
	}
	run("cloud", l.Cloud.Run)
	run("AWS endpoint", l.AWS.Run)
	run("nodes", l.Nodes.Run)
	run("machines", l.runMachines)
	run("node controller", func(ctx context.Context) error {
		return nodecontroller.Run(ctx, nodecontroller.Options{Config: config, Cloud: l.Cloud, Pace: o.Pace})
	})
	run("CSI drivers", func(ctx context.Context) error {
		return csi.Run(ctx, csi.Options{Config: config, Cloud: l.Cloud, Pace: o.Pace})
	})
	if o.Addons.ClusterAutoscaler {
		run("cluster autoscaler", func(ctx context.Context) error {
			return clusterautoscaler.Run(ctx, clusterautoscaler.Options{Config: config, Cloud: l.Cloud, Pace: o.Pace})
		})
	}
	if o.Addons.VerticalAutoscaler {
		run("vertical autoscaler", func(ctx context.Context) error {
			return cpvpa.Run(ctx, cpvpa.Options{Config: config, Pace: o.Pace})
		})
	}
	if o.Addons.NodeMonitoringAgent {
		run("node monitoring agents", func(ctx context.Context) error {
			return eksmonitor.Run(ctx, eksmonitor.Options{Config: config, Machines: l.Nodes, Pace: o.Pace})
		})
	}
	if o.Addons.NodeRepair {
		run("node repair", func(ctx context.Context) error {
			return eksnoderepair.Run(ctx, eksnoderepair.Options{Config: config, Cloud: l.Cloud, Pace: o.Pace})
		})
	}
	if addresses != nil {
		run("address managers", func(ctx context.Context) error { return addresses.Run(ctx, config, l.Nodes) })
	}
	return nil
}

// Stop ends the cluster: first what lives on the control plane, then the plane.
func (l *Lab) Stop() error {
	l.cancel()
	return errors.Join(l.background.Wait(), l.Plane.Stop())
}

// Wait blocks until ctx ends or a part of the lab dies, and says which.
func (l *Lab) Wait(ctx context.Context) error {
	parts := make(chan error, 1)
	go func() { parts <- l.background.Wait() }()
	select {
	case <-ctx.Done():
		return nil
	case <-l.Plane.Done():
		return l.Plane.Err()
	case err := <-parts:
		return err
	}
}

// The control plane has a folder of its own, so that the data folder's kubeconfig can appear when the lab is ready and
// not before.
func (o Options) planeDir() string {
	if o.DataDir == "" {
		return ""
	}
	return filepath.Join(o.DataDir, "controlplane")
}

func (o Options) cloudState() string {
	if o.DataDir == "" {
		return ""
	}
	return filepath.Join(o.DataDir, "cloud.json")
}
