package cluster

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster/intake"
)

// PodScope is what the question about one pod reads: the pod, its events, its namespace's claims, and what stands
// outside namespaces.
type PodScope struct {
	Pod types.NamespacedName
	// Clock tells when the Snapshot was taken.
	Clock clock.PassiveClock
}

// lister reads one page of a kind.
type lister func(context.Context, metav1.ListOptions) (runtime.Object, error)

// ReadPod reads what the question about one pod needs. A kind that may not be read, or is not served, is noted as such;
// any other failure, and a pod that is missing or may not be read, is an error of k8s.io/apimachinery/pkg/api/errors.
//
// Each kind is read in pages and as of one moment (the server's latest at its first page); the moments of different
// kinds differ by as long as the read takes.
func ReadPod(ctx context.Context, client kubernetes.Interface, scope PodScope) (*Snapshot, error) {
	contents := Contents{Taken: scope.Clock.Now(), Knowledge: map[Kind]Knowledge{Pod: Partial}}
	pod, err := client.CoreV1().Pods(scope.Pod.Namespace).Get(ctx, scope.Pod.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading pod %s: %w", scope.Pod, err)
	}
	contents.Objects = append(contents.Objects, pod)

	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for kind, list := range scope.listers(client) {
		group.Go(func() error {
			objects, err := readAll(ctx, list)
			knowledge, err := knowledgeFrom(readAs(kind), err)
			if err != nil {
				return fmt.Errorf("reading every %s: %w", kind, err)
			}
			mu.Lock()
			defer mu.Unlock()
			contents.Knowledge[kind] = knowledge
			contents.Objects = append(contents.Objects, objects...)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return New(contents), nil
}

func (p PodScope) listers(client kubernetes.Interface) map[Kind]lister {
	core, storage, namespace := client.CoreV1(), client.StorageV1(), p.Pod.Namespace
	about := fields.Set{"involvedObject.kind": string(Pod), "involvedObject.name": p.Pod.Name}.String()
	return map[Kind]lister{
		Node: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return core.Nodes().List(ctx, o)
		},
		PersistentVolumeClaim: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return core.PersistentVolumeClaims(namespace).List(ctx, o)
		},
		PersistentVolume: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return core.PersistentVolumes().List(ctx, o)
		},
		StorageClass: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return storage.StorageClasses().List(ctx, o)
		},
		VolumeAttachment: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return storage.VolumeAttachments().List(ctx, o)
		},
		CSINode: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return storage.CSINodes().List(ctx, o)
		},
		Event: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = about
			return core.Events(namespace).List(ctx, o)
		},
	}
}

// readAs is what is known of a kind once it was read for one pod.
func readAs(kind Kind) Knowledge {
	switch kind {
	case PersistentVolumeClaim, Event:
		return Partial
	default:
		return Complete
	}
}

// readAll reads a kind page by page. The pager starts over without pages should the server have compacted the first.
func readAll(ctx context.Context, list lister) ([]runtime.Object, error) {
	var objects []runtime.Object
	err := pager.New(pager.ListPageFunc(list)).EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		taken, err := intake.New().Take(o.(intake.Object))
		objects = append(objects, taken)
		return err
	})
	return objects, err
}

func knowledgeFrom(read Knowledge, err error) (Knowledge, error) {
	switch {
	case err == nil:
		return read, nil
	case apierrors.IsForbidden(err):
		return Forbidden, nil
	case apierrors.IsNotFound(err):
		return Absent, nil
	default:
		return Absent, err
	}
}
