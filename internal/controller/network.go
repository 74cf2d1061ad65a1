package controller

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

const (
	// networkInterval is how often the network is read: a call for 1,000 interfaces, of the 20 each second that EC2 allows an account, which every
	// node's VPC CNI shares.
	//
	// Source: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html.
	networkInterval = 5 * time.Minute
	// networkTimeout bounds one reading.
	networkTimeout = time.Minute
)

// networkReader reads the network of the cluster's machines, if pods have addresses of the AWS VPC CNI, so that forecasts count the addresses of
// subnets. What cannot be read is unknown, and addresses are not counted then.
type networkReader struct {
	world interface {
		Snapshot() *cluster.Snapshot
		SetNetwork(cloud.Network)
	}
	read   func(context.Context, []cloud.Machine) (cloud.Network, bool)
	synced func() bool
	clock  clock.WithTicker
	log    logr.Logger

	mu sync.Mutex
	// last is when the network was read last.
	last time.Time
	// said is what the log said last.
	said string
}

// Start reads until the context ends.
func (r *networkReader) Start(ctx context.Context) error {
	const untilSynced = time.Second
	for wait := untilSynced; ; {
		if r.synced() {
			wait = r.readIfDue(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.clock.After(wait):
		}
	}
}

// NeedLeaderElection is whether only the leader reads: only it decides.
func (*networkReader) NeedLeaderElection() bool { return true }

// readIfDue reads the network unless that was done within the interval, and returns the time until it is due again.
func (r *networkReader) readIfDue(ctx context.Context) time.Duration {
	r.mu.Lock()
	since := r.clock.Since(r.last)
	r.mu.Unlock()
	if since >= 0 && since < networkInterval {
		return networkInterval - since
	}
	if r.world.Snapshot().DaemonSet(metav1.NamespaceSystem, addresses.Plugin) != nil {
		r.Read(ctx)
	}
	return networkInterval
}

// Read reads the network now, and sets it. It returns what was read; false if no machine is of a cloud whose network naosu reads.
func (r *networkReader) Read(ctx context.Context) (cloud.Network, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	world := r.world.Snapshot()
	var machines []cloud.Machine
	for _, node := range world.Nodes() {
		machines = append(machines, cloud.MachineOf(node))
	}
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	n, offered := r.read(ctx, machines)
	r.last = r.clock.Now()
	if !offered {
		return n, false
	}
	r.world.SetNetwork(n)
	r.logUnread(n)
	return n, true
}

// logUnread logs what cannot be read, and that everything can be, when either changes.
func (r *networkReader) logUnread(n cloud.Network) {
	var parts []string
	for _, part := range slices.Sorted(maps.Keys(n.Unread)) {
		parts = append(parts, string(part)+": "+n.Unread[part].Err)
	}
	say := "The network is read, and forecasts count addresses of subnets"
	if len(parts) > 0 {
		say = "The network cannot be read, and forecasts do not count addresses of subnets"
	}
	if say != r.said {
		r.log.Info(say, "unread", strings.Join(parts, "; "))
	}
	r.said = say
}
