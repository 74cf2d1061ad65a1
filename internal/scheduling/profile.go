package scheduling

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/feature"
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
	config    *config.KubeSchedulerProfile
	gates     []fwk.PreEnqueuePlugin
	// filters are the plugins that can keep a pod off nodes, in the order in which the scheduler asks them.
	filters []fwk.Plugin
	// nodeFilters are those with a Filter.
	nodeFilters []fwk.FilterPlugin
	scorers     []scorer
	// preemption is nil if the profile does not preempt.
	preemption *defaultpreemption.DefaultPreemption
}

// scorer is a score plugin of a profile.
type scorer struct {
	fwk.ScorePlugin
	weight int64
	// prepared says that the profile runs its PreScore, if it has one.
	prepared bool
}

// parts are what the plugins of every profile share.
type parts struct {
	client    kubernetes.Interface
	store     *store
	resources fwk.SharedDRAManager
	// handleOf is the handle that a plugin gets in place of the framework's, nil if it gets that.
	handleOf func(plugin string, handle fwk.Handle) fwk.Handle
}

// newParts reads the world's devices too.
func newParts(ctx context.Context, client kubernetes.Interface, s *store) (parts, error) {
	resources, err := newResources(ctx, s.objects)
	return parts{client: client, store: s, resources: resources}, err
}

// gate is the status of the PreEnqueue plugin that keeps the pod out of the active queue, nil if none does.
func (p *profile) gate(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	for _, gate := range p.gates {
		if status := gate.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return status.WithPlugin(gate.Name())
		}
	}
	return nil
}

// withoutLogs is the context that plugins get: they log a line for each node at high verbosity.
func withoutLogs(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

func newProfile(ctx context.Context, cfg *config.KubeSchedulerProfile, registry runtime.Registry, p parts) (*profile, error) {
	metrics.Register() // the plugins write to metrics that are nil before
	// The framework starts a goroutine that reports metrics and ends with the context.
	ctx, cancel := context.WithCancel(withoutLogs(ctx))
	defer cancel()
	built := map[string]fwk.Plugin{}
	made := &profile{config: cfg}
	fw, err := runtime.NewFramework(ctx, recordPlugins(registry, built, p.handleOf), cfg,
		runtime.WithLogger(logr.Discard()),
		runtime.WithClientSet(p.client),
		runtime.WithInformerFactory(p.store.objects.factory),
		runtime.WithSnapshotSharedLister(p.store.nodes),
		runtime.WithPodNominator(&p.store.nodes.nominated),
		runtime.WithSharedDRAManager(p.resources),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.store.objects.factory.Storage().V1().CSINodes().Lister())),
		runtime.WithParallelism(goruntime.GOMAXPROCS(0)), // the scheduler's 16 are slower where there are fewer processors
	)
	if err != nil {
		return nil, fmt.Errorf("assembling the plugins of profile %q: %w", cfg.SchedulerName, err)
	}
	made.framework, made.gates = fw, fw.PreEnqueuePlugins()
	enabled := fw.ListPlugins()
	for _, plugin := range slices.Concat(enabled.PreFilter.Enabled, enabled.Filter.Enabled) {
		if !slices.Contains(made.filters, built[plugin.Name]) {
			made.filters = append(made.filters, built[plugin.Name])
		}
	}
	for _, plugin := range enabled.Filter.Enabled {
		made.nodeFilters = append(made.nodeFilters, built[plugin.Name].(fwk.FilterPlugin))
	}
	for _, plugin := range enabled.Score.Enabled {
		made.scorers = append(made.scorers, scorer{
			ScorePlugin: built[plugin.Name].(fwk.ScorePlugin), weight: int64(plugin.Weight),
			prepared: slices.ContainsFunc(enabled.PreScore.Enabled, func(p config.Plugin) bool { return p.Name == plugin.Name }),
		})
	}
	for _, plugin := range enabled.PostFilter.Enabled {
		if p, ok := built[plugin.Name].(*defaultpreemption.DefaultPreemption); ok {
			made.preemption = p
		}
	}
	return made, nil
}

// each runs for every number below n, on several processors where that pays.
func (p *profile) each(ctx context.Context, n int, do func(int)) {
	const few = 512
	if n > few {
		p.framework.Parallelizer().Until(ctx, n, do, "")
		return
	}
	for i := range n {
		do(i)
	}
}

// recordPlugins wraps a registry to record the plugins it makes, which the framework does not expose, and to give them their handles.
func recordPlugins(registry runtime.Registry, built map[string]fwk.Plugin, handleOf func(string, fwk.Handle) fwk.Handle) runtime.Registry {
	wrapped := runtime.Registry{}
	for name, factory := range registry {
		wrapped[name] = func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			if handleOf != nil {
				handle = handleOf(name, handle)
			}
			plugin, err := factory(ctx, args, handle)
			built[name] = plugin
			return plugin, err
		}
	}
	return wrapped
}

// newResources reads the world's devices as kube-scheduler does (pkg/scheduler/scheduler.go).
func newResources(ctx context.Context, s *objectStore) (fwk.SharedDRAManager, error) {
	resources := s.factory.Resource().V1()
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resources.ResourceSlices(),
	})
	if err != nil {
		return nil, fmt.Errorf("reading the resource slices: %w", err)
	}
	claims := assumecache.NewAssumeCache(logr.Discard(), resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	manager := dynamicresources.NewDRAManager(withoutLogs(ctx), claims, slices, s.factory)
	if resolver, ok := manager.DeviceClassResolver().(cache.ResourceEventHandler); ok {
		if _, err := resources.DeviceClasses().Informer().AddEventHandler(resolver); err != nil {
			return nil, fmt.Errorf("reading the device classes: %w", err)
		}
	}
	return manager, nil
}
