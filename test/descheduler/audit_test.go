package descheduler

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// toolUser is the user whose evictions are counted.
const toolUser = "rebalancing-tool"

// auditLog is the API server's log of the evictions that are asked of it.
type auditLog struct{ folder string }

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create]
  resources: [{group: "", resources: [pods/eviction]}]
- level: None
`

func newAuditLog(t *testing.T) auditLog {
	t.Helper()
	log := auditLog{t.TempDir()}
	if err := os.WriteFile(log.policy(), []byte(auditPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	return log
}

func (l auditLog) policy() string { return filepath.Join(l.folder, "policy.yaml") }
func (l auditLog) file() string   { return filepath.Join(l.folder, "audit.log") }

// flags have an API server write the log.
func (l auditLog) flags() map[controlplane.Component][]string {
	return map[controlplane.Component][]string{controlplane.APIServer: {"--audit-policy-file=" + l.policy(), "--audit-log-path=" + l.file()}}
}

// evictions are requests of the tool by their outcome.
type evictions struct {
	granted int
	// refused are those that a PodDisruptionBudget, or that there are several, did not allow.
	refused int
	// failed are all others, such as for pods that are gone.
	failed int
}

func (e evictions) sum() int { return e.granted + e.refused + e.failed }

// evictions are those up to now: an eviction is in the log before its answer is sent.
func (l auditLog) evictions() (evictions, error) {
	file, err := os.Open(l.file())
	if err != nil {
		return evictions{}, fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	return countEvictions(file)
}

func countEvictions(log io.Reader) (evictions, error) {
	var e evictions
	for decoder := json.NewDecoder(log); ; {
		var event auditv1.Event
		switch err := decoder.Decode(&event); {
		case errors.Is(err, io.EOF):
			return e, nil
		case err != nil:
			return e, fmt.Errorf("read the audit log: %w", err)
		case event.User.Username != toolUser || event.Stage != "ResponseComplete" || event.ResponseStatus == nil:
			continue
		}
		switch code := event.ResponseStatus.Code; {
		case code < http.StatusBadRequest:
			e.granted++
		case code == http.StatusTooManyRequests, code == http.StatusInternalServerError:
			e.refused++
		default:
			e.failed++
		}
	}
}

func TestCountEvictions(t *testing.T) {
	var log strings.Builder
	for _, event := range []struct {
		user, stage string
		code        int
	}{
		{toolUser, "ResponseComplete", 201},
		{toolUser, "ResponseComplete", 429},
		{toolUser, "ResponseComplete", 500},
		{toolUser, "ResponseComplete", 404},
		{toolUser, "ResponseStarted", 201},
		{"somebody", "ResponseComplete", 201},
		{toolUser, "ResponseComplete", 201},
	} {
		fmt.Fprintf(&log, `{"user":{"username":%q},"stage":%q,"responseStatus":{"code":%d}}`+"\n", event.user, event.stage, event.code)
	}
	got, err := countEvictions(strings.NewReader(log.String()))
	if want := (evictions{granted: 2, refused: 2, failed: 1}); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	if _, err := countEvictions(strings.NewReader(`{"user":`)); err == nil {
		t.Error("a log that ends in the middle of an event is read")
	}
}
