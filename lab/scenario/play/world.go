package play

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// world is the cluster as it is watched. It is an expr.World.
type world struct {
	cloud *cloud.Cloud
	calls func() []aws.Call
	kinds map[string]*kind
	// onChange is called with what objects were and are; nil means not there.
	onChange func(before, after any)
	factory  []interface{ Shutdown() }
	// changed is signalled after changes, several of which may share one signal.
	changed chan struct{}

	mu    sync.Mutex
	names map[string]string // of Node objects, by the names that the scenario gives
	gone  map[string]*corev1.Node
}

// kind is what is watched of one kind. Its sorted list is kept until an object changes.
type kind struct {
	mu       sync.Mutex
	informer cache.SharedIndexInformer // nil while the kind is not served
	sorted   []any
}

// watch begins to watch the cluster. changed is called with what objects were and are; nil means not there.
func watch(ctx context.Context, client kubernetes.Interface, cluster Cluster, onChange func(before, after any)) (*world, error) {
	all := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(stripUnused))
	system := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(metav1.NamespaceSystem), informers.WithTransform(stripUnused))
	core, apps := all.Core().V1(), all.Apps().V1()
	w := &world{
		cloud: cluster.Cloud(), calls: cluster.Calls, changed: make(chan struct{}, 1), onChange: onChange,
		factory: []interface{ Shutdown() }{all, system}, gone: map[string]*corev1.Node{},
		kinds: map[string]*kind{
			"pods":         {informer: core.Pods().Informer()},
			"nodes":        {informer: core.Nodes().Informer()},
			"claims":       {informer: core.PersistentVolumeClaims().Informer()},
			"volumes":      {informer: core.PersistentVolumes().Informer()},
			"attachments":  {informer: all.Storage().V1().VolumeAttachments().Informer()},
			"deployments":  {informer: apps.Deployments().Informer()},
			"replicasets":  {informer: apps.ReplicaSets().Informer()},
			"statefulsets": {informer: apps.StatefulSets().Informer()},
			"daemonsets":   {informer: apps.DaemonSets().Informer()},
			"jobs":         {informer: all.Batch().V1().Jobs().Informer()},
			"events":       {informer: core.Events().Informer()},
			"configmaps":   {informer: system.Core().V1().ConfigMaps().Informer()},

			"remediations": {}, "repairpolicies": {}, "addresspolicies": {}, "headroompolicies": {},
		},
	}
	for name, k := range w.kinds {
		if k.informer == nil {
			continue
		}
		if _, err := k.informer.AddEventHandler(w.handler(k)); err != nil {
			return nil, fmt.Errorf("watching %s: %w", name, err)
		}
	}
	go w.watchCloud(ctx)
	all.Start(ctx.Done())
	system.Start(ctx.Done())
	for name, k := range w.kinds {
		if k.informer != nil && !cache.WaitForCacheSync(ctx.Done(), k.informer.HasSynced) {
			return nil, fmt.Errorf("watching %s: %w", name, context.Cause(ctx))
		}
	}
	return w, nil
}

// stop returns when the watches have ended, after their context has.
func (w *world) stop() {
	for _, f := range w.factory {
		f.Shutdown()
	}
}

// stripUnused drops what no expression reads and what takes most memory.
func stripUnused(o any) (any, error) {
	if accessor, err := meta.Accessor(o); err == nil {
		accessor.SetManagedFields(nil)
	}
	return o, nil
}

func (w *world) handler(k *kind) cache.ResourceEventHandler {
	change := func(before, after any) {
		k.mu.Lock()
		k.sorted = nil
		k.mu.Unlock()
		w.onChange(before, after)
		w.signal()
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { change(nil, o) },
		UpdateFunc: func(before, after any) { change(before, after) },
		DeleteFunc: func(o any) {
			if lost, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = lost.Obj
			}
			w.remember(o)
			change(o, nil)
		},
	}
}

func (w *world) signal() {
	select {
	case w.changed <- struct{}{}:
	default: // one is waiting already
	}
}

// remember keeps a node that is gone, so that its name still means it.
func (w *world) remember(o any) {
	if n, ok := o.(*corev1.Node); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gone[n.Name] = n
	}
}

// List is part of expr.World.
func (w *world) List(variable string) []any {
	switch variable {
	case "groups":
		return groupsOf(w.cloud)
	case "subnets":
		return subnetsOf(w.cloud)
	case "interfaces":
		return interfacesOf(w.cloud)
	case "calls":
		return callsOf(w.calls())
	}
	k := w.kinds[variable]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sorted == nil && k.informer != nil {
		store := k.informer.GetStore()
		k.sorted = make([]any, 0, len(store.ListKeys()))
		for _, key := range slices.Sorted(slices.Values(store.ListKeys())) {
			if o, exists, _ := store.GetByKey(key); exists {
				k.sorted = append(k.sorted, o)
			}
		}
	}
	return k.sorted
}

// NamedNodes is part of expr.World.
func (w *world) NamedNodes(listed []any) map[string]*corev1.Node {
	there := map[string]*corev1.Node{}
	for _, o := range listed {
		node := o.(*corev1.Node)
		there[node.Name] = node
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	named := map[string]*corev1.Node{}
	for name, node := range w.names {
		if now, ok := there[node]; ok {
			named[name] = now
		} else if last, ok := w.gone[node]; ok {
			named[name] = last
		}
	}
	return named
}

func (w *world) setNames(names map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = maps.Clone(names)
}

// hasArrived says whether an object just written has arrived, if its kind is watched at all.
func (w *world) hasArrived(kind string, uid types.UID) bool {
	for _, k := range expr.Kinds {
		if reflect.TypeOf(k.Object).Name() == kind && w.kinds[k.Variable] != nil && kind != "ConfigMap" {
			return slices.ContainsFunc(w.List(k.Variable), func(o any) bool { return o.(metav1.Object).GetUID() == uid })
		}
	}
	return true
}

// claims are the volumes' claims, as namespace/name.
func (w *world) claims() map[string]string {
	claims := map[string]string{}
	for _, o := range w.List("volumes") {
		if v := o.(*corev1.PersistentVolume); v.Spec.ClaimRef != nil {
			claims[v.Name] = v.Spec.ClaimRef.Namespace + "/" + v.Spec.ClaimRef.Name
		}
	}
	return claims
}
