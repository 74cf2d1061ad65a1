package report

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// Server is the API server, as kube.Client implements it.
type Server interface {
	PatchConditions(ctx context.Context, node string, conditions []kube.Condition) (*kube.Node, error)
	ApplyEvent(ctx context.Context, e kube.Event) error
	WatchNode(ctx context.Context, node string, lasting time.Duration, handle func(kube.Seen)) error
	Node(ctx context.Context, node string) (*kube.Node, error)
}

// Reporter writes conditions and Events to the API server.
type Reporter struct {
	server Server
	node   string
	log    *slog.Logger
	// changed wakes the goroutine that writes conditions and that which writes Events: a slow write of an Event delays no condition.
	changed struct{ conditions, events chan struct{} }

	mu         sync.Mutex
	planner    *planner
	failures   map[string]error // by what failed
	reportedAt time.Time        // when conditions were last written
}

// New makes a Reporter for a node and the effective reasons.
func New(server Server, node string, reasons []reason.Reason, log *slog.Logger) *Reporter {
	r := &Reporter{server: server, node: node, log: log, planner: newPlanner(node, reasons, rand.Float64), failures: map[string]error{}}
	r.changed.conditions, r.changed.events = make(chan struct{}, 1), make(chan struct{}, 1)
	return r
}

// Show sets the state of the reasons. It does not wait for the API server. What stood in any Snapshot is reported, even if a later one replaces it.
func (r *Reporter) Show(p evidence.Snapshot) {
	r.mu.Lock()
	r.planner.update(p, time.Now())
	r.mu.Unlock()
	r.wake()
}

// Run reports until ctx is done. Requests that fail are tried again with a backoff.
func (r *Reporter) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { r.watch(ctx) })
	running.Go(func() { write(ctx, r.changed.conditions, r.stepConditions) })
	running.Go(func() { write(ctx, r.changed.events, r.stepEvents) })
	running.Wait()
}

// write calls step until ctx is done: again at once if it did something, else at the time that it returned or after a change.
func write(ctx context.Context, again <-chan struct{}, step func(context.Context) (next time.Time, did bool)) {
	for ctx.Err() == nil {
		if next, did := step(ctx); !did {
			wait(ctx, again, next)
		}
	}
}

// stepConditions writes the conditions that are due. If none is, next says when to ask again; zero is when something changes.
func (r *Reporter) stepConditions(ctx context.Context) (next time.Time, did bool) {
	r.mu.Lock()
	var due []kube.Condition
	if r.mayWrite() {
		due, next = r.planner.due(time.Now())
	}
	r.mu.Unlock()
	if len(due) == 0 {
		return next, false
	}
	r.patch(ctx, due)
	return time.Time{}, true
}

// stepEvents writes one Event in the same way.
func (r *Reporter) stepEvents(ctx context.Context) (next time.Time, did bool) {
	r.mu.Lock()
	var due *event
	var event kube.Event
	if r.mayWrite() {
		if due, next = r.planner.events.next(time.Now()); due != nil {
			event = due.object(r.planner.shown.Metadata)
		}
	}
	r.mu.Unlock()
	if due == nil {
		return next, false
	}
	r.apply(ctx, due, event)
	return time.Time{}, true
}

// mayWrite says whether the Node is known. While the watch fails, a write would fail as well, and what other agents write is unknown. The next
// state of the Node wakes both goroutines.
func (r *Reporter) mayWrite() bool { return r.planner.shown != nil && r.failures["watch"] == nil }

func (r *Reporter) patch(ctx context.Context, conditions []kube.Condition) {
	answer, err := r.server.PatchConditions(ctx, r.node, conditions)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.planner.written(answer, err, now)
	r.outcome("conditions", err)
	if err != nil {
		return
	}
	r.reportedAt = now
	r.wake() // The answer may show another agent that writes a condition, which is an Event.
}

func (r *Reporter) apply(ctx context.Context, n *event, event kube.Event) {
	err := r.server.ApplyEvent(ctx, event)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planner.events.wrote(n, err, time.Now())
	r.outcome("events", err)
}

// outcome records the result of a kind of request, and logs it when it changes.
func (r *Reporter) outcome(what string, err error) {
	before := r.failures[what]
	switch {
	case err == nil && before != nil:
		r.log.Info("The API server answers again", "request", what)
	case err != nil && (before == nil || before.Error() != err.Error()):
		r.log.Warn("A request to the API server failed; nothing is lost, and it is tried again", "request", what, "err", err)
	}
	delete(r.failures, what)
	if err != nil {
		r.failures[what] = err
	}
}

// A watch lasts one to two hours, and half a minute may pass until the next: all end at once when the API server does.
const (
	watchFor    = time.Hour
	watchSpread = 30 * time.Second
)

// watch passes the Node's states to the planner.
func (r *Reporter) watch(ctx context.Context) {
	again := newBackoff(rand.Float64)
	for ctx.Err() == nil {
		lasting := watchFor + time.Duration(rand.Float64()*float64(watchFor))
		err := r.server.WatchNode(ctx, r.node, lasting, func(seen kube.Seen) {
			again.Succeeded()
			r.record("silence", nil)
			r.see(seen)
		})
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, kube.ErrSilent) {
			r.record("silence", err)
			r.record("watch", r.readNode(ctx))
		} else {
			r.record("watch", err)
		}
		next := time.Now().Add(time.Duration(rand.Float64() * float64(watchSpread)))
		if err != nil {
			again.Failed(time.Now(), err)
			next = again.Until
		}
		sleep(ctx, next)
	}
}

// readNode reads the Node once, where a watch of it sends nothing.
func (r *Reporter) readNode(ctx context.Context) error {
	node, err := r.server.Node(ctx, r.node)
	if err == nil {
		r.see(kube.Seen{Node: node, First: true})
	}
	return err
}

// record is outcome for callers that do not hold the lock.
func (r *Reporter) record(what string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome(what, err)
}

func (r *Reporter) see(seen kube.Seen) {
	r.mu.Lock()
	if seen.Node == nil {
		r.log.Warn("The Node is gone from the API server", "node", r.node)
	}
	before := maps.Clone(r.planner.otherWriters)
	r.planner.observe(seen, time.Now())
	for kind, a := range r.planner.otherWriters {
		if before[kind].Manager != a.Manager {
			r.log.Info("Another agent writes this condition, and it is left to that one", "condition", kind, "manager", a.Manager)
		}
	}
	r.outcome("watch", nil)
	r.mu.Unlock()
	r.wake()
}

func (r *Reporter) wake() {
	for _, again := range []chan struct{}{r.changed.conditions, r.changed.events} {
		select {
		case again <- struct{}{}:
		default:
		}
	}
}

// wait waits for a change, a time if that is not zero, or the end of ctx.
func wait(ctx context.Context, again <-chan struct{}, next time.Time) {
	var timer <-chan time.Time
	if !next.IsZero() {
		timer = time.After(time.Until(next))
	}
	select {
	case <-ctx.Done():
	case <-again:
	case <-timer:
	}
}

func sleep(ctx context.Context, until time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(until)):
	}
}

// Health is why reports do not reach the API server; nil if they do.
func (r *Reporter) Health() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, what := range []string{"watch", "conditions", "events"} {
		if err := r.failures[what]; err != nil {
			errs = append(errs, err)
		}
	}
	if r.planner.shown == nil {
		errs = append(errs, fmt.Errorf("the API server has not shown node %s", r.node))
	}
	return errors.Join(errs...)
}

// Status is the state of the reporting.
type Status struct {
	// ReportedAt is when conditions were last written, zero if never.
	ReportedAt time.Time
	// OtherWriters are the managers that other agents write conditions with, by condition.
	OtherWriters map[string]string
	// Lost is how many Events were never written.
	Lost int
}

// UID is the Node's, as the API server shows it; empty while it does not.
func (r *Reporter) UID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.planner.shown == nil {
		return ""
	}
	return r.planner.shown.Metadata.UID
}

// Status is the state of the reporting.
func (r *Reporter) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{ReportedAt: r.reportedAt, OtherWriters: map[string]string{}, Lost: r.planner.events.lost}
	for kind, a := range r.planner.otherWriters {
		s.OtherWriters[kind] = a.Manager
	}
	return s
}
