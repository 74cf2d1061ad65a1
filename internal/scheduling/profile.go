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
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
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
	// localFirst are those with a Filter, local and cheap ones first.
	localFirst []fwk.FilterPlugin
	// nonLocal are those of localFirst that are not local: their answer depends on more than the pod and the node.
	nonLocal []fwk.FilterPlugin
	scorers  []scorer
	// spreadLister and affinityLister are the filtered listers of PodTopologySpread and InterPodAffinity.
	spreadLister, affinityLister *filteredLister
	classes                      classes
	domains                      topologies
	defaultKeys                  []string
	// hostWeights are the weights that PodTopologySpread gives a constraint on hosts, by the number of nodes that it scores.
	hostWeights map[int]float64
	// preemption is nil if the profile does not preempt.
	preemption *defaultpreemption.DefaultPreemption
}

// parts are what the plugins of every profile share.
type parts struct {
	client    kubernetes.Interface
	factory   informers.SharedInformerFactory
	nodes     *nodeStore
	resources fwk.SharedDRAManager
}

// withoutLogs is the context that plugins get: they log a line for each node at high verbosity.
func withoutLogs(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

func newProfile(ctx context.Context, cfg *config.KubeSchedulerProfile, registry runtime.Registry, p parts) (*profile, error) {
	metrics.Register() // the plugins write to metrics that are nil before
	// The framework starts a goroutine that reports metrics and ends with the context.
	ctx, cancel := context.WithCancel(withoutLogs(ctx))
	defer cancel()
	built := map[string]fwk.Plugin{}
	made := &profile{spreadLister: &filteredLister{nodeStore: p.nodes}, affinityLister: &filteredLister{nodeStore: p.nodes}, classes: newClasses(), domains: topologies{}, defaultKeys: defaultKeys(cfg), hostWeights: map[int]float64{}}
	listers := map[string]*filteredLister{names.PodTopologySpread: made.spreadLister, names.InterPodAffinity: made.affinityLister}
	fw, err := runtime.NewFramework(ctx, recordPlugins(registry, built, listers), cfg,
		runtime.WithLogger(logr.Discard()),
		runtime.WithClientSet(p.client),
		runtime.WithInformerFactory(p.factory),
		runtime.WithSnapshotSharedLister(p.nodes),
		runtime.WithPodNominator(&p.nodes.nominated),
		runtime.WithSharedDRAManager(p.resources),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.factory.Storage().V1().CSINodes().Lister())),
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
		made.localFirst = append(made.localFirst, built[plugin.Name].(fwk.FilterPlugin))
	}
	slices.SortStableFunc(made.localFirst, func(a, b fwk.FilterPlugin) int { return cost(a) - cost(b) })
	made.nonLocal = slices.DeleteFunc(slices.Clone(made.localFirst), func(p fwk.FilterPlugin) bool { return cost(p) == 0 })
	for _, plugin := range enabled.Score.Enabled {
		made.scorers = append(made.scorers, scorer{
			ScorePlugin: built[plugin.Name].(fwk.ScorePlugin), weight: int64(plugin.Weight),
			prepared: slices.ContainsFunc(enabled.PreScore.Enabled, func(p config.Plugin) bool { return p.Name == plugin.Name }),
		})
	}
	for _, plugin := range enabled.PostFilter.Enabled {
		if p, ok := built[plugin.Name].(*defaultpreemption.DefaultPreemption); ok {
			p.MoreImportantPod = moreImportant
			made.preemption = p
		}
	}
	return made, nil
}

// cost orders filter plugins: those with a table of answers, those that read the node's labels, and those that look up the
// volumes of every pod of the node.
func cost(plugin fwk.FilterPlugin) int {
	if _, local := podSpecReadBy[plugin.Name()]; local {
		return 0
	}
	if plugin.Name() == names.NodeVolumeLimits {
		return 2
	}
	return 1
}

// recordPlugins wraps a registry to record the plugins it makes, which the framework does not expose, and to give some of them a
// filtered lister.
func recordPlugins(registry runtime.Registry, built map[string]fwk.Plugin, listers map[string]*filteredLister) runtime.Registry {
	wrapped := runtime.Registry{}
	for name, factory := range registry {
		wrapped[name] = func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			if lister := listers[name]; lister != nil {
				handle = filteredHandle{handle, lister}
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
