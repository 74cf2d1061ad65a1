package heartbeat_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

const user = "system:serviceaccount:naosu-system:naosu-agent"

// reviewer is an API server that knows tokens.
type reviewer struct {
	authenticationclient.TokenReviewInterface
	statuses map[string]authentication.TokenReviewStatus
	// wait, if set, is called before each answer.
	wait func(context.Context) error

	mu             sync.Mutex
	asked, running int
	most           int // Reviews at the same time.
}

func (r *reviewer) Create(ctx context.Context, review *authentication.TokenReview, _ metav1.CreateOptions) (*authentication.TokenReview, error) {
	r.count(1)
	defer r.count(-1)
	if r.wait != nil {
		if err := r.wait(ctx); err != nil {
			return nil, err
		}
	}
	if slices.Equal(review.Spec.Audiences, []string{heartbeat.Audience}) { // Without them, the API server takes its own audience.
		review.Status = r.statuses[review.Spec.Token]
	}
	return review, nil
}

func (r *reviewer) count(more int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked += max(more, 0)
	r.running += more
	r.most = max(r.most, r.running)
}

// tokenOf is the token of the agent of a node, "a.N.c".
func tokenOf(node string) string { return "a." + node + ".c" }

func reviewed(node string) authentication.TokenReviewStatus {
	return authentication.TokenReviewStatus{
		Authenticated: true, Audiences: []string{heartbeat.Audience},
		User: authentication.UserInfo{Username: user, Extra: map[string]authentication.ExtraValue{
			"authentication.kubernetes.io/node-name": {node}, "authentication.kubernetes.io/node-uid": {"uid-" + node},
		}},
	}
}

// fixture is a running server on a network in memory.
type fixture struct {
	*server.Server
	network     *heartbeattest.Network
	reviewer    *reviewer
	certificate tls.Certificate
	authority   []byte
	roots       *x509.CertPool
	stop        context.CancelFunc
	stopped     chan error
}

// serve runs a server, to which the agents of some nodes have tokens. It must be called in a bubble of synctest.
func serve(t *testing.T, nodes ...string) *fixture {
	t.Helper()
	certificate, authority := heartbeattest.Certificate(t)
	f := &fixture{
		network: heartbeattest.NewNetwork(), reviewer: &reviewer{statuses: map[string]authentication.TokenReviewStatus{}},
		certificate: certificate, authority: authority, roots: x509.NewCertPool(),
	}
	f.roots.AppendCertsFromPEM(authority)
	for _, node := range nodes {
		f.reviewer.statuses[tokenOf(node)] = reviewed(node)
	}
	f.start(t)
	return f
}

// start starts a server that knows of no stream.
func (f *fixture) start(t *testing.T) {
	t.Helper()
	f.Server = server.New(server.Options{
		Tokens: f.reviewer, User: user, Log: logr.Discard(),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &f.certificate, nil },
	})
	ctx, cancel := context.WithCancel(t.Context())
	f.stop, f.stopped = cancel, make(chan error, 1)
	go func() { f.stopped <- f.Serve(ctx, f.network) }()
}

// end stops the server and waits for it: nothing may run when a bubble ends.
func (f *fixture) end(t *testing.T) {
	t.Helper()
	f.stop()
	if err := <-f.stopped; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// client is an agent's side of a stream, which sends what a test wants.
type client struct {
	code   int
	text   string // Of a refusal.
	body   *io.PipeWriter
	frames *heartbeat.Reader // Of the server.
	close  func()
}

// transport connects from an address.
func (f *fixture) transport(from string) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	return &http.Transport{
		Protocols: &protocols, TLSClientConfig: &tls.Config{RootCAs: f.roots, ServerName: heartbeat.ServerName},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return f.network.Dial(ctx, from) },
	}
}

// dial opens a stream from an address with a token.
func (f *fixture) dial(t *testing.T, from, token string, change ...func(*http.Request)) *client {
	t.Helper()
	return f.dialBy(t, f.transport(from), token, change...)
}

func (f *fixture) dialBy(t *testing.T, transport *http.Transport, token string, change ...func(*http.Request)) *client {
	t.Helper()
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://controller"+heartbeat.Path, reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set(heartbeat.BootIDHeader, "boot-"+token[:min(len(token), 8)])
	for _, c := range change {
		c(request)
	}
	response, err := transport.RoundTrip(request) //nolint:bodyclose // client.close closes it.
	if err != nil {
		cancel()
		return &client{text: err.Error(), close: func() {}}
	}
	c := &client{code: response.StatusCode, body: writer, frames: heartbeat.NewReader(response.Body)}
	c.close = func() {
		cancel()
		_ = response.Body.Close()
		transport.CloseIdleConnections()
	}
	if c.code != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		c.text = strings.TrimSpace(string(text))
		c.close()
	}
	return c
}

// send sends frames, and waits until the server has them.
func (c *client) send(t *testing.T, frames ...heartbeat.Frame) {
	t.Helper()
	for _, f := range frames {
		if _, err := c.body.Write(f.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
}

// stream is what the server says of a node's stream.
func (f *fixture) stream(t *testing.T, node string) server.Stream {
	t.Helper()
	for _, s := range f.Streams() {
		if s.Node == node {
			return s
		}
	}
	t.Fatalf("no stream of %s in %v", node, f.Streams())
	return server.Stream{}
}

// link is the latest connection.
func (f *fixture) link() *heartbeattest.Link {
	links := f.network.Links()
	return links[len(links)-1]
}

func from(i int) string { return fmt.Sprintf("10.0.%d.%d:40000", i/250, i%250+1) }
