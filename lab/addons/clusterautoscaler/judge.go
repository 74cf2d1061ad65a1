package clusterautoscaler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	fwkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// judge runs the scheduler's default profile to find out whether a pod fits a node. It is not safe for concurrent use.
type judge struct {
	plugins framework.Framework
	lister  *sharedLister
}

// newJudge registers with the factory the informers that the volume plugins read; the caller starts it and waits for it.
func newJudge(ctx context.Context, factory informers.SharedInformerFactory) (*judge, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, fmt.Errorf("reading the scheduler's default profile: %w", err)
	}
	metrics.Register() // the plugins write to metrics that are nil before
	profile := &defaults.Profiles[0]
	// The plugin for resource claims would need their managers; no pod of the lab has a claim.
	multiPoint := &profile.Plugins.MultiPoint
	multiPoint.Enabled = slices.DeleteFunc(multiPoint.Enabled, func(p config.Plugin) bool { return p.Name == names.DynamicResources })
	shown := &sharedLister{}
	fw, err := fwkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		fwkruntime.WithInformerFactory(factory),
		fwkruntime.WithSnapshotSharedLister(shown),
		fwkruntime.WithSharedDRAManager(noDRA{}),
		fwkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		fwkruntime.WithLogger(klog.Background()),
	)
	if err != nil {
		return nil, fmt.Errorf("assembling the scheduler's plugins: %w", err)
	}
	return &judge{plugins: fw, lister: shown}, nil
}

// refusal is why a pod does not fit: the message of the first plugin that refused it, as the scheduler reports it.
type refusal struct{ reasons []string }

// fits judges one pod on one node of the snapshot. A nil refusal means that it fits. A node that PreFilter sorts out already is
// refused without a reason, as Cluster Autoscaler's own plugin runner does.
func (j *judge) fits(ctx context.Context, s *snapshot, p *corev1.Pod, node string) *refusal {
	j.lister.snapshot = s
	state := framework.NewCycleState()
	result, status, _ := j.plugins.RunPreFilterPlugins(ctx, state, p)
	if !status.IsSuccess() {
		return &refusal{status.Reasons()}
	}
	if !result.AllNodes() && !result.NodeNames.Has(node) {
		return &refusal{}
	}
	if status := j.plugins.RunFilterPlugins(ctx, state, p, s.nodes[s.at[node]]); !status.IsSuccess() {
		return &refusal{status.Reasons()}
	}
	return nil
}

// firstFit is the first node, in the snapshot's order, that takes the pod and is acceptable to the caller; "" is none.
func (j *judge) firstFit(ctx context.Context, s *snapshot, p *corev1.Pod, acceptable func(node string) bool) string {
	j.lister.snapshot = s
	state := framework.NewCycleState()
	result, status, _ := j.plugins.RunPreFilterPlugins(ctx, state, p)
	if !status.IsSuccess() {
		return ""
	}
	for _, n := range s.nodes {
		name := n.Node().Name
		if !result.AllNodes() && !result.NodeNames.Has(name) || n.Node().Spec.Unschedulable || !acceptable(name) {
			continue
		}
		if j.plugins.RunFilterPlugins(ctx, state, p, n).IsSuccess() {
			return name
		}
	}
	return ""
}

func anyNode(string) bool { return true }

// noDRA has no devices. The resource plugin calls it for every extended resource that a node does not have.
type noDRA struct{}

func (noDRA) ResourceClaims() fwk.ResourceClaimTracker     { return nil }
func (noDRA) ResourceSlices() fwk.ResourceSliceLister      { return nil }
func (noDRA) DeviceClasses() fwk.DeviceClassLister         { return nil }
func (noDRA) DeviceClassResolver() fwk.DeviceClassResolver { return noDRA{} }
func (noDRA) PodGroups() fwk.PodGroupLister                { return nil }

func (noDRA) GetDeviceClass(corev1.ResourceName) *resourcev1.DeviceClass { return nil }
