package kube

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestKubeconfig(t *testing.T) {
	const file = `
current-context: b
contexts:
- {name: a, context: {cluster: one, user: one}}
- {name: b, context: {cluster: two, user: two}}
clusters:
- {name: one, cluster: {server: "https://one"}}
- {name: two, cluster: {server: "https://two:6443/base", CLUSTER}}
users:
- {name: two, user: {USER}}
`
	for name, tc := range map[string]struct {
		cluster, user string
		tokenFile     string
		cert          string
		ca            string
		reload        bool
		err           string
	}{
		"token file beside it":        {user: "tokenFile: token", tokenFile: "/etc/naosu/token"},
		"absolute token file":         {user: "tokenFile: /run/token", tokenFile: "/run/token"},
		"certificate that is renewed": {user: "client-certificate: c.pem, client-key: k.pem", cert: "/etc/naosu/c.pem", reload: true},
		"authority in the file":       {cluster: "certificate-authority-data: " + base64.StdEncoding.EncodeToString([]byte("PEM")), ca: "PEM"},
		"proxy":                       {cluster: "proxy-url: 'http://proxy:3128'"},
		"command for credentials":     {user: "exec: {command: aws}", err: "runs no command"},
		"not base64":                  {user: "client-certificate-data: '%'", err: "illegal base64"},
		"bad proxy":                   {cluster: "proxy-url: ':'", err: "missing protocol scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			text := strings.NewReplacer("CLUSTER", tc.cluster, "USER", tc.user).Replace(file)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			server, how, err := read(path)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), path) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			in := func(file string) string { return strings.Replace(file, filepath.Dir(path), "/etc/naosu", 1) }
			got := []any{server, in(how.BearerTokenFile), in(how.TLS.CertFile), string(how.TLS.CAData), how.TLS.ReloadTLSFiles, how.Proxy != nil}
			want := []any{"https://two:6443/base", tc.tokenFile, tc.cert, tc.ca, tc.reload, name == "proxy"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := Connect(""); err == nil || !strings.Contains(err.Error(), "--kubeconfig is needed") {
		t.Errorf("outside a pod: %v", err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	server, how, err := inCluster()
	if err != nil || server != "https://[fd00::1]:443" || how.BearerTokenFile != account+"/token" {
		t.Errorf("in a pod: %s, %+v, %v", server, how, err)
	}
}

// client talks to a server that answers as a test wants. What a real one does is tested in test/agent/reporting.
func client(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", server.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int
		header string
		body   string
		want   Error
	}{
		"a Status":         {409, "", `{"kind":"Status","message":"conflict","code":409}`, Error{Code: 409, Message: "conflict"}},
		"overload":         {429, "3", `{"message":"too many requests","details":{"retryAfterSeconds":1}}`, Error{Code: 429, Message: "too many requests", RetryAfter: 3 * time.Second}},
		"without a header": {503, "", `{"message":"later","details":{"retryAfterSeconds":2}}`, Error{Code: 503, Message: "later", RetryAfter: 2 * time.Second}},
		"a load balancer":  {502, "", "<html>" + strings.Repeat("x", 1000), Error{Code: 502, Message: "<html>" + strings.Repeat("x", 194)}},
		"nothing":          {401, "", "", Error{Code: 401}},
	} {
		t.Run(name, func(t *testing.T) {
			var codes []int
			c := client(t, func(w http.ResponseWriter, _ *http.Request) {
				if tc.header != "" {
					w.Header().Set("Retry-After", tc.header)
				}
				w.WriteHeader(tc.code)
				_, _ = w.Write([]byte(tc.body))
			})
			c.Done = func(_ string, code int) { codes = append(codes, code) }
			_, err := c.PatchConditions(t.Context(), "n", nil)
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]int{tc.code}, codes); diff != "" {
				t.Errorf("counted: %s", diff)
			}
		})
	}
}

// A watch that never answers, that opens and says nothing, or that says nothing more ends.
func TestSilentWatches(t *testing.T) {
	for name, said := range map[string]string{"no answer": "-", "nothing": "", "nothing more": `{"type":"ADDED","object":{"metadata":{"name":"n"}}}`} {
		t.Run(name, func(t *testing.T) {
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if said != "-" {
					fmt.Fprint(w, said)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			c.firstTimeout, c.idleTimeout = 200*time.Millisecond, 200*time.Millisecond
			seen := 0
			if err := c.WatchNode(t.Context(), "n", time.Hour, func(Seen) { seen++ }); !errors.Is(err, ErrSilent) {
				t.Errorf("the watch ended with %v", err)
			}
			if (seen == 1) != (name == "nothing more") {
				t.Errorf("%d states were told", seen)
			}
			if name != "no answer" {
				return
			}
			if _, err := c.WatchRemediations(t.Context(), "n", "7", time.Hour, func(*Remediation, bool) {}); !errors.Is(err, ErrSilent) {
				t.Errorf("the watch of Remediations ended with %v", err)
			}
		})
	}
}

// A Node is read by a try that writes nothing.
func TestNode(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Method + " " + r.URL.Path + " " + r.URL.Query().Get("dryRun") + " " + string(body); got != `PATCH /api/v1/nodes/n/status All {"status":{"conditions":[]}}` {
			t.Errorf("asked %s", got)
		}
		fmt.Fprint(w, `{"metadata":{"name":"n","uid":"u"}}`)
	})
	if node, err := c.Node(t.Context(), "n"); err != nil || node.Metadata.UID != "u" {
		t.Errorf("%+v, %v", node, err)
	}
}

func TestWatchNode(t *testing.T) {
	var query string
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		_, _ = w.Write([]byte(`{"type":"ADDED","object":{"metadata":{"name":"n","uid":"u"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}}
{"type":"MODIFIED","object":{"metadata":{"name":"n"}}}
{"type":"BOOKMARK","object":{}}
{"type":"DELETED","object":{"metadata":{"name":"n"}}}
{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}
`))
	})
	var seen []string
	err := c.WatchNode(t.Context(), "n", 90*time.Minute, func(s Seen) {
		if s.Node == nil {
			seen = append(seen, "gone")
			return
		}
		seen = append(seen, fmt.Sprintf("%s %s %d %v", s.Node.Metadata.Name, s.Node.Metadata.UID, len(s.Node.Status.Conditions), s.First))
	})
	if diff := cmp.Diff([]string{"n u 1 true", "n  0 false", "gone"}, seen); diff != "" {
		t.Error(diff)
	}
	if err == nil || !strings.Contains(err.Error(), "410: too old") {
		t.Errorf("error %v", err)
	}
	if want := "fieldSelector=metadata.name%3Dn&resourceVersion=0&timeoutSeconds=5400&watch=1"; query != want {
		t.Errorf("query %s, want %s", query, want)
	}
}

func TestWatchThatTheServerEnds(t *testing.T) {
	c := client(t, func(http.ResponseWriter, *http.Request) {})
	if err := c.WatchNode(t.Context(), "n", time.Hour, func(Seen) {}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.WatchNode(ctx, "n", time.Hour, func(Seen) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Whatever a server sends, reading it ends, and what is told are whole nodes.
func FuzzFollow(f *testing.F) {
	f.Add(`{"type":"ADDED","object":{"metadata":{"name":"n","managedFields":[{"manager":"m","time":"2026-11-21T17:40:00Z","fieldsV1":{}}]}}}`)
	f.Add(`{"type":"ERROR","object":{"code":410}}{"type":"DELETED"}`)
	f.Add(`{"type":"ADDED","object":[]}`)
	f.Fuzz(func(t *testing.T, stream string) {
		first := true
		err := follow(strings.NewReader(stream), func(s Seen) {
			if s.First && !first {
				t.Error("two states are the first")
			}
			first = false
		})
		if err == nil {
			t.Error("it ended without a reason")
		}
	})
}

func TestWatchRemediations(t *testing.T) {
	var queries []string
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.Path+"?"+r.URL.RawQuery)
		if r.URL.Query().Get("resourceVersion") == "9" {
			_, _ = w.Write([]byte(`{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"type":"ADDED","object":{"metadata":{"name":"r","uid":"u","resourceVersion":"7"},"spec":{"node":{"name":"n","uid":"v"},"drill":{"nonce":"x"}},"status":{"steps":[{"name":"Act","endedAt":"2026-11-21T17:40:00.000001Z"}],"agent":{"state":"Accepted","at":"2026-11-21T17:40:00.000001Z"}}}}
{"type":"DELETED","object":{"metadata":{"name":"r","resourceVersion":"8"}}}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}
`))
	})
	var seen []string
	handle := func(r *Remediation, gone bool) { seen = append(seen, fmt.Sprintf("%s %v", r.Metadata.Name, gone)) }
	last, err := c.WatchRemediations(t.Context(), "n", "", time.Hour, handle)
	if last != "9" || err != nil {
		t.Errorf("it came to %q, %v", last, err)
	}
	if diff := cmp.Diff([]string{"r false", "r true"}, seen); diff != "" {
		t.Error(diff)
	}
	if last, err = c.WatchRemediations(t.Context(), "n", last, time.Hour, handle); last != "" || Code(err) != http.StatusGone {
		t.Errorf("of what the server has forgotten it came to %q, %v", last, err)
	}
	query := "/apis/naosu.dev/v1alpha1/remediations?allowWatchBookmarks=true&fieldSelector=spec.node.name%3Dn&resourceVersion=RV&timeoutSeconds=3600&watch=1"
	if diff := cmp.Diff([]string{strings.Replace(query, "RV", "0", 1), strings.Replace(query, "RV", "9", 1)}, queries); diff != "" {
		t.Error(diff)
	}
}

// What an earlier report said, and a later one does not, goes: a merge patch takes away what is null.
func TestReport(t *testing.T) {
	var body string
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body = r.Method + " " + r.URL.Path + " " + string(text)
		_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"8"}}`))
	})
	at := time.Date(2026, 11, 21, 17, 40, 0, 120_000_999, time.FixedZone("x", 3600))
	if version, err := c.Report(t.Context(), "r", "7", Report{State: Done, At: Micro{at}, Message: "m"}); err != nil || version != "8" {
		t.Errorf("%q, %v", version, err)
	}
	want := `PATCH /apis/naosu.dev/v1alpha1/remediations/r/status {"metadata":{"resourceVersion":"7"},` +
		`"status":{"agent":{"state":"Done","at":"2026-11-21T16:40:00.120000Z","version":"","message":"m","hops":null,"evidence":null}}}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}
