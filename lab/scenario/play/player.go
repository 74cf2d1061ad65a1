package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/lab/lag"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// minObservationInterval is the least time between two observations, so that a burst of changes is observed once.
const minObservationInterval = 10 * time.Millisecond

// condition is asked again and again until it holds.
type condition func() bool

// action is the result of performing a step: what was done, and what it still waits for, if anything.
type action struct {
	message string
	until   condition
	tracker tracker
	// broken says what has gone wrong so that until will never hold, or ""; nil if nothing can.
	broken func() string
	// explain says why until does not hold; nil if there is nothing to say.
	explain func() string
}

// player goes through a pass: it does the steps that are due and follows the expectations whose point is reached.
type player struct {
	pass         scenario.Pass
	world        expr.World
	changed      <-chan struct{}
	clusterEnded <-chan error
	timeline     *timeline
	pace         *pace.Pace
	lag          func() lag.Reading
	perform      func(context.Context, scenario.Step) (action, error)

	next         int           // index of the step that is due or underway
	underway     *action       // what the step waits for
	began        clockReading  // when the step was begun
	done         time.Duration // when the step before was done
	points       map[string]clockReading
	expectations []*trackedExpectation
	// failure is what ended the pass early; unjudged is true if the machine's lag may be why.
	failure  string
	unjudged bool
	// extended is true when a deadline of a step was extended by lag.
	extended bool
}

// clockReading is a moment that time is counted from, with the machine's lag until then.
type clockReading struct {
	at  time.Duration
	lag lag.Reading
}

// trackedExpectation is an expectation over time.
type trackedExpectation struct {
	scenario.Expectation
	program *expr.Program
	tracker tracker
}

func newPlayer(pass scenario.Pass, w expr.World, changed <-chan struct{}, clusterEnded <-chan error, t *timeline, l func() lag.Reading,
	perform func(context.Context, scenario.Step) (action, error),
) (*player, error) {
	p := &player{
		pass: pass, world: w, changed: changed, clusterEnded: clusterEnded, timeline: t, pace: t.pace, lag: l, perform: perform,
		points: map[string]clockReading{},
	}
	env, err := pass.Env()
	if err != nil {
		return nil, err
	}
	for _, e := range pass.Expect {
		program, err := env.Condition(e.That)
		if err != nil {
			return nil, fmt.Errorf("compiling expectation %s: %w", e.Name, err)
		}
		if e.From == "" {
			e.From = scenario.Start
		}
		p.expectations = append(p.expectations, &trackedExpectation{Expectation: e, program: program, tracker: p.track(e)})
	}
	return p, nil
}

// start makes this moment the scenario's start. What takes time is done before, for it would count: expressions are compiled, and lag is read.
func (p *player) start() {
	p.points[scenario.Start] = clockReading{lag: p.lag()}
	p.pace.Begin(time.Now())
	p.timeline.begin()
}

func (p *player) track(e scenario.Expectation) tracker {
	t := tracker{deadline: e.Within.Duration + p.pace.Scenario(time.Duration(e.RealSeconds)*time.Second)}
	if e.NotBefore != nil {
		t.notBefore = e.NotBefore.Duration
	}
	if e.Holds != nil {
		t.holds = e.Holds.Duration
	}
	return t
}

// now is the moment that it is.
func (p *player) now() clockReading { return clockReading{at: p.timeline.now(), lag: p.lag()} }

// lateness is what lag means for a condition whose time is counted from a moment.
func (p *player) lateness(since clockReading) lateness {
	return lateness{
		before: p.pace.Scenario(since.lag.Recent),
		since:  func() time.Duration { return p.pace.Scenario(p.lag().Lost - since.lag.Lost) },
		recent: func() time.Duration { return p.pace.Scenario(p.lag().Recent) },
		always: p.pace.Scenario(lagReal), unjudged: p.firstUnjudged(),
	}
}

// firstUnjudged is the name of the expectation that could not be judged, the first of them in the scenario; or "".
func (p *player) firstUnjudged() string {
	for _, f := range p.expectations {
		if f.tracker.state == unjudged {
			return f.Name
		}
	}
	return ""
}

// run plays until all is done, or until the named point is reached. An error means that the cluster or ctx ended.
func (p *player) run(ctx context.Context, until string) error {
	ctx, cancel := context.WithCancel(ctx) // a command that a step has begun ends with it
	defer cancel()
	for {
		p.advance(ctx, until)
		if _, reached := p.points[until]; reached || p.finished() {
			return nil
		}
		wake := time.NewTimer(max(p.pace.Real(p.wake()-p.timeline.now()), minObservationInterval))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-p.clusterEnded:
			return exitReason(ctx, err)
		case <-p.changed:
			wake.Reset(minObservationInterval)
			<-wake.C
		case <-wake.C:
		}
		wake.Stop()
	}
}

// advance does everything that is due by now.
func (p *player) advance(ctx context.Context, until string) {
	p.follow(p.timeline.now())
	for p.failure == "" && p.next < len(p.pass.Steps) {
		if _, reached := p.points[until]; reached {
			return
		}
		step := p.pass.Steps[p.next]
		if p.underway == nil {
			if p.timeline.now() < p.due(step) {
				return
			}
			p.begin(ctx, step)
		}
		if !p.complete(step) {
			return
		}
		p.next++
		p.follow(p.done)
	}
}

// due is when a step may begin.
func (p *player) due(s scenario.Step) time.Duration {
	switch {
	case s.At != nil:
		return s.At.Duration
	case s.After != nil:
		return p.done + s.After.Duration
	}
	return 0
}

func (p *player) begin(ctx context.Context, s scenario.Step) {
	p.began = p.now()
	result, err := p.perform(ctx, s)
	if err != nil {
		p.failure = fmt.Sprintf("step %s could not be done: %v", s.Label(), err)
		p.unjudged = p.lateness(p.began).excuse(p.timeline.now()-p.began.at) != ""
		p.timeline.add(Event{Sort: Step, Object: s.Label(), Message: "could not be done"})
		return
	}
	if s.Mark == "" {
		p.timeline.add(Event{Sort: Step, Object: s.Label(), Message: result.message})
	}
	p.underway = &result
}

// complete says whether the step is done, and records its point if it is.
func (p *player) complete(s scenario.Step) bool {
	if p.failure != "" {
		return false
	}
	if p.underway.until != nil {
		since, late := p.timeline.now()-p.began.at, p.lateness(p.began)
		p.underway.tracker.observe(since, p.underway.until(), late)
		p.underway.giveUp(since, late)
		p.extended = p.extended || p.underway.tracker.extension > 0
		switch p.underway.tracker.state {
		case failed, unjudged:
			p.underway.tracker.because(p.underway.explain)
			p.failure = fmt.Sprintf("step %s: what it waits for %s", s.Label(), p.underway.tracker.problem)
			p.unjudged = p.underway.tracker.state == unjudged
			message := "fails, and the pass ends early"
			if p.unjudged {
				message = "is not judged, and the pass ends early"
			}
			p.timeline.add(Event{Sort: Step, Object: s.Label(), Message: message})
			return false
		case met:
		default:
			return false
		}
	}
	waited := p.underway.until != nil
	now := p.now()
	p.underway, p.done = nil, now.at
	if point := s.Point(); point != "" {
		p.points[point] = now
		if s.Mark != "" || waited {
			p.timeline.add(Event{Sort: Point, Object: point, Message: "reached"})
		}
	}
	return true
}

// giveUp fails what cannot come true any more.
func (u *action) giveUp(now time.Duration, l lateness) {
	if u.broken == nil || u.tracker.settled() {
		return
	}
	if problem := u.broken(); problem != "" {
		u.tracker.fail(now, l, "does not hold: %s", problem)
	}
}

// follow evaluates the expectations that count already. What is true counts from the given moment, at which the player began to look: reading lag and
// evaluating take time.
func (p *player) follow(now time.Duration) {
	for _, f := range p.expectations {
		since, reached := p.points[f.From]
		if !reached || f.tracker.settled() {
			continue
		}
		holds, err := f.program.Bool(p.world)
		f.tracker.observe(now-since.at, holds && err == nil, p.lateness(since))
		if f.tracker.settled() {
			f.tracker.because(func() string { return f.program.Explain(p.world) })
			p.timeline.expectation(p.result(f))
		}
	}
}

// finished says whether no step and no expectation is left.
func (p *player) finished() bool {
	if p.failure != "" {
		return true
	}
	if p.next < len(p.pass.Steps) {
		return false
	}
	for _, f := range p.expectations {
		if !f.tracker.settled() {
			return false
		}
	}
	return true
}

// wake is when to look again even if nothing changes.
func (p *player) wake() time.Duration {
	wake := p.timeline.now() + time.Hour
	if p.next < len(p.pass.Steps) {
		if p.underway == nil {
			wake = min(wake, p.due(p.pass.Steps[p.next]))
		} else {
			wake = min(wake, p.began.at+p.underway.tracker.next())
		}
	}
	for _, f := range p.expectations {
		if since, reached := p.points[f.From]; reached && !f.tracker.settled() {
			wake = min(wake, since.at+f.tracker.next())
		}
	}
	return wake
}

// lost is how many seconds of real time were lost since the start, and whether anything depended on it.
func (p *player) lost() (realSeconds float64, used bool) {
	used = p.extended || p.unjudged || slices.ContainsFunc(p.expectations, func(f *trackedExpectation) bool {
		return f.tracker.state == unjudged || f.tracker.extension > 0
	})
	return seconds(p.lag().Lost - p.points[scenario.Start].lag.Lost), used
}

func (p *player) results() []Expectation {
	results := []Expectation{}
	for _, f := range p.expectations {
		results = append(results, p.result(f))
	}
	return results
}

func (p *player) result(f *trackedExpectation) Expectation {
	e := Expectation{
		Name: f.Name, From: f.From, That: f.That, Met: f.tracker.state == met, NotJudged: f.tracker.state == unjudged, Problem: f.tracker.problem,
	}
	since, reached := p.points[f.From]
	if reached {
		e.FromSeconds = secondsOf(since.at)
	}
	switch {
	case e.Met:
		e.AtSeconds, e.OverrunSeconds = secondsOf(since.at+f.tracker.since), seconds(f.tracker.overrun())
	case !reached:
		e.Problem, e.NotJudged = fmt.Sprintf("the point %q was not reached", f.From), p.unjudged
	case !f.tracker.settled():
		e.Problem, e.NotJudged = "the pass ended before its deadline", p.unjudged
	}
	return e
}
