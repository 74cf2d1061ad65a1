// Package heartbeat accepts the streams of node agents (internal/heartbeat defines them), and tells which agents are heard, which ended, and
// which fell silent. It also asks agents, as witnesses, whether they reach another machine. What follows from silence is decided elsewhere.
package heartbeat

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const (
	// strangerTimeout is how long a connection may take for its TLS handshake, and then for its request.
	strangerTimeout = 10 * time.Second
	// endTimeout is how long Serve waits for streams to end.
	endTimeout = 3 * time.Second
	// maxBootID is the longest boot ID in bytes. Linux has UUIDs.
	maxBootID = 64
	// keptFor is how long Forget keeps a new stream whose node the caller does not know: its cache may be late.
	keptFor = time.Minute
	// shortStream counts as a failure of its address: each stream costs a TokenReview.
	shortStream = 5 * time.Second
)

// Ended says how a stream has ended. It is empty while the stream is open, and if nothing was heard of its end.
type Ended string

// How streams end.
const (
	// Goodbye: the agent said that it ends.
	Goodbye Ended = "Goodbye"
	// Closed: the agent's machine closed or reset the connection, or this server did because the agent broke the protocol. A time-out does not
	// close a stream: that is silence.
	Closed Ended = "Closed"
)

// Stream is the latest stream of a node's agent.
type Stream struct {
	// Node and UID are those of the Node that the agent's token was issued for.
	Node string
	UID  types.UID
	// BootID is the boot ID of the agent's machine, as the agent says.
	BootID string
	// Opened is when the stream was opened, with a monotonic reading.
	Opened time.Time
	// LastBeat is when the last frame was received, with a monotonic reading; Opened before the first.
	LastBeat time.Time
	Ended    Ended
}

// Probed is whether a witness reached a machine.
type Probed string

// What witnesses answer.
const (
	// Reached: the machine accepted the connection, or its kernel refused it.
	Reached Probed = "Reached"
	// Unreached: there was no answer in time, or no way to the machine.
	Unreached Probed = "Unreached"
)

// ErrNoStream is the error of Probe if the witness has no open stream.
var ErrNoStream = errors.New("the witness has no open stream")

// Options say whom a Server lets in.
type Options struct {
	// Tokens reviews the agents' tokens.
	Tokens authenticationclient.TokenReviewInterface
	// User is the user name of the agents' service account, such as system:serviceaccount:naosu-system:naosu-agent.
	User string
	// GetCertificate returns the serving certificate.
	GetCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	Log            logr.Logger
}

// Server holds the streams of agents. It is safe for concurrent use.
type Server struct {
	options       Options
	authenticator *authenticator
	strangers     *strangers
	failing       rate.Sometimes

	mu      sync.Mutex
	streams map[types.UID]*stream
}

// New returns a Server without streams.
func New(o Options) *Server {
	return &Server{
		options: o, authenticator: newAuthenticator(o.Tokens, o.User), strangers: &strangers{byAddress: map[string]int{}},
		failing: rate.Sometimes{Interval: time.Minute}, streams: map[types.UID]*stream{},
	}
}

// Serve accepts streams until ctx ends, and then ends them. It closes l. It returns nil if ctx ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	server := &http.Server{
		Handler: http.HandlerFunc(s.handle), Protocols: &protocols, ConnContext: withConn,
		BaseContext: func(net.Listener) context.Context { return ctx },
		TLSConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, CurvePreferences: heartbeat.Curves, GetCertificate: s.options.GetCertificate, SessionTicketsDisabled: true,
		},
		// Neither ends a stream: HTTP/2 has its own rules for headers, and a connection with an open stream is not idle.
		ReadHeaderTimeout: strangerTimeout, IdleTimeout: strangerTimeout,
		MaxHeaderBytes: 2 * maxToken,
		// A client allocates MaxReadFrameSize for each stream. The header tables would keep each agent's token.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: 1, MaxReadFrameSize: 16 << 10, MaxReceiveBufferPerConnection: 64 << 10, MaxReceiveBufferPerStream: 16 << 10,
			MaxDecoderHeaderTableSize: 1, MaxEncoderHeaderTableSize: 1,
		},
		ErrorLog: log.New(debugLog{s.options.Log}, "", 0),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		timeout, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_ = server.Shutdown(timeout)
		_ = server.Close()
	})
	err := server.ServeTLS(&listener{Listener: l, strangers: s.strangers}, "", "")
	if stop() {
		_ = server.Close()
		return fmt.Errorf("serve heartbeats: %w", err)
	}
	<-ended
	return nil
}

// debugLog writes what net/http says of connections, which strangers can cause.
type debugLog struct{ log logr.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.V(1).Info(strings.TrimSpace(string(line)))
	return len(line), nil
}

// handle is one stream, or the refusal of one. The response says Connection: close, with which HTTP/2 ends the connection after the stream.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	c := connOf(r.Context())
	n, refused := s.admit(c, r)
	if refused != nil {
		s.logRefusal(r, refused)
		http.Error(w, refused.text, refused.code)
		return
	}
	if r.Context().Err() != nil { // The agent did not wait for the review, and may have opened another stream.
		return
	}
	c.leave()
	str := s.open(n, r.Header.Get(heartbeat.BootIDHeader), c, w)
	clear(r.Header) // The token would be held as long as the stream.
	defer s.close(str)
	control := http.NewResponseController(w)
	interrupted := make(chan struct{})
	stop := context.AfterFunc(r.Context(), func() {
		defer close(interrupted)
		_ = control.SetReadDeadline(past)
	})
	defer func() {
		if !stop() { // The response must not be used after this function.
			<-interrupted
		}
	}()
	if err := control.Flush(); err != nil { // What the agent takes as: the stream is open.
		return
	}
	err := str.read(heartbeat.NewReader(r.Body))
	if errors.Is(err, errFlood) || errors.Is(err, heartbeat.ErrMalformed) {
		s.options.Log.Info("A heartbeat stream was ended because of what its agent sent", "node", n.name, "err", err.Error())
	}
}

// logRefusal logs what strangers can cause only on request, and errors of the API server once a minute.
func (s *Server) logRefusal(r *http.Request, refused *refusal) {
	s.options.Log.V(1).Info("A heartbeat stream was refused", "address", r.RemoteAddr, "code", refused.code, "reason", refused.text)
	if refused.err != nil && r.Context().Err() == nil {
		s.failing.Do(func() {
			s.options.Log.Error(refused.err, "Heartbeat streams are refused, because an agent's token was not reviewed")
		})
	}
}

// admit returns the node whose agent sends a request, or why there is no stream for it.
func (s *Server) admit(c *conn, r *http.Request) (node, *refusal) {
	switch {
	case c == nil || r.ProtoMajor != 2:
		return node{}, &refusal{code: http.StatusHTTPVersionNotSupported, text: "HTTP/2 is needed"}
	case r.URL.Path != heartbeat.Path:
		return node{}, &refusal{code: http.StatusNotFound, text: "Not found"}
	case r.Method != http.MethodPost:
		return node{}, &refusal{code: http.StatusMethodNotAllowed, text: "POST is needed"}
	case len(r.Header.Get(heartbeat.BootIDHeader)) > maxBootID:
		return node{}, &refusal{code: http.StatusBadRequest, text: "The boot ID is too long"}
	}
	return s.authenticator.node(r.Context(), c.address, r.Header)
}

// open replaces the stream of a node.
func (s *Server) open(n node, bootID string, c *conn, w http.ResponseWriter) *stream {
	opened := &stream{node: n, bootID: bootID, opened: time.Now(), conn: c, writer: w, done: make(chan struct{})}
	s.mu.Lock()
	former := s.streams[n.uid]
	s.streams[n.uid] = opened
	s.mu.Unlock()
	if former != nil {
		_ = former.conn.Close() // One connection for each agent; if it has ended, this does nothing.
	}
	return opened
}

// close notes how a stream has ended.
func (s *Server) close(str *stream) {
	if !str.conn.silent() {
		str.end(Closed)
	}
	str.close()
	if time.Since(str.opened) < shortStream {
		s.authenticator.fail(str.conn.address)
	}
}

// Streams returns the latest stream of each node, ended ones included, in no order.
func (s *Server) Streams() []Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]Stream, 0, len(s.streams))
	for _, str := range s.streams {
		states = append(states, str.state())
	}
	return states
}

// Forget drops the streams of nodes that do not exist, and closes those that are open. It keeps those of the last minute: a node may be newer
// than what the caller knows.
func (s *Server) Forget(exists func(types.UID) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, str := range s.streams {
		if time.Since(str.opened) >= keptFor && !exists(uid) {
			delete(s.streams, uid)
			_ = str.conn.Close()
		}
	}
}

// Probe asks the agent of a node, the witness, to open a TCP connection to an address, IP:port. The error is ErrNoStream, or says that there was
// no answer by the end of ctx, or that the agent could not try.
func (s *Server) Probe(ctx context.Context, witness types.UID, address string) (Probed, error) {
	s.mu.Lock()
	str := s.streams[witness]
	s.mu.Unlock()
	if str == nil || str.state().Ended != "" {
		return "", ErrNoStream
	}
	answer, err := str.probe(ctx, address)
	if err != nil {
		return "", fmt.Errorf("probe %s from node %s: %w", address, str.node.name, err)
	}
	switch answer.Result {
	case heartbeat.Reached:
		return Reached, nil
	case heartbeat.Unreached:
		return Unreached, nil
	case heartbeat.Failed:
	}
	return "", fmt.Errorf("probe %s from node %s: the agent could not try: %s", address, str.node.name, answer.Message)
}
