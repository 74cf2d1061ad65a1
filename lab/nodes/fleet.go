package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Options are what a Fleet is made of.
type Options struct {
	// Config reaches the API server. All nodes share it, with protobuf and without a rate limit.
	Config *rest.Config
	// Pace scales the kubelets' periods and delays; nil is real time.
	Pace *pace.Pace
	// Clock is the real one if nil.
	Clock clock.WithTicker
	// Log gets what kubelets would log as errors; nil discards it.
	Log io.Writer
	// Events has kubelets record the Events that real ones do.
	Events bool
	// Addresses gives pods their addresses; if it is nil, there are as many as pods.
	Addresses AddressManager
	// Workers take one machine at a time; zero means 16.
	Workers int
}

// Fleet is all the lab's machines.
type Fleet struct {
	client    kubernetes.Interface
	pace      *pace.Pace
	clock     clock.WithTicker
	log       *slog.Logger
	cache     *clusterCache
	queue     workqueue.TypedDelayingInterface[string]
	addresses AddressManager
	events    record.EventBroadcaster // nil if none are wanted

	workers int

	mu       sync.Mutex
	kubelets map[string]*kubelet
}

// New returns a fleet without machines.
func New(o Options) (*Fleet, error) {
	if o.Config == nil {
		return nil, errors.New("a fleet needs a client config")
	}
	config := rest.CopyConfig(o.Config)
	config.QPS = -1
	config.RateLimiter = nil
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.UserAgent = "kubelet/v1.36.3 (linux/amd64) naosu-lab"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making the fleet's client: %w", err)
	}
	return newFleet(client, o), nil
}

func newFleet(client kubernetes.Interface, o Options) *Fleet {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Addresses == nil {
		o.Addresses = newAddressPool()
	}
	if o.Workers == 0 {
		o.Workers = 16
	}
	f := &Fleet{
		client: client, pace: o.Pace, clock: o.Clock, workers: o.Workers,
		log: slog.New(slog.NewTextHandler(o.Log, nil)),
		queue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{
			Name: "lab-nodes", Clock: o.Clock,
		}),
		addresses: o.Addresses, kubelets: map[string]*kubelet{},
	}
	f.cache = newClusterCache(client, f.queue.Add)
	if o.Events {
		f.events = record.NewBroadcaster()
	}
	return f
}

// Run runs the machines until ctx ends. Machines that are booted before wait for it.
func (f *Fleet) Run(ctx context.Context) error {
	defer f.cache.shutdown()
	if err := f.cache.start(ctx); err != nil {
		return fmt.Errorf("filling the fleet's caches: %w", err)
	}
	if f.events != nil {
		f.events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: f.client.CoreV1().Events("")})
		defer f.events.Shutdown()
	}
	for _, pod := range f.cache.allPods() {
		if !pod.Spec.HostNetwork {
			f.addresses.Reserve(pod.Spec.NodeName, pod.UID, pod.Status.PodIP)
		}
	}
	var workers sync.WaitGroup
	for range f.workers {
		workers.Go(func() { f.work(ctx) })
	}
	<-ctx.Done()
	f.queue.ShutDown()
	workers.Wait()
	return nil
}

// Boot switches a machine on. A machine that is on already stays as it is; one that was off reboots. The first boot of
// a machine whose Node is already there (it has its machineID) resumes the pods that the API says run on it.
func (f *Fleet) Boot(m Machine) {
	m.complete()
	f.mu.Lock()
	old := f.kubelets[m.NodeName]
	k := old
	if old == nil || old.InstanceID != m.InstanceID {
		k = newKubelet(m, f.addresses, f.pace)
		f.kubelets[m.NodeName] = k
	}
	f.mu.Unlock()
	switch {
	case old == k && k.currentState() != Off:
		return
	case old == k:
		k.setState(On, f.clock.Now())
	case old != nil:
		old.decommission(f.clock.Now())
	}
	f.queue.Add(m.NodeName)
}

// Remove takes a machine away for good. What the API says of it stays.
func (f *Fleet) Remove(node string) {
	f.mu.Lock()
	k := f.kubelets[node]
	delete(f.kubelets, node)
	f.mu.Unlock()
	if k != nil {
		k.decommission(f.clock.Now())
	}
}

// SetState breaks or repairs a machine. When it returns, a machine that may no longer write no longer writes. On after
// Off is a reboot, on after KubeletDown a restart of the kubelet. A machine that boots has its links up.
func (f *Fleet) SetState(node string, s State) error {
	if !slices.Contains(States, s) {
		return fmt.Errorf("unknown machine state %q", s)
	}
	k := f.kubelet(node)
	if k == nil {
		return fmt.Errorf("no machine is called %q", node)
	}
	k.setState(s, f.clock.Now())
	f.queue.Add(node)
	return nil
}

// WaitForHeartbeats waits until every machine that is on has renewed its Lease once, so that a controller that starts then
// takes none for dead.
func (f *Fleet) WaitForHeartbeats(ctx context.Context) error {
	f.mu.Lock()
	kubelets := slices.Collect(maps.Values(f.kubelets))
	f.mu.Unlock()
	for _, k := range kubelets {
		if !k.currentState().connected() {
			continue
		}
		select {
		case <-k.firstHeartbeat:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the first heartbeat of node %s: %w", k.NodeName, context.Cause(ctx))
		}
	}
	return nil
}

// State is the machine's, and false if there is no such machine.
func (f *Fleet) State(node string) (State, bool) {
	k := f.kubelet(node)
	if k == nil {
		return "", false
	}
	return k.currentState(), true
}

func (f *Fleet) kubelet(node string) *kubelet {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kubelets[node]
}

func (f *Fleet) work(ctx context.Context) {
	for {
		name, quit := f.queue.Get()
		if quit {
			return
		}
		if k := f.kubelet(name); k != nil {
			if next := f.syncMachine(ctx, k); !next.IsZero() {
				f.queue.AddAfter(name, next.Sub(f.clock.Now()))
			}
		}
		f.queue.Done(name)
	}
}

// syncMachine syncs one machine, and says when to do so again.
func (f *Fleet) syncMachine(ctx context.Context, k *kubelet) time.Time {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.lock(cancel)
	defer k.unlock()
	next, err := f.syncKubelet(ctx, k)
	if err == nil || ctx.Err() != nil {
		k.failures = 0
		return next
	}
	f.log.Error("kubelet", "node", k.NodeName, "error", err)
	retry := f.clock.Now().Add(min(500*time.Millisecond<<min(k.failures, 4), 7*time.Second))
	k.failures++
	if next.IsZero() || retry.Before(next) {
		return retry
	}
	return next
}

// requestTimeout bounds one request, as the kubelet's heartbeat client does.
const requestTimeout = 10 * time.Second
