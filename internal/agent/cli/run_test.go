package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/cli"
)

// watched is what is written, and calls seen once it has some words.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	word string
	seen context.CancelFunc
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(p)
	if strings.Contains(w.text.String(), w.word) {
		w.seen()
	}
	return n, err
}

// An agent whose port for metrics another has, and whose folder cannot be written, watches and reports all the same, and ends well.
func TestRunsWithoutPortAndFolder(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	root := t.TempDir()
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(root+path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(root+path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	kubeconfig, file := filepath.Join(root, "kubeconfig"), filepath.Join(root, "file")
	text := fmt.Sprintf("current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", server.URL)
	for path, content := range map[string]string{kubeconfig: text, file: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := &watched{word: "retryAfter=1m0s", seen: cancel}
	cmd := cli.NewCommand(&bytes.Buffer{}, said)
	cmd.SetArgs([]string{
		"--node-name", "n", "--kubeconfig", kubeconfig, "--host-root", root, "--state", filepath.Join(file, "state"), "--metrics-address", taken.Addr().String(),
	})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Errorf("it ended with %v, having said\n%s", err, &said.text)
	}
	if !strings.Contains(said.text.String(), "address already in use") {
		t.Errorf("it said\n%s", &said.text)
	}
}

// Times are said without what is zero.
func TestReasonsSayShortTimes(t *testing.T) {
	out, err := run(t, "reasons")
	if err != nil || strings.Contains(out, "0m0s") || strings.Contains(out, "m0s") || !strings.Contains(out, "2 within 24h") || !strings.Contains(out, "the first check") {
		t.Errorf("%v\n%s", err, out)
	}
}
