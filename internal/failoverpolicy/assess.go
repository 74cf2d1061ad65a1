package failoverpolicy

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// State is where a pod stands with the policy that decides for it.
type State string

// The states.
const (
	// Covered is that the pod has the policy's seconds, as far as its template does not specify any.
	Covered State = "Covered"
	// Due is that it can be changed now.
	Due State = "Due"
	// Waiting is that it can be changed once it is on a healthy node.
	Waiting State = "Waiting"
	// Explicit is that its template specifies how long it stays on a failed node, and it does.
	Explicit State = "Explicit"
	// Unsupported is that it is never changed.
	Unsupported State = "Unsupported"
)

// States are all states.
var States = []State{Covered, Due, Waiting, Explicit, Unsupported}

// Reason is why a pod is Unsupported.
type Reason string

// The reasons.
const (
	// BarePod is that no controller would replace the pod.
	BarePod Reason = "BarePod"
	// StaticPod is that the kubelet runs it from a file.
	StaticPod Reason = "StaticPod"
	// DaemonSetPod is that it tolerates a failed node for ever.
	DaemonSetPod Reason = "DaemonSetPod"
	// UnknownOwner is that its controller is gone, or is of a kind whose template is not known.
	UnknownOwner Reason = "UnknownOwner"
	// UnknownTemplate is that it was made from another revision of its StatefulSet's template, which is not known.
	UnknownTemplate Reason = "UnknownTemplate"
	// UnknownToleration is that neither its template nor the API server's default accounts for its toleration.
	UnknownToleration Reason = "UnknownToleration"
)

// Assessment is what a policy means for a pod.
type Assessment struct {
	Pod *corev1.Pod
	// Policy is the one that decides for the pod.
	Policy *v1alpha1.FailoverPolicy
	State  State
	// Reason is set if the State is Unsupported.
	Reason Reason
	// Changes are those to be made, of a pod that is Due or Waiting, in the order of Taints.
	Changes []Change
}

// Assess tells what policies mean for the pods that they select, in the order of the Snapshot. Pods that have ended or are being
// deleted are left out. If several policies select a pod, the first by name of those that act decides, and without one the first.
func Assess(world *cluster.Snapshot, policies []v1alpha1.FailoverPolicy) []Assessment {
	selectors := compile(policies)
	var all []Assessment
	for _, pod := range world.Pods() {
		if pod.DeletionTimestamp != nil || cluster.Ended(pod) {
			continue
		}
		if policy := deciding(world, selectors, pod); policy != nil {
			all = append(all, assess(world, pod, policy))
		}
	}
	return all
}

// assess tells what a policy means for a pod that it decides for.
func assess(world *cluster.Snapshot, pod *corev1.Pod, policy *v1alpha1.FailoverPolicy) Assessment {
	a := Assessment{Pod: pod, Policy: policy}
	template, reason := templateOf(world, pod)
	if reason != "" {
		a.State, a.Reason = Unsupported, reason
		return a
	}
	origins := map[origin]int{}
	for _, key := range Taints {
		origins[originOf(template, pod.Spec.Tolerations, key)]++
		if c := changeOf(template, pod.Spec.Tolerations, key, secondsOf(&policy.Spec, key)); c != nil {
			a.Changes = append(a.Changes, *c)
		}
	}
	switch {
	case len(a.Changes) > 0 && Healthy(world.Node(pod.Spec.NodeName)):
		a.State = Due
	case len(a.Changes) > 0:
		a.State = Waiting
	case origins[fromElsewhere] > 0:
		a.State, a.Reason = Unsupported, UnknownToleration
	case origins[fromTemplate] == len(Taints):
		a.State = Explicit
	default:
		a.State = Covered
	}
	return a
}

// secondsOf is how long a policy lets pods stay on a node with a taint.
func secondsOf(policy *v1alpha1.FailoverPolicySpec, key string) int64 {
	if key == corev1.TaintNodeNotReady {
		return int64(policy.NotReadySeconds)
	}
	return int64(policy.UnreachableSeconds)
}

// templateOf are the tolerations of the template that a pod was made from, or why these are not known or do not matter.
func templateOf(world *cluster.Snapshot, pod *corev1.Pod) ([]corev1.Toleration, Reason) {
	ref := metav1.GetControllerOfNoCopy(pod)
	switch {
	case cluster.IsMirror(pod):
		return nil, StaticPod
	case ref == nil:
		return nil, BarePod
	case cluster.Kind(ref.Kind) == cluster.DaemonSet:
		return nil, DaemonSetPod
	}
	owner := world.Owner(pod)
	if owner == nil {
		return nil, UnknownOwner
	}
	template := kube.PodTemplate(owner)
	if template == nil {
		return nil, UnknownOwner
	}
	if set, is := owner.(*appsv1.StatefulSet); is && !isOfPresentTemplate(pod, set) {
		return nil, UnknownTemplate
	}
	return template.Spec.Tolerations, ""
}

// isOfPresentTemplate says whether a pod was made from the template that its StatefulSet has now. ReplicaSets of a Deployment and Jobs
// keep theirs.
func isOfPresentTemplate(pod *corev1.Pod, set *appsv1.StatefulSet) bool {
	return set.Status.ObservedGeneration >= set.Generation && set.Status.UpdateRevision != "" &&
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] == set.Status.UpdateRevision
}

// selector is a policy with its selectors compiled.
type selector struct {
	policy *v1alpha1.FailoverPolicy
	kube.PodSelector
}

// compile are the policies in the order in which they decide, without those whose selectors are invalid, which select no pod.
func compile(policies []v1alpha1.FailoverPolicy) []selector {
	var all []selector
	for i := range policies {
		if compiled, err := kube.NewPodSelector(&policies[i].Spec.NamespaceSelector, &policies[i].Spec.PodSelector); err == nil {
			all = append(all, selector{&policies[i], compiled})
		}
	}
	slices.SortFunc(all, func(a, b selector) int {
		if a.policy.Acts() != b.policy.Acts() {
			if a.policy.Acts() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.policy.Name, b.policy.Name)
	})
	return all
}

// Count is how many pods that a policy decides for are in each state.
func Count(all []Assessment, policy string) map[State]int32 {
	counted := map[State]int32{}
	for i := range all {
		if all[i].Policy.Name == policy {
			counted[all[i].State]++
		}
	}
	return counted
}
