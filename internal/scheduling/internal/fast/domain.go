package fast

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/mapkey"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// domains numbers the topology domains of some topology keys: the combinations of their values.
type domains struct {
	keys     []string
	byEntry  []int // by the entry's id
	cursor   store.Cursor
	numbers  map[string]int
	complete []bool // by number: whether its nodes have all of the keys
	text     []byte
}

func (d *domains) at(s *store.Node) int { return d.byEntry[s.ID] }

// update numbers the nodes that have changed.
func (d *domains) update(b *store.Nodes) {
	changed, known := d.cursor.Next(&b.Changes)
	if !known {
		changed = b.Sorted.Entries
	}
	d.byEntry = slices.Grow(d.byEntry, len(b.ByName)-len(d.byEntry))[:len(b.ByName)]
	for _, s := range changed {
		if s.Index != store.Absent {
			d.byEntry[s.ID] = d.number(s)
		}
	}
}

func (d *domains) number(s *store.Node) int {
	d.text = d.text[:0]
	complete := true
	for _, key := range d.keys {
		value, ok := s.Info.Node().Labels[key]
		if key == corev1.LabelHostname {
			value = ""
		}
		if ok {
			d.text = append(d.text, 1)
		}
		complete = complete && ok
		d.text = mapkey.AppendText(d.text, value)
	}
	n, ok := d.numbers[string(d.text)]
	if !ok {
		n = len(d.numbers)
		d.numbers[string(d.text)], d.complete = n, append(d.complete, complete)
	}
	return n
}

// ask asks once for all entries of a domain that are alike, and once for each of the others.
func (a *answers[T]) ask(f *Scheduler, d *domains, entries []*store.Node, alike func(*store.Node) bool, ask func(*store.Node) T) []T {
	known := resized(&a.byDomain, len(d.numbers))
	f.generation++
	said := resized(&a.said, len(entries))
	for i, entry := range entries {
		if !alike(entry) {
			said[i] = ask(entry)
			continue
		}
		k := &known[d.at(entry)]
		if k.generation != f.generation {
			*k = answered[T]{f.generation, ask(entry)}
		}
		said[i] = k.answer
	}
	return said
}

// allAlike is for domains all of whose nodes are alike.
func allAlike(*store.Node) bool { return true }

// topologies are the domains by their topology keys.
type topologies map[string]*domains

// of are the domains of the present nodes.
func (t topologies) of(b *store.Nodes, keys []string) *domains {
	name := strings.Join(keys, "\x00")
	if t[name] == nil {
		t[name] = &domains{keys: keys, numbers: map[string]int{}}
	}
	t[name].update(b)
	return t[name]
}

// topologyKeys are those that a pod's spread constraints may name: its own, else those of the profile's default constraints.
func (p *cachedProfile) topologyKeys(pod *corev1.Pod) []string {
	if len(pod.Spec.TopologySpreadConstraints) == 0 {
		return p.defaultKeys
	}
	return keysOf(pod.Spec.TopologySpreadConstraints)
}

func keysOf(rules []corev1.TopologySpreadConstraint) []string {
	var keys []string
	for _, rule := range rules {
		keys = append(keys, rule.TopologyKey)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// defaultKeys are the topology keys of the constraints for pods without any. The system's own are on zones and hosts
// (pkg/scheduler/framework/plugins/podtopologyspread/plugin.go).
func defaultKeys(p *config.KubeSchedulerProfile) []string {
	for _, c := range p.PluginConfig {
		if args, ok := c.Args.(*config.PodTopologySpreadArgs); ok && args.DefaultingType == config.ListDefaulting {
			return keysOf(args.DefaultConstraints)
		}
	}
	return []string{corev1.LabelHostname, corev1.LabelTopologyZone}
}
