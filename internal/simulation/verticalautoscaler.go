package simulation

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

	"github.com/naosu-dev/naosu/internal/message"
)

// nodesChanged lets what follows the number of nodes follow it.
func (e *engine) runVerticalAutoscalers(ctx context.Context) error {
	for _, d := range e.world().Deployments() {
		for i := range d.Spec.Template.Spec.Containers {
			if container := &d.Spec.Template.Spec.Containers[i]; isVerticalAutoscaler(container) {
				if err := e.runVerticalAutoscaler(ctx, d, container); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// verticalAutoscaler says whether a container is the cluster-proportional-vertical-autoscaler.
func isVerticalAutoscaler(c *corev1.Container) bool {
	image := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	return strings.HasPrefix(image, "cpvpa") || strings.HasPrefix(image, "cluster-proportional-vertical-autoscaler")
}

// growth is how the vertical autoscaler reckons one resource of one container.
//
// Source: the README of kubernetes-sigs/cluster-proportional-vertical-autoscaler.
type resourceScaleConfig struct {
	Base, Max, Step            *resource.Quantity
	CoresPerStep, NodesPerStep int
}

// wants is what the container should ask for: steps counted up to the next whole one, by cores or by nodes, whichever is
// more. Like the autoscaler itself, it holds only the count by nodes to the maximum.
func (g resourceScaleConfig) quantity(nodes, cores int) *resource.Quantity {
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
	byCores := milli(g.Base) + milli(g.Step)*steps(cores, g.CoresPerStep)
	byNodes := milli(g.Base) + milli(g.Step)*steps(nodes, g.NodesPerStep)
	if most := milli(g.Max); most > 0 {
		byNodes = min(byNodes, most)
	}
	return resource.NewMilliQuantity(max(byCores, byNodes), resource.DecimalSI)
}

// growths are those of a container's requests and limits, by resource.
type containerScaleConfig struct {
	Name             string
	Requests, Limits map[corev1.ResourceName]resourceScaleConfig
}

// step sets what a vertical autoscaler's target asks for to what fits the nodes there are now.
func (e *engine) runVerticalAutoscaler(ctx context.Context, d *appsv1.Deployment, c *corev1.Container) error {
	namespace, kind, name := autoscalerTarget(d, c)
	config, ok := e.scaleConfig(d, c)
	about := message.Args{"autoscaler": "deployment/" + d.Name}
	if !ok {
		e.gaps.note(d.Name, message.Of(message.GapAutoscaler, about))
		return nil
	}
	nodes, cores := 0, resource.Quantity{}
	for _, node := range e.world().Nodes() {
		nodes++
		cores.Add(node.Status.Capacity[corev1.ResourceCPU])
	}
	change := func(spec *corev1.PodSpec) (changed bool) {
		for _, g := range config {
			container := containerOf(spec, g.Name)
			if container == nil || g.Name == "" {
				continue
			}
			before := container.Resources
			setResources(container, scaledResources(g.Requests, nodes, int(cores.Value())), scaledResources(g.Limits, nodes, int(cores.Value())))
			changed = changed || !sameResources(before, container.Resources)
		}
		return changed
	}
	switch kind {
	case "daemonset":
		return e.resizeDaemonSet(ctx, e.world().DaemonSet(namespace, name), change)
	case "deployment":
		if target := e.world().Deployment(namespace, name); target != nil {
			if grown := target.DeepCopy(); change(&grown.Spec.Template.Spec) {
				return e.rolloutDeployment(ctx, grown)
			}
		}
		return nil
	default:
		e.gaps.note(d.Name, message.Of(message.GapAutoscaler, about))
		return nil
	}
}

func (e *engine) resizeDaemonSet(ctx context.Context, set *appsv1.DaemonSet, change func(*corev1.PodSpec) bool) error {
	if set == nil {
		return nil
	}
	grown := set.DeepCopy()
	if !change(&grown.Spec.Template.Spec) {
		return nil
	}
	return e.rolloutDaemonSet(ctx, grown, func(old *corev1.Pod) *corev1.Pod {
		next := e.replacementPod(old, e.names.pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		change(&next.Spec)
		return next
	})
}

func scaledResources(growths map[corev1.ResourceName]resourceScaleConfig, nodes, cores int) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, g := range growths {
		list[name] = *g.quantity(nodes, cores)
	}
	return list
}

func sameResources(a, b corev1.ResourceRequirements) bool {
	same := func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 }
	return maps.EqualFunc(a.Requests, b.Requests, same) && maps.EqualFunc(a.Limits, b.Limits, same)
}

// target is what a vertical autoscaler resizes, by its flags.
func autoscalerTarget(d *appsv1.Deployment, c *corev1.Container) (namespace, kind, name string) {
	namespace = d.Namespace
	if flag := flagValue(c, "namespace"); flag != "" {
		namespace = flag
	}
	kind, name, _ = strings.Cut(flagValue(c, "target"), "/")
	return namespace, strings.ToLower(kind), name
}

// flagOf is a flag of a container's command line, empty if it is not there.
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

// configOf reads how a vertical autoscaler reckons: from the ConfigMap it mounts, over what its command line says. It is
// false if neither can be seen.
func (e *engine) scaleConfig(d *appsv1.Deployment, c *corev1.Container) ([]containerScaleConfig, bool) {
	text := flagValue(c, "default-config")
	if file := flagValue(c, "config-file"); file != "" {
		if mounted, ok := e.mountedFile(d, c, file); ok {
			text = mounted
		}
	}
	config, err := parseScaleConfig(text)
	return config, err == nil && len(config) > 0
}

// mounted is the text of a file that a container mounts from a ConfigMap.
func (e *engine) mountedFile(d *appsv1.Deployment, c *corev1.Container, file string) (string, bool) {
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
			if held := e.world().ConfigMap(d.Namespace, v.ConfigMap.Name); held != nil {
				text, ok := held.Data[key]
				return text, ok
			}
		}
	}
	return "", false
}

// parseGrowths reads either form: an object by container, or a list with names.
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
