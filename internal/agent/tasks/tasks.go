// Package tasks is what the agent does when it is told to: a Remediation that names its node has a service restarted, or a
// drill tried. It reports to that Remediation's status.agent and nowhere else, undertakes before it does, and does nothing
// twice. What it may restart is its own configuration's word, not the Remediation's.
package tasks

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// Worker works.
type Worker struct {
	Server *kube.Client
	// Node is the node's name, UID its Node's; that is empty as long as it is not known.
	Node string
	UID  func() string
	// Version is the agent's.
	Version  string
	Restarts *Restarts
	Drills   *Drills
	Clock    clock.Clock
	Log      *slog.Logger

	// One at a time of each kind: a drill takes long, and no restart waits for it.
	restarting, drilling sync.Mutex
	working              sync.WaitGroup
	taken                map[string]bool // by UID; for the goroutine that watches
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	w.taken = map[string]bool{}
	w.watch(ctx)
	w.working.Wait()
}

// take takes up what a Remediation asks for, once.
func (w *Worker) take(ctx context.Context, r *kube.Remediation, gone bool) {
	id := r.Metadata.UID
	switch {
	case gone:
		delete(w.taken, id)
	case !w.taken[id] && w.asks(r) != nothing:
		w.taken[id] = true
		w.working.Go(func() { w.work(ctx, r) })
	}
}

// task is what a Remediation asks of an agent.
type task int

const (
	nothing task = iota
	restart
	drill
)

// asks is what a Remediation asks of this agent now.
func (w *Worker) asks(r *kube.Remediation) task {
	said := r.Status.Agent
	if r.Spec.Node.Name != w.Node || r.Status.Phase == "Ended" || said != nil && said.State != kube.Accepted {
		return nothing
	}
	if d := r.Spec.Drill; d != nil {
		if d.Depth == "Raised" { // A person's doing: the agent has no part in it.
			return nothing
		}
		return drill
	}
	steps := r.Status.Steps
	if _, ok := r.Restarts(); !ok || r.Status.Phase != "Running" || len(steps) == 0 {
		return nothing
	}
	if last := steps[len(steps)-1]; last.Name != "Act" || last.EndedAt != nil {
		return nothing
	}
	return restart
}

// refuses says why what a Remediation asks for is not done; empty if it is.
func (w *Worker) refuses(r *kube.Remediation, uid string) string {
	switch {
	case r.Spec.Node.UID != uid:
		return fmt.Sprintf("it is about a Node %s of UID %s; this one's is %s", w.Node, r.Spec.Node.UID, uid)
	case w.asks(r) == drill:
		return w.Drills.refuses(*r.Spec.Drill)
	}
	service, _ := r.Restarts()
	return w.Restarts.refuses(service)
}

// work does what a Remediation asks for, and reports.
func (w *Worker) work(ctx context.Context, r *kube.Remediation) {
	turn := &w.restarting
	if w.asks(r) == drill {
		turn = &w.drilling
	}
	turn.Lock()
	defer turn.Unlock()
	r = w.undertake(ctx, r)
	switch {
	case r == nil:
	case w.asks(r) == drill:
		w.drill(ctx, r)
	default:
		w.restart(ctx, r)
	}
}

func (w *Worker) restart(ctx context.Context, r *kube.Remediation) {
	var since time.Time
	if earlier := r.Status.Agent; earlier != nil {
		since = earlier.At.Time
	}
	service, _ := r.Restarts()
	state, message := w.Restarts.run(ctx, service, since)
	if ctx.Err() == nil { // Else the agent is being stopped, and its next run goes on.
		w.tell(ctx, r, kube.Report{State: state, Message: message})
	}
}

// drill tries the chain, and reports after each hop.
func (w *Worker) drill(ctx context.Context, r *kube.Remediation) {
	say := kube.Report{State: kube.Accepted, Message: "under way"}
	condition, message, err := w.Drills.run(ctx, *r.Spec.Drill, func(name, by string) {
		say.Hops = append(say.Hops, kube.Hop{Name: name, At: kube.Micro{Time: w.Clock.Now()}, By: by})
		if name != hopReport { // That goes with the last word.
			w.tell(ctx, r, say)
		}
	})
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		say.State, say.Message = kube.Failed, err.Error()
	default:
		say.State, say.Message = kube.Done, message
		say.Evidence = &kube.Evidence{
			Condition: condition.Type, Status: condition.Status, Reason: condition.Reason, Message: condition.Message, Since: condition.LastTransitionTime,
		}
	}
	w.tell(ctx, r, say)
}
