package scheduling

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// domains numbers the nodes' combinations of values of some topology keys.
type domains struct {
	keys    []string
	bySlot  []int // by the slot's id
	ear     listener
	numbers map[string]int
	lacks   []bool // by number: its nodes do not have every key
	text    []byte
}

func (d *domains) at(s *slot) int { return d.bySlot[s.id] }

// follow numbers the nodes that have changed.
func (d *domains) follow(b *board) {
	changed, known := d.ear.hear(&b.news)
	if !known {
		changed = b.nodes.slots
	}
	d.bySlot = slices.Grow(d.bySlot, len(b.slots)-len(d.bySlot))[:len(b.slots)]
	for _, s := range changed {
		if s.here != nowhere {
			d.bySlot[s.id] = d.number(s)
		}
	}
}

func (d *domains) number(s *slot) int {
	d.text = d.text[:0]
	lacks := false
	for _, key := range d.keys {
		value, ok := s.info.Node().Labels[key]
		if key == corev1.LabelHostname {
			value = ""
		}
		if ok {
			d.text = append(d.text, 1)
		}
		lacks = lacks || !ok
		d.text = appendText(d.text, value)
	}
	n, ok := d.numbers[string(d.text)]
	if !ok {
		n = len(d.numbers)
		d.numbers[string(d.text)], d.lacks = n, append(d.lacks, lacks)
	}
	return n
}

// ask asks once for all slots of a domain that are like one another, and once for each of the others.
func (a *answers[T]) ask(j *Judge, d *domains, slots []*slot, alike func(*slot) bool, ask func(*slot) T) []T {
	known := sized(&a.byDomain, len(d.numbers))
	j.looks++
	said := sized(&a.said, len(slots))
	for i, slot := range slots {
		if !alike(slot) {
			said[i] = ask(slot)
			continue
		}
		k := &known[d.at(slot)]
		if k.look != j.looks {
			*k = answered[T]{j.looks, ask(slot)}
		}
		said[i] = k.answer
	}
	return said
}

// alike is for domains all of whose nodes are.
func alike(*slot) bool { return true }

// topologies are the domains by their keys.
type topologies map[string]*domains

// of are the domains as they are on the board now.
func (t topologies) of(b *board, keys []string) *domains {
	name := strings.Join(keys, "\x00")
	if t[name] == nil {
		t[name] = &domains{keys: keys, numbers: map[string]int{}}
	}
	t[name].follow(b)
	return t[name]
}

// topologyKeys are those that a pod's spread rules may name: its own rules', else those of the profile's default rules.
func (p *profile) topologyKeys(pod *corev1.Pod) []string {
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

// defaultKeys are those of the rules for pods without any. The system's own are on zones and hosts
// (pkg/scheduler/framework/plugins/podtopologyspread/plugin.go).
func defaultKeys(p *config.KubeSchedulerProfile) []string {
	for _, c := range p.PluginConfig {
		if args, ok := c.Args.(*config.PodTopologySpreadArgs); ok && args.DefaultingType == config.ListDefaulting {
			return keysOf(args.DefaultConstraints)
		}
	}
	return []string{corev1.LabelHostname, corev1.LabelTopologyZone}
}
