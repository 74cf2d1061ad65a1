package scheduling

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// domains numbers the nodes' combinations of values of some topology keys.
type domains struct {
	keys    []string
	bySlot  []int // by the slot's id
	ear     listener
	numbers map[string]int
	faces   []fwk.NodeInfo // by number
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
	for _, key := range d.keys {
		value, ok := s.info.Node().Labels[key]
		if key == corev1.LabelHostname {
			value = ""
		}
		if ok {
			d.text = append(d.text, 1)
		}
		d.text = appendText(d.text, value)
	}
	n, ok := d.numbers[string(d.text)]
	if !ok {
		n = len(d.numbers)
		d.numbers[string(d.text)], d.faces = n, append(d.faces, faceOf(s.info.Node(), d.keys))
	}
	return n
}

// faceOf is a node with no labels but some, nil if it lacks one of them.
func faceOf(node *corev1.Node, keys []string) fwk.NodeInfo {
	face := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: map[string]string{}}}
	for _, key := range keys {
		value, ok := node.Labels[key]
		if !ok {
			return nil
		}
		face.Labels[key] = value
	}
	info := framework.NewNodeInfo()
	info.SetNode(face)
	return info
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
