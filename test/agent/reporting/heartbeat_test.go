package reporting

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	protocol "github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

// reviewer is an API server for which every token is that of the agent of a node.
type reviewer struct {
	authenticationclient.TokenReviewInterface
	node string
}

func (r reviewer) Create(_ context.Context, review *authentication.TokenReview, _ metav1.CreateOptions) (*authentication.TokenReview, error) {
	review.Status = authentication.TokenReviewStatus{
		Authenticated: true, Audiences: []string{protocol.Audience},
		User: authentication.UserInfo{Username: "agent", Extra: map[string]authentication.ExtraValue{
			"authentication.kubernetes.io/node-name": {r.node}, "authentication.kubernetes.io/node-uid": {r.node},
		}},
	}
	return review, nil
}

// replicas are two controllers that a node's agent sends heartbeats to, and the flags with which it does.
func replicas(b *testing.B, node string) (servers []*heartbeat.Server, flags []string) {
	b.Helper()
	certificate, authority := heartbeattest.Certificate(b)
	token, ca := filepath.Join(b.TempDir(), "token"), filepath.Join(b.TempDir(), "ca.crt")
	for name, content := range map[string][]byte{token: []byte("a.b.c"), ca: authority} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	flags = []string{"--heartbeat-token-file", token, "--heartbeat-ca-file", ca}
	for range 2 {
		listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		server := heartbeat.New(heartbeat.Options{
			Tokens: reviewer{node: node}, User: "agent", Log: logr.Discard(),
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &certificate, nil },
		})
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(ctx, listener) }()
		b.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				b.Error(err)
			}
		})
		servers, flags = append(servers, server), append(flags, "--heartbeat-address", listener.Addr().String())
	}
	return servers, flags
}
