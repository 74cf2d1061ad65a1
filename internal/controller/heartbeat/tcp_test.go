package heartbeat_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"

	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

// The kernel's FIN and RST are what the network in memory makes of them.
func TestHowTCPEnds(t *testing.T) {
	for name, end := range map[string]func(*net.TCPConn) error{
		"FIN": func(c *net.TCPConn) error { return c.CloseWrite() },
		"RST": func(c *net.TCPConn) error {
			_ = c.SetLinger(0)
			return c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			certificate, authority := heartbeattest.Certificate(t)
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(authority)
			s := server.New(server.Options{
				Tokens: &reviewer{statuses: map[string]authentication.TokenReviewStatus{tokenOf("n"): reviewed("n")}}, User: user, Log: logr.Discard(),
				GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &certificate, nil },
			})
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			stopped := make(chan error, 1)
			go func() { stopped <- s.Serve(ctx, listener) }()
			defer func() {
				cancel()
				if err := <-stopped; err != nil {
					t.Errorf("Serve returned %v", err)
				}
			}()

			connection := open(t, listener.Addr().String(), roots)
			await(t, s, "")
			if err := end(connection); err != nil {
				t.Fatal(err)
			}
			await(t, s, server.Closed)
		})
	}
}

// open opens a stream over TCP.
func open(t *testing.T, address string, roots *x509.CertPool) *net.TCPConn {
	t.Helper()
	var connection net.Conn
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: heartbeat.ServerName},
		DialContext: func(ctx context.Context, _, _ string) (_ net.Conn, err error) {
			connection, err = new(net.Dialer).DialContext(ctx, "tcp", address)
			return connection, err
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	body, out := io.Pipe()
	t.Cleanup(func() { _ = out.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://controller"+heartbeat.Path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+tokenOf("n"))
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return connection.(*net.TCPConn)
}

// await waits until the only stream has ended in a way.
func await(t *testing.T, s *server.Server, want server.Ended) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	hopeless := time.After(time.Minute)
	for {
		if got := s.Streams(); len(got) == 1 && got[0].Ended == want {
			return
		}
		select {
		case <-tick.C:
		case <-hopeless:
			t.Fatalf("%v, want %q", s.Streams(), want)
		}
	}
}
