// Package metrics serves the agent's metrics and health, on a port that is opened only if it is configured. It writes Prometheus' text format
// itself: client_golang, with its protobuf types, costs 2.7 MiB resident on every node for a few metrics.
package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
)

// Metrics are the agent's metrics and health checks. They are safe for concurrent use.
type Metrics struct {
	reasons map[reason.ID]reason.Reason
	status  func() report.Status
	streams func() int

	mu       sync.Mutex
	snapshot evidence.Snapshot
	evidence map[reason.ID]int
	requests map[request]int
	lossy    []Lossy
	checks   []check
}

type request struct {
	name string
	code int
}

// check is a health check.
type check struct {
	name string
	is   func() error
}

// New makes Metrics of the effective reasons and a reporter's Status.
func New(reasons []reason.Reason, status func() report.Status) *Metrics {
	m := &Metrics{
		reasons: map[reason.ID]reason.Reason{}, status: status, streams: func() int { return 0 },
		evidence: map[reason.ID]int{}, requests: map[request]int{},
	}
	for _, r := range reasons {
		m.reasons[r.ID] = r
	}
	return m
}

// Streams sets what returns the number of open heartbeat streams.
func (m *Metrics) Streams(open func() int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams = open
}

// Show sets the state of the reasons.
func (m *Metrics) Show(p evidence.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.snapshot = p
}

// Requested counts requests to the API server by name and status code, 0 without an answer.
func (m *Metrics) Requested(name string, code int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[request{name: name, code: code}]++
}

// Check adds a health check: is returns nil if the agent is healthy.
func (m *Metrics) Check(name string, is func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checks = append(m.checks, check{name: name, is: is})
}

// page is the text that Prometheus scrapes
// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
func (m *Metrics) page() string {
	status := m.status()
	m.mu.Lock()
	defer m.mu.Unlock()
	var t text
	t.metric("naosu_agent_reason_standing", "gauge", "Entities for which a reason is reported.")
	counts := m.standing()
	for _, id := range slices.Sorted(maps.Keys(m.reasons)) {
		if r := m.reasons[id]; r.Severity != reason.Off {
			t.sample(float64(counts[id]), "reason", string(id), "condition", string(r.Condition), "severity", string(r.Severity))
		}
	}
	t.metric("naosu_agent_reason_unknown", "gauge", "1 for each reason for which it is not known whether the fault is present.")
	for _, g := range m.snapshot.Unknown {
		t.sample(1, "reason", string(g.Reason))
	}
	t.metric("naosu_agent_evidence_total", "counter", "Faults that were found, whether the reason is reported or not.")
	for _, id := range slices.Sorted(maps.Keys(m.evidence)) {
		t.sample(float64(m.evidence[id]), "reason", string(id))
	}
	t.metric("naosu_agent_log_records_lost_total", "counter", "Log records that were dropped before they were read.")
	for _, lossy := range m.lossy {
		lost := lossy.Lost()
		for _, log := range slices.Sorted(maps.Keys(lost)) {
			t.sample(float64(lost[log]), "log", log)
		}
	}
	t.metric("naosu_agent_api_requests_total", "counter", "Requests to the API server; code 0 is no answer.")
	for _, r := range slices.SortedFunc(maps.Keys(m.requests), func(a, b request) int { return cmp.Or(cmp.Compare(a.name, b.name), a.code-b.code) }) {
		t.sample(float64(m.requests[r]), "request", r.name, "code", strconv.Itoa(r.code))
	}
	t.metric("naosu_agent_heartbeat_streams", "gauge", "Open heartbeat streams, one to each replica of the controller.")
	t.sample(float64(m.streams()))
	t.metric("naosu_agent_events_lost_total", "counter", "Events that were never written.")
	t.sample(float64(status.Lost))
	t.metric("naosu_agent_stands_aside", "gauge", "1 for each node condition that another agent writes.")
	for _, kind := range slices.Sorted(maps.Keys(status.OtherWriters)) {
		t.sample(1, "condition", kind, "manager", status.OtherWriters[kind])
	}
	if !status.ReportedAt.IsZero() {
		t.metric("naosu_agent_last_report_timestamp_seconds", "gauge", "When the node's conditions were last written.")
		t.sample(float64(status.ReportedAt.UnixMilli()) / 1000)
	}
	return t.String()
}

// standing is the number of entities for which each reason stands.
func (m *Metrics) standing() map[reason.ID]int {
	counts := map[reason.ID]int{}
	for _, s := range m.snapshot.Standing {
		counts[s.Reason]++
	}
	return counts
}
