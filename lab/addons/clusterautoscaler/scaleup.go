package clusterautoscaler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Why a group is not even tried; see core/scaleup/orchestrator/skippedreasons.go.
const (
	backoffReason    = "in backoff after failed scale-up"
	maxSizeReason    = "max node group size reached"
	notReadyReason   = "not ready for scale-up"
	notTriggerPrefix = "pod didn't trigger scale-up: "
)

// option is what one group could do: how many nodes, for which pods.
type option struct {
	group *group
	nodes int
	pods  []*corev1.Pod
}

// verdicts are the reasons why each group is of no use to equivalent pods.
type verdicts map[string][]string

// scaleUp tries every group's template, and lets the group grow that wastes least. If none helps, an event of each pod says why.
func (p *planner) scaleUp(pods []*corev1.Pod) {
	groups := groupEquivalentPods(pods)
	rejected := make([]verdicts, len(groups))
	helped := make([]bool, len(groups))
	skipped := verdicts{}
	var options []option
	for i := range p.world.groups {
		g := &p.world.groups[i]
		if reason := p.skipReason(g); reason != "" {
			skipped[g.name] = []string{reason}
			continue
		}
		var fitting []podGroup
		for k, like := range groups {
			if refused := p.tryTemplate(g, like[0]); refused == nil {
				fitting, helped[k] = append(fitting, like), true
			} else {
				rejected[k] = withReasons(rejected[k], g.name, refused.reasons)
			}
		}
		if o := p.estimate(g, fitting); o.nodes > 0 {
			options = append(options, o)
		}
	}
	if len(options) == 0 {
		for k, like := range groups {
			for _, pod := range like {
				if !helped[k] {
					p.actions.event(pod, "NotTriggerScaleUp", "%s", notTriggerPrefix+summary(rejected[k], skipped))
				}
			}
		}
		return
	}
	p.requestScaleUp(slices.MinFunc(options, func(a, b option) int { return cmp.Compare(p.waste(a), p.waste(b)) }))
}

func withReasons(v verdicts, group string, reasons []string) verdicts {
	if v == nil {
		v = verdicts{}
	}
	v[group] = reasons
	return v
}

func (p *planner) skipReason(g *group) string {
	expected := g.target - p.state.requests[g.name].increase
	switch {
	case !p.ready[g.name].groupHealthy(p.cfg, expected):
		return notReadyReason
	case p.state.backedOff(g.name, p.world.now):
		return backoffReason
	case g.target >= g.max:
		return maxSizeReason
	case p.templates[g.name] == nil:
		return notReadyReason
	}
	return ""
}

func (p *planner) tryTemplate(g *group, pod *corev1.Pod) *refusal {
	s := p.cluster.fork()
	template := p.templates[g.name]
	s.add(template)
	return p.judge.fits(p.ctx, s, pod, template.Node().Name)
}

// estimate packs pods onto as many of the group's nodes as it may still add, big pods first, as
// estimator/binpacking_estimator.go does: onto nodes begun before, else onto the newest, else onto one more.
func (p *planner) estimate(g *group, groups []podGroup) option {
	o := option{group: g}
	template := p.templates[g.name]
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(a, b podGroup) int { return cmp.Compare(size(b[0], template), size(a[0], template)) })
	s := p.cluster.fork()
	added := map[string]bool{}
	for _, like := range groups {
		for _, pod := range like {
			node := p.judge.firstFit(p.ctx, s, pod, func(name string) bool { return added[name] })
			if node == "" {
				if len(added) == g.max-g.target {
					break
				}
				next := copyOfTemplate(template, "e-"+digits(len(added)))
				s.add(next)
				if p.judge.fits(p.ctx, s, pod, next.Node().Name) != nil {
					s.remove(next.Node().Name) // one more node is no help, as with zonal spreading: nor is it to its likes
					break
				}
				node = next.Node().Name
				added[node] = true
			}
			s.place(pod, node)
			o.pods = append(o.pods, pod)
		}
	}
	o.nodes = len(added)
	return o
}

// size is a pod's share of a node, CPU and memory added up.
func size(pod *corev1.Pod, template *framework.NodeInfo) float64 {
	asked, there := requests(pod), template.Node().Status.Allocatable
	return share(asked.Cpu(), there.Cpu()) + share(asked.Memory(), there.Memory())
}

// waste is the least-waste expander's score: the shares of CPU and memory that the new nodes would leave unused. Between
// equals the real one chooses at random, and this one takes the first group by name.
func (p *planner) waste(o option) float64 {
	var cpu, memory resource.Quantity
	for _, pod := range o.pods {
		asked := requests(pod)
		cpu.Add(*asked.Cpu())
		memory.Add(*asked.Memory())
	}
	there := p.templates[o.group.name].Node().Status.Capacity
	nodes := float64(o.nodes)
	return 2 - share(&cpu, there.Cpu())/nodes - share(&memory, there.Memory())/nodes
}

func share(part, of *resource.Quantity) float64 {
	if of.IsZero() {
		return 0
	}
	return part.AsApproximateFloat64() / of.AsApproximateFloat64()
}

func (p *planner) requestScaleUp(o option) {
	g := o.group
	p.actions.resizes = append(p.actions.resizes, resize{g.name, g.target, g.target + o.nodes, g.max, o.pods})
}

// resized records the cloud's answer to a resize in the state and returns what follows from it.
func (m *scanState) resized(cfg settings, r resize, err error, now time.Time) (outcome actions) {
	if r.to > r.from {
		outcome.event(nil, "ScaledUpGroup", "Scale-up: setting group %s size to %d instead of %d (max: %d)", r.group, r.to, r.from, r.max)
	}
	switch {
	case r.to < r.from && err != nil:
		outcome.warn(nil, "FailedToRevertScaleUp", "Failed to decrease target size for group %s after scale-up timeout: %v", r.group, err)
	case r.to < r.from:
	case err != nil:
		outcome.warn(nil, "FailedToScaleUpGroup", "Scale-up failed for group %s: %v", r.group, err)
		m.backOff(cfg, r.group, "cloudProviderError", fmt.Sprintf("failed to increase node group size: %v", err), now)
	default:
		outcome.event(nil, "ScaledUpGroup", "Scale-up: group %s size set to %d instead of %d (max: %d)", r.group, r.to, r.from, r.max)
		for _, pod := range r.pods {
			outcome.event(pod, "TriggeredScaleUp", "pod triggered scale-up: %v", []resize{r})
		}
		m.requests[r.group] = request{increase: m.requests[r.group].increase + r.to - r.from, at: now}
		m.lastScaleUp = now
	}
	return outcome
}

// summary counts the groups under each reason. A group may have several. The real one lists them in a random order.
func summary(all ...verdicts) string {
	counts := map[string]int{}
	for _, v := range all {
		for _, reasons := range v {
			for _, reason := range reasons {
				counts[reason]++
			}
		}
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", counts[reason], reason)
	}
	return strings.Join(reasons, ", ")
}

func digits(n int) string { return strconv.Itoa(n) }
