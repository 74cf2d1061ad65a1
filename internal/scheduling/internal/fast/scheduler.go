package fast

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Scheduler is the path that gives the plain one's answers sooner, and leaves to it the pods that it cannot answer for.
type Scheduler struct {
	plain    *plain.Scheduler
	store    *store.Store
	profiles map[*profile.Profile]*cachedProfile

	// spreadLister and affinityLister are the filtered listers of PodTopologySpread and InterPodAffinity.
	spreadLister, affinityLister *filteredLister
	counted                      countedNodes
	domains                      topologies
	// hostWeights are the weights that PodTopologySpread gives a constraint on hosts, by the number of nodes that it scores.
	hostWeights map[int]float64
	// mounts are the nodes as NodeVolumeLimits sees them.
	mounts       table[*filteredNode]
	boundVolumes boundVolumes
	// lowestPriorities are the lowest priority of each node's pods.
	lowestPriorities table[int32]

	generation int    // raised for each pass over nodes, so that an entry can tell whether the pass has seen it
	tables     uint64 // how many there have been
	scratch    scratch
}

var _ plain.Path = &Scheduler{}

// New needs each profile to be made with HandleOf.
func New(plain *plain.Scheduler) *Scheduler {
	return &Scheduler{
		plain: plain, store: plain.Store, profiles: map[*profile.Profile]*cachedProfile{},
		spreadLister: &filteredLister{Nodes: plain.Store.Nodes}, affinityLister: &filteredLister{Nodes: plain.Store.Nodes},
		domains: topologies{}, hostWeights: map[int]float64{}, scratch: scratch{skipped: sets.New[string]()},
	}
}

// Attempt is the plain one's for a pod that the fast filter cannot answer for.
func (f *Scheduler) Attempt(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (plain.Attempt, error) {
	if !f.serves(pod) {
		return f.cycle(ctx, p, pod, f.store.Nodes.Sorted.Infos)
	}
	s, entries := f.begin(ctx, p, pod)
	if len(entries) == 0 {
		return s, nil
	}
	return s, s.filter(ctx, entries)
}

// First stops at the first node that passes.
func (f *Scheduler) First(ctx context.Context, p *profile.Profile, pod *corev1.Pod, among []*store.Node) (*store.Node, error) {
	if !f.serves(pod) {
		return f.plain.First(ctx, p, pod, among)
	}
	s, entries := f.begin(ctx, p, pod)
	if len(among) < len(f.store.Nodes.Sorted.Entries) {
		entries = slices.DeleteFunc(slices.Clone(among), func(at *store.Node) bool {
			_, is := store.Find(entries, at)
			return !is
		})
	}
	return s.first(ctx, entries)
}

// serves says whether the fast filter can answer for a pod. It cannot for pods with devices, for those whose
// resources may be devices, and for pods that have run: the resources they may use are then in their status.
func (f *Scheduler) serves(pod *corev1.Pod) bool {
	return !f.store.Objects.Devices() && len(pod.Spec.ResourceClaims) == 0 && len(pod.Status.ContainerStatuses) == 0 &&
		len(pod.Status.InitContainerStatuses) == 0 && pod.Status.Resources == nil
}

// begin returns a fast filter and the nodes that it has to look at.
func (f *Scheduler) begin(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (*filter, []*store.Node) {
	s := &filter{fast: f, profile: f.profile(p), pod: pod, state: framework.NewCycleState(), skipped: f.scratch.skipped}
	clear(s.skipped)
	if p.Gate(ctx, pod) != nil {
		return s, nil
	}
	s.class = s.profile.class(ctx, f, pod)
	return s, s.preFilter(ctx)
}

// cachedProfile is a profile with what the fast path keeps for its plugins.
type cachedProfile struct {
	*profile.Profile
	// localFirst are the plugins with a Filter, local and cheap ones first.
	localFirst []fwk.FilterPlugin
	// nonLocal are those of localFirst that are not local: their answer depends on more than the pod and the node.
	nonLocal []fwk.FilterPlugin
	// defaultKeys are the topology keys of the constraints for pods without any.
	defaultKeys []string
	classes     classes
}

func (f *Scheduler) profile(p *profile.Profile) *cachedProfile {
	if f.profiles[p] == nil {
		made := &cachedProfile{Profile: p, localFirst: slices.Clone(p.NodeFilters), defaultKeys: defaultKeys(p.Config), classes: newClasses()}
		slices.SortStableFunc(made.localFirst, func(a, b fwk.FilterPlugin) int { return cost(a) - cost(b) })
		made.nonLocal = slices.DeleteFunc(slices.Clone(made.localFirst), func(p fwk.FilterPlugin) bool { return cost(p) == 0 })
		f.profiles[p] = made
	}
	return f.profiles[p]
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
