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
func (f *future) nodesChanged(ctx context.Context) error {
	for _, d := range f.world().Deployments() {
		for i := range d.Spec.Template.Spec.Containers {
			if container := &d.Spec.Template.Spec.Containers[i]; verticalAutoscaler(container) {
				if err := f.step(ctx, d, container); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// verticalAutoscaler says whether a container is the cluster-proportional-vertical-autoscaler.
func verticalAutoscaler(c *corev1.Container) bool {
	image := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	return strings.HasPrefix(image, "cpvpa") || strings.HasPrefix(image, "cluster-proportional-vertical-autoscaler")
}

// growth is how the vertical autoscaler reckons one resource of one container.
//
// Source: the README of kubernetes-sigs/cluster-proportional-vertical-autoscaler.
type growth struct {
	Base, Max, Step            *resource.Quantity
	CoresPerStep, NodesPerStep int
}

// wants is what the container should ask for: steps counted up to the next whole one, by cores or by nodes, whichever is
// more. Like the autoscaler itself, it holds only the count by nodes to the maximum.
func (g growth) wants(nodes, cores int) *resource.Quantity {
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
type growths struct {
	Name             string
	Requests, Limits map[corev1.ResourceName]growth
}

// step sets what a vertical autoscaler's target asks for to what fits the nodes there are now.
func (f *future) step(ctx context.Context, d *appsv1.Deployment, c *corev1.Container) error {
	namespace, kind, name := target(d, c)
	config, ok := f.configOf(d, c)
	about := message.Args{"autoscaler": "deployment/" + d.Name}
	if !ok {
		f.gaps.note(d.Name, message.Of(message.GapAutoscaler, about))
		return nil
	}
	nodes, cores := 0, resource.Quantity{}
	for _, node := range f.world().Nodes() {
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
			ask(container, reckon(g.Requests, nodes, int(cores.Value())), reckon(g.Limits, nodes, int(cores.Value())))
			changed = changed || !sameResources(before, container.Resources)
		}
		return changed
	}
	switch kind {
	case "daemonset":
		return f.stepDaemons(ctx, f.world().DaemonSet(namespace, name), change)
	case "deployment":
		if target := f.world().Deployment(namespace, name); target != nil {
			if grown := target.DeepCopy(); change(&grown.Spec.Template.Spec) {
				return f.rollDeployment(ctx, grown)
			}
		}
		return nil
	default:
		f.gaps.note(d.Name, message.Of(message.GapAutoscaler, about))
		return nil
	}
}

func (f *future) stepDaemons(ctx context.Context, set *appsv1.DaemonSet, change func(*corev1.PodSpec) bool) error {
	if set == nil {
		return nil
	}
	grown := set.DeepCopy()
	if !change(&grown.Spec.Template.Spec) {
		return nil
	}
	return f.rollDaemons(ctx, grown, func(old *corev1.Pod) *corev1.Pod {
		next := f.renew(old, f.names.pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		change(&next.Spec)
		return next
	})
}

func reckon(growths map[corev1.ResourceName]growth, nodes, cores int) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, g := range growths {
		list[name] = *g.wants(nodes, cores)
	}
	return list
}

func sameResources(a, b corev1.ResourceRequirements) bool {
	same := func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 }
	return maps.EqualFunc(a.Requests, b.Requests, same) && maps.EqualFunc(a.Limits, b.Limits, same)
}

// target is what a vertical autoscaler resizes, by its flags.
func target(d *appsv1.Deployment, c *corev1.Container) (namespace, kind, name string) {
	namespace = d.Namespace
	if flag := flagOf(c, "namespace"); flag != "" {
		namespace = flag
	}
	kind, name, _ = strings.Cut(flagOf(c, "target"), "/")
	return namespace, strings.ToLower(kind), name
}

// flagOf is a flag of a container's command line, empty if it is not there.
func flagOf(c *corev1.Container, name string) string {
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
func (f *future) configOf(d *appsv1.Deployment, c *corev1.Container) ([]growths, bool) {
	text := flagOf(c, "default-config")
	if file := flagOf(c, "config-file"); file != "" {
		if mounted, ok := f.mounted(d, c, file); ok {
			text = mounted
		}
	}
	config, err := parseGrowths(text)
	return config, err == nil && len(config) > 0
}

// mounted is the text of a file that a container mounts from a ConfigMap.
func (f *future) mounted(d *appsv1.Deployment, c *corev1.Container, file string) (string, bool) {
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
			if held := f.world().ConfigMap(d.Namespace, v.ConfigMap.Name); held != nil {
				text, ok := held.Data[key]
				return text, ok
			}
		}
	}
	return "", false
}

// parseGrowths reads either form: an object by container, or a list with names.
func parseGrowths(text string) ([]growths, error) {
	byName := map[string]growths{}
	if err := json.Unmarshal([]byte(text), &byName); err == nil {
		var config []growths
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			g := byName[name]
			g.Name = name
			config = append(config, g)
		}
		return config, nil
	}
	var config []growths
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return nil, fmt.Errorf("reading the vertical autoscaler's parameters: %w", err)
	}
	return config, nil
}
