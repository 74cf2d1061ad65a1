package failover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
)

const (
	// observeInterval is the time between two looks at the streams.
	observeInterval = 250 * time.Millisecond
	// nodesInterval is the time between two looks at which nodes and agents there are.
	nodesInterval = 2 * time.Second
	// probeTimeout is how long a witness has to answer.
	probeTimeout = 2 * time.Second
	// kubeletPort is the port that witnesses try: the kernel of a machine answers there, whether its kubelet listens or not.
	kubeletPort = 10250
	// agentName is the label app.kubernetes.io/name of the agent's pods.
	agentName = "naosu-agent"
)

// Streams are the streams of agents that this process holds: heartbeat.Server, or a test's.
type Streams interface {
	Streams() []heartbeat.Stream
	Probe(ctx context.Context, witness types.UID, address string) (heartbeat.Probed, error)
	Forget(exists func(types.UID) bool)
}

// SilenceWatcher watches the streams of agents, and has the pods of silent nodes replaced where FailoverPolicies ask for it. It runs in every
// replica, so that the next to lead knows the nodes already, and acts only in the one that leads.
type SilenceWatcher struct {
	*Reconciler
	Streams Streams
	// Ticker makes the ticker between two looks.
	Ticker clock.WithTicker
	// Synced says whether the cluster has been read.
	Synced func() bool

	mu       sync.Mutex
	detector nodeliveness.Detector
	// leases are when renewals of nodes' Leases were last received.
	leases map[string]time.Time
	states map[types.UID]nodeliveness.State // that were logged, of the nodes that are neither alive nor not watched
	acting map[types.UID]bool
	retry  map[types.UID]time.Time
	told   map[types.UID]bool // silent nodes of which an Event has told what would be replaced
	// obstructed is why nothing was done about silent nodes, as it was told last.
	obstructed map[types.UID]string

	// declaring is held while a node is declared silent, and declared are those that were lately, and when.
	declaring *semaphore.Weighted
	declared  map[types.UID]time.Time

	nodes   []nodeliveness.Node
	nodesAt time.Time
}

// NeedLeaderElection says that every replica watches.
func (*SilenceWatcher) NeedLeaderElection() bool { return false }

// WatchLeases has the renewals of Leases noted as they are received.
func (w *SilenceWatcher) WatchLeases(leases cache.SharedIndexInformer) error {
	_, err := leases.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			was, is := before.(*coordinationv1.Lease), after.(*coordinationv1.Lease)
			if !was.Spec.RenewTime.Equal(is.Spec.RenewTime) {
				w.renewed(is.Name)
			}
		},
		DeleteFunc: func(gone any) {
			if lease, is := gone.(*coordinationv1.Lease); is {
				w.mu.Lock()
				delete(w.leases, lease.Name)
				w.mu.Unlock()
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watching the Leases of nodes: %w", err)
	}
	return nil
}

func (w *SilenceWatcher) renewed(node string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leases == nil {
		w.leases = map[string]time.Time{}
	}
	w.leases[node] = w.Clock.Now()
}

// Start watches until the context ends.
func (w *SilenceWatcher) Start(ctx context.Context) error {
	tick := w.Ticker.NewTicker(observeInterval)
	defer tick.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C():
			if w.Synced() {
				w.observe(ctx, &running)
			}
		}
	}
}

// observe looks at the streams once. What takes requests runs beside it, so that the next look is in time.
func (w *SilenceWatcher) observe(ctx context.Context, running *sync.WaitGroup) {
	var policies v1alpha1.FailoverPolicyList
	if err := w.Client.List(ctx, &policies); err != nil {
		w.Log.Error(err, "FailoverPolicies are not read")
		return
	}
	after := failoverpolicy.SilentAfter(policies.Items)
	now := w.Clock.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if after == 0 {
		w.states, w.nodesAt = nil, time.Time{} // What the detector knows it takes up again once a policy asks for it: what it has not observed is no silence.
		w.counts.setNodes(nil)
		return
	}
	probes := w.detector.Observe(now, after, w.observed(now))
	if w.nodesAt.Equal(now) {
		w.counts.setWitnessed(w.detector.Witnessed(now))
	}
	for _, p := range probes {
		running.Go(func() { w.probe(ctx, p) })
	}
	for _, node := range w.changed(now) {
		if !w.acting[node.UID] && !now.Before(w.retry[node.UID]) && (w.Elected == nil || w.Elected()) {
			w.act(node.UID)
			running.Go(func() { w.replace(ctx, node, policies.Items) })
		}
	}
}

func (w *SilenceWatcher) act(node types.UID) {
	if w.acting == nil {
		w.acting, w.retry, w.told, w.obstructed = map[types.UID]bool{}, map[types.UID]time.Time{}, map[types.UID]bool{}, map[types.UID]string{}
		w.declaring = semaphore.NewWeighted(1)
	}
	w.acting[node] = true
}

// observed are the nodes and what was received of them. It is called with the lock held.
func (w *SilenceWatcher) observed(now time.Time) []nodeliveness.Node {
	if now.Sub(w.nodesAt) >= nodesInterval {
		w.nodes, w.nodesAt = nodesOf(w.World()), now
		exist := make(map[types.UID]bool, len(w.nodes))
		for i := range w.nodes {
			exist[w.nodes[i].UID] = true
		}
		w.Streams.Forget(func(uid types.UID) bool { return exist[uid] })
	}
	streams := map[types.UID]heartbeat.Stream{}
	for _, s := range w.Streams.Streams() {
		streams[s.UID] = s
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		s, connected := streams[n.UID]
		n.Connected, n.LastBeat, n.Ended, n.LeaseReceived = connected, s.LastBeat, nodeliveness.Ended(s.Ended), w.leases[n.Name]
	}
	return w.nodes
}

// nodesOf are the nodes of a cluster, without what is received of them.
func nodesOf(world *cluster.Snapshot) []nodeliveness.Node {
	agents := map[string]bool{}
	for _, pod := range world.Pods() {
		if pod.Labels["app.kubernetes.io/name"] == agentName && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			agents[pod.Spec.NodeName] = true
		}
	}
	var all []nodeliveness.Node
	for _, node := range world.Nodes() {
		n := nodeliveness.Node{Name: node.Name, UID: node.UID, Zone: kube.Zone(node), Expected: agents[node.Name] && kube.IsNodeReady(node)}
		for _, a := range node.Status.Addresses {
			if a.Type == corev1.NodeInternalIP && n.Address == "" {
				n.Address = net.JoinHostPort(a.Address, strconv.Itoa(kubeletPort))
			}
		}
		all = append(all, n)
	}
	return all
}

// changed logs what nodes are taken for where that has changed, and returns those that are silent. It is called with the lock held.
func (w *SilenceWatcher) changed(now time.Time) (silent []nodeliveness.Node) {
	counted, states := map[nodeliveness.State]int{}, map[types.UID]nodeliveness.State{}
	for node, state := range w.detector.States(now) {
		counted[state]++
		if state == nodeliveness.Silent {
			silent = append(silent, node)
		} else {
			delete(w.told, node.UID)
			delete(w.obstructed, node.UID)
		}
		was := w.states[node.UID]
		is := logged(node, state, was, now)
		if is != "" {
			states[node.UID] = is
		}
		if is != was {
			w.Log.Info("Liveness of a node", "node", node.Name, "state", state, "lastHeartbeat", node.LastBeat, "lastLeaseRenewal", node.LeaseReceived)
		}
	}
	w.states = states
	w.counts.setNodes(counted)
	return silent
}

// logged is the state of a node for the log; empty if nothing is wrong with it. While its agent is quiet and its kubelet is not, the renewals of
// its Lease make it alive for some seconds each time: it stays what it was.
func logged(node nodeliveness.Node, state, was nodeliveness.State, now time.Time) nodeliveness.State {
	quiet := now.Sub(node.LastBeat) >= nodeliveness.QuietAfter
	switch {
	case state == nodeliveness.Suspect, state == nodeliveness.Alive && quiet:
		return was
	case state == nodeliveness.Alive, state == nodeliveness.NotWatched:
		return ""
	}
	return state
}

// probe has a witness try to reach a node.
func (w *SilenceWatcher) probe(ctx context.Context, p nodeliveness.Probe) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	answer := nodeliveness.Failed
	switch probed, err := w.Streams.Probe(ctx, p.Witness, p.Address); {
	case err != nil:
		w.Log.V(1).Info("A witness has not answered", "witness", p.Witness, "address", p.Address, "err", err.Error())
	case probed == heartbeat.Reached:
		answer = nodeliveness.Reached
	case probed == heartbeat.Unreached:
		answer = nodeliveness.Unreached
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.detector.Answered(w.Clock.Now(), p, answer)
}

// verdict is what a node is taken for now.
func (w *SilenceWatcher) verdict(node types.UID) nodeliveness.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.detector.Verdict(w.Clock.Now(), node)
}

var errSpoke = errors.New("the node has given a sign of life meanwhile")
