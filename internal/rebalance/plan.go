package rebalance

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Result is what is known of a plan.
type Result string

const (
	// Balanced is an empty plan: every workload and node meets the targets.
	Balanced Result = "balanced"
	// Minimal is a plan than which none with fewer evictions has the same effect.
	Minimal Result = "minimal"
	// Irreducible is a plan for which the search found none with fewer evictions, although its bound allows fewer.
	Irreducible Result = "irreducible"
	// None is an empty plan although workloads are out of balance, or nodes overutilized: no evictions were found that help.
	None Result = "none"
)

// Plan is a sequence of waves of evictions.
type Plan struct {
	Result Result `json:"result"`
	// Bound is the number of evictions that any plan with the same effect needs.
	Bound int    `json:"bound"`
	Waves []Wave `json:"waves"`
	// Workloads are those that the plan changes, before and after it, by namespace and name.
	Workloads []Distribution `json:"workloads"`
	// Unmet are the workloads that stay out of balance.
	Unmet []Unmet `json:"unmet"`
	// Nodes are those that are overutilized before or after the plan, by name; none if utilization is not considered.
	Nodes []NodeUtilization `json:"nodes,omitempty"`
}

// Wave is evictions that PodDisruptionBudgets permit at once. The next wave begins once the pods created in their place are ready.
type Wave struct {
	Moves []Move `json:"moves"`
}

// Move is the eviction of one pod.
type Move struct {
	Pod      change.Ref `json:"pod"`
	Workload change.Ref `json:"workload"`
	// Why is why the pod is evicted.
	Why  Why    `json:"why"`
	From string `json:"from"`
	// To are the nodes on which the scheduler may run the pod that is created in its place, by name: more than one where that is chance.
	To []string `json:"to"`
}

// Distribution is how the pods of a workload are distributed over nodes.
type Distribution struct {
	Workload change.Ref `json:"workload"`
	// Before and After are the numbers of pods by node; After is what is likeliest. Nodes without pods in both are left out.
	Before map[string]int `json:"before"`
	After  map[string]int `json:"after"`
	// Excess is the most, over all futures, that the pods are away from the targets after the plan: the numbers of pods that must move for each limit
	// to be met, added up. Zero meets them.
	Excess int `json:"excess"`
}

// Unmet is a workload that stays out of balance.
type Unmet struct {
	Workload change.Ref `json:"workload"`
	Reason   Reason     `json:"reason"`
}

// Utilization is how much of a node's allocatable CPU and memory is requested, in percent.
type Utilization struct {
	CPU    int `json:"cpu"`
	Memory int `json:"memory"`
}

// NodeUtilization is that of an overutilized node.
type NodeUtilization struct {
	Node string `json:"node"`
	// Most is what may be requested of it, and After the most that is, over all futures.
	Most   Utilization `json:"most"`
	Before Utilization `json:"before"`
	After  Utilization `json:"after"`
	// Excess is by how many percentage points of its allocatable more than the most is requested after the plan, of the resource of which it is more,
	// rounded up. Zero meets the target.
	Excess int `json:"excess"`
	// Reason is why it stays overutilized; empty if it does not.
	Reason Reason `json:"reason,omitempty"`
}

// Reason is why a workload stays out of balance, or a node overutilized.
type Reason string

const (
	// InMotion is a workload of which pods are starting, terminating, or on a node that is not ready: it is left alone until it is at rest.
	InMotion Reason = "InMotion"
	// Protected is one of whose pods none that would have to leave may be evicted, or a node on which such pods request more than may be requested of it.
	Protected Reason = "Protected"
	// NoGain is one whose pods the scheduler would put back, or for which there is no room elsewhere.
	NoGain Reason = "NoGain"
	// Harmful is one whose plan, when played, harmed pods that run.
	Harmful Reason = "Harmful"
	// LimitReached is one for which the plan would have more evictions than Options.MaxEvictions or Options.Limits allow.
	LimitReached Reason = "LimitReached"
)

// Sentence says why the workload stays out of balance; workload is how it is named.
func (u Unmet) Sentence(workload any) message.Sentence {
	switch u.Reason {
	case InMotion:
		return sentence.PlanInMotion(workload)
	case Protected:
		return sentence.PlanProtected(workload)
	case Harmful:
		return sentence.PlanHarmful(workload)
	case LimitReached:
		return sentence.PlanLimitReached(workload)
	default:
		return sentence.PlanNoGain(workload)
	}
}

// Sentence says why the node stays overutilized.
func (n NodeUtilization) Sentence() message.Sentence {
	node := nodeRef(n.Node)
	switch n.Reason {
	case InMotion:
		return sentence.PlanNodeInMotion(node)
	case Protected:
		return sentence.PlanNodeProtected(node)
	case Harmful:
		return sentence.PlanNodeHarmful(node)
	case LimitReached:
		return sentence.PlanNodeLimit(node)
	default:
		return sentence.PlanNodeNoGain(node)
	}
}

// New plans. The Judge's world is left as it was. An error is of the Judge or of the context.
func New(ctx context.Context, judge *scheduling.Judge, o Options) (Plan, error) {
	o = o.withDefaults()
	s := newSearch(judge, o)
	unbalanced := s.unbalanced()
	if len(unbalanced) == 0 && len(s.overutilizedAtFirst()) == 0 {
		return Plan{Result: Balanced, Waves: []Wave{}, Workloads: []Distribution{}, Unmet: []Unmet{}}, nil
	}
	steps, unmet, err := s.solveAll(ctx, unbalanced)
	if err != nil {
		return Plan{}, err
	}
	steps, is, harmful, err := s.verify(ctx, steps)
	if err != nil {
		return Plan{}, err
	}
	return s.plan(steps, is, append(unmet, harmful...)), nil
}

// Unbalanced are the workloads of a world that may be evicted from, and those of them that are out of balance, each by namespace and name.
// Nothing is planned.
func Unbalanced(world *cluster.Snapshot, o Options) (all, unbalanced []change.Ref) {
	o = o.withDefaults()
	for _, w := range workloads(world, o.MaxShare) {
		if !o.Asks(w.ref) {
			continue
		}
		all = append(all, w.ref)
		if w.excess() > 0 {
			unbalanced = append(unbalanced, w.ref)
		}
	}
	return all, unbalanced
}

// plan puts steps, and what came of them in the simulation, into a Plan.
func (s *search) plan(steps []step, is played, unmet []Unmet) Plan {
	p := Plan{Result: None, Waves: []Wave{}, Workloads: []Distribution{}}
	evictions := 0
	for _, one := range steps {
		p.Bound += one.bound
		evictions += len(one.evicted)
	}
	if evictions == 0 {
		clear(s.highest)
	}
	p.Unmet, p.Nodes = s.split(unmet)
	if evictions == 0 {
		return p
	}
	p.Result = Irreducible
	if evictions == p.Bound {
		p.Result = Minimal
	}
	p.Waves, p.Workloads = is.waves, is.after
	return p
}

// split are the workloads that stay out of balance, by namespace and name, and the nodes that are overutilized before or after the plan.
func (s *search) split(unmet []Unmet) ([]Unmet, []NodeUtilization) {
	workloads, reasons := []Unmet{}, map[string]Reason{}
	for _, u := range unmet {
		if _, known := reasons[u.Workload.Name]; cluster.Kind(u.Workload.Kind) != cluster.Node {
			workloads = append(workloads, u)
		} else if !known { // What is known first is why.
			reasons[u.Workload.Name] = u.Reason
		}
	}
	slices.SortStableFunc(workloads, func(a, b Unmet) int { return compareRefs(a.Workload, b.Workload) })
	workloads = slices.CompactFunc(workloads, func(a, b Unmet) bool { return a.Workload == b.Workload })
	return workloads, s.nodeUtilizations(reasons)
}
