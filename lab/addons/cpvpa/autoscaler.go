package cpvpa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/addons/polling"
	"github.com/naosu-dev/naosu/lab/pace"
)

// resolution is how often Deployments are searched for programs that are due. It bounds how late a poll can be.
const resolution = time.Second

// Options say where the programs run.
type Options struct {
	// Config reaches the cluster; it must be allowed to read Deployments, nodes and ConfigMaps and to patch the targets.
	Config *rest.Config
	// Pace scales the programs' polling. Nil is real time.
	Pace *pace.Pace
	// Clock is the wall clock unless a test sets another.
	Clock clock.WithTicker
}

// Run simulates every cpvpa of the cluster until ctx ends. What goes wrong for one of them is logged, as the program's pod would,
// and tried again at its next poll; an error is returned only when Config is of no use.
func Run(ctx context.Context, o Options) error {
	cfg := rest.CopyConfig(o.Config)
	cfg.UserAgent = "cpvpa/lab" // becomes the field manager on the targets, as with the real one
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("making the vertical autoscaler's client: %w", err)
	}
	c := o.Clock
	if c == nil {
		c = clock.RealClock{}
	}
	run(ctx, client, o.Pace, c)
	return nil
}

func run(ctx context.Context, client kubernetes.Interface, p *pace.Pace, c clock.WithTicker) {
	factory := informers.NewSharedInformerFactory(client, 0)
	s := &simulator{client: client, deployments: factory.Apps().V1().Deployments().Lister(), pace: p, clock: c, programs: map[program]*programState{}}
	polling.Run(ctx, factory, c, p.Real(resolution), s.step)
}

// simulator simulates all the programs of a cluster.
type simulator struct {
	client      kubernetes.Interface
	deployments appslisters.DeploymentLister
	pace        *pace.Pace
	clock       clock.PassiveClock
	programs    map[program]*programState
}

// program is one container of one Deployment.
type program struct {
	deployment types.UID
	container  string
}

// programState is the state of a running program. It is lost when the program stops.
type programState struct {
	due     time.Time
	written map[string]corev1.ResourceRequirements
}

// step polls on behalf of each program that is due, and drops those that no longer run.
func (s *simulator) step(ctx context.Context) {
	deployments, _ := s.deployments.List(labels.Everything()) // a lister over a synced cache does not fail
	running := map[program]*programState{}
	for _, d := range deployments {
		if d.Status.ReadyReplicas == 0 {
			continue
		}
		for _, container := range d.Spec.Template.Spec.Containers {
			if !isProgram(container.Image) {
				continue
			}
			id := program{d.UID, container.Name}
			m := s.programs[id]
			if m == nil {
				m = &programState{}
			}
			running[id] = m
			if err := s.poll(ctx, d, container, m); err != nil && ctx.Err() == nil {
				klog.FromContext(ctx).Error(err, "vertical autoscaler", "deployment", klog.KObj(d), "container", container.Name)
			}
		}
	}
	s.programs = running
}

// poll is one iteration of the program's loop: it reads the size of the cluster and patches the target if the computed resources
// differ from those it wrote last. So a person's edit of the target stays until the size of the cluster changes, as in reality.
func (s *simulator) poll(ctx context.Context, d *appsv1.Deployment, c corev1.Container, m *programState) error {
	if s.clock.Now().Before(m.due) {
		return nil
	}
	f, err := parseFlags(d.Namespace, c)
	m.due = s.clock.Now().Add(s.pace.Real(max(f.poll, resolution)))
	if err != nil {
		return err
	}
	nodes, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("counting nodes: %w", err)
	}
	size, err := sizeOf(nodes.Items)
	if err != nil {
		return err
	}
	file, err := s.configFile(ctx, d, c, f)
	if err != nil {
		return err
	}
	cfg, err := parseConfig(f.defaultConfig, file)
	if err != nil {
		return err
	}
	wanted := cfg.resources(size)
	if equality.Semantic.DeepEqual(m.written, wanted) {
		return nil
	}
	if err := s.patch(ctx, f, wanted); err != nil {
		return err
	}
	m.written = wanted
	return nil
}

func (s *simulator) configFile(ctx context.Context, d *appsv1.Deployment, c corev1.Container, f flags) (string, error) {
	if f.configFile == "" {
		return "", nil
	}
	name, key, err := configMapKey(d.Spec.Template.Spec, c, f.configFile)
	if err != nil {
		return "", err
	}
	cm, err := s.client.CoreV1().ConfigMaps(d.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("reading --config-file: %w", err)
	}
	text, ok := cm.Data[key]
	if !ok {
		return "", fmt.Errorf("reading --config-file: ConfigMap %s has no key %s", name, key)
	}
	return text, nil
}

// patch writes the containers' resources into the target, by strategic merge as cpvpa does.
func (s *simulator) patch(ctx context.Context, f flags, wanted map[string]corev1.ResourceRequirements) error {
	type container struct {
		Name      string                      `json:"name"`
		Resources corev1.ResourceRequirements `json:"resources"`
	}
	var containers []container
	for name, r := range wanted {
		containers = append(containers, container{name, r})
	}
	body, err := json.Marshal(map[string]any{
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": containers}}},
	})
	if err != nil {
		return fmt.Errorf("writing the patch of %s/%s: %w", f.kind, f.name, err)
	}
	if f.dryRun {
		return nil
	}
	apps, merge := s.client.AppsV1(), types.StrategicMergePatchType
	switch f.kind {
	case "daemonset":
		_, err = apps.DaemonSets(f.namespace).Patch(ctx, f.name, merge, body, metav1.PatchOptions{})
	case "deployment":
		_, err = apps.Deployments(f.namespace).Patch(ctx, f.name, merge, body, metav1.PatchOptions{})
	case "replicaset":
		_, err = apps.ReplicaSets(f.namespace).Patch(ctx, f.name, merge, body, metav1.PatchOptions{})
	default:
		err = errors.New("no such kind of target")
	}
	if err != nil {
		return fmt.Errorf("patching %s/%s in %s: %w", f.kind, f.name, f.namespace, err)
	}
	return nil
}
