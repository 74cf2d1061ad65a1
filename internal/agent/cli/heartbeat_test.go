package cli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/cli"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

// An agent whose API server cannot be reached sends heartbeats all the same, with its token and boot ID, and says goodbye.
func TestSendsHeartbeats(t *testing.T) {
	certificate, authority := heartbeattest.Certificate(t)
	folder := t.TempDir()
	kubeconfig := "current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: 'https://127.0.0.1:1'}}]\n"
	for name, content := range map[string]string{"kubeconfig": kubeconfig, "token": "secret\n", "ca.crt": string(authority)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Skipf("only Linux has boot IDs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	received := make(chan []heartbeat.Type, 1)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get(heartbeat.BootIDHeader)+"\n" != string(boot) || r.URL.Path != heartbeat.Path {
				t.Errorf("the agent sends %s with %v", r.URL, r.Header)
			}
			_ = http.NewResponseController(w).Flush()
			var types []heartbeat.Type
			for frames := heartbeat.NewReader(r.Body); ; cancel() {
				f, err := frames.Next()
				if err != nil {
					received <- types
					return
				}
				types = append(types, f.Type)
			}
		}),
	}
	defer server.Close()
	go func() { _ = server.ServeTLS(listener, "", "") }()

	cmd := cli.NewCommand(&bytes.Buffer{}, &bytes.Buffer{})
	cmd.SetArgs([]string{
		"--node-name", "n", "--kubeconfig", filepath.Join(folder, "kubeconfig"), "--state", folder, "--heartbeat-address", listener.Addr().String(),
		"--heartbeat-token-file", filepath.Join(folder, "token"), "--heartbeat-ca-file", filepath.Join(folder, "ca.crt"),
	})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Error(err)
	}
	// The first heartbeat ends the agent here, which may be too busy to end before the second.
	types := slices.Compact(<-received)
	if diff := cmp.Diff([]heartbeat.Type{heartbeat.Heartbeat, heartbeat.Goodbye}, types); diff != "" {
		t.Errorf("(-want +received):\n%s", diff)
	}
}
