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
)

// Watch keeps a Snapshot of a cluster current, for whoever asks again and again. It holds what Read reads, but for the
// kinds that are read on demand; of Leases, those of nodes alone.
type Watch struct {
	client kubernetes.Interface
	clock  clock.WithTicker
	// factories make what watches: of the cluster, and of the namespace that has the nodes' leases.
	factories  []informers.SharedInformerFactory
	compacting compacting
	kinds      map[Kind]*watched

	mu      sync.Mutex
	world   *Snapshot
	pending map[pendingKey]Edit
	// heard is when the server last answered.
	heard      time.Time
	server     string
	parameters Knowledge // of ConfigMaps
}

type pendingKey struct {
	kind Kind
	name types.NamespacedName
}

// heartbeat is how often a Watch asks whether the server still answers: one that hears nothing looks like a cluster in
// which nothing happens.
const heartbeat = 10 * time.Second

// NewWatch makes a Watch that has seen nothing yet. Of some kinds it never sees anything: they are Absent.
func NewWatch(client kubernetes.Interface, c clock.WithTicker, without ...Kind) (*Watch, error) {
	w := &Watch{client: client, clock: c, kinds: map[Kind]*watched{}, world: New(Contents{}), pending: map[pendingKey]Edit{}, parameters: Absent}
	everywhere := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(w.compacting.transform))
	nodeLeases := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(w.compacting.transform), informers.WithNamespace(corev1.NamespaceNodeLease))
	w.factories = []informers.SharedInformerFactory{everywhere, nodeLeases}
	for kind := range forms {
		if kind == ConfigMap || kind.OnDemand() || slices.Contains(without, kind) {
			continue // Of ConfigMaps, Run reads the few that matter, by their names.
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
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { one.broke(w.clock.Now(), err) })
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

// Nodes tells of nodes that come, change and go, to whoever must look again. It may tell before Snapshot knows.
func (w *Watch) Nodes() cache.SharedIndexInformer { return w.kinds[Node].informer }

// Run watches until the context ends.
func (w *Watch) Run(ctx context.Context) {
	for _, factory := range w.factories {
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
	}
	tick := w.clock.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		w.listen(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C():
		}
	}
}

// Ready waits until of every kind it is known what there is, or that it cannot be known.
func (w *Watch) Ready(ctx context.Context) error {
	const often = 50 * time.Millisecond
	err := wait.PollUntilContextCancel(ctx, often, true, func(context.Context) (bool, error) {
		for _, one := range w.kinds {
			if !one.decided() {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	w.listen(ctx) // Only now it can know which ConfigMaps matter.
	return nil
}

// Snapshot is the cluster as it is now. Where the server has fallen silent, or a watch is broken, it was Taken at the last
// moment that all of it was current. It takes time with what has changed since it was last asked for.
func (w *Watch) Snapshot() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) > 0 {
		w.world = w.world.With(slices.Collect(maps.Values(w.pending))...).compact()
		clear(w.pending)
	}
	view := *w.world
	view.server, view.taken = w.server, w.clock.Now()
	if view.taken.Sub(w.heard) > 2*heartbeat {
		view.taken = w.heard
	}
	view.knowledge = map[Kind]Knowledge{ConfigMap: w.parameters}
	for kind, one := range w.kinds {
		known, current := one.known(view.taken)
		view.knowledge[kind] = known
		if current.Before(view.taken) {
			view.taken = current
		}
	}
	return &view
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

// listen asks whether the server answers at all, and for the ConfigMaps.
func (w *Watch) listen(ctx context.Context) {
	_, err := w.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
	if err != nil && !errors.As(err, new(apierrors.APIStatus)) {
		return // A refusal is an answer; this is none.
	}
	server := ""
	if version, err := w.client.Discovery().ServerVersion(); err == nil {
		server = version.GitVersion
	}
	w.mu.Lock()
	w.heard, w.server = w.clock.Now(), server
	w.mu.Unlock()
	w.readParameters(ctx)
}

func (w *Watch) readParameters(ctx context.Context) {
	world := w.Snapshot()
	var deployments []runtime.Object
	for _, d := range world.Deployments() {
		deployments = append(deployments, d)
	}
	objects, err := readParameters(ctx, w.client, parameters(deployments), w.compacting.compact)
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
