package engine

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/verticalpodautoscaler"
)

// defaultTolerationSeconds is how long pods tolerate a node that is not ready or unreachable, unless they or the API server's
// flags say otherwise.
//
// Source: plugin/pkg/admission/defaulttolerationseconds of Kubernetes.
const defaultTolerationSeconds = 300

// Admit changes a new pod as the API server's defaults and admission do, as far as it bears on scheduling.
func (e *Engine) Admit(pod *corev1.Pod) {
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = corev1.DefaultSchedulerName
	}
	corev1defaults.SetDefaults_Pod(pod)
	kube.SetPriority(&pod.Spec, e.World())
	e.admitRuntime(pod)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerates := func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}
		if !slices.ContainsFunc(pod.Spec.Tolerations, tolerates) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
				TolerationSeconds: new(int64(defaultTolerationSeconds)),
			})
		}
	}
	for i := range pod.Spec.InitContainers {
		e.admitContainer(pod.Namespace, &pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		e.admitContainer(pod.Namespace, &pod.Spec.Containers[i])
	}
}

// setRecommendedRequests gives a new pod the requests that a VerticalPodAutoscaler recommends, if one sets them.
func (e *Engine) setRecommendedRequests(pod *corev1.Pod) {
	autoscaler := e.verticalPodAutoscalers.OfPod(e.World(), pod)
	if autoscaler == nil {
		return
	}
	verticalpodautoscaler.Admit(autoscaler, &pod.Spec)
	target := autoscaler.Spec.TargetRef
	workload := change.Ref{Kind: target.Kind, Namespace: autoscaler.Namespace, Name: target.Name}
	by := change.Ref{Kind: string(cluster.VerticalPodAutoscaler), Namespace: autoscaler.Namespace, Name: autoscaler.Name}
	e.Gaps.Note(workload.String(), sentence.GapRecommendation(workload, by))
}

// admitRuntime gives a pod the overhead, node selector and tolerations of its RuntimeClass.
//
// Source: plugin/pkg/admission/runtimeclass of Kubernetes (setOverhead, setScheduling).
func (e *Engine) admitRuntime(pod *corev1.Pod) {
	name := ptr.Deref(pod.Spec.RuntimeClassName, "")
	if name == "" {
		return
	}
	class := e.World().RuntimeClass(name)
	if class == nil {
		if e.World().Knowledge(cluster.RuntimeClass) == cluster.Complete {
			return // The API server rejects the pod.
		}
		e.Gaps.Note("runtimeclass/"+name, sentence.GapRuntime(name))
		return
	}
	if class.Overhead != nil {
		pod.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil || selectorConflict(class, &pod.Spec) != nil {
		return
	}
	selector := maps.Clone(pod.Spec.NodeSelector)
	if selector == nil {
		selector = map[string]string{}
	}
	maps.Copy(selector, class.Scheduling.NodeSelector)
	pod.Spec.NodeSelector = selector
	for _, toleration := range class.Scheduling.Tolerations {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.MatchToleration(&toleration) }) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
		}
	}
}

// selectorConflict is the error by which the API server refuses a pod that selects other nodes than its RuntimeClass.
//
// Source: plugin/pkg/admission/runtimeclass of Kubernetes (setScheduling).
func selectorConflict(class *nodev1.RuntimeClass, spec *corev1.PodSpec) error {
	if class.Scheduling == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(class.Scheduling.NodeSelector)) {
		if value, ok := spec.NodeSelector[key]; ok && value != class.Scheduling.NodeSelector[key] {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, class.Scheduling.NodeSelector[key], key, value)
		}
	}
	return nil
}

// admitContainer fills in requests and limits from the namespace's LimitRange.
//
// Source: plugin/pkg/admission/limitranger.
func (e *Engine) admitContainer(namespace string, c *corev1.Container) {
	requests, limits := maps.Clone(c.Resources.Requests), maps.Clone(c.Resources.Limits)
	for _, ranges := range e.World().LimitRanges() {
		if ranges.Namespace != namespace {
			continue
		}
		for i := range ranges.Spec.Limits {
			item := &ranges.Spec.Limits[i]
			if item.Type != corev1.LimitTypeContainer {
				continue
			}
			for name, limit := range item.Default {
				limits = setDefault(limits, name, limit)
			}
			for name, request := range item.DefaultRequest {
				requests = setDefault(requests, name, request)
			}
		}
	}
	c.Resources.Requests, c.Resources.Limits = requests, limits
}

func setDefault(list corev1.ResourceList, name corev1.ResourceName, value resource.Quantity) corev1.ResourceList {
	if list == nil {
		list = corev1.ResourceList{}
	}
	if _, ok := list[name]; !ok {
		list[name] = value
	}
	return list
}
