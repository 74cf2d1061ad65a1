package controller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/controller/addresses"
	"github.com/naosu-dev/naosu/internal/controller/failover"
	"github.com/naosu-dev/naosu/internal/controller/headroom"
	"github.com/naosu-dev/naosu/internal/controller/noderepair"
	"github.com/naosu-dev/naosu/internal/controller/rebalance"
	"github.com/naosu-dev/naosu/internal/controller/zonecoverage"
	sizing "github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/record"
)

// Options say how the controller runs.
type Options struct {
	// Config reaches the cluster. Its timeout and limits are replaced: it watches.
	Config *rest.Config
	// Namespace is where the Lease and the ledger are.
	Namespace string
	// LeaderElect makes it act only while it holds the Lease. Lease is for how long it is held unrenewed; zero is 15s.
	LeaderElect bool
	Lease       time.Duration
	// HealthAddress and MetricsAddress are listened on; empty or "0" is none.
	HealthAddress, MetricsAddress string
	// HeartbeatAddress is where the heartbeats of agents are received, likewise.
	HeartbeatAddress string
	// MetricsSecure serves metrics over TLS, and to whom the API server says may get /metrics. MetricsCertPath is the folder of
	// tls.crt and tls.key, which are read again when they change; empty makes a certificate that nobody has signed.
	MetricsSecure   bool
	MetricsCertPath string
	// EKSCluster is the EKS cluster's name, where nothing tells it.
	EKSCluster string
	// PlaceholderImage is what placeholder pods of HeadroomPolicies run; empty is headroompolicy.DefaultImage.
	PlaceholderImage string
	// NodePrices are those that are known, for the rooms of HeadroomPolicies.
	NodePrices sizing.Prices
	Log        logr.Logger
}

// How many requests a second it may send. Watches are one each; a drain evicts pods one by one.
const (
	qps   = 50
	burst = 100
	// requestTimeout is how long one request may take, but for watches.
	requestTimeout = 30 * time.Second
)

// Run runs the controller until the context ends, or it has lost the lease, which is an error. What it has begun by then
// goes on in whoever leads next.
func Run(ctx context.Context, o Options) error {
	ctrl.SetLogger(o.Log)
	config := rest.CopyConfig(o.Config)
	config.Timeout, config.QPS, config.Burst = 0, qps, burst
	direct, err := directClient(config)
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(protobufConfig(config))
	if err != nil {
		return fmt.Errorf("making the client: %w", err)
	}
	if err := waitForDefinitions(ctx, kube.Discovery(), o.Log); err != nil {
		return err
	}
	watch, err := newWatch(kube, clock.RealClock{})
	if err != nil {
		return err
	}
	lead, err := newLeadership(config, direct, o)
	if err != nil {
		return err
	}
	mgr, err := newManager(config, o, lead)
	if err != nil {
		return err
	}
	lead.elected = mgr.Elected()
	machines := discoverProviders(ctx, direct, o)
	records := &record.Records{
		Client: mgr.GetClient(), Reader: direct, Namespace: o.Namespace, Events: mgr.GetEventRecorder(record.LeaseName), Clock: clock.RealClock{},
		Last: &record.LastLedger{},
	}
	beats, err := addHeartbeats(ctx, mgr, config, records, o)
	if err != nil {
		return err
	}
	defer beats.close()
	tolerations := &failover.Reconciler{
		World: watch.Snapshot, Client: mgr.GetClient(), Reader: direct, Records: records,
		Providers: machines.Now, Leading: lead.holdsLease, Elected: lead.isElected, Clock: clock.RealClock{}, Log: o.Log,
	}
	if err := tolerations.AddTo(mgr, watch.Nodes(), watch.Pods(), watch.synced); err != nil {
		return err
	}
	if err := addSilenceWatcher(mgr, tolerations, beats, watch); err != nil {
		return err
	}
	reconciler := &noderepair.Reconciler{
		World: watch.Snapshot, Client: mgr.GetClient(), Reader: direct, Discovered: machines.Now, Records: records,
		Leading: lead.holdsLease, Elected: lead.isElected, ServerReady: readyz(kube), Clock: clock.RealClock{}, Log: o.Log,
	}
	live, err := reconciler.AddTo(mgr, watch.Nodes(), watch.synced)
	if err != nil {
		return err
	}
	balance := &rebalance.Reconciler{
		Snapshot: watch.Snapshot, Client: mgr.GetClient(), Reader: direct, Records: records, ClusterFacts: reconciler.ClusterFacts, Permit: reconciler.WithPermissionVerdict,
		Leading: lead.holdsLease, Elected: lead.isElected, Clock: clock.RealClock{}, Log: o.Log,
	}
	network := &networkReader{world: watch, read: discover.ReadNetwork, synced: watch.synced, clock: clock.RealClock{}, log: o.Log}
	reclaimer := &addresses.Reconciler{
		Snapshot: watch.Snapshot, ReadNetwork: network.Read, FindDeleter: func() cloud.InterfaceDeleter { return discover.DeleterIn(machines.Now()) },
		Client: mgr.GetClient(), Reader: direct, Records: records, ClusterFacts: reconciler.ClusterFacts, Permit: reconciler.WithPermissionVerdict,
		Leading: lead.holdsLease, Elected: lead.isElected, Clock: clock.RealClock{}, Log: o.Log,
	}
	room := &headroom.Reconciler{
		Snapshot: watch.Snapshot, Client: mgr.GetClient(), Reader: direct, Records: records, Namespace: o.Namespace, Image: o.PlaceholderImage, Prices: o.NodePrices,
		ClusterFacts: reconciler.ClusterFacts, Leading: lead.holdsLease, Elected: lead.isElected, Clock: clock.RealClock{}, Log: o.Log,
	}
	zones := &zonecoverage.Reconciler{
		Snapshot: watch.Snapshot, FindSizer: func() cloud.NodeGroupSizer { return discover.SizerIn(machines.Now()) },
		Client: mgr.GetClient(), Reader: direct, Records: records, ClusterFacts: reconciler.ClusterFacts, Permit: reconciler.WithPermissionVerdict,
		Namespace: o.Namespace, Image: o.PlaceholderImage, Leading: lead.holdsLease, Elected: lead.isElected, Clock: clock.RealClock{}, Log: o.Log,
	}
	added := errors.Join(zones.AddTo(mgr, watch.Nodes(), watch.synced), balance.AddTo(mgr, watch.Nodes(), watch.synced), reclaimer.AddTo(mgr, watch.synced), room.AddTo(mgr, watch.Nodes(), watch.Pods(), watch.PriorityClasses(), watch.synced))
	if err := errors.Join(added, addHealth(mgr, watch, live), mgr.Add(watch), mgr.Add(rediscoverProviders(machines, o.Log)), mgr.Add(network)); err != nil {
		return fmt.Errorf("adding to the manager: %w", err)
	}
	for _, collector := range []prometheus.Collector{reconciler, tolerations, balance, reclaimer, room, zones} {
		if err := metrics.Registry.Register(collector); err != nil {
			return fmt.Errorf("registering metrics: %w", err)
		}
		defer metrics.Registry.Unregister(collector)
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("running: %w", err)
	}
	return nil
}

func newManager(config *rest.Config, o Options, lead *leadership) (manager.Manager, error) {
	options := ctrl.Options{
		Scheme: scheme, NewClient: newClient, Logger: o.Log,
		LeaderElection: o.LeaderElect, LeaderElectionResourceLockInterface: lead.lock, LeaderElectionReleaseOnCancel: true,
		HealthProbeBindAddress: addressOrNone(o.HealthAddress), LivenessEndpointName: "/livez", ReadinessEndpointName: "/readyz",
		Metrics: metricsServer(o),
	}
	if o.Lease > 0 {
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = new(o.Lease), new(o.Lease*2/3), new(o.Lease/7)
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	return mgr, nil
}

func addressOrNone(address string) string {
	if address == "" {
		return "0"
	}
	return address
}

// scheme is what the controller knows: Kubernetes' own kinds and naosu's.
var scheme = func() *runtime.Scheme {
	all := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(all))
	utilruntime.Must(v1alpha1.AddToScheme(all))
	return all
}()

// identity tells this process from any other, and people which pod it is.
func identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "_" + string(uuid.NewUUID())
}
