package nodecontroller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/cloud-provider/controllers/node"
	"k8s.io/cloud-provider/controllers/nodelifecycle"
	"k8s.io/component-base/metrics/prometheus/controllers"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// The cloud-controller-manager's defaults: --node-monitor-period and --node-status-update-frequency
// (k8s.io/cloud-provider/config). More than its one worker, because a lab's nodes register all at once.
const (
	monitorPeriod      = 5 * time.Second
	statusPeriod       = 5 * time.Minute
	initialisers       = 5
	statusUpdateWorker = 1
)

// Options say which cluster's nodes to look after.
type Options struct {
	// Config reaches the API server; its user needs what system:cloud-controller-manager may do.
	Config *rest.Config
	Cloud  *cloud.Cloud
	// Pace is how much faster than reality the controllers look; nil is real time.
	Pace *pace.Pace
}

// Run looks after the cluster's nodes until ctx ends.
func Run(ctx context.Context, o Options) error {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(o.Config), "cloud-controller-manager"))
	if err != nil {
		return fmt.Errorf("building the node controller's client: %w", err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes()
	initialiser, err := node.NewCloudNodeController(nodes, client, provider{o.Cloud}, o.Pace.Real(statusPeriod), initialisers, statusUpdateWorker)
	if err != nil {
		return fmt.Errorf("building the cloud node controller: %w", err)
	}
	lifecycle, err := nodelifecycle.NewCloudNodeLifecycleController(nodes, client, provider{o.Cloud}, o.Pace.Real(monitorPeriod))
	if err != nil {
		return fmt.Errorf("building the cloud node lifecycle controller: %w", err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())

	metrics := controllers.NewControllerManagerMetrics("cloud-controller-manager")
	var running sync.WaitGroup
	running.Go(func() { initialiser.RunWithContext(ctx, metrics) })
	running.Go(func() { lifecycle.Run(ctx, metrics) })
	running.Wait()
	return nil
}
