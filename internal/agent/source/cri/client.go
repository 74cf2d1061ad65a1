// Package cri is a client of a container runtime: the few calls of the Container Runtime Interface that the agent
// needs (https://github.com/kubernetes/cri-api/blob/v0.36.3/pkg/apis/runtime/v1/api.proto), as gRPC over net/http's HTTP/2.
// The gRPC library and the generated types would be more than a third of the agent's memory; tests hold what is written
// here against both.
package cri

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// maxAnswer bounds an answer, as the kubelet does
// (https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/cri-client/pkg/remote_runtime.go).
const maxAnswer = 16 << 20

// Codes of gRPC that are told apart (https://grpc.io/docs/guides/status-codes/).
const (
	NotFound      = 5
	Unimplemented = 12
)

// Error is a call's refusal by the runtime.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (gRPC code %d)", e.Message, e.Code) }

// Refused says that the runtime refused a call with a code.
func Refused(err error, code int) bool {
	refusal := new(Error)
	return errors.As(err, &refusal) && refusal.Code == code
}

// Client is one runtime's socket. It connects when first asked, and again after the connection was lost.
type Client struct{ transport *http.Transport }

// New makes the Client of a socket, which need not be there yet.
func New(socket string) *Client {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &Client{transport: &http.Transport{
		Protocols: &protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", socket)
		},
	}}
}

// Close gives up the connection, if it is not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// call makes one unary call. An error that is not an *Error says that the runtime did not answer.
func (c *Client) call(ctx context.Context, method string, request []byte) ([]byte, error) {
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request)))
	body := bytes.NewReader(append(frame, request...))
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/"+method, body)
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/grpc")
	post.Header.Set("TE", "trailers")
	response, err := c.transport.RoundTrip(post)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("call %s: read the answer: %w", method, err)
	}
	if err := ended(response); err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	message, err := unframed(answer)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	return message, nil
}

// ended reads how a call ended: from the trailers, or the headers of an answer without a body.
func ended(response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered with HTTP %s", response.Status)
	}
	fields := response.Trailer
	if fields.Get("Grpc-Status") == "" {
		fields = response.Header
	}
	code, err := strconv.Atoi(fields.Get("Grpc-Status"))
	switch {
	case err != nil:
		return errors.New("the answer broke off without a status")
	case code == 0:
		return nil
	}
	message := fields.Get("Grpc-Message")
	if plain, err := url.PathUnescape(message); err == nil {
		message = plain
	}
	return &Error{Code: code, Message: message}
}

// unframed takes the one message out of an answer: a byte for compression, which was not asked for, and four for its length.
func unframed(answer []byte) ([]byte, error) {
	if len(answer) < 5 || answer[0] != 0 || uint64(binary.BigEndian.Uint32(answer[1:])) != uint64(len(answer)-5) {
		return nil, fmt.Errorf("the answer of %d bytes is not one plain message", len(answer))
	}
	return answer[5:], nil
}
