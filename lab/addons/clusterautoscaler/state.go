package clusterautoscaler

import (
	"maps"
	"time"
)

// scanState is the state kept from one scan to the next. Like the real one's, it is lost when the program ends.
type scanState struct {
	unneeded map[string]time.Time // node → since when, without a break
	recheck  map[string]time.Time // node → not a candidate before
	requests map[string]request   // group → nodes asked for that are not all there yet
	backoffs map[string]backoff   // group → not scaled up after a failure
	removals map[string]removal   // node → being removed

	running                  bool // not the first scan
	lastScaleUp, lastFailure time.Time
	status                   Status
}

// request is a scale-up under way.
type request struct {
	increase int
	at       time.Time // of the last increase
}

type backoff struct {
	until  time.Time
	length time.Duration
	code   string
	reason string
}

// removal is a node that is being drained and removed.
type removal struct {
	group    string
	instance string
	tainted  time.Time
	drain    bool      // there were pods to move
	evicting time.Time // when eviction began; zero is not yet
}

func (m scanState) clone() scanState {
	m.unneeded, m.recheck = clone(m.unneeded), clone(m.recheck)
	m.requests, m.backoffs, m.removals = clone(m.requests), clone(m.backoffs), clone(m.removals)
	return m
}

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

func (m scanState) backedOff(group string, now time.Time) bool {
	return now.Before(m.backoffs[group].until)
}

// backOff leaves a group alone after a failed scale-up, each time twice as long as the time before.
func (m scanState) backOff(cfg settings, group, code, reason string, now time.Time) {
	length := cfg.backoff
	if before, ok := m.backoffs[group]; ok {
		length = min(2*before.length, cfg.maxBackoff)
	}
	m.backoffs[group] = backoff{until: now.Add(length), length: length, code: code, reason: reason}
}
