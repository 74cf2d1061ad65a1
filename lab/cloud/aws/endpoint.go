package aws

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Endpoint is a server that listens on loopback, and the access key to it.
type Endpoint struct {
	*Server
	listener net.Listener
}

// Listen begins to listen; Run answers. Without Keys, a random key is generated.
func Listen(ctx context.Context, o Options) (*Endpoint, error) {
	if len(o.Keys) == 0 {
		o.Keys = []Key{{ID: "AKIANAOSULAB" + rand.Text()[:8], Secret: rand.Text() + rand.Text()[:14]}}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for AWS calls: %w", err)
	}
	e := &Endpoint{Server: New(o), listener: listener}
	e.delay = minimumDelay
	return e, nil
}

// minimumDelay is how long an answer takes at least, less than any call to AWS takes. The Go SDK closes its request when the answer begins, and an answer that begins
// while Go's HTTP client still looks for the end of a request of some KiB has that client drop the connection
// (ClientHandler.Handle in transport/http/client.go of smithy-go).
const minimumDelay = 5 * time.Millisecond

// Run answers calls until ctx ends.
func (e *Endpoint) Run(ctx context.Context) error {
	server := &http.Server{Handler: e.Server, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(e.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("answering AWS calls: %w", err)
	}
	return nil
}

// Environment leads AWS's SDKs and its command line here, for the services that are answered and no other, as NAME=value.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
func (e *Endpoint) Environment() []string {
	url := "http://" + e.listener.Addr().String()
	key := e.Keys[0]
	return []string{
		"AWS_ENDPOINT_URL_EC2=" + url, "AWS_ENDPOINT_URL_AUTO_SCALING=" + url, "AWS_ENDPOINT_URL_EKS=" + url,
		"AWS_REGION=" + e.Cloud.Region(), "AWS_DEFAULT_REGION=" + e.Cloud.Region(),
		"AWS_ACCESS_KEY_ID=" + key.ID, "AWS_SECRET_ACCESS_KEY=" + key.Secret,
	}
}
