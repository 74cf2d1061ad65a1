package heartbeat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const (
	// openTimeout is how long it may take until a stream is open: the controller asks the API server whose the token is, for 10 s at most.
	openTimeout = 15 * time.Second
	// pingAfter is how long nothing is received from the controller until the agent asks whether it is there; it then waits for pingTimeout.
	pingAfter   = 10 * time.Second
	pingTimeout = 5 * time.Second
	// goodbyeTimeout is how long streams may take to end.
	goodbyeTimeout = time.Second
	// maxRefusal bounds what is read of a refusal.
	maxRefusal = 512
)

// errEnded is why there is no stream if the controller ended it without an error.
var errEnded = errors.New("the controller ended the stream")

// refusal is an answer that is no stream.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the controller answered %d: %s", r.code, r.text)
}

// reasonOf tells failures apart that are logged separately. The texts of network errors have ports that differ each time.
func reasonOf(err error) string {
	if refused, is := errors.AsType[*refusal](err); is {
		return fmt.Sprint(refused.code)
	}
	if file, is := errors.AsType[*fs.PathError](err); is {
		return file.Path
	}
	return "network"
}

// stream holds one stream to an address until it ends or ctx does. It calls opened once the controller has accepted the stream.
func (c *Client) stream(ctx context.Context, address string, opened func()) error {
	// The stream outlives ctx for a goodbye.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	late := time.AfterFunc(openTimeout, cancel)
	stop := context.AfterFunc(ctx, cancel)
	body, out := io.Pipe()
	defer body.Close()
	response, err := c.request(own, address, body)
	if !late.Stop() || !stop() {
		if response != nil {
			_ = response.Body.Close()
		}
		return errors.Join(fmt.Errorf("no stream within %s", openTimeout), err)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
		return &refusal{code: response.StatusCode, text: strings.TrimSpace(string(text))}
	}
	opened()
	c.open.Add(1)
	defer c.open.Add(-1)
	defer context.AfterFunc(ctx, func() { time.AfterFunc(goodbyeTimeout, cancel) })()
	s := &stream{client: c, in: heartbeat.NewReader(response.Body), out: out, answers: make(chan heartbeat.Frame)}
	return s.run(ctx, own, cancel)
}

// request opens a connection of its own and sends the request. The connection ends with ctx.
func (c *Client) request(ctx context.Context, address string, body io.Reader) (*http.Response, error) {
	token, err := os.ReadFile(c.options.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	authorities, err := os.ReadFile(c.options.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read the controller's CA: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("read the controller's CA: %s has no certificate", c.options.CAFile)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+heartbeat.ServerName+heartbeat.Path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	request.Header.Set(heartbeat.BootIDHeader, c.options.BootID)
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Protocols: &protocols,
		DialContext: func(dialing context.Context, _, _ string) (net.Conn, error) {
			connection, err := c.options.Dial(dialing, address)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = connection.Close() })
			}
			return connection, err
		},
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13, CurvePreferences: heartbeat.Curves, RootCAs: roots, ServerName: heartbeat.ServerName},
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: pingAfter, PingTimeout: pingTimeout,
			MaxReadFrameSize: 16 << 10, MaxReceiveBufferPerConnection: 64 << 10, MaxReceiveBufferPerStream: 16 << 10,
		},
	}
	return transport.RoundTrip(request)
}

// stream is an open stream. run is its only writer.
type stream struct {
	client  *Client
	in      *heartbeat.Reader
	out     *io.PipeWriter
	answers chan heartbeat.Frame
}

// run sends heartbeats until the stream ends or, after a goodbye, ctx does.
func (s *stream) run(ctx, own context.Context, cancel context.CancelFunc) error {
	ended := make(chan error, 1)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { ended <- s.read(own, &running) })
	tick := time.NewTicker(heartbeat.Interval)
	defer tick.Stop()
	next := heartbeat.Frame{Type: heartbeat.Heartbeat}
	for {
		if _, err := s.out.Write(next.Encode()); err != nil {
			return fmt.Errorf("heartbeat stream: %w", s.reason(ended))
		}
		if next.Type == heartbeat.Goodbye {
			_ = s.out.Close()
			return s.reason(ended) // The controller has then read the goodbye.
		}
		select {
		case <-tick.C:
			next = heartbeat.Frame{Type: heartbeat.Heartbeat}
		case next = <-s.answers:
		case <-ctx.Done():
			next = heartbeat.Frame{Type: heartbeat.Goodbye}
		case err := <-ended:
			return fmt.Errorf("heartbeat stream: %w", err)
		}
	}
}

// reason waits for the reader, which knows why a stream ended.
func (s *stream) reason(ended <-chan error) error {
	for {
		select {
		case <-s.answers:
		case err := <-ended:
			return err
		}
	}
}

// read reads the controller's frames until the stream ends, and returns why.
func (s *stream) read(ctx context.Context, running *sync.WaitGroup) error {
	for {
		f, err := s.in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return errEnded
		case err != nil:
			return err
		}
		if f.Type != heartbeat.Probe {
			continue
		}
		answer := func(do func(context.Context, string) (heartbeat.Result, string)) {
			reply := heartbeat.Frame{Type: heartbeat.Answer, ID: f.ID}
			reply.Result, reply.Message = do(ctx, f.Address)
			select {
			case s.answers <- reply:
			case <-ctx.Done():
			}
		}
		select {
		case s.client.probing <- struct{}{}:
			running.Go(func() {
				defer func() { <-s.client.probing }()
				answer(s.client.probe)
			})
		default:
			answer(busy)
		}
	}
}
