package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/source/serverclock"
)

// timeout bounds a request other than a watch.
const timeout = 15 * time.Second

// A watch of a Node sends its state at once, and then at least what the agent itself writes. A watch that sends nothing, because a proxy buffers
// it or the server hangs, is ended.
const (
	firstTimeout = 30 * time.Second
	idleTimeout  = 15 * time.Minute
)

// ErrSilent says that an open watch sent nothing for too long.
var ErrSilent = errors.New("it is open and says nothing")

// Client is a client of one API server. It is safe for concurrent use.
type Client struct {
	server *url.URL
	http   *http.Client
	// Done is called after each request with its name ("patch", "apply", "watch") and status code, 0 without an answer.
	Done func(request string, code int)
	// Clock has the dates of the answers, by the API server's clock.
	Clock serverclock.Clock

	firstTimeout, idleTimeout time.Duration
}

// Error is an answer of the API server that is not the one asked for.
type Error struct {
	Code int
	// Message is the server's own.
	Message string
	// RetryAfter is the answer's Retry-After, zero if it has none.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return fmt.Sprintf("API server: %d: %s", e.Code, e.Message) }

// Server is the API server's URL.
func (c *Client) Server() string { return c.server.String() }

// PatchConditions writes conditions of a node's status, and no others. It returns the Node as it is then.
func (c *Client) PatchConditions(ctx context.Context, node string, conditions []Condition) (*Node, error) {
	answer := &Node{}
	if err := c.patchConditions(ctx, "patch", url.Values{}, node, conditions, answer); err != nil {
		return nil, fmt.Errorf("patch the conditions of node %s: %w", node, err)
	}
	return answer, nil
}

// TryConditions is a dry run of PatchConditions (https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run).
func (c *Client) TryConditions(ctx context.Context, node string, conditions []Condition) error {
	if err := c.patchConditions(ctx, "try", url.Values{"dryRun": {"All"}}, node, conditions, nil); err != nil {
		return fmt.Errorf("try to patch the conditions of node %s: %w", node, err)
	}
	return nil
}

func (c *Client) patchConditions(ctx context.Context, name string, query url.Values, node string, conditions []Condition, answer any) error {
	query.Set("fieldManager", Manager)
	body := map[string]any{"status": map[string]any{"conditions": conditions}}
	return c.patch(ctx, name, "/api/v1/nodes/"+url.PathEscape(node)+"/status", "application/strategic-merge-patch+json", query, body, answer)
}

// ApplyEvent creates an Event, or updates the one of that name, in one request.
func (c *Client) ApplyEvent(ctx context.Context, e Event) error {
	path := "/api/v1/namespaces/" + eventNamespace + "/events/" + url.PathEscape(e.Name)
	query := url.Values{"fieldManager": {Manager}, "force": {"true"}}
	// JSON is YAML.
	if err := c.patch(ctx, "apply", path, "application/apply-patch+yaml", query, e.body(), nil); err != nil {
		return fmt.Errorf("apply event %s: %w", e.Name, err)
	}
	return nil
}

func (c *Client) patch(ctx context.Context, name, path, kind string, query url.Values, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := c.request(ctx, http.MethodPatch, path, query, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", kind)
	response, err := c.do(name, request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// Node reads a node, by a dry run of an empty patch of its status: a GET takes an access right that nothing else needs.
func (c *Client) Node(ctx context.Context, node string) (*Node, error) {
	answer := &Node{}
	if err := c.patchConditions(ctx, "read", url.Values{"dryRun": {"All"}}, node, []Condition{}, answer); err != nil {
		return nil, fmt.Errorf("read node %s: %w", node, err)
	}
	return answer, nil
}

// Seen is one state of the watched Node.
type Seen struct {
	// Node is nil if it is gone.
	Node *Node
	// First says that it is the first of a watch: the present state, not a change.
	First bool
}

// WatchNode passes on a node's states until the server ends the watch, after the given time at the latest, or ctx is done. The first is the
// present one. It returns nil if the server ended the watch, and ErrSilent if it sent nothing for too long.
func (c *Client) WatchNode(ctx context.Context, node string, lasting time.Duration, handle func(Seen)) error {
	query := url.Values{
		"watch": {"1"}, "fieldSelector": {"metadata.name=" + node}, "resourceVersion": {"0"},
		"timeoutSeconds": {strconv.Itoa(int(lasting.Seconds()))},
	}
	ctx, heard, stop := whileHeard(ctx, c.firstTimeout)
	defer stop()
	request, err := c.request(ctx, http.MethodGet, "/api/v1/nodes", query, nil)
	if err != nil {
		return err
	}
	response, err := c.do("watch", request)
	if err == nil {
		defer response.Body.Close()
		err = follow(response.Body, func(seen Seen) {
			heard(c.idleTimeout)
			handle(seen)
		})
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(context.Cause(ctx), ErrSilent):
		err = ErrSilent
	}
	return fmt.Errorf("watch node %s: %w", node, err)
}

// whileHeard is a context that ends with ErrSilent after a time, unless heard is called before, with the time until the next call; 0 is for ever.
func whileHeard(ctx context.Context, first time.Duration) (until context.Context, heard func(next time.Duration), stop func()) {
	until, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(first, func() { cancel(ErrSilent) })
	heard = func(next time.Duration) {
		if timer.Stop(); next > 0 {
			timer.Reset(next)
		}
	}
	return until, heard, func() { timer.Stop(); cancel(nil) }
}

// follow passes on the states of the Node in a watch until an error: io.EOF if the server ended it.
func follow(stream io.Reader, handle func(Seen)) error {
	first := true
	return events(stream, func(kind string, object json.RawMessage) error {
		seen := Seen{First: first}
		first = false
		switch kind {
		case added, modified:
			seen.Node = &Node{}
			if err := json.Unmarshal(object, seen.Node); err != nil {
				return err
			}
		case deleted:
		default:
			return nil
		}
		handle(seen)
		return nil
	})
}

// The events of a watch (https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes).
const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
	bookmark = "BOOKMARK"
)

// events calls each with the events of a watch until an error: io.EOF if the server ended it.
func events(stream io.Reader, each func(kind string, object json.RawMessage) error) error {
	decoder := json.NewDecoder(stream)
	for {
		var event struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		if event.Type == "ERROR" {
			return refused(0, nil, event.Object)
		}
		if err := each(event.Type, event.Object); err != nil {
			return err
		}
	}
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	at := c.server.JoinPath(path)
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	return request, nil
}

// do makes a request. The caller closes the body of an answer without error.
func (c *Client) do(name string, request *http.Request) (*http.Response, error) {
	sent := time.Now()
	response, err := c.http.Do(request)
	code := 0
	if err == nil {
		code = response.StatusCode
		if code < http.StatusInternalServerError { // Such answers are often a proxy's, which has another clock.
			c.Clock.Note(sent, time.Now(), response.Header)
		}
	}
	if c.Done != nil {
		c.Done(name, code)
	}
	if err != nil {
		return nil, err
	}
	if code < 300 {
		return response, nil
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	return nil, refused(code, response.Header, body)
}

// refused is the Error of an answer: of a metav1.Status, or of any other text, which a proxy may send.
func refused(code int, header http.Header, body []byte) *Error {
	status := struct {
		Message string `json:"message"`
		Code    int    `json:"code"`
		Details struct {
			RetryAfterSeconds int `json:"retryAfterSeconds"`
		} `json:"details"`
	}{}
	if json.Unmarshal(body, &status) != nil || status.Message == "" {
		status.Message = cut(string(bytes.TrimSpace(body)), 200)
	}
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil {
		seconds = status.Details.RetryAfterSeconds
	}
	if code == 0 {
		code = status.Code
	}
	return &Error{Code: code, Message: status.Message, RetryAfter: time.Duration(seconds) * time.Second}
}
