// Package tasks performs the tasks that Remediations have for the agent of the node that they name: to restart a service, or to run a drill. The
// agent reports in the Remediation's status.agent and nowhere else, accepts a task before it begins, and performs none twice. The services that
// may be restarted are those of its own configuration.
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

// Worker performs tasks.
type Worker struct {
	Server *kube.Client
	// Node is the node's name; UID returns the Node's UID, which is empty as long as it is unknown.
	Node string
	UID  func() string
	// Version is the agent's.
	Version  string
	Restarts *Restarts
	Drills   *Drills
	Clock    clock.Clock
	Log      *slog.Logger

	// One task of each kind at a time: a drill takes long, and a restart does not wait for it.
	restarting, drilling sync.Mutex
	working              sync.WaitGroup
	started              map[string]bool // by the Remediation's UID; used by the goroutine that watches alone
}

// Run performs tasks until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	w.started = map[string]bool{}
	w.watch(ctx)
	w.working.Wait()
}

// start begins the task of a Remediation, unless it was begun before.
func (w *Worker) start(ctx context.Context, r *kube.Remediation, gone bool) {
	id := r.Metadata.UID
	switch {
	case gone:
		delete(w.started, id)
	case !w.started[id] && w.taskOf(r) != nothing:
		w.started[id] = true
		w.working.Go(func() { w.perform(ctx, r) })
	}
}

// task is a kind of task.
type task int

const (
	nothing task = iota
	restart
	drill
)

// taskOf is the task that a Remediation has for this agent now.
func (w *Worker) taskOf(r *kube.Remediation) task {
	reported := r.Status.Agent
	if r.Spec.Node.Name != w.Node || r.Status.Phase == "Ended" || reported != nil && reported.State != kube.Accepted {
		return nothing
	}
	if d := r.Spec.Drill; d != nil {
		if d.Depth == "Raised" { // A person makes that fault; the agent has no part in it.
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

// whyRefused is why the task of a Remediation is refused; empty if it is not.
func (w *Worker) whyRefused(r *kube.Remediation, uid string) string {
	switch {
	case r.Spec.Node.UID != uid:
		return fmt.Sprintf("it is about a Node %s of UID %s; this one's is %s", w.Node, r.Spec.Node.UID, uid)
	case w.taskOf(r) == drill:
		return w.Drills.whyRefused(*r.Spec.Drill)
	}
	service, _ := r.Restarts()
	return w.Restarts.whyRefused(service)
}

// perform performs the task of a Remediation, and reports the result.
func (w *Worker) perform(ctx context.Context, r *kube.Remediation) {
	turn := &w.restarting
	if w.taskOf(r) == drill {
		turn = &w.drilling
	}
	turn.Lock()
	defer turn.Unlock()
	r = w.accept(ctx, r)
	switch {
	case r == nil:
	case w.taskOf(r) == drill:
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
	if ctx.Err() == nil { // Else the agent is being stopped, and continues in its next run.
		w.sendReport(ctx, r, kube.Report{State: state, Message: message})
	}
}

// drill runs a drill, and reports after each hop.
func (w *Worker) drill(ctx context.Context, r *kube.Remediation) {
	update := kube.Report{State: kube.Accepted, Message: "under way"}
	condition, message, err := w.Drills.run(ctx, *r.Spec.Drill, func(name, by string) {
		update.Hops = append(update.Hops, kube.Hop{Name: name, At: kube.Micro{Time: w.Clock.Now()}, By: by})
		if name != hopReport { // It is reported together with the result.
			w.sendReport(ctx, r, update)
		}
	})
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		update.State, update.Message = kube.Failed, err.Error()
	default:
		update.State, update.Message = kube.Done, message
		update.Evidence = &kube.Evidence{
			Condition: condition.Type, Status: condition.Status, Reason: condition.Reason, Message: condition.Message, Since: condition.LastTransitionTime,
		}
	}
	w.sendReport(ctx, r, update)
}
