package metrics_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/metrics"
)

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// log is a monitor that tells of two faults and then ends.
type log struct{ monitor.Monitor }

func (log) Name() string { return "logs/kernel" }

func (log) Run(_ context.Context, emit monitor.Emit) error {
	for _, state := range []evidence.State{evidence.Fault, evidence.Fault, evidence.Well} {
		emit(evidence.Evidence{Reason: "Down", State: state})
	}
	return errors.New("broken pipe")
}

func (log) Lost() map[string]uint64 { return map[string]uint64{"kernel": 7} }

// What is served is read by Prometheus's own parser.
func TestMetrics(t *testing.T) {
	reasons := []reason.Reason{
		{ID: "Down", Condition: reason.NetworkingReady, Severity: reason.Fatal},
		{ID: "Slow", Condition: reason.NetworkingReady, Severity: reason.Warning},
		{ID: "Quirk", Condition: reason.NetworkingReady, Severity: reason.Off},
	}
	m := metrics.New(reasons, func() report.Status {
		return report.Status{ReportedAt: time.Unix(1000, 5e8), OtherWriters: map[string]string{"KernelReady": "a\"b\\c\nd\xff"}, Lost: 2}
	})
	m.Show(evidence.Snapshot{Standing: []evidence.Standing{{Reason: "Down", Entity: "a"}, {Reason: "Down", Entity: "b"}}, Unknown: []evidence.Gap{{Reason: "Slow"}}})
	var told int
	if err := m.Watch([]monitor.Monitor{log{}})[0].Run(t.Context(), func(evidence.Evidence) { told++ }); err == nil || told != 3 {
		t.Errorf("of three pieces of evidence %d came through, and it ended with %v", told, err)
	}
	m.Streams(func() int { return 2 })
	m.Requested("patch", 200)
	m.Requested("patch", 0)
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	_, page := get(t, server.URL+"/metrics")

	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%v in\n%s", err, page)
	}
	got := map[string]float64{}
	for name, family := range families {
		for _, sample := range family.GetMetric() {
			for _, label := range sample.GetLabel() {
				name += " " + label.GetValue()
			}
			got[name] = sample.GetGauge().GetValue() + sample.GetCounter().GetValue()
			name = family.GetName()
		}
	}
	want := map[string]float64{
		"naosu_agent_reason_standing Down NetworkingReady fatal":   2,
		"naosu_agent_reason_standing Slow NetworkingReady warning": 0,
		"naosu_agent_reason_unknown Slow":                          1,
		"naosu_agent_evidence_total Down":                          2,
		"naosu_agent_log_records_lost_total kernel":                7,
		"naosu_agent_api_requests_total patch 0":                   1,
		"naosu_agent_api_requests_total patch 200":                 1,
		"naosu_agent_heartbeat_streams":                            2,
		"naosu_agent_events_lost_total":                            2,
		"naosu_agent_stands_aside KernelReady a\"b\\c\nd\uFFFD":    1,
		"naosu_agent_last_report_timestamp_seconds":                1000.5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if code, page := get(t, server.URL+"/healthz"); code != 503 || page != "[-] monitors: logs/kernel ended: broken pipe\n" {
		t.Errorf("health with a monitor that ended: %d %q", code, page)
	}
}

func TestHealth(t *testing.T) {
	m := metrics.New(nil, func() report.Status { return report.Status{} })
	var trouble error
	m.Check("monitors", func() error { return nil })
	m.Check("report", func() error { return trouble })
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	for _, tc := range []struct {
		trouble error
		path    string
		code    int
		page    string
	}{
		{nil, "/healthz", 200, "[+] monitors\n[+] report\n"},
		{errors.New("no answer\nat all"), "/healthz", 503, "[+] monitors\n[-] report: no answer; at all\n"},
		{errors.New("no answer"), "/livez", 200, "ok\n"},
	} {
		trouble = tc.trouble
		if code, page := get(t, server.URL+tc.path); code != tc.code || page != tc.page {
			t.Errorf("%s with %v: %d %q, want %d %q", tc.path, tc.trouble, code, page, tc.code, tc.page)
		}
	}
}
