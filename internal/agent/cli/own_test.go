package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/cli"
)

const (
	goodOwn = "reasons: [{name: RaidBatteryFailed, means: The battery is flat., condition: StorageReady, matches: [{log: kernel, pattern: '^megaraid_sas '}]}]\n"
	badOwn  = "reasons: [{name: FanFailed, means: A fan stands., condition: HardwareReady, matches: [{log: kernel, pattern: '^fan '}]}]\n"
)

// configured is the path of a configuration with files beside it.
func configured(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "agent.yaml")
}

// Who changes a file of own reasons learns of a mistake from check and reasons: its file, line, field and what to do.
func TestBadOwnReasonsAreRefused(t *testing.T) {
	path := configured(t, map[string]string{"agent.yaml": "", "fan.patterns.yaml": badOwn, "raid.patterns.yaml": goodOwn})
	for _, args := range [][]string{{"check", "--config", path}, {"reasons", "--config", path}, {"reasons", "--config", filepath.Join(filepath.Dir(path), "fan.patterns.yaml")}} {
		_, err := run(t, args...)
		if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), `fan.patterns.yaml:1: reasons[0].condition: "HardwareReady" is not a condition that the agent writes; it writes KernelReady`) {
			t.Errorf("%v says %v, exit code %d", args, err, cli.ExitCode(err))
		}
	}
}

func TestOwnReasonsAreListed(t *testing.T) {
	path := configured(t, map[string]string{"agent.yaml": "", "raid.patterns.yaml": goodOwn})
	for language, want := range map[string]string{"en": "own (raid.patterns.yaml): The battery is flat.", "ja": "独自 (raid.patterns.yaml): The battery is flat."} {
		out, err := run(t, "reasons", "--config", path, "--lang", language)
		if err != nil || !strings.Contains(out, want) || strings.Contains(out, "own ()") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	out, err := run(t, "reasons", "--config", filepath.Join(filepath.Dir(path), "raid.patterns.yaml"), "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Reason, Own string }
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	if last := all[len(all)-1]; last.Reason != "RaidBatteryFailed" || last.Own != "raid.patterns.yaml" || all[0].Own != "" {
		t.Errorf("the last is %+v", last)
	}
}

// The JSON of a reason is in the shape of Kubernetes' objects, and in one language.
func TestReasonsAsJSON(t *testing.T) {
	out, err := run(t, "reasons", "-o", "json", "--lang", "ja")
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(r map[string]any) bool { return r["reason"] == "OOMKilling" })
	want := map[string]any{"count": 1.0, "within": "10m"}
	if got := all[at]; !reflect.DeepEqual(got["needs"], want) || got["severity"] != "warning" || !strings.HasPrefix(fmt.Sprint(got["means"]), "コンテナのメモリ上限") {
		t.Errorf("got %v", got)
	}
}

// A running fleet outlives a bad file: the agent watches on without it, and says so in its log and its metrics, and with them as an
// Event.
func TestRunsWithoutBadOwnReasons(t *testing.T) {
	path := configured(t, map[string]string{"agent.yaml": "", "fan.patterns.yaml": badOwn, "raid.patterns.yaml": goodOwn})
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := &watched{word: "\x00", seen: func() {}}
	cmd := cli.NewCommand(&bytes.Buffer{}, said)
	cmd.SetArgs([]string{"--node-name", "n", "--kubeconfig", kubeconfig, "--state", t.TempDir(), "--metrics-address", address, "--config", path})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	stands := `naosu_agent_reason_standing{reason="PatternFileRefused",condition="KernelReady",severity="warning"} 1`
	page := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(page, stands); {
		select {
		case err := <-ended:
			t.Fatalf("it ended with %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is never told:\n%s", page)
		}
		page = get(t, "http://"+address+"/metrics")
	}
	for reason, watched := range map[string]bool{"KernelDeadlock": true, "RaidBatteryFailed": true, "FanFailed": false} {
		if strings.Contains(page, `naosu_agent_reason_standing{reason="`+reason+`"`) != watched {
			t.Errorf("%s is watched: %v, want %v", reason, !watched, watched)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	said.mu.Lock()
	defer said.mu.Unlock()
	if log := said.text.String(); !strings.Contains(log, `msg="A file of own reasons is invalid and ignored; all other reasons are watched" file=fan.patterns.yaml err=`) || strings.Contains(log, "file=raid.patterns.yaml") {
		t.Errorf("it said\n%s", log)
	}
}

// get is a page, or empty while nobody answers.
func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(text)
}
