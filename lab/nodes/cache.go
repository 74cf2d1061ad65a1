package nodes

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
)

// clusterCache is what the fleet reads of the API server: informers shared by all machines.
type clusterCache struct {
	factory informers.SharedInformerFactory
	pods    cache.SharedIndexInformer // those that have a node
	nodes   corelisters.NodeLister
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	drivers storagelisters.CSIDriverLister
	// enqueue is called with the name of a node that a change concerns.
	enqueue func(node string)
}

// The indices of the pod cache.
const (
	byNode  = "node"
	byClaim = "claim"
)

func newClusterCache(client kubernetes.Interface, tell func(string)) *clusterCache {
	n := &clusterCache{factory: informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(stripManagedFields)), enqueue: tell}
	n.pods = n.factory.InformerFor(&corev1.Pod{}, boundPods)
	nodes, core := n.factory.Core().V1().Nodes(), n.factory.Core().V1()
	claims, volumes := core.PersistentVolumeClaims(), core.PersistentVolumes()
	drivers := n.factory.Storage().V1().CSIDrivers()
	n.nodes, n.claims, n.volumes, n.drivers = nodes.Lister(), claims.Lister(), volumes.Lister(), drivers.Lister()
	notify(n.pods, func(p *corev1.Pod) { tell(p.Spec.NodeName) })
	notify(nodes.Informer(), func(node *corev1.Node) { tell(node.Name) })
	notify(claims.Informer(), func(c *corev1.PersistentVolumeClaim) { n.enqueuePodsOfClaim(c.Namespace, c.Name) })
	notify(volumes.Informer(), func(v *corev1.PersistentVolume) {
		if c := v.Spec.ClaimRef; c != nil {
			n.enqueuePodsOfClaim(c.Namespace, c.Name)
		}
	})
	drivers.Informer()
	return n
}

func boundPods(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	index := cache.Indexers{
		byNode: func(o any) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil },
		byClaim: func(o any) ([]string, error) {
			pod, keys := o.(*corev1.Pod), []string(nil)
			for _, v := range pod.Spec.Volumes {
				if name := claimOf(pod, &v); name != "" {
					keys = append(keys, pod.Namespace+"/"+name)
				}
			}
			return keys, nil
		},
	}
	return coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, resync, index, func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	})
}

// stripManagedFields drops what no kubelet reads.
func stripManagedFields(o any) (any, error) {
	if m, err := meta.Accessor(o); err == nil {
		m.SetManagedFields(nil)
	}
	return o, nil
}

// notify calls the handler with each object that is added, updated or deleted.
func notify[T any](informer cache.SharedIndexInformer, tell func(T)) {
	handle := func(o any) {
		if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if object, ok := o.(T); ok {
			tell(object)
		}
	}
	// An informer that has not been started takes every handler.
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: handle, UpdateFunc: func(_, o any) { handle(o) }, DeleteFunc: handle,
	})
}

func (n *clusterCache) enqueuePodsOfClaim(namespace, claim string) {
	for _, pod := range n.podsBy(byClaim, namespace+"/"+claim) {
		n.enqueue(pod.Spec.NodeName)
	}
}

func (n *clusterCache) podsBy(index, key string) []*corev1.Pod {
	objects, err := n.pods.GetIndexer().ByIndex(index, key)
	if err != nil {
		panic(err) // the index does not exist
	}
	pods := make([]*corev1.Pod, len(objects))
	for i, o := range objects {
		pods[i] = o.(*corev1.Pod)
	}
	return pods
}

func (n *clusterCache) allPods() []*corev1.Pod {
	objects := n.pods.GetIndexer().List()
	pods := make([]*corev1.Pod, len(objects))
	for i, o := range objects {
		pods[i] = o.(*corev1.Pod)
	}
	return pods
}

// start returns when the caches are synced.
func (n *clusterCache) start(ctx context.Context) error {
	n.factory.StartWithContext(ctx)
	for _, ok := range n.factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return errors.Join(ctx.Err(), errors.New("a cache did not fill"))
		}
	}
	return nil
}

func (n *clusterCache) shutdown() { n.factory.Shutdown() }
