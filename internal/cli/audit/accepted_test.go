package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func accepted(t *testing.T, content string) (*acceptance, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "accepted.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return readAccepted(file, now)
}

func TestAccepts(t *testing.T) {
	deployment := func(namespace, name string) change.Ref {
		return change.Ref{Kind: "Deployment", Namespace: namespace, Name: name}
	}
	for name, tc := range map[string]struct {
		subject, expires string
		code             finding.Code
		ref              change.Ref
		want             bool
	}{
		"in any namespace":          {"deployment/web", "2027-01-01", finding.N204, deployment("shop", "web"), true},
		"in its namespace":          {"shop/deployment/web", "2027-01-01", finding.N204, deployment("shop", "web"), true},
		"in another namespace":      {"bank/deployment/web", "2027-01-01", finding.N204, deployment("shop", "web"), false},
		"by a wildcard":             {"shop/*/web-*", "2027-01-01", finding.N204, deployment("shop", "web-1"), true},
		"a wildcard stops at slash": {"*/web", "2027-01-01", finding.N204, deployment("shop", "other"), false},
		"another code":              {"deployment/web", "2027-01-01", finding.N202, deployment("shop", "web"), false},
		"on its last day":           {"deployment/web", "2026-11-20", finding.N204, deployment("shop", "web"), true},
		"expired":                   {"deployment/web", "2026-11-19", finding.N204, deployment("shop", "web"), false},
		"without a namespace":       {"node/n1", "2027-01-01", finding.N204, change.Ref{Kind: "Node", Name: "n1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := accepted(t, "- {code: N204, subject: '"+tc.subject+"', reason: test, expires: '"+tc.expires+"'}\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := a.accepts(tc.code, tc.ref); got != tc.want {
				t.Errorf("accepts = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAcceptedWarnings(t *testing.T) {
	a, err := accepted(t, `
- {code: N204, subject: deployment/met, reason: small, expires: "2027-01-01"}
- {code: N204, subject: deployment/soon, reason: small, expires: "2026-11-22"}
- {code: N204, subject: deployment/stale, reason: small, expires: "2027-01-01"}
- {code: N204, subject: deployment/over, reason: small, expires: "2026-01-01"}
`)
	if err != nil {
		t.Fatal(err)
	}
	a.file = "accepted.yaml"
	for _, name := range []string{"met", "soon", "over"} {
		a.accepts(finding.N204, change.Ref{Kind: "Deployment", Name: name})
	}
	var warned bytes.Buffer
	a.warn(&warned, message.English(), now, true)
	want := "accepted.yaml: N204 deployment/soon is accepted only until 2026-11-22\n" +
		"accepted.yaml: N204 deployment/stale no longer matches any finding; remove the entry\n" +
		"accepted.yaml: N204 deployment/over was accepted only until 2026-01-01\n"
	if diff := cmp.Diff(want, warned.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(a.used()); got != 2 {
		t.Errorf("%d entries used, want 2", got)
	}
	warned.Reset()
	a.warn(&warned, message.English(), now, false)
	if strings.Contains(warned.String(), "stale") {
		t.Errorf("an audit of a part calls an entry stale:\n%s", warned.String())
	}
}

func TestBadAccepted(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"an unknown field":    {"- {code: N204, subjects: a/b}\n", `accepted.yaml: json: unknown field "subjects"; each entry`},
		"an unknown code":     {"- {code: N999, subject: a/b, reason: r, expires: '2027-01-01'}\n", `#1: "N999" is not the code`},
		"no subject":          {"- {code: N204, reason: r, expires: '2027-01-01'}\n", "neither kind/name nor namespace/kind/name"},
		"a broken wildcard":   {"- {code: N204, subject: 'a/[', reason: r, expires: '2027-01-01'}\n", "neither kind/name"},
		"no reason":           {"- {code: N204, subject: a/b, expires: '2027-01-01'}\n", "the reason is missing"},
		"no day":              {"- {code: N204, subject: a/b, reason: r}\n", "not a date such as 2027-03-31"},
		"not a list":          {"code: N204\n", "cannot unmarshal object"},
		"a field given twice": {"- {code: N204, code: N202, subject: a/b, reason: r, expires: '2027-01-01'}\n", "already set"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := accepted(t, tc.content)
			if err == nil || !strings.Contains(err.Error(), tc.want) || exit.Code(err) != exit.NoAnswer {
				t.Errorf("err = %v (exit code %d), want %s", err, exit.Code(err), tc.want)
			}
		})
	}
	if _, err := readAccepted("/nowhere/accepted.yaml", now); exit.Code(err) != exit.NoAnswer {
		t.Errorf("a missing file: %v (exit code %d)", err, exit.Code(err))
	}
}
