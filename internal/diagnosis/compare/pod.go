package compare

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podrequests "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// pods compares two pods. For a Pending pod, the scheduler determines which difference is the cause; for a pod with a node, the
// most likely differences are those that matter in its phase.
func (c *comparison) pods(ctx context.Context, bad, good *corev1.Pod) {
	stage := phaseOf(bad)
	c.podSpecs(bad, good, stage)
	c.podVolumes(bad, good, stage)
	c.podOwners(bad, good)
	c.Others += c.podLabels(bad, good)
	if stage == phaseScheduling {
		if !c.CanSimulate() || status.SchedulerMissing(c.Query, bad) {
			c.addUntried()
			c.classify(nil)
		} else {
			c.classify(func(some []difference) int { return c.tryPod(ctx, bad, some) })
			c.checkGoodFits(ctx, good)
		}
		c.summarize(podCause)
		return
	}
	c.comparePodNodes(bad, good)
	// A pod with a node has been scheduled: nothing is left to simulate.
	c.classify(nil)
	c.compareSiblings(bad, good)
	c.summarize(podCause)
}

// phase is the phase of a pod's start that it is in.
type phase string

const (
	phaseScheduling phase = "scheduling"
	phaseVolume     phase = "volume"
	phaseNetwork    phase = "network"
	phaseImage      phase = "image"
	phaseRunning    phase = "running"
)

func phaseOf(pod *corev1.Pod) phase {
	state := strings.TrimPrefix(status.PodState(pod), "Init:")
	switch {
	case facts.WaitsForNode(pod):
		return phaseScheduling
	case strings.Contains(state, "Image"):
		return phaseImage
	case state == "ContainerCreating" && facts.MountsClaim(pod):
		return phaseVolume
	case state == "ContainerCreating" || state == "PodInitializing":
		return phaseNetwork
	default:
		return phaseRunning
	}
}

// specField is a part of a pod's spec that is compared as a whole.
type specField struct {
	field string
	// phases are those in which it is likely to matter.
	phases []phase
	get    func(*corev1.Pod) any
	// set gives a pod the value of another; nil if the scheduler ignores it.
	set func(to, from *corev1.Pod)
}

// specFields are the parts of a pod's spec that can keep it from running.
var specFields = []specField{
	{"spec.nodeSelector", []phase{phaseScheduling}, func(p *corev1.Pod) any { return p.Spec.NodeSelector }, func(to, from *corev1.Pod) { to.Spec.NodeSelector = from.Spec.NodeSelector }},
	{"spec.affinity.nodeAffinity", []phase{phaseScheduling}, func(p *corev1.Pod) any { return affinityOf(p).NodeAffinity }, func(to, from *corev1.Pod) { affinityFor(to).NodeAffinity = affinityOf(from).NodeAffinity }},
	{"spec.affinity.podAffinity", []phase{phaseScheduling}, func(p *corev1.Pod) any { return affinityOf(p).PodAffinity }, func(to, from *corev1.Pod) { affinityFor(to).PodAffinity = affinityOf(from).PodAffinity }},
	{"spec.affinity.podAntiAffinity", []phase{phaseScheduling}, func(p *corev1.Pod) any { return affinityOf(p).PodAntiAffinity }, func(to, from *corev1.Pod) { affinityFor(to).PodAntiAffinity = affinityOf(from).PodAntiAffinity }},
	{"spec.tolerations", []phase{phaseScheduling}, func(p *corev1.Pod) any { return p.Spec.Tolerations }, func(to, from *corev1.Pod) { to.Spec.Tolerations = from.Spec.Tolerations }},
	{"spec.containers[*].resources.requests", []phase{phaseScheduling}, requestsText, setRequests},
	{"spec.topologySpreadConstraints", []phase{phaseScheduling}, func(p *corev1.Pod) any { return p.Spec.TopologySpreadConstraints }, func(to, from *corev1.Pod) { to.Spec.TopologySpreadConstraints = from.Spec.TopologySpreadConstraints }},
	{"spec.containers[*].ports[*].hostPort", []phase{phaseScheduling}, hostPortsText, setHostPorts},
	{"spec.priorityClassName", []phase{phaseScheduling}, func(p *corev1.Pod) any { return p.Spec.PriorityClassName }, func(to, from *corev1.Pod) {
		to.Spec.PriorityClassName, to.Spec.Priority = from.Spec.PriorityClassName, from.Spec.Priority
	}},
	{"spec.schedulerName", []phase{phaseScheduling}, func(p *corev1.Pod) any { return p.Spec.SchedulerName }, func(to, from *corev1.Pod) { to.Spec.SchedulerName = from.Spec.SchedulerName }},
	{"spec.runtimeClassName", []phase{phaseScheduling, phaseNetwork}, func(p *corev1.Pod) any { return p.Spec.RuntimeClassName }, nil},
	{"spec.hostNetwork", []phase{phaseNetwork}, func(p *corev1.Pod) any { return p.Spec.HostNetwork }, nil},
	{"spec.containers[*].image", []phase{phaseImage, phaseRunning}, func(p *corev1.Pod) any { return perContainer(p, func(c corev1.Container) any { return c.Image }) }, nil},
	{"spec.imagePullSecrets", []phase{phaseImage}, func(p *corev1.Pod) any { return p.Spec.ImagePullSecrets }, nil},
	{"spec.containers[*].imagePullPolicy", []phase{phaseImage}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return c.ImagePullPolicy })
	}, nil},
	{"spec.containers[*].command", []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return append(slices.Clone(c.Command), c.Args...) })
	}, nil},
	{"spec.containers[*].env", []phase{phaseRunning}, envNames, nil},
	{limitsField, []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return resourcesText(c.Resources.Limits) })
	}, nil},
	{"spec.containers[*].livenessProbe", []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return c.LivenessProbe })
	}, nil},
	{"spec.containers[*].readinessProbe", []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return c.ReadinessProbe })
	}, nil},
	{"spec.containers[*].startupProbe", []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return c.StartupProbe })
	}, nil},
	{"spec.containers[*].securityContext", []phase{phaseRunning}, func(p *corev1.Pod) any {
		return perContainer(p, func(c corev1.Container) any { return c.SecurityContext })
	}, nil},
	{"spec.securityContext", []phase{phaseRunning}, func(p *corev1.Pod) any { return p.Spec.SecurityContext }, nil},
	{"spec.serviceAccountName", []phase{phaseRunning, phaseImage}, func(p *corev1.Pod) any { return p.Spec.ServiceAccountName }, nil},
	{"spec.volumes", []phase{phaseVolume, phaseRunning}, volumeSources, nil},
}

// podSpecs compares the fields of the specs. Those that matter in other phases come last; for a Pending pod, later phases are
// only counted, since no container has started.
func (c *comparison) podSpecs(bad, good *corev1.Pod, at phase) {
	for _, a := range specFields {
		d := difference{Difference: finding.Difference{
			Object: facts.RefTo(cluster.Pod, bad), Other: facts.RefTo(cluster.Pod, good), Field: a.field, Value: valueText(a.get(bad)), OtherValue: valueText(a.get(good)),
		}}
		switch likely := slices.Contains(a.phases, at); {
		case !likely && at == phaseScheduling:
			if d.Value != d.OtherValue {
				c.Others++
			}
			continue
		case !likely:
			d.rank = rankFar
		case a.field == limitsField && wasOOMKilled(bad):
			d.rank = rankFirst
		}
		if a.set != nil && at == phaseScheduling {
			d.apply = func(t *modified) { a.set(t.pod, good) }
		}
		c.addDifference(d)
	}
}

// limitsField is the field that matters for a container that was OOMKilled.
const limitsField = "spec.containers[*].resources.limits"

// wasOOMKilled reports whether a container of the pod was OOMKilled.
func wasOOMKilled(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		last := c.LastTerminationState.Terminated
		return last != nil && last.Reason == status.OOMKilled
	})
}

// Ranks of suspects: what the pod's state points to, what matters in its phase, then its node, then the rest.
const (
	rankFirst = -1
	rankNear  = 0
	rankNode  = 1
	rankFar   = 2
)

// tryPod is 1 if the pod fits on some node without some differences, else 0.
func (c *comparison) tryPod(ctx context.Context, bad *corev1.Pod, some []difference) int {
	t := &modified{pod: bad.DeepCopy()}
	for _, d := range some {
		d.apply(t)
	}
	c.Judge.Fork()
	defer c.Judge.Revert()
	if err := c.Judge.Apply(t.edits...); err != nil {
		return 0
	}
	fit, err := c.Judge.Fit(ctx, t.pod)
	if err != nil || len(fit.Feasible) == 0 {
		return 0
	}
	return 1
}

// checkGoodFits checks whether the pod that works would fit on a node now: if not, it only was there first, and no difference
// is the cause.
func (c *comparison) checkGoodFits(ctx context.Context, good *corev1.Pod) {
	if len(c.Causes) > 0 {
		return
	}
	again := unscheduledCopy(good)
	fit, err := c.Judge.Fit(ctx, again)
	if err == nil && len(fit.Feasible) == 0 {
		c.Summary = sentence.UnlikeCameFirst(c.Comparison.Subject, c.Unlike)
	}
}

// unscheduledCopy is a pod as its owner would create it again.
func unscheduledCopy(pod *corev1.Pod) *corev1.Pod {
	again := pod.DeepCopy()
	again.Name, again.UID, again.Spec.NodeName = pod.Name+"-again", pod.UID+"-again", ""
	again.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return again
}

// podVolumes compares the topologies of the pods' volumes of the same name.
func (c *comparison) podVolumes(bad, good *corev1.Pod, at phase) {
	others := facts.Mounts(c.World, good)
	for _, m := range facts.Mounts(c.World, bad) {
		i := slices.IndexFunc(others, func(o facts.Mount) bool { return o.Source == m.Source })
		d := difference{Difference: finding.Difference{
			Object: facts.RefTo(cluster.PersistentVolumeClaim, m.Claim), Other: facts.RefTo(cluster.Pod, good), Field: "spec.volumeName", Value: volumeScope(m),
		}}
		if i >= 0 {
			d.Other, d.OtherValue = facts.RefTo(cluster.PersistentVolumeClaim, others[i].Claim), volumeScope(others[i])
		}
		if d.Value == d.OtherValue {
			continue
		}
		d.Message = sentence.DiffersVolume(d.Object, d.Value, d.OtherValue, d.Other)
		if at == phaseScheduling {
			d.apply = swapVolume(m, others, i)
		}
		c.addDifference(d)
	}
}

// volumeScope names where a volume can be used.
func volumeScope(m facts.Mount) string {
	switch m.Scope {
	case facts.ScopeZone:
		return strings.Join(m.Zones, ", ")
	case facts.ScopeNodes:
		return facts.FormatSelector(m.Selectors[0])
	default:
		return string(m.Scope)
	}
}

// swapVolume gives the subject's volume the topology of the other's, or removes it if the other has none.
func swapVolume(m facts.Mount, others []facts.Mount, i int) func(*modified) {
	if i < 0 || m.Volume == nil || others[i].Volume == nil {
		return func(t *modified) {
			t.pod.Spec.Volumes = slices.DeleteFunc(t.pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Source })
		}
	}
	return func(t *modified) {
		moved := m.Volume.DeepCopy()
		moved.Spec.NodeAffinity = others[i].Volume.Spec.NodeAffinity
		for _, label := range kube.ZoneLabels {
			delete(moved.Labels, label)
			if zone, ok := others[i].Volume.Labels[label]; ok {
				metav1.SetMetaDataLabel(&moved.ObjectMeta, label, zone)
			}
		}
		t.edits = append(t.edits, cluster.Put(moved))
	}
}

// podOwners compares the pods' workloads and their versions.
func (c *comparison) podOwners(bad, good *corev1.Pod) {
	badOwner, goodOwner := c.World.Owner(bad), c.World.Owner(good)
	if badOwner == nil || goodOwner == nil || badOwner.GetUID() == goodOwner.GetUID() {
		return
	}
	if a, b := c.World.Workload(bad), c.World.Workload(good); a.GetUID() == b.GetUID() {
		kind, _ := cluster.KindOf(a)
		c.addDifference(difference{rank: rankNear, Difference: finding.Difference{
			Message: sentence.DiffersVersion(facts.RefTo(kind, a), badOwner.GetAnnotations()[status.Revision], goodOwner.GetAnnotations()[status.Revision]),
			Object:  facts.RefTo(cluster.Pod, bad), Other: facts.RefTo(cluster.Pod, good), Field: "metadata.ownerReferences", Value: badOwner.GetName(), OtherValue: goodOwner.GetName(),
		}})
	}
}

// generatedLabels are labels that always differ between pods.
var generatedLabels = []string{
	"pod-template-hash", "controller-revision-hash", "pod-template-generation", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
	"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name", "batch.kubernetes.io/job-completion-index",
}

// podLabels counts the labels that differ, except generated ones.
func (c *comparison) podLabels(bad, good *corev1.Pod) int {
	n := 0
	for key := range keysOf(bad.Labels, good.Labels) {
		if !slices.Contains(generatedLabels, key) && bad.Labels[key] != good.Labels[key] {
			n++
		}
	}
	return n
}

// comparePodNodes compares the nodes of pods that have one.
func (c *comparison) comparePodNodes(bad, good *corev1.Pod) {
	badNode, goodNode := c.World.Node(bad.Spec.NodeName), c.World.Node(good.Spec.NodeName)
	if badNode == nil || goodNode == nil || badNode.Name == goodNode.Name {
		return
	}
	from := len(c.differences)
	c.nodeFacts(badNode, goodNode)
	for i := range c.differences[from:] {
		d := &c.differences[from+i]
		d.apply = nil
		d.rank += rankNode
	}
}

// compareSiblings finds whether the problem is that of the pod's node: the state of other pods there, and of pods of the same
// workload on other nodes.
func (c *comparison) compareSiblings(bad, good *corev1.Pod) {
	if bad.Spec.NodeName == "" {
		return
	}
	count := func(node string) (poor, all int) {
		for _, pod := range c.World.PodsOn(node) {
			if pod.UID == bad.UID || cluster.Ended(pod) {
				continue
			}
			all++
			if !status.IsWell(pod) {
				poor++
			}
		}
		return poor, all
	}
	poor, all := count(bad.Spec.NodeName)
	c.addObservation(sentence.OthersOnNode(all, facts.NodeRef(bad.Spec.NodeName), poor))
	if good.Spec.NodeName != bad.Spec.NodeName && good.Spec.NodeName != "" {
		poor, all = count(good.Spec.NodeName)
		c.addObservation(sentence.OthersOnNode(all, facts.NodeRef(good.Spec.NodeName), poor))
	}
	owner := metav1.GetControllerOfNoCopy(bad)
	if owner == nil {
		return
	}
	poor, all = 0, 0
	for _, pod := range c.World.PodsOf(owner.UID) {
		if pod.UID == bad.UID || cluster.Ended(pod) || pod.Spec.NodeName == bad.Spec.NodeName {
			continue
		}
		if all++; !status.IsWell(pod) {
			poor++
		}
	}
	c.addObservation(sentence.SiblingsElsewhere(poor, all, change.Ref{Kind: owner.Kind, Namespace: bad.Namespace, Name: owner.Name}))
}

func affinityOf(pod *corev1.Pod) corev1.Affinity {
	if pod.Spec.Affinity == nil {
		return corev1.Affinity{}
	}
	return *pod.Spec.Affinity
}

func affinityFor(pod *corev1.Pod) *corev1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	return pod.Spec.Affinity
}

// requestsText is what a pod requests in sum.
func requestsText(pod *corev1.Pod) any {
	return resourcesText(podrequests.PodRequests(pod, podrequests.PodResourcesOptions{}))
}

// setRequests gives a pod the total requests of another, all in its first container.
func setRequests(to, from *corev1.Pod) {
	to.Spec.InitContainers, to.Spec.Overhead, to.Spec.Resources = nil, nil, nil
	for i := range to.Spec.Containers {
		to.Spec.Containers[i].Resources = corev1.ResourceRequirements{}
	}
	to.Spec.Containers[0].Resources.Requests = podrequests.PodRequests(from, podrequests.PodResourcesOptions{})
}

func resourcesText(list corev1.ResourceList) string {
	var words []string
	for _, name := range status.SortedResources(list) {
		quantity := list[name]
		words = append(words, string(name)+"="+quantity.String())
	}
	return strings.Join(words, ", ")
}

func hostPortsText(pod *corev1.Pod) any {
	var ports []string
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			if port.HostPort != 0 {
				ports = append(ports, strconv.Itoa(int(port.HostPort)))
			}
		}
	}
	return strings.Join(ports, ", ")
}

// setHostPorts gives a pod the host ports of another.
func setHostPorts(to, from *corev1.Pod) {
	for i := range to.Spec.Containers {
		to.Spec.Containers[i].Ports = nil
	}
	for _, container := range from.Spec.Containers {
		to.Spec.Containers[0].Ports = append(to.Spec.Containers[0].Ports, container.Ports...)
	}
}

// perContainer is a value of each container, by the container's name.
func perContainer(pod *corev1.Pod, get func(corev1.Container) any) any {
	all := map[string]any{}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if value := get(container); valueText(value) != "" {
			all[container.Name] = value
		}
	}
	return all
}

// envNames are the names of the variables and the objects that they come from; naosu does not store values.
func envNames(pod *corev1.Pod) any {
	return perContainer(pod, func(c corev1.Container) any {
		var names []string
		for _, env := range c.Env {
			names = append(names, env.Name)
		}
		for _, from := range c.EnvFrom {
			names = append(names, valueText(from))
		}
		return names
	})
}

// volumeSources are a pod's volumes by name, except those that every pod has; claims are compared by topology.
func volumeSources(pod *corev1.Pod) any {
	all := map[string]any{}
	for _, v := range pod.Spec.Volumes {
		if cluster.ClaimName(pod, &v) == "" && !strings.HasPrefix(v.Name, "kube-api-access-") {
			all[v.Name] = v.VolumeSource
		}
	}
	return all
}

// valueText is a value on one line, the same for equal values; empty if not set.
func valueText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	data, err := json.Marshal(value)
	if text := string(data); err == nil && text != "null" && text != "{}" && text != "[]" && text != `""` && text != "false" {
		return text
	}
	return ""
}

// keysOf are the keys of both maps.
func keysOf[V any](a, b map[string]V) map[string]bool {
	keys := map[string]bool{}
	for _, one := range []map[string]V{a, b} {
		for key := range maps.Keys(one) {
			keys[key] = true
		}
	}
	return keys
}
