package failoverpolicy

import (
	"encoding/json"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// OutOfServiceAnnotation on a node says that naosu has set kube.OutOfServiceTaint, and why, as a Declaration in JSON.
const OutOfServiceAnnotation = "naosu.dev/out-of-service"

// Declaration records why a node was declared out of service or silent, and what tells whether its machine has been back since.
type Declaration struct {
	// By is the policy, such as failoverpolicy/web, or the command of a person.
	By string `json:"by"`
	// Proof is why the machine counts as off, or as silent.
	Proof string `json:"proof"`
	// BootID is the node's status.nodeInfo.bootID then.
	BootID string `json:"bootID"`
	// RenewTime is the spec.renewTime of the node's Lease then; nil if it had none.
	RenewTime *metav1.MicroTime `json:"renewTime,omitempty"`
}

// DeclarationOf is the Declaration of a node; false if naosu has not declared it out of service. One that cannot be read is empty.
func DeclarationOf(node *corev1.Node) (Declaration, bool) {
	return declarationIn(node, OutOfServiceAnnotation)
}

func declarationIn(node *corev1.Node, annotation string) (Declaration, bool) {
	text, there := node.Annotations[annotation]
	var d Declaration
	if json.Unmarshal([]byte(text), &d) != nil {
		return Declaration{}, there
	}
	return d, there
}

// Returned says whether the machine of a node has been back since it was declared out of service: it has booted again, its kubelet has
// renewed its Lease, or its node is ready. Only the latter counts for a Declaration that cannot be read. lease is nil if there is none.
func (d Declaration) Returned(node *corev1.Node, lease *coordinationv1.Lease) bool {
	if d.By == "" {
		return kube.IsNodeReady(node)
	}
	return node.Status.NodeInfo.BootID != d.BootID || kube.IsNodeReady(node) || RenewedSince(lease, d.RenewTime)
}

// RenewedSince says whether a Lease was renewed since it had a renewTime, or at all if that is nil. Any other renewTime says so, also an
// earlier one: it is of the kubelet's wall clock, which may have been set back.
func RenewedSince(lease *coordinationv1.Lease, since *metav1.MicroTime) bool {
	return lease != nil && lease.Spec.RenewTime != nil && !lease.Spec.RenewTime.Equal(since)
}

// RenewTime is the time of the last renewal of a Lease; nil if there is none.
func RenewTime(lease *coordinationv1.Lease) *metav1.MicroTime {
	if lease == nil {
		return nil
	}
	return lease.Spec.RenewTime
}

// Silent says whether a node can be declared out of service: it is not ready, and has not been declared so. Kubernetes releases
// nothing of a node that is ready. A node that is being deleted still holds its volumes until its last finalizer is removed.
//
// Source: gcTerminating in pkg/controller/podgc of Kubernetes.
func Silent(node *corev1.Node) bool {
	return node != nil && !kube.IsNodeReady(node) && !kube.IsOutOfService(node)
}

// Candidate is a node that a policy wants to be declared out of service once its machine is proven to be off.
type Candidate struct {
	Node   *corev1.Node
	Policy *v1alpha1.FailoverPolicy
}

// Declares says whether a policy declares nodes out of service.
func Declares(p *v1alpha1.FailoverPolicy) bool {
	return p.Acts() && p.Spec.OutOfService == v1alpha1.OutOfServiceWhenOff
}

// Candidates are the silent nodes with a pod for which a policy decides that declares nodes out of service, in the order of the
// Snapshot. Pods that stay on any node, of DaemonSets and static ones, do not count; pods that are being deleted do.
func Candidates(world *cluster.Snapshot, policies []v1alpha1.FailoverPolicy) []Candidate {
	selectors := compile(policies)
	var all []Candidate
	for _, node := range world.Nodes() {
		if !Silent(node) {
			continue
		}
		for _, pod := range world.PodsOn(node.Name) {
			ref := metav1.GetControllerOfNoCopy(pod)
			if cluster.Ended(pod) || cluster.IsMirror(pod) || ref != nil && cluster.Kind(ref.Kind) == cluster.DaemonSet {
				continue
			}
			if p := deciding(world, selectors, pod); p != nil && Declares(p) {
				all = append(all, Candidate{node, p})
				break
			}
		}
	}
	return all
}

// deciding is the policy that decides for a pod; nil if none selects it.
func deciding(world *cluster.Snapshot, selectors []selector, pod *corev1.Pod) *v1alpha1.FailoverPolicy {
	namespace := world.NamespaceLabels(pod.Namespace)
	at := slices.IndexFunc(selectors, func(s selector) bool { return s.Selects(namespace, pod.Labels) })
	if at < 0 {
		return nil
	}
	return selectors[at].policy
}

// Reading is what the cloud provider reported of the machine of a node, and what the node was then.
type Reading struct {
	At    time.Time
	State cloud.State

	uid                types.UID
	providerID, bootID string
	renewed            *metav1.MicroTime
	deleting           bool // The node was being deleted.
}

// NewReading is a reading of the machine of a node as it was before the provider was queried. lease is nil if there is none.
func NewReading(at time.Time, state cloud.State, node *corev1.Node, lease *coordinationv1.Lease) Reading {
	return Reading{at, state, node.UID, node.Spec.ProviderID, node.Status.NodeInfo.BootID, RenewTime(lease), node.DeletionTimestamp != nil}
}

// MinProofInterval is the least time between two readings that prove a machine to be off: what EC2 reports is eventually consistent.
const MinProofInterval = 5 * time.Second

// maxProofInterval is the longest time between them: a machine may have been started and stopped in between.
const maxProofInterval = time.Minute

// ProveOff says whether two readings in a row prove that a machine is off: both are records of the provider that it does not run, of the
// same machine and boot, and its kubelet has not renewed its Lease in between.
func ProveOff(first, second Reading) bool {
	between := second.At.Sub(first.At)
	return first.State.IsOff() && second.State.IsOff() && between >= MinProofInterval && between <= maxProofInterval &&
		first.uid == second.uid && first.providerID == second.providerID && first.bootID == second.bootID &&
		first.renewed.Equal(second.renewed)
}

// Declare is the Declaration of a node that a policy's readings have proven to be off.
func (r Reading) Declare(policy *v1alpha1.FailoverPolicy) Declaration {
	return Declaration{By: "failoverpolicy/" + policy.Name, Proof: r.State.Message, BootID: r.bootID, RenewTime: r.renewed}
}
