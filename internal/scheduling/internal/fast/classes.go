package fast

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/mapkey"
)

// classes are the equivalence classes of a profile, with the tables that they share.
type classes struct {
	byKey         map[string]*class
	byOwner       map[types.UID]classified // the last pod with that controller
	verdicts      map[string]*table[*fwk.Status]
	scores        map[string]*table[int64]
	feasibleNodes map[string]*feasibleNodes
	// key and part are buffers for lookups.
	key  []byte
	part corev1.PodSpec
}

func newClasses() classes {
	return classes{byKey: map[string]*class{}, byOwner: map[types.UID]classified{}, verdicts: map[string]*table[*fwk.Status]{}, scores: map[string]*table[int64]{}, feasibleNodes: map[string]*feasibleNodes{}}
}

// maxClasses is how many classes are kept, several times as many as large clusters have templates.
const maxClasses = 20_000

// class is the one of a pod.
func (p *cachedProfile) class(ctx context.Context, f *Scheduler, pod *corev1.Pod) *class {
	c := p.classes.recent(pod)
	if c == nil {
		c = p.known(ctx, f, pod)
		p.classes.remember(pod, c)
	}
	c.updateRelated(f)
	return c
}

// known finds a pod's class by its key. It makes the class of the first such pod.
func (p *cachedProfile) known(ctx context.Context, f *Scheduler, pod *corev1.Pod) *class {
	all := &p.classes
	c := all.byKey[string(all.keyOf(pod))]
	if c == nil {
		if len(all.byKey) >= maxClasses {
			*all = newClasses()
		}
		c = p.newClass(ctx, f, pod)
		all.byKey[string(all.keyOf(pod))] = c
	}
	return c
}

func (p *cachedProfile) newClass(ctx context.Context, f *Scheduler, pod *corev1.Pod) *class {
	c := &class{
		pod: pod, state: framework.NewCycleState(), pre: map[string]preFiltered{}, idle: sets.New[string](),
		verdicts: map[string]*table[*fwk.Status]{}, scores: map[string]*table[int64]{},
	}
	// An error is a selector that the plugin refuses too.
	c.info, _ = framework.NewPodInfo(pod)
	nodes := f.store.Nodes.Sorted.Infos
	for _, plugin := range p.Filters {
		part, local := podSpecReadBy[plugin.Name()]
		if !local {
			continue
		}
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			result, status := pre.PreFilter(ctx, c.state, pod, nodes)
			c.pre[plugin.Name()] = preFiltered{result, status}
		}
		c.verdicts[plugin.Name()] = tableOf(&p.classes, p.classes.verdicts, plugin, part(&pod.Spec), f)
	}
	for _, plugin := range p.Scorers {
		part, local := podSpecReadBy[plugin.Name()]
		if !local {
			continue
		}
		if pre, ok := plugin.ScorePlugin.(fwk.PreScorePlugin); ok && plugin.Prepared && pre.PreScore(ctx, c.state, pod, nodes).IsSkip() {
			c.idle.Insert(plugin.Name())
		}
		c.scores[plugin.Name()] = tableOf(&p.classes, p.classes.scores, plugin, part(&pod.Spec), f)
	}
	return c
}

func tableOf[T any](c *classes, tables map[string]*table[T], plugin fwk.Plugin, part corev1.PodSpec, f *Scheduler) *table[T] {
	c.part = part
	c.key = mapkey.AppendMessage(mapkey.AppendText(c.key[:0], plugin.Name()), &c.part)
	t := tables[string(c.key)]
	if t == nil {
		f.tables++
		t = &table[T]{number: f.tables}
		if plugin.Name() == names.ImageLocality {
			t.version = &f.store.Nodes.ImagesVersion
		}
		tables[string(c.key)] = t
	}
	return t
}

// verdictsFor is the table of what NodeVolumeLimits has said of pods with that volume footprint.
func (c *classes) verdictsFor(f *Scheduler, its *volumeFootprint) *table[*fwk.Status] {
	key := names.NodeVolumeLimits + "\x00" + its.drivers
	if c.verdicts[key] == nil {
		f.tables++
		c.verdicts[key] = &table[*fwk.Status]{number: f.tables, version: &f.store.Objects.StorageVersion}
	}
	return c.verdicts[key]
}
