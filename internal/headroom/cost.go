package headroom

import (
	"context"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// mostLost is how many classes of nodes are lost at most, over all failures: the most demanding of each failure.
const mostLost = 600

// answer is what one failure costs.
func (c *computation) answer(ctx context.Context, f Failure) (Answer, error) {
	a := Answer{Failure: f, Status: Known, Worst: Cost{Waiting: []Affected{}, Preempted: []Affected{}, Lost: []Affected{}}}
	for _, one := range f.cases {
		a.Cases += one.alike
	}
	switch a.Unread = c.unread(f.Kind); {
	case len(a.Unread) > 0:
		a.Status = Unread
		return a, nil
	case f.Kind == Step && f.Step == nil:
		a.Status, a.Unread = Unread, []cluster.Kind{f.teller}
		return a, nil
	case len(f.cases) == 0:
		a.Status = NotComputed
		return a, nil
	}
	worst, err := c.worst(ctx, &a)
	if err == nil {
		err = c.explain(ctx, &a, worst)
	}
	if unknown := (outcome.UnknownError{}); errors.As(err, &unknown) {
		a.Status = Failed
		return a, nil
	}
	return a, err
}

// worst simulates the cases of a failure, counts those that have a cost, and returns the worst.
func (c *computation) worst(ctx context.Context, a *Answer) (failureCase, error) {
	cases := a.cases
	if all := len(c.classes); a.Kind == Node && all > c.limits.lost && !c.isSized(a) { // A room must survive every case.
		cases = cases[:max(1, len(cases)*c.limits.lost/all)]
		for _, one := range a.cases[len(cases):] {
			a.Unplayed += one.alike
		}
		c.progress(len(a.cases) - len(cases))
	}
	worst := a.cases[0]
	if len(a.cases) == 1 { // explain simulates it.
		return worst, nil
	}
	for i, one := range cases {
		cost, err := c.play(ctx, &cases[i])
		if err != nil {
			return worst, err
		}
		if cost.none() {
			continue
		}
		a.Costly += one.alike
		if compareCosts(cost, a.Worst) < 0 {
			worst, a.Worst = one, cost
		}
	}
	return worst, nil
}

// play is what one case costs.
func (c *computation) play(ctx context.Context, one *failureCase) (Cost, error) {
	cost, err := c.simulate(ctx, one)
	c.progress(1)
	return cost, err
}

// simulate is play without progress. What waits already is left out.
func (c *computation) simulate(ctx context.Context, one *failureCase) (Cost, error) {
	var cost Cost
	world := c.judge.World()
	err := simulation.EachFuture(ctx, c.judge, one.changes, simulation.Options{LeavePending: true}, func(o outcome.Outcome) error {
		cost = costOf(world, o)
		cost.Nodes = one.nodes
		c.keep(world, cost, o, one)
		c.note(o.NotModelled)
		return nil
	})
	return cost, err
}

// keep has a case keep what the search for its room needs.
func (c *computation) keep(world *cluster.Snapshot, cost Cost, o outcome.Outcome, one *failureCase) {
	if c.o.Sized {
		present := todayOf(world, cost, o, *one)
		one.today = &present
	}
}

// explain simulates the worst case with reasons: again, unless it is the only one.
func (c *computation) explain(ctx context.Context, a *Answer, worst failureCase) error {
	only := len(a.cases) == 1
	if a.Worst.none() && !only {
		return nil
	}
	o, err := simulation.Run(ctx, c.judge, worst.changes, simulation.Options{LeavePending: true})
	if err != nil {
		return err
	}
	a.Worst = costOf(c.world, o)
	if only {
		c.keep(c.world, a.Worst, o, &a.cases[0])
		c.progress(1)
	}
	if !a.Worst.none() {
		a.Worst.Nodes = worst.nodes
		a.Costly = max(a.Costly, worst.alike)
	}
	c.note(o.NotModelled)
	return nil
}

// costOf is what a future costs the pods of a world, and those that it creates.
func costOf(world *cluster.Snapshot, o outcome.Outcome) Cost {
	cost := Cost{Waiting: []Affected{}, Preempted: []Affected{}, Lost: []Affected{}}
	for _, fate := range o.Fates {
		one, counts := affected(world, o.World, fate)
		if !counts {
			continue
		}
		switch fate.Kind {
		case outcome.Waiting:
			if fate.From != "" && fate.To == fate.From {
				cost.Staying++
				continue
			}
			cost.Waiting = append(cost.Waiting, one)
		case outcome.Preempted:
			by := fate.By
			one.By = &by
			cost.Preempted = append(cost.Preempted, one)
		case outcome.Lost:
			cost.Lost = append(cost.Lost, one)
		}
	}
	return cost
}

// affected is the pod of a fate with its workload; false for a placeholder and a mirror pod.
func affected(before, after *cluster.Snapshot, fate outcome.Fate) (Affected, bool) {
	one := Affected{Pod: fate.Pod, Workload: fate.Pod, Why: fate.Why}
	pod := before.Pod(fate.Pod.Namespace, fate.Pod.Name)
	if pod == nil {
		pod = after.Pod(fate.Pod.Namespace, fate.Pod.Name)
	}
	if pod != nil {
		if object := before.Workload(pod); object != nil {
			one.Workload = refTo(object)
		}
		return one, !placeholder(pod) && !cluster.IsMirror(pod)
	}
	// It was created and replaced in the simulation. Its controller's name precedes the last part of its own.
	stem := fate.Pod.Name[:max(0, strings.LastIndex(fate.Pod.Name, "-"))]
	for _, kind := range []cluster.Kind{cluster.ReplicaSet, cluster.DaemonSet, cluster.Job} {
		if owner := before.Object(kind, fate.Pod.Namespace, stem); owner != nil {
			template := kube.PodTemplate(owner)
			if top := before.Owner(owner); top != nil {
				owner = top
			}
			one.Workload = refTo(owner)
			return one, template == nil || ptr.Deref(template.Spec.Priority, 0) >= 0
		}
	}
	return one, true
}

func refTo(object metav1.Object) change.Ref {
	kind, _ := cluster.KindOf(object)
	return change.Ref{Kind: string(kind), Namespace: object.GetNamespace(), Name: object.GetName()}
}
