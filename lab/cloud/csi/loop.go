package csi

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/lab/pace"
)

// As the sidecars' --retry-interval-start, --retry-interval-max and --worker-threads have it.
const (
	retryStart = time.Second
	retryMax   = 5 * time.Minute
	workers    = 10
)

// loop works off a queue of names. One that fails is tried again, later each time.
type loop struct {
	name  string
	queue workqueue.TypedRateLimitingInterface[string]
	work  func(ctx context.Context, key string) error
}

func newLoop(name string, p *pace.Pace, work func(context.Context, string) error) *loop {
	return &loop{
		name: name,
		work: work,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](p.Real(retryStart), p.Real(retryMax)),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: name}),
	}
}

// runLoops returns when ctx ends and what is under way has finished.
func runLoops(ctx context.Context, loops ...*loop) {
	var working sync.WaitGroup
	for _, l := range loops {
		context.AfterFunc(ctx, l.queue.ShutDown)
		for range workers {
			working.Go(func() {
				for l.next(ctx) {
				}
			})
		}
	}
	working.Wait()
}

// enqueue has the loop look at every object that is added or changed.
func (l *loop) enqueue() cache.ResourceEventHandler {
	add := func(object any) {
		if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
			l.queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, object any) { add(object) }}
}

func (l *loop) next(ctx context.Context) bool {
	key, ended := l.queue.Get()
	if ended {
		return false
	}
	defer l.queue.Done(key)
	if err := l.work(ctx, key); err != nil {
		if ctx.Err() == nil {
			klog.FromContext(ctx).Info("Trying again later", "controller", l.name, "key", key, "err", err)
		}
		l.queue.AddRateLimited(key)
		return true
	}
	l.queue.Forget(key)
	return true
}
