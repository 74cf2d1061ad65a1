package eksnoderepair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/addons/polling"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// pollPeriod is how often nodes are read, in scenario time; EKS does not document it.
const pollPeriod = 15 * time.Second

// groupLabel is put on nodes by EKS managed node groups.
const groupLabel = "eks.amazonaws.com/nodegroup"

// Options say what is repaired.
type Options struct {
	// Config reaches the cluster; it must be allowed to read nodes.
	Config *rest.Config
	Cloud  *cloud.Cloud
	// Pace scales all waits. Nil is real time.
	Pace *pace.Pace
	// Clock is the wall clock unless a test sets another.
	Clock clock.WithTicker
}

// Run repairs nodes until ctx ends. What the cloud refuses is logged and tried again at the next poll; an error is returned
// only when Config is of no use.
func Run(ctx context.Context, o Options) error {
	client, err := kubernetes.NewForConfig(o.Config)
	if err != nil {
		return fmt.Errorf("making the node repair's client: %w", err)
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	run(ctx, client, o)
	return nil
}

func run(ctx context.Context, client kubernetes.Interface, o Options) {
	factory := informers.NewSharedInformerFactory(client, 0)
	r := &repairer{Options: o, nodes: factory.Core().V1().Nodes().Lister(), repaired: map[string]repair{}}
	polling.Run(ctx, factory, o.Clock, o.Pace.Real(pollPeriod), r.step)
}

type repairer struct {
	Options
	nodes    corelisters.NodeLister
	repaired map[string]repair // by instance
}

// repair is one that was begun.
type repair struct {
	at     time.Time
	bootID string
}

// ongoing says whether the machine is not back yet. A replaced one is gone with its node.
func (r repair) ongoing(n *corev1.Node) bool { return n.Status.NodeInfo.BootID == r.bootID }

func (r *repairer) step(ctx context.Context) {
	for _, g := range r.Cloud.Groups() {
		if g.Foreign || g.NodeRepair == nil || !g.NodeRepair.Enabled {
			continue
		}
		nodes, _ := r.nodes.List(labels.SelectorFromSet(labels.Set{groupLabel: g.Name})) // a synced cache does not fail
		slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
		r.repairGroup(ctx, *g.NodeRepair, nodes)
	}
}

// repairGroup repairs what is due in one group, as far as its limits allow.
func (r *repairer) repairGroup(ctx context.Context, config cloud.NodeRepairConfig, nodes []*corev1.Node) {
	unhealthy, ongoing := 0, 0
	for _, n := range nodes {
		if len(unhealthyConditions(n, config)) > 0 {
			unhealthy++
		}
		if past, begun := r.repaired[instanceOf(n)]; begun && past.ongoing(n) {
			ongoing++
		}
	}
	if exceedsThreshold(config, unhealthy, len(nodes)) {
		return
	}
	for _, n := range nodes {
		action, due := r.due(n, config)
		if !due || ongoing >= maxParallel(config, len(nodes)) {
			continue
		}
		if err := r.act(instanceOf(n), action); err != nil {
			klog.FromContext(ctx).Error(err, "node repair", "node", n.Name, "action", action)
			continue
		}
		r.repaired[instanceOf(n)] = repair{r.Clock.Now(), n.Status.NodeInfo.BootID}
		ongoing++
	}
}

// due is what is to be done about a node now. A repair that did not help is tried again after the whole wait.
func (r *repairer) due(n *corev1.Node, config cloud.NodeRepairConfig) (action string, due bool) {
	past, begun := r.repaired[instanceOf(n)]
	if begun && past.ongoing(n) {
		return "", false
	}
	for _, condition := range unhealthyConditions(n, config) {
		since := condition.since
		if begun && past.at.After(since) {
			since = past.at
		}
		waited := !r.Clock.Now().Before(since.Add(r.Pace.Real(condition.wait)))
		if waited && condition.action != cloud.RepairNoAction && !r.Cloud.RepairSwitchedOff(condition.reason) {
			return condition.action, true
		}
	}
	return "", false
}

func (r *repairer) act(instance, action string) error {
	if action == cloud.RepairReboot {
		return r.Cloud.Reboot(instance)
	}
	return r.Cloud.Terminate(instance, false)
}

// instanceOf is the ID at the end of a provider ID, such as "aws:///us-east-1a/i-0abc".
func instanceOf(n *corev1.Node) string {
	return n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:]
}
