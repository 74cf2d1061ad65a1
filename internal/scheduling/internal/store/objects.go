package store

import (
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// listed are the kinds that plugins read through listers. Nodes and pods they read from the node store.
var listed = []runtime.Object{
	&corev1.Namespace{}, &corev1.PersistentVolume{}, &corev1.PersistentVolumeClaim{}, &corev1.ReplicationController{}, &corev1.Service{},
	&appsv1.ReplicaSet{}, &appsv1.StatefulSet{},
	&storagev1.CSIDriver{}, &storagev1.CSINode{}, &storagev1.CSIStorageCapacity{}, &storagev1.StorageClass{}, &storagev1.VolumeAttachment{},
	&policyv1.PodDisruptionBudget{}, &schedulingv1.PriorityClass{},
	&resourcev1.DeviceClass{}, &resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{},
}

// Objects holds the objects that plugins read through listers, and tells those that keep caches of every edit before it
// returns, so that an answer never depends on when a goroutine ran.
type Objects struct {
	Factory informers.SharedInformerFactory
	Kinds   map[reflect.Type]*informer
	// RelationsVersion is raised whenever an object changes that decides which pods are related, or which plugins skip a pod.
	RelationsVersion Version
	// StorageVersion is raised whenever an object changes that NodeVolumeLimits looks up.
	StorageVersion Version
	budgets        budgetIndex
}

func newObjects(client kubernetes.Interface, snapshot *cluster.Snapshot, j *journal) *Objects {
	s := &Objects{
		Factory: informers.NewSharedInformerFactory(client, 0), Kinds: map[reflect.Type]*informer{},
		RelationsVersion: Version{journal: j}, StorageVersion: Version{journal: j},
	}
	for _, o := range listed {
		i := &informer{SharedIndexInformer: cache.NewSharedIndexInformer(
			&cache.ListWatch{}, o, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
		s.Kinds[reflect.TypeOf(o)] = i
		s.Factory.InformerFor(o, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return i })
	}
	s.budgets = budgetIndex{kind: s.Kinds[reflect.TypeFor[*policyv1.PodDisruptionBudget]()], selectors: Version{journal: j}}
	fill(s, snapshot.Namespaces())
	fill(s, snapshot.Volumes())
	fill(s, snapshot.Claims())
	fill(s, snapshot.ReplicationControllers())
	fill(s, snapshot.Services())
	fill(s, snapshot.ReplicaSets())
	fill(s, snapshot.StatefulSets())
	fill(s, snapshot.CSIDrivers())
	fill(s, snapshot.CSINodes())
	fill(s, snapshot.StorageCapacities())
	fill(s, snapshot.Classes())
	fill(s, snapshot.VolumeAttachments())
	fill(s, snapshot.Budgets())
	fill(s, snapshot.PriorityClasses())
	fill(s, snapshot.DeviceClasses())
	fill(s, snapshot.ResourceClaims())
	fill(s, snapshot.ResourceSlices())
	return s
}

// Devices says whether there are any that pods may claim.
func (s *Objects) Devices() bool {
	return len(s.Kinds[reflect.TypeFor[*resourcev1.DeviceClass]()].GetIndexer().ListKeys()) > 0
}

// NamespaceLabels are nil for a namespace that does not exist.
func (s *Objects) NamespaceLabels(name string) labels.Set {
	held := s.Kinds[reflect.TypeFor[*corev1.Namespace]()].Held(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if held == nil {
		return nil
	}
	return held.GetLabels()
}

func fill[T metav1.Object](s *Objects, objects []T) {
	kind := s.Kinds[reflect.TypeFor[T]()]
	for _, o := range objects {
		kind.swap(nil, o)
	}
}

// informer is a SharedIndexInformer that is never run: an object put into it is there, and its handlers are called, at once.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// Held is the object of o's name, nil if there is none.
func (i *informer) Held(o metav1.Object) metav1.Object {
	if there, ok, err := i.GetIndexer().Get(o); err == nil && ok {
		return there.(metav1.Object)
	}
	return nil
}

// swap puts an object in the place of another; either may be nil. The handlers see it leave and come, and not change:
// those that keep caches ignore a change that does not raise the resource version, and an edit need not.
func (i *informer) swap(before, after metav1.Object) {
	if before != nil {
		_ = i.GetIndexer().Delete(before) // fails for objects without a name only
		for _, h := range i.handlers {
			h.OnDelete(before)
		}
	}
	if after != nil {
		_ = i.GetIndexer().Add(after)
		for _, h := range i.handlers {
			h.OnAdd(after, false)
		}
	}
}

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, o := range i.GetIndexer().List() {
		h.OnAdd(o, true)
	}
	i.handlers = append(i.handlers, h)
	return i, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (*informer) HasSynced() bool                     { return true }
func (*informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

type synced struct{}

var always = func() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

func (synced) Name() string          { return "judge" }
func (synced) Done() <-chan struct{} { return always }
