package profile

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

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Profile is one scheduler: the framework that runs its plugins, and the plugins themselves.
type Profile struct {
	Framework framework.Framework
	Config    *config.KubeSchedulerProfile
	gates     []fwk.PreEnqueuePlugin
	// Filters are the plugins that can keep a pod off nodes, in the order in which the scheduler asks them.
	Filters []fwk.Plugin
	// NodeFilters are those with a Filter.
	NodeFilters []fwk.FilterPlugin
	Scorers     []Scorer
	// Preemption is nil if the profile does not preempt.
	Preemption *defaultpreemption.DefaultPreemption
}

// Scorer is a score plugin of a profile.
type Scorer struct {
	fwk.ScorePlugin
	Weight int64
	// Prepared says that the profile runs its PreScore, if it has one.
	Prepared bool
}

// Parts are what the plugins of every profile share.
type Parts struct {
	client    kubernetes.Interface
	store     *store.Store
	resources fwk.SharedDRAManager
	// HandleOf is the handle that a plugin gets in place of the framework's, nil if it gets that.
	HandleOf func(plugin string, handle fwk.Handle) fwk.Handle
}

// NewParts reads the world's devices too.
func NewParts(ctx context.Context, client kubernetes.Interface, s *store.Store) (Parts, error) {
	resources, err := newResources(ctx, s.Objects)
	return Parts{client: client, store: s, resources: resources}, err
}

// Gate is the status of the PreEnqueue plugin that keeps the pod out of the active queue, nil if none does.
func (p *Profile) Gate(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	for _, gate := range p.gates {
		if status := gate.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return status.WithPlugin(gate.Name())
		}
	}
	return nil
}

// WithoutLogs is the context that plugins get: they log a line for each node at high verbosity.
func WithoutLogs(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

// New assembles the plugins of a profile. An error is a configuration that a plugin refuses.
func New(ctx context.Context, cfg *config.KubeSchedulerProfile, registry runtime.Registry, p Parts) (*Profile, error) {
	metrics.Register() // the plugins write to metrics that are nil before
	// The framework starts a goroutine that reports metrics and ends with the context.
	ctx, cancel := context.WithCancel(WithoutLogs(ctx))
	defer cancel()
	built := map[string]fwk.Plugin{}
	made := &Profile{Config: cfg}
	fw, err := runtime.NewFramework(ctx, recordPlugins(registry, built, p.HandleOf), cfg,
		runtime.WithLogger(logr.Discard()),
		runtime.WithClientSet(p.client),
		runtime.WithInformerFactory(p.store.Objects.Factory),
		runtime.WithSnapshotSharedLister(p.store.Nodes),
		runtime.WithPodNominator(&p.store.Nodes.Nominated),
		runtime.WithSharedDRAManager(p.resources),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.store.Objects.Factory.Storage().V1().CSINodes().Lister())),
		runtime.WithParallelism(goruntime.GOMAXPROCS(0)), // the scheduler's 16 are slower where there are fewer processors
	)
	if err != nil {
		return nil, fmt.Errorf("assembling the plugins of profile %q: %w", cfg.SchedulerName, err)
	}
	made.Framework, made.gates = fw, fw.PreEnqueuePlugins()
	enabled := fw.ListPlugins()
	for _, plugin := range slices.Concat(enabled.PreFilter.Enabled, enabled.Filter.Enabled) {
		if !slices.Contains(made.Filters, built[plugin.Name]) {
			made.Filters = append(made.Filters, built[plugin.Name])
		}
	}
	for _, plugin := range enabled.Filter.Enabled {
		made.NodeFilters = append(made.NodeFilters, built[plugin.Name].(fwk.FilterPlugin))
	}
	for _, plugin := range enabled.Score.Enabled {
		made.Scorers = append(made.Scorers, Scorer{
			ScorePlugin: built[plugin.Name].(fwk.ScorePlugin), Weight: int64(plugin.Weight),
			Prepared: slices.ContainsFunc(enabled.PreScore.Enabled, func(p config.Plugin) bool { return p.Name == plugin.Name }),
		})
	}
	for _, plugin := range enabled.PostFilter.Enabled {
		if p, ok := built[plugin.Name].(*defaultpreemption.DefaultPreemption); ok {
			made.Preemption = p
		}
	}
	return made, nil
}

// Each runs for every number below n, on several processors where that pays.
func (p *Profile) Each(ctx context.Context, n int, do func(int)) {
	const few = 512
	if n > few {
		p.Framework.Parallelizer().Until(ctx, n, do, "")
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
func newResources(ctx context.Context, s *store.Objects) (fwk.SharedDRAManager, error) {
	resources := s.Factory.Resource().V1()
	slices, err := tracker.StartTracker(ctx, tracker.Options{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resources.ResourceSlices(),
	})
	if err != nil {
		return nil, fmt.Errorf("reading the resource slices: %w", err)
	}
	claims := assumecache.NewAssumeCache(logr.Discard(), resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	manager := dynamicresources.NewDRAManager(WithoutLogs(ctx), claims, slices, s.Factory)
	if resolver, ok := manager.DeviceClassResolver().(cache.ResourceEventHandler); ok {
		if _, err := resources.DeviceClasses().Informer().AddEventHandler(resolver); err != nil {
			return nil, fmt.Errorf("reading the device classes: %w", err)
		}
	}
	return manager, nil
}
