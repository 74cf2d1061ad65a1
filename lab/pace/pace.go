// Package pace relates scenario time, in which a scenario's times are given, to real time, in which the lab plays it.
//
// A lab that runs N times faster divides every period, grace and timeout by N. Some settings of the Kubernetes API are
// whole seconds with a minimum of one; those that stop there are remembered, so that a report can list them.
package pace

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// Pace converts durations between scenario time and real time. A nil Pace is real time.
type Pace struct {
	scale float64

	mu      sync.Mutex
	minimum map[string]time.Duration
	held    bool
	began   time.Time
}

// New returns a Pace in which everything happens scale times faster. A scale below one is taken as one.
func New(scale float64) *Pace {
	return &Pace{scale: max(scale, 1), minimum: map[string]time.Duration{}}
}

// Scale is the factor by which the lab is faster than reality.
func (p *Pace) Scale() float64 {
	if p == nil {
		return 1
	}
	return p.scale
}

// Real is how long a scenario's duration takes on the wall clock.
func (p *Pace) Real(scenario time.Duration) time.Duration {
	return time.Duration(float64(scenario) / p.Scale())
}

// Scenario is how much of the scenario passes in a real duration.
func (p *Pace) Scenario(real time.Duration) time.Duration {
	return time.Duration(float64(real) * p.Scale())
}

// Hold says that the scenario has not begun: what counts from its beginning waits for Begin, however long its start takes to be built.
func (p *Pace) Hold() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = true
}

// Begin says that the scenario begins now.
func (p *Pace) Begin(now time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held, p.began = false, now
}

// Began is when the scenario began, zero if nothing held it, and false while it is held.
func (p *Pace) Began() (time.Time, bool) {
	if p == nil {
		return time.Time{}, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began, !p.held
}

// Seconds scales a setting that Kubernetes keeps in whole seconds. Zero stays zero; anything that would fall below one
// second becomes one and is remembered under the setting's name.
func (p *Pace) Seconds(setting string, scenario int64) int64 {
	if scenario <= 0 || p.Scale() == 1 {
		return scenario
	}
	scaled := float64(scenario) / p.Scale()
	if scaled < 1 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.minimum[setting] = time.Duration(scenario) * time.Second
		return 1
	}
	return int64(math.Round(scaled))
}

// NoteMinimum remembers settings that another process could not scale all the way.
func (p *Pace) NoteMinimum(settings ...Setting) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range settings {
		p.minimum[s.Name] = s.Stated
	}
}

// Rate scales events per second of scenario time to real time. It is never exactly one: the node lifecycle controller takes
// a rate of one for the limiter that it has installed to stop all evictions, and never evicts again
// (SwapLimiter in pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go compares with fakeNeverRateLimiter's QPS).
func (p *Pace) Rate(perSecond float64) float64 {
	scaled := perSecond * p.Scale()
	if float32(scaled) == 1 {
		return 1.01
	}
	return scaled
}

// AtMinimum names the settings that could not be scaled all the way, sorted, each with its value in scenario time.
func (p *Pace) AtMinimum() []Setting {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	settings := make([]Setting, 0, len(p.minimum))
	for _, name := range slices.Sorted(maps.Keys(p.minimum)) {
		settings = append(settings, Setting{Name: name, Stated: p.minimum[name]})
	}
	return settings
}

// Setting is one that stopped at Kubernetes' minimum of one real second.
type Setting struct {
	// Name is the setting's path, such as "spec.terminationGracePeriodSeconds".
	Name string
	// Stated is its value in scenario time.
	Stated time.Duration
}
