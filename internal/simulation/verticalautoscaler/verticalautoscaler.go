package verticalautoscaler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/workload"
)

// Controller are the vertical autoscalers of a cluster.
type Controller struct {
	engine   *engine.Engine
	workload *workload.Controllers
}

// New is the vertical autoscalers of the cluster that an engine simulates.
func New(e *engine.Engine, w *workload.Controllers) *Controller {
	return &Controller{engine: e, workload: w}
}

// Run runs the vertical autoscalers after the number of nodes changed.
func (a *Controller) Run(ctx context.Context) error {
	for _, d := range a.engine.World().VerticalAutoscalers() {
		for i := range d.Spec.Template.Spec.Containers {
			if container := &d.Spec.Template.Spec.Containers[i]; cluster.IsVerticalAutoscaler(container) {
				if err := a.runVerticalAutoscaler(ctx, d, container); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// resourceScaleConfig is how the vertical autoscaler scales one resource of one container.
//
// Source: the README of kubernetes-sigs/cluster-proportional-vertical-autoscaler.
type resourceScaleConfig struct {
	Base, Max, Step            *resource.Quantity
	CoresPerStep, NodesPerStep int
}

// quantity is the amount for a cluster's size: by cores or by nodes, in whole steps rounded up, whichever is more. Like the
// autoscaler itself, it applies the maximum to the amount by nodes only.
func (c resourceScaleConfig) quantity(nodes, cores int) *resource.Quantity {
	milli := func(q *resource.Quantity) int64 {
		if q == nil {
			return 0
		}
		return q.MilliValue()
	}
	steps := func(count, per int) int64 {
		if per <= 0 {
			return 0
		}
		return int64((count + per - 1) / per)
	}
	byCores := milli(c.Base) + milli(c.Step)*steps(cores, c.CoresPerStep)
	byNodes := milli(c.Base) + milli(c.Step)*steps(nodes, c.NodesPerStep)
	if most := milli(c.Max); most > 0 {
		byNodes = min(byNodes, most)
	}
	return resource.NewMilliQuantity(max(byCores, byNodes), resource.DecimalSI)
}

// containerScaleConfig is how a container's requests and limits scale, by resource.
type containerScaleConfig struct {
	Name             string
	Requests, Limits map[corev1.ResourceName]resourceScaleConfig
}

// runVerticalAutoscaler sets the resources of a vertical autoscaler's target for the current nodes.
func (a *Controller) runVerticalAutoscaler(ctx context.Context, d *appsv1.Deployment, c *corev1.Container) error {
	namespace, kind, name := autoscalerTarget(d, c)
	config, ok := scaleConfig(a.engine.World(), d, c)
	unmodelled := sentence.GapAutoscaler("deployment/" + d.Name)
	if !ok {
		a.engine.Gaps.Note(d.Name, unmodelled)
		return nil
	}
	nodes, cores := 0, resource.Quantity{}
	for _, node := range a.engine.World().Nodes() {
		nodes++
		cores.Add(node.Status.Capacity[corev1.ResourceCPU])
	}
	change := func(spec *corev1.PodSpec) (changed bool) {
		for _, g := range config {
			container := podtemplate.ContainerOf(spec, g.Name)
			if container == nil || g.Name == "" {
				continue
			}
			before := container.Resources
			podtemplate.SetResources(container, scaledResources(g.Requests, nodes, int(cores.Value())), scaledResources(g.Limits, nodes, int(cores.Value())))
			changed = changed || !sameResources(before, container.Resources)
		}
		return changed
	}
	switch kind {
	case "daemonset":
		return a.resizeDaemonSet(ctx, a.engine.World().DaemonSet(namespace, name), change)
	case "deployment":
		if target := a.engine.World().Deployment(namespace, name); target != nil {
			if resized := target.DeepCopy(); change(&resized.Spec.Template.Spec) {
				return a.workload.RolloutDeployment(ctx, resized)
			}
		}
		return nil
	default:
		a.engine.Gaps.Note(d.Name, unmodelled)
		return nil
	}
}

func (a *Controller) resizeDaemonSet(ctx context.Context, set *appsv1.DaemonSet, change func(*corev1.PodSpec) bool) error {
	if set == nil {
		return nil
	}
	resized := set.DeepCopy()
	if !change(&resized.Spec.Template.Spec) {
		return nil
	}
	return a.workload.RolloutDaemonSet(ctx, resized, func(old *corev1.Pod) *corev1.Pod {
		next := a.engine.ReplacementPod(old, a.engine.Names.Pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		change(&next.Spec)
		return next
	})
}

func scaledResources(configs map[corev1.ResourceName]resourceScaleConfig, nodes, cores int) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, g := range configs {
		list[name] = *g.quantity(nodes, cores)
	}
	return list
}

func sameResources(a, b corev1.ResourceRequirements) bool {
	same := func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 }
	return maps.EqualFunc(a.Requests, b.Requests, same) && maps.EqualFunc(a.Limits, b.Limits, same)
}

// autoscalerTarget is the workload that a vertical autoscaler resizes, by its flags.
func autoscalerTarget(d *appsv1.Deployment, c *corev1.Container) (namespace, kind, name string) {
	namespace = d.Namespace
	if flag := flagValue(c, "namespace"); flag != "" {
		namespace = flag
	}
	kind, name, _ = strings.Cut(flagValue(c, "target"), "/")
	return namespace, strings.ToLower(kind), name
}

// flagValue is the value of a flag in a container's command line, empty if it is not set.
func flagValue(c *corev1.Container, name string) string {
	words := slices.Concat(c.Command, c.Args)
	for i, word := range words {
		flag, value, given := strings.Cut(strings.TrimSpace(word), "=")
		if strings.TrimLeft(flag, "-") != name || !strings.HasPrefix(flag, "-") {
			continue
		}
		if given {
			return strings.TrimSpace(value)
		}
		if i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// scaleConfig reads a vertical autoscaler's configuration: from the ConfigMap it mounts, otherwise from its command line. It is
// false if neither is known.
func scaleConfig(world *cluster.Snapshot, d *appsv1.Deployment, c *corev1.Container) ([]containerScaleConfig, bool) {
	text := flagValue(c, "default-config")
	if file := flagValue(c, "config-file"); file != "" {
		if mounted, ok := mountedFile(world, d, c, file); ok {
			text = mounted
		}
	}
	config, err := parseScaleConfig(text)
	return config, err == nil && len(config) > 0
}

// mountedFile is the text of a file that a container mounts from a ConfigMap.
func mountedFile(world *cluster.Snapshot, d *appsv1.Deployment, c *corev1.Container, file string) (string, bool) {
	for _, mount := range c.VolumeMounts {
		key, below := strings.CutPrefix(file, strings.TrimSuffix(mount.MountPath, "/")+"/")
		if !below {
			continue
		}
		for i := range d.Spec.Template.Spec.Volumes {
			v := &d.Spec.Template.Spec.Volumes[i]
			if v.Name != mount.Name || v.ConfigMap == nil {
				continue
			}
			if held := world.ConfigMap(d.Namespace, v.ConfigMap.Name); held != nil {
				text, ok := held.Data[key]
				return text, ok
			}
		}
	}
	return "", false
}

// parseScaleConfig reads either form: an object by container, or a list with names.
func parseScaleConfig(text string) ([]containerScaleConfig, error) {
	byName := map[string]containerScaleConfig{}
	if err := json.Unmarshal([]byte(text), &byName); err == nil {
		var config []containerScaleConfig
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			g := byName[name]
			g.Name = name
			config = append(config, g)
		}
		return config, nil
	}
	var config []containerScaleConfig
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return nil, fmt.Errorf("reading the vertical autoscaler's parameters: %w", err)
	}
	return config, nil
}
