package headroompolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

const (
	// holderLabel is on placeholder pods: the name of their Deployment or DaemonSet.
	holderLabel = "naosu.dev/headroom-holder"
	// hashAnnotation identifies what a Deployment or DaemonSet was made from, without the number of replicas.
	hashAnnotation = "naosu.dev/headroom-hash"
	// policyAnnotation names the policy for people.
	policyAnnotation = "naosu.dev/headroom-policy-name"
	// safeToEvict has cluster-autoscaler remove nodes with such pods.
	safeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"

	namePrefix = "naosu-headroom-"
	appName    = "naosu-headroom"
)

// DefaultImage is what placeholder pods run unless another is stated.
const DefaultImage = "registry.k8s.io/pause:3.10"

// Maker makes the objects that hold a room.
type Maker struct {
	// Namespace is naosu's own.
	Namespace string
	// Image is what placeholder pods run; it only has to wait.
	Image string
	// Owner is what the objects are deleted with, by Kubernetes' garbage collector.
	Owner metav1.OwnerReference
}

// Objects are the Deployments and DaemonSets that hold the room of a policy.
type Objects struct {
	Deployments []*appsv1.Deployment
	DaemonSets  []*appsv1.DaemonSet
}

// holder is the name of the Deployment or DaemonSet of a place and size.
func holder(policy *v1alpha1.HeadroomPolicy, key string) string {
	sum := sha256.Sum256([]byte(string(policy.UID) + "\x00" + key))
	const length = 12
	return namePrefix + hex.EncodeToString(sum[:])[:length]
}

func (s slot) holder(policy *v1alpha1.HeadroomPolicy) string { return holder(policy, s.key()) }

func (s stepRoom) holder(policy *v1alpha1.HeadroomPolicy) string {
	return holder(policy, s.daemonSet.Namespace+"/"+s.daemonSet.Name+"\x00"+sizeKey(s.requests))
}

// Make makes the objects of a plan.
func (m Maker) Make(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, p Plan) Objects {
	var all Objects
	for _, s := range p.slots {
		all.Deployments = append(all.Deployments, m.deployment(world, policy, s))
	}
	for _, s := range p.steps {
		if set := world.DaemonSet(s.daemonSet.Namespace, s.daemonSet.Name); set != nil {
			all.DaemonSets = append(all.DaemonSets, m.daemonSet(policy, s, &set.Spec.Template.Spec))
		}
	}
	return all
}

func (m Maker) deployment(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, s slot) *appsv1.Deployment {
	name := s.holder(policy)
	template := m.template(policy, name, s.requests)
	if s.node != "" {
		pin(&template.Spec, world.Node(s.node))
	} else {
		relocate(&template.Spec, world, s)
	}
	return m.deploymentOf(policy, name, template, s.count)
}

func (m Maker) deploymentOf(policy *v1alpha1.HeadroomPolicy, name string, template corev1.PodTemplateSpec, replicas int32) *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: m.meta(policy, name),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{holderLabel: name}}, Template: template,
			// Recreate never has more pods than replicas. Pending placeholder pods are no failed rollout: the deadline is none.
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}, RevisionHistoryLimit: ptr.To[int32](0),
			ProgressDeadlineSeconds: ptr.To[int32](math.MaxInt32),
		},
	}
	d.Annotations[hashAnnotation] = hashOf(d.Spec)
	d.Spec.Replicas = &replicas
	return d
}

func (m Maker) daemonSet(policy *v1alpha1.HeadroomPolicy, s stepRoom, like *corev1.PodSpec) *appsv1.DaemonSet {
	name := s.holder(policy)
	template := m.template(policy, name, s.requests)
	copyPlacement(&template.Spec, like)
	// The room of a new node is held before the node is Ready: pods that wait would take it.
	template.Spec.Tolerations = append(template.Spec.Tolerations, corev1.Toleration{
		Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
	})
	set := &appsv1.DaemonSet{
		ObjectMeta: m.meta(policy, name),
		Spec:       appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{holderLabel: name}}, Template: template, RevisionHistoryLimit: ptr.To[int32](0)},
	}
	set.Annotations[hashAnnotation] = hashOf(set.Spec)
	return set
}

func (m Maker) meta(policy *v1alpha1.HeadroomPolicy, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: m.Namespace, OwnerReferences: []metav1.OwnerReference{m.Owner},
		Labels: map[string]string{
			"app.kubernetes.io/name": appName, "app.kubernetes.io/managed-by": "naosu", v1alpha1.HeadroomPolicyLabel: string(policy.UID),
		},
		Annotations: map[string]string{policyAnnotation: policy.Name},
	}
}

// Class is the PriorityClass of a policy's placeholder pods, and its value.
func Class(policy *v1alpha1.HeadroomPolicy) (string, int32) {
	if policy.AddsNodes() {
		return v1alpha1.HeadroomAddNodesClass, v1alpha1.HeadroomAddNodesPriority
	}
	return v1alpha1.HeadroomIgnoreClass, v1alpha1.HeadroomIgnorePriority
}

// HasClass is the name of the PriorityClass of a policy's placeholder pods, and whether it exists with its value.
func HasClass(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) (string, bool) {
	name, value := Class(policy)
	class := world.PriorityClass(name)
	return name, class != nil && class.Value == value
}

func (m Maker) template(policy *v1alpha1.HeadroomPolicy, name string, requests corev1.ResourceList) corev1.PodTemplateSpec {
	class, _ := Class(policy)
	const nobody = 65535
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels: map[string]string{
				"app.kubernetes.io/name": appName, v1alpha1.HeadroomPolicyLabel: string(policy.UID), holderLabel: name,
			},
			Annotations: map[string]string{safeToEvict: "true"},
		},
		Spec: corev1.PodSpec{
			PriorityClassName: class, TerminationGracePeriodSeconds: ptr.To[int64](0), AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: ptr.To[int64](nobody), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "pause", Image: m.Image,
				Resources: corev1.ResourceRequirements{Requests: requests, Limits: limitsOf(requests)},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
}

// limitsOf are limits where Kubernetes requires that they equal the requests: of extended resources.
func limitsOf(requests corev1.ResourceList) corev1.ResourceList {
	limits := corev1.ResourceList{}
	for name, quantity := range requests {
		if strings.Contains(string(name), "/") || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
			limits[name] = quantity
		}
	}
	if len(limits) == 0 {
		return nil
	}
	return limits
}

// pin has a pod run on one node, whose permanent taints it tolerates: one that a node gets later, such as from a drain, repels it.
func pin(spec *corev1.PodSpec, node *corev1.Node) {
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node.Name}}},
		}},
	}}}
	for _, taint := range node.Spec.Taints {
		if kube.Repels(&taint) && !strings.Contains(taint.Key, "node.kubernetes.io/") {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpEqual, Value: taint.Value, Effect: taint.Effect})
		}
	}
}

// mostExcluded bounds the nodes that a placeholder pod excludes.
const mostExcluded = 100

// relocate has a pod run on a node that is not there yet, where a pod of its size may run: on none of today's that have room for it.
func relocate(spec *corev1.PodSpec, world *cluster.Snapshot, s slot) {
	for _, pod := range world.Pods() {
		if ptr.Deref(pod.Spec.Priority, 0) >= 0 && !cluster.IsMirror(pod) && sizeKey(requestsOf(pod)) == sizeKey(s.requests) {
			copyPlacement(spec, &pod.Spec)
			break
		}
	}
	var more []corev1.NodeSelectorRequirement
	if s.zone != "" {
		more = append(more, corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{s.zone}})
	}
	var today []string
	for _, node := range world.Nodes() {
		if name := node.Labels[corev1.LabelHostname]; name != "" {
			today = append(today, name)
		}
	}
	slices.Sort(today)
	if len(today) > 0 && len(today) <= mostExcluded {
		more = append(more, corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpNotIn, Values: today})
	}
	require(spec, more)
}

// require adds requirements to each term of a pod's node affinity.
func require(spec *corev1.PodSpec, more []corev1.NodeSelectorRequirement) {
	if len(more) == 0 {
		return
	}
	terms := []corev1.NodeSelectorTerm{{}}
	if spec.Affinity != nil {
		terms = spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	}
	for i := range terms {
		terms[i].MatchExpressions = append(terms[i].MatchExpressions, more...)
	}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
}

// copyPlacement copies what decides which nodes a pod may run on.
func copyPlacement(spec, like *corev1.PodSpec) {
	like = like.DeepCopy()
	spec.NodeSelector, spec.Tolerations = like.NodeSelector, like.Tolerations
	spec.Tolerations = slices.DeleteFunc(spec.Tolerations, func(t corev1.Toleration) bool { return t.TolerationSeconds != nil })
	if like.Affinity != nil && like.Affinity.NodeAffinity != nil && like.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: like.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
		}}
	}
}

func hashOf(spec any) string {
	text, err := json.Marshal(spec)
	if err != nil { // These types can be encoded.
		return ""
	}
	sum := sha256.Sum256(text)
	const length = 16
	return hex.EncodeToString(sum[:])[:length]
}
