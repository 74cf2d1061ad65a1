package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Serve answers on an address until ctx is done:
//
//	/metrics  for Prometheus
//	/livez    200 as long as the agent runs: an API server that is away is no reason to restart it
//	/healthz  200 if every check holds, 503 and which does not
func (m *Metrics) Serve(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	server := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 8 << 10}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// Handler is what Serve serves.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(m.page()))
	})
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		report, well := m.health()
		if !well {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(report))
	})
	return mux
}

// health is a line for each check, and whether all hold.
func (m *Metrics) health() (string, bool) {
	m.mu.Lock()
	checks := slices.Clone(m.checks)
	m.mu.Unlock()
	var b strings.Builder
	well := true
	for _, c := range checks {
		if err := c.is(); err != nil {
			well = false
			fmt.Fprintf(&b, "[-] %s: %s\n", c.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		} else {
			fmt.Fprintf(&b, "[+] %s\n", c.name)
		}
	}
	return b.String(), well
}
