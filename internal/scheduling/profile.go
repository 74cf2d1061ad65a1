package scheduling

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/go-logr/logr"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// profile is one scheduler: the framework that runs its plugins, and the plugins themselves.
type profile struct {
	framework framework.Framework
	gates     []fwk.PreEnqueuePlugin
	// filters are the plugins that can keep a pod off nodes, in the order in which the scheduler asks them.
	filters []fwk.Plugin
	// preemption is nil if the profile does not preempt.
	preemption *defaultpreemption.DefaultPreemption
}

// parts are what the plugins of every profile share.
type parts struct {
	client    kubernetes.Interface
	factory   informers.SharedInformerFactory
	board     *board
	resources fwk.SharedDRAManager
}

// quiet is the context that plugins get: they log a line for each node at high verbosity, which nobody would read.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

func newProfile(ctx context.Context, cfg *config.KubeSchedulerProfile, registry runtime.Registry, p parts) (*profile, error) {
	metrics.Register() // the plugins write to metrics that are nil before
	// The framework starts a goroutine that reports metrics and ends with the context.
	ctx, cancel := context.WithCancel(quiet(ctx))
	defer cancel()
	built := map[string]fwk.Plugin{}
	fw, err := runtime.NewFramework(ctx, remember(registry, built), cfg,
		runtime.WithLogger(logr.Discard()),
		runtime.WithClientSet(p.client),
		runtime.WithInformerFactory(p.factory),
		runtime.WithSnapshotSharedLister(p.board),
		runtime.WithPodNominator(&p.board.nominated),
		runtime.WithSharedDRAManager(p.resources),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.factory.Storage().V1().CSINodes().Lister())),
		runtime.WithParallelism(goruntime.GOMAXPROCS(0)), // the scheduler's 16 are slower where there are fewer processors
	)
	if err != nil {
		return nil, fmt.Errorf("assembling the plugins of profile %q: %w", cfg.SchedulerName, err)
	}
	made := &profile{framework: fw, gates: fw.PreEnqueuePlugins()}
	enabled := fw.ListPlugins()
	for _, plugin := range slices.Concat(enabled.PreFilter.Enabled, enabled.Filter.Enabled) {
		if !slices.Contains(made.filters, built[plugin.Name]) {
			made.filters = append(made.filters, built[plugin.Name])
		}
	}
	for _, plugin := range enabled.PostFilter.Enabled {
		if p, ok := built[plugin.Name].(*defaultpreemption.DefaultPreemption); ok {
			p.MoreImportantPod = moreImportant
			made.preemption = p
		}
	}
	return made, nil
}

// remember wraps a registry so that the plugins it makes can be had: the framework keeps them to itself.
func remember(registry runtime.Registry, built map[string]fwk.Plugin) runtime.Registry {
	wrapped := runtime.Registry{}
	for name, factory := range registry {
		wrapped[name] = func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle)
			built[name] = plugin
			return plugin, err
		}
	}
	return wrapped
}

// newResources sees the world's devices as kube-scheduler does (pkg/scheduler/scheduler.go).
func newResources(ctx context.Context, s *shelf) (fwk.SharedDRAManager, error) {
	resources := s.factory.Resource().V1()
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resources.ResourceSlices(),
	})
	if err != nil {
		return nil, fmt.Errorf("reading the resource slices: %w", err)
	}
	claims := assumecache.NewAssumeCache(logr.Discard(), resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	manager := dynamicresources.NewDRAManager(quiet(ctx), claims, slices, s.factory)
	if resolver, ok := manager.DeviceClassResolver().(cache.ResourceEventHandler); ok {
		if _, err := resources.DeviceClasses().Informer().AddEventHandler(resolver); err != nil {
			return nil, fmt.Errorf("reading the device classes: %w", err)
		}
	}
	return manager, nil
}
