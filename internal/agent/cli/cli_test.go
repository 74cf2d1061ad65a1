package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/cli"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// run is what a person sees.
func run(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	t.Setenv("LC_ALL", "C")
	var stdout, stderr bytes.Buffer
	cmd := cli.NewCommand(&stdout, &stderr)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

// The first command of a new user looks at everything the catalogue has, on whatever host this is.
func TestCheck(t *testing.T) {
	out, err := run(t, "check", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var seen []agent.Seen
	if err := json.Unmarshal([]byte(out), &seen); err != nil {
		t.Fatal(err)
	}
	looked := map[reason.ID]bool{}
	for _, s := range seen {
		looked[s.Reason] = true
		if s.State == evidence.Unreadable && s.Raw == "no monitor looks at it" {
			t.Errorf("no monitor looks at %s", s.Reason)
		}
	}
	for _, r := range reason.Catalogue {
		if !looked[r.ID] && r.Severity != reason.Off {
			t.Errorf("%s is not told of", r.ID)
		}
	}
}

func TestLanguages(t *testing.T) {
	for language, want := range map[string]string{"en": "administratively down", "ja": "管理上ダウン"} {
		if out, err := run(t, "reasons", "--lang", language); err != nil || !strings.Contains(out, want) {
			t.Errorf("reasons --lang %s says %v and\n%s", language, err, out)
		}
	}
	if out, err := run(t, "check", "--lang", "ja"); err != nil || !strings.Contains(out, "状態") {
		t.Errorf("check --lang ja says %v and\n%s", err, out)
	}
	// What is read stands in Japanese beside each reason of which nothing is quoted, and times are said in it.
	if out, err := run(t, "check", "--lang", "ja"); err != nil || !strings.Contains(out, "すべてのスレッド") || strings.Contains(out, "all threads") {
		t.Errorf("check --lang ja says %v and\n%s", err, out)
	}
	if out, err := run(t, "reasons", "--lang", "ja"); err != nil || !strings.Contains(out, "24 時間以内に 2 回") || strings.Contains(out, "24h") {
		t.Errorf("reasons --lang ja says %v and\n%s", err, out)
	}
}

func TestBadInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(file, []byte("network: {links: '('}\nkernel: {zombies: none}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args  []string
		wants []string
	}{
		"no node":           {nil, []string{"--node-name is missing"}},
		"no cluster":        {[]string{"--node-name", "n"}, []string{"--kubeconfig is needed"}},
		"no kubeconfig":     {[]string{"--node-name", "n", "--kubeconfig", "/no/such"}, []string{"/no/such"}},
		"no command":        {[]string{"chekc"}, []string{`unknown command "chekc"`}},
		"no flag":           {[]string{"check", "--nodes"}, []string{"--nodes"}},
		"no language":       {[]string{"check", "--lang", "de"}, []string{`--lang "de"`}},
		"no heartbeat port": {[]string{"--node-name", "n", "--heartbeat-address", "controller"}, []string{"--heartbeat-address controller: ", "missing port"}},
		"no heartbeat host": {[]string{"--node-name", "n", "--heartbeat-address", ":9443"}, []string{"--heartbeat-address :9443: ", "host is missing"}},
		"a port's name":     {[]string{"--node-name", "n", "--heartbeat-address", "c:9443,c:https"}, []string{"--heartbeat-address c:https: ", `"https" is not a number`}},
		"no token file":     {[]string{"--node-name", "n", "--heartbeat-address", "c:9443", "--heartbeat-ca-file", "f"}, []string{"--heartbeat-token-file is missing"}},
		"no CA file":        {[]string{"--node-name", "n", "--heartbeat-address", "c:9443", "--heartbeat-token-file", "f"}, []string{"--heartbeat-ca-file is missing"}},
		"no address":        {[]string{"--node-name", "n", "--metrics-address", "9644"}, []string{"--metrics-address 9644"}},
		"no format":         {[]string{"check", "-o", "xml"}, []string{`--output "xml"`}},
		"no host":           {[]string{"check", "--host-root", "/no/such"}, []string{"--host-root /no/such"}},
		"bad configuration": {[]string{"check", "--config", file}, []string{"agent.yaml:1: network.links", "agent.yaml:2: kernel.zombies"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, tc.args...)
			if cli.ExitCode(err) != 2 {
				t.Fatalf("it says %v, exit code %d, want 2", err, cli.ExitCode(err))
			}
			for _, want := range tc.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it says %q, which names no %q", err, want)
				}
			}
		})
	}
}

// A folder is named from where the command is given, not from the root.
func TestRelativeHostRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("host/proc", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "reasons", "--host-root", "host"); err != nil {
		t.Error(err)
	}
}
