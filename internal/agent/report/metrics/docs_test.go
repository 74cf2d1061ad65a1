package metrics_test

import (
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/metrics"
)

// The docs have a row for each metric, with its kind, and none that is not served; the English is what the metric says of itself.
func TestDocsHaveAllMetrics(t *testing.T) {
	m := metrics.New(nil, func() report.Status { return report.Status{ReportedAt: time.Unix(1000, 0)} })
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	_, page := get(t, server.URL+"/metrics")
	kinds, helps := map[string]string{}, map[string]string{}
	for line := range strings.Lines(page) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 4)
		switch {
		case strings.HasPrefix(line, "# HELP "):
			helps[words[2]] = words[3]
		case strings.HasPrefix(line, "# TYPE "):
			kinds[words[2]] = words[3]
		}
	}
	row := regexp.MustCompile("(?m)^\\| `(naosu_agent_[a-z_]+)` \\| ([a-z]+) \\|(?: .*)? \\| ([^|]*) \\|$")
	for _, language := range []string{"en", "ja"} {
		text, err := os.ReadFile("../../../../docs/" + language + "/agent.md")
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		for _, match := range row.FindAllStringSubmatch(string(text), -1) {
			rows[match[1]] = match[2]
			if language == "en" && match[3] != helps[match[1]] {
				t.Errorf("%s is %q, and the docs say %q", match[1], helps[match[1]], match[3])
			}
		}
		if diff := cmp.Diff(kinds, rows); diff != "" {
			t.Errorf("%s (-served +docs):\n%s", language, diff)
		}
	}
	if kinds["naosu_agent_reason_standing"] != "gauge" {
		t.Errorf("what is served was not read: %v", kinds)
	}
}
