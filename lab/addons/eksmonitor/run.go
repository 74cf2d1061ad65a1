package eksmonitor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/addons/polling"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
)

const (
	// selector finds the agent's pods, by the label that its chart gives them.
	selector = "app.kubernetes.io/name=eks-node-monitoring-agent"
	// manager is the agent's name among the field managers: that of its program.
	manager = "eks-node-monitoring-agent"
)

// Machines says what state the machine behind a node is in, and false if there is none.
type Machines interface {
	State(node string) (nodes.State, bool)
}

// Options say where the agents run.
type Options struct {
	// Config reaches the cluster; it must be allowed to read pods and to patch the status of nodes.
	Config   *rest.Config
	Machines Machines
	// Pace scales the agents' periods. Nil is real time.
	Pace *pace.Pace
	// Clock is the wall clock unless a test sets another.
	Clock clock.WithTicker
}

// Run simulates every agent of the cluster until ctx ends. What goes wrong for one of them is logged and tried again at its
// next report; an error is returned only when Config is of no use.
func Run(ctx context.Context, o Options) error {
	cfg := rest.CopyConfig(o.Config)
	cfg.UserAgent = manager + "/lab"
	cfg.QPS = -1 // each agent has a client of its own
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("making the node monitoring agents' client: %w", err)
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	run(ctx, client, o)
	return nil
}

func run(ctx context.Context, client kubernetes.Interface, o Options) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(l *metav1.ListOptions) {
		l.LabelSelector = selector
	}))
	s := &simulator{Options: o, client: client, pods: factory.Core().V1().Pods().Lister(), agents: map[containerRun]*agent{}}
	polling.Run(ctx, factory, o.Clock, o.Pace.Real(reportPeriod), s.step)
}

// simulator simulates all the agents of a cluster.
type simulator struct {
	Options
	client kubernetes.Interface
	pods   corelisters.PodLister
	agents map[containerRun]*agent
}

// step is one report period of every agent that runs; those that no longer run are dropped.
func (s *simulator) step(ctx context.Context) {
	pods, _ := s.pods.List(labels.Everything()) // a lister over a synced cache does not fail
	running := map[containerRun]*agent{}
	now := s.Clock.Now()
	for _, pod := range pods {
		state, known := s.Machines.State(pod.Spec.NodeName)
		run, runs := runOf(pod)
		if !known || !runs || state == nodes.Off {
			continue
		}
		a := s.agents[run]
		if a == nil {
			a = newAgent(pod.Spec.NodeName, now, s.Pace)
		}
		running[run] = a
		a.poll(now, state == nodes.LinkDown, s.Pace)
		if a.dirty && state != nodes.CutOff {
			s.report(ctx, a)
		}
	}
	s.agents = running
}

// runOf is the present run of an agent's container.
func runOf(pod *corev1.Pod) (run containerRun, runs bool) {
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Running != nil {
			return containerRun{string(pod.UID), c.RestartCount}, true
		}
	}
	return containerRun{}, false
}

// reportTimeout bounds one report, on the wall clock.
const reportTimeout = 10 * time.Second

// report writes the agent's conditions over whatever is there.
func (s *simulator) report(ctx context.Context, a *agent) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": a.conditions}})
	if err == nil {
		_, err = s.client.CoreV1().Nodes().Patch(ctx, a.node, types.StrategicMergePatchType, body, metav1.PatchOptions{FieldManager: manager}, "status")
	}
	if err != nil {
		if !apierrors.IsNotFound(err) && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "node monitoring agent", "node", a.node)
		}
		return
	}
	a.dirty = false
}
