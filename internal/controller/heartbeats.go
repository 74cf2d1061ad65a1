package controller

import (
	"context"
	"fmt"
	"net"

	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/controller/failover"
	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/controller/servingcert"
	beats "github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/record"
)

// heartbeats is what receives the heartbeats of agents.
type heartbeats struct {
	// Server is nil if no address is listened on.
	*heartbeat.Server
	listener net.Listener
}

// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create

// addHeartbeats listens on the address, if there is one, and has each replica receive heartbeats there, whether it leads or not: an agent
// that is heard before a replica leads is heard at once when it does.
func addHeartbeats(ctx context.Context, mgr manager.Manager, config *rest.Config, records *record.Records, o Options) (*heartbeats, error) {
	if addressOrNone(o.HeartbeatAddress) == "0" {
		return &heartbeats{}, nil
	}
	tokens, err := tokenReviews(config)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.HeartbeatAddress)
	if err != nil {
		return nil, fmt.Errorf("listen for heartbeats: %w", err)
	}
	log := o.Log.WithName("heartbeat")
	certificates := &servingcert.Manager{Store: records, ServerName: beats.ServerName, Clock: clock.RealClock{}, Log: log}
	server := heartbeat.New(heartbeat.Options{
		Tokens: tokens, User: "system:serviceaccount:" + o.Namespace + ":" + managedfields.Agent, GetCertificate: certificates.GetCertificate, Log: log,
	})
	serve := func(ctx context.Context) error { return server.Serve(ctx, listener) }
	for _, run := range []everyReplica{certificates.Run, serve} {
		if err := mgr.Add(run); err != nil {
			return nil, fmt.Errorf("adding the heartbeat server: %w", err)
		}
	}
	return &heartbeats{server, listener}, nil
}

// addSilenceWatcher has each replica follow the heartbeats, if it receives any, and the one that leads replace the pods of silent nodes.
func addSilenceWatcher(mgr manager.Manager, c *failover.Reconciler, beats *heartbeats, w *watch) error {
	if beats.Server == nil {
		return nil
	}
	silence := &failover.SilenceWatcher{Reconciler: c, Streams: beats, Ticker: clock.RealClock{}, Synced: w.synced}
	if err := silence.WatchLeases(w.Leases()); err != nil {
		return err
	}
	if err := mgr.Add(silence); err != nil {
		return fmt.Errorf("adding the watcher of silent nodes: %w", err)
	}
	return nil
}

// close closes the listener if the server did not.
func (h *heartbeats) close() {
	if h.listener != nil {
		_ = h.listener.Close()
	}
}

// tokenReviews is a client whose requests the heartbeat server itself bounds.
func tokenReviews(config *rest.Config) (authenticationclient.TokenReviewInterface, error) {
	config = protobufConfig(config)
	config.Timeout, config.QPS = requestTimeout, -1
	client, err := authenticationclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for TokenReviews: %w", err)
	}
	return client.TokenReviews(), nil
}

// everyReplica runs whether this replica leads or not.
type everyReplica func(context.Context) error

// Start runs it until the context ends.
func (r everyReplica) Start(ctx context.Context) error { return r(ctx) }

// NeedLeaderElection is whether it runs only while this replica leads.
func (everyReplica) NeedLeaderElection() bool { return false }
