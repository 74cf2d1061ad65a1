package why

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Evidence that is later than the Snapshot has a time and no age: clocks may differ, or the Snapshot took long.
func TestEvidenceAge(t *testing.T) {
	for after, want := range map[time.Duration]string{
		-time.Hour:             "(60m ago)",
		0:                      "(0s ago)",
		500 * time.Millisecond: "(0s ago)",
		90 * time.Second:       "(" + now.Add(90*time.Second).UTC().Format(time.DateTime) + " UTC)",
	} {
		var page bytes.Buffer
		e := finding.Evidence{Object: change.Ref{Kind: "Node", Name: "n0"}, Field: "spec.taints", Value: "x", Time: new(metav1.NewTime(now.Add(after)))}
		w := writer{output.NewPageOf(&page, 80, false), message.English(), now}
		if got := w.evidence(e); !strings.Contains(got, want) {
			t.Errorf("%s after the Snapshot: %q lacks %q", after, got, want)
		}
	}
}
