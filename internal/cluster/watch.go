package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// Watch keeps a Snapshot of a cluster up to date by watches. It holds what Read reads, except for the kinds that are read on demand; of Leases,
// those of nodes alone.
type Watch struct {
	client kubernetes.Interface
	clock  clock.WithTicker
	// factories are the informer factories: of the cluster, and of the namespace of the nodes' leases.
	factories []informers.SharedInformerFactory
	compactor compactor
	kinds     map[Kind]*watched

	mu      sync.Mutex
	world   *Snapshot
	pending map[pendingKey]Edit
	// lastAnswer is when the server last answered.
	lastAnswer time.Time
	server     string
	parameters Knowledge // of ConfigMaps
	// network is what SetNetwork was given last; nil before.
	network *cloud.Network
}

type pendingKey struct {
	kind Kind
	name types.NamespacedName
}

// heartbeat is how often a Watch requests the server's version, because a broken watch looks like a cluster in which nothing changes.
const heartbeat = 10 * time.Second

// NewWatch makes a Watch. It does not watch the kinds in without: they are Absent.
func NewWatch(client kubernetes.Interface, c clock.WithTicker, without ...Kind) (*Watch, error) {
	w := &Watch{client: client, clock: c, kinds: map[Kind]*watched{}, world: New(Contents{}), pending: map[pendingKey]Edit{}, parameters: Absent}
	everywhere := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(w.compactor.transform))
	nodeLeases := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(w.compactor.transform), informers.WithNamespace(corev1.NamespaceNodeLease))
	w.factories = []informers.SharedInformerFactory{everywhere, nodeLeases}
	for kind := range forms {
		if kind == ConfigMap || kind.OnDemand() || slices.Contains(without, kind) {
			continue // Run reads the ConfigMaps of the allow-list by name.
		}
		factory := everywhere
		if kind == Lease {
			factory = nodeLeases
		}
		generic, err := factory.ForResource(kind.resource())
		if err != nil {
			return nil, fmt.Errorf("watching every %s: %w", kind, err)
		}
		if w.kinds[kind], err = w.watch(generic.Informer()); err != nil {
			return nil, fmt.Errorf("watching every %s: %w", kind, err)
		}
	}
	return w, nil
}

func (w *Watch) watch(informer cache.SharedIndexInformer) (*watched, error) {
	one := &watched{informer: informer}
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { one.recordFailure(w.clock.Now(), err) })
	if err != nil {
		return nil, err
	}
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: w.put, UpdateFunc: func(_, o any) { w.put(o) }, DeleteFunc: w.remove,
	})
	if err != nil {
		return nil, err
	}
	one.hasSynced = registered.HasSynced
	return one, nil
}

// Nodes is the informer of nodes. Its handlers may be called before Snapshot has the change.
func (w *Watch) Nodes() cache.SharedIndexInformer { return w.kinds[Node].informer }

// Pods is the informer of pods, likewise.
func (w *Watch) Pods() cache.SharedIndexInformer { return w.kinds[Pod].informer }

// PriorityClasses is the informer of PriorityClasses, likewise.
func (w *Watch) PriorityClasses() cache.SharedIndexInformer { return w.kinds[PriorityClass].informer }

// Leases is the informer of the nodes' Leases, likewise.
func (w *Watch) Leases() cache.SharedIndexInformer { return w.kinds[Lease].informer }

// Run watches until the context ends.
func (w *Watch) Run(ctx context.Context) {
	for _, factory := range w.factories {
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
	}
	tick := w.clock.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		w.pollServer(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C():
		}
	}
}

// Ready waits until every kind has synced, or is known not to be readable.
func (w *Watch) Ready(ctx context.Context) error {
	const often = 50 * time.Millisecond
	err := wait.PollUntilContextCancel(ctx, often, true, func(context.Context) (bool, error) {
		for _, one := range w.kinds {
			if !one.settled() {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	w.pollServer(ctx) // Now the names of the ConfigMaps are known.
	return nil
}

// Snapshot is the present state of the cluster. If the server does not answer, or a watch is broken, it was Taken when all of it was last up to
// date. Its cost depends on what has changed since the last call.
func (w *Watch) Snapshot() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) > 0 {
		w.world = w.world.With(slices.Collect(maps.Values(w.pending))...).compact()
		clear(w.pending)
	}
	view := *w.world
	view.memo = &memo{} // What follows bears on what is computed.
	view.server, view.taken = w.server, w.clock.Now()
	if view.taken.Sub(w.lastAnswer) > 2*heartbeat {
		view.taken = w.lastAnswer
	}
	view.knowledge = map[Kind]Knowledge{ConfigMap: w.parameters}
	for kind, one := range w.kinds {
		known, current := one.known(view.taken)
		view.knowledge[kind] = known
		if current.Before(view.taken) {
			view.taken = current
		}
	}
	if w.network != nil {
		view.unread = w.network.Unread
		maps.Copy(view.knowledge, networkKnowledge(*w.network, NetworkKinds()))
	}
	return &view
}

// SetNetwork sets what a cloud tells of the cluster's network, which no API server serves. It replaces what was set before.
func (w *Watch) SetNetwork(n cloud.Network) {
	world := w.Snapshot()
	var edits []Edit
	for _, kind := range NetworkKinds() {
		for _, o := range world.tables[kind].(anyTable).objects() {
			edits = append(edits, Remove(o))
		}
	}
	w.note(append(edits, networkEdits(n)...)...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.network = &n
}

func (w *Watch) put(o any) {
	if object, ok := o.(metav1.Object); ok {
		w.note(Put(object))
	}
}

func (w *Watch) remove(o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if object, ok := o.(metav1.Object); ok {
		w.note(Remove(object))
	}
}

func (w *Watch) note(edits ...Edit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range edits {
		if kind, ok := KindOf(e.Object()); ok {
			w.pending[pendingKey{kind, nameOf(e.Object())}] = e
		}
	}
}

// pollServer checks whether the server answers, and reads the ConfigMaps.
func (w *Watch) pollServer(ctx context.Context) {
	_, err := w.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
	if err != nil && !errors.As(err, new(apierrors.APIStatus)) {
		return // An HTTP error is an answer; this is none.
	}
	server := ""
	if version, err := w.client.Discovery().ServerVersion(); err == nil {
		server = version.GitVersion
	}
	w.mu.Lock()
	w.lastAnswer, w.server = w.clock.Now(), server
	w.mu.Unlock()
	w.readParameters(ctx)
}

func (w *Watch) readParameters(ctx context.Context) {
	world := w.Snapshot()
	var deployments []runtime.Object
	for _, d := range world.Deployments() {
		deployments = append(deployments, d)
	}
	objects, err := readParameters(ctx, w.client, parameters(deployments), w.compactor.compact)
	known, err := knowledgeFrom(inPart(world.Knowledge(Deployment)), err)
	if err != nil {
		return // It is tried again with the next heartbeat.
	}
	var edits []Edit
	for _, c := range world.ConfigMaps() {
		edits = append(edits, Remove(c))
	}
	for _, o := range objects {
		edits = append(edits, Put(o.(metav1.Object)))
	}
	w.note(edits...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parameters = known
}
