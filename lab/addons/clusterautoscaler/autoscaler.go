package clusterautoscaler

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// Cloud is what the autoscaler needs of the lab's cloud. *cloud.Cloud has it.
type Cloud interface {
	Groups() []cloud.Group
	Instances() []cloud.Instance
	SetDesired(group string, desired int) error
	Terminate(instance string, decrementDesired bool) error
}

// Options say which cluster is scaled through which cloud.
type Options struct {
	// Config reaches the cluster; it must be allowed to read it, to change nodes, to evict pods, and to write events and
	// kube-system's ConfigMap cluster-autoscaler-status.
	Config *rest.Config
	Cloud  Cloud
	// Pace scales every period and delay. Nil is real time.
	Pace *pace.Pace
	// Clock is the wall clock unless a test sets another.
	Clock clock.Clock
}

// Run scales the cluster until ctx ends. Failures on the way are events or log lines, as the real program's are; an error is
// returned only when it cannot start.
func Run(ctx context.Context, o Options) error {
	cfg := rest.CopyConfig(o.Config)
	cfg.UserAgent = "cluster-autoscaler"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("making the cluster autoscaler's client: %w", err)
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return run(ctx, client, defaults(o.Pace), o)
}

// autoscaler reads and changes the cluster and the cloud; plan decides.
type autoscaler struct {
	cfg       settings
	clock     clock.Clock
	client    kubernetes.Interface
	cloud     Cloud
	observer  observer
	judge     *judge
	recorder  record.EventRecorder
	statusMap *corev1.ConfigMap
	state     scanState
}

func run(ctx context.Context, client kubernetes.Interface, cfg settings, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(withoutManagedFields))
	defer factory.Shutdown()
	defer cancel()
	j, err := newJudge(ctx, factory)
	if err != nil {
		return err
	}
	a := &autoscaler{
		cfg: cfg, clock: o.Clock, client: client, cloud: o.Cloud, judge: j,
		observer: newObserver(factory), recorder: newRecorder(ctx, client, cfg.eventEvery),
	}
	factory.Start(ctx.Done())
	for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil // ctx ended first
		}
	}
	logError(ctx, a.writeStatus(ctx, Status{AutoscalerStatus: "Initializing"}))
	for ctx.Err() == nil {
		a.scan(ctx)
		select {
		case <-ctx.Done():
		case <-o.Clock.After(cfg.scan):
		}
	}
	return nil
}

// scan is one turn of the loop. The first waits until all nodes of the cluster have registered: those that are still being created would
// look like a shortage.
func (a *autoscaler) scan(ctx context.Context) {
	w := a.observer.world(a.clock.Now(), a.cloud)
	if !a.state.running && !w.isSettled(a.cfg) {
		return
	}
	actions, state := plan(ctx, a.cfg, a.judge, w, a.state)
	if ctx.Err() != nil {
		return // judged half-way through
	}
	a.state = state
	a.act(ctx, actions)
	logError(ctx, a.writeStatus(ctx, a.state.status))
}

// withoutManagedFields keeps managedFields, half the size of many objects, out of the caches.
func withoutManagedFields(o any) (any, error) {
	if object, err := meta.Accessor(o); err == nil {
		object.SetManagedFields(nil)
	}
	return o, nil
}
