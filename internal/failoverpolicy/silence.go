package failoverpolicy

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// SilentAnnotation on a node says that naosu has set SilentTaint, and why, as a Declaration in JSON.
const SilentAnnotation = "naosu.dev/silent"

// SilentTaint keeps new pods off a node that is silent, while Kubernetes still takes it for ready.
var SilentTaint = corev1.Taint{Key: SilentAnnotation, Effect: corev1.TaintEffectNoSchedule}

// SilenceOf is the Declaration of a node that naosu has declared silent; false if it has not. One that cannot be read is empty.
func SilenceOf(node *corev1.Node) (Declaration, bool) { return declarationIn(node, SilentAnnotation) }

// Spoke says whether the machine of a node has given a sign of life since the node was declared silent: it has booted again, or its
// kubelet has renewed its Lease. A node whose Declaration cannot be read must be ready. lease is nil if there is none.
func (d Declaration) Spoke(node *corev1.Node, lease *coordinationv1.Lease) bool {
	if d.By == "" {
		return kube.IsNodeReady(node)
	}
	return node.Status.NodeInfo.BootID != d.BootID || RenewedSince(lease, d.RenewTime)
}

// replaces says whether a policy wants pods of silent nodes to be replaced, or, in mode Report, to know which would be.
func replaces(p *v1alpha1.FailoverPolicy) bool {
	return !p.Spec.Paused && p.Spec.ReplaceOnSilence == v1alpha1.ReplaceReplicated
}

func silentAfter(p *v1alpha1.FailoverPolicy) time.Duration {
	return time.Duration(p.Spec.SilentAfterSeconds) * time.Second
}

// unreadies says whether a policy wants pods of silent nodes that are not replaced to be set not ready, or, in mode Report, to know which would be.
func unreadies(p *v1alpha1.FailoverPolicy) bool {
	return !p.Spec.Paused && p.Spec.NotReadyOnSilence == v1alpha1.NotReadyUnreplaced
}

// SilentAfter is the shortest silence after which a policy wants something to be done about pods; zero if none does.
func SilentAfter(policies []v1alpha1.FailoverPolicy) time.Duration {
	var shortest time.Duration
	for i := range policies {
		p := &policies[i]
		if after := silentAfter(p); (replaces(p) || unreadies(p)) && (shortest == 0 || after < shortest) {
			shortest = after
		}
	}
	return shortest
}

// Decided is a pod of a silent node, and the policy that decides for it.
type Decided struct {
	Pod    *corev1.Pod
	Policy *v1alpha1.FailoverPolicy
}

// OnSilence are the pods of a node that gives no sign of life for a time that are to be replaced, and those that stay and are to be set not
// ready. Both include those of policies in mode Report.
func OnSilence(world *cluster.Snapshot, policies []v1alpha1.FailoverPolicy, node string, quietFor time.Duration) (replaced, unready []Decided) {
	selectors := compile(policies)
	for _, pod := range world.PodsOn(node) {
		if pod.DeletionTimestamp != nil || cluster.Ended(pod) {
			continue
		}
		p := deciding(world, selectors, pod)
		switch {
		case p == nil || quietFor < silentAfter(p):
		case replaces(p) && Replaceable(world, pod):
			replaced = append(replaced, Decided{pod, p})
		case unreadies(p) && kube.IsPodReady(pod):
			unready = append(unready, Decided{pod, p})
		}
	}
	return replaced, unready
}

// Replaceable says whether a pod may run twice for a while: it belongs to a ReplicaSet of a workload with at least two replicas, and claims
// nothing that one pod at a time may have. A pod that tolerates SilentTaint could be replaced by one on the same node.
func Replaceable(world *cluster.Snapshot, pod *corev1.Pod) bool {
	set, is := world.Owner(pod).(*appsv1.ReplicaSet)
	if !is || pod.DeletionTimestamp != nil || cluster.Ended(pod) || len(pod.Spec.ResourceClaims) > 0 || kube.Tolerates(pod.Spec.Tolerations, &SilentTaint) {
		return false
	}
	replicas := set.Spec.Replicas
	if deployment, is := world.Owner(set).(*appsv1.Deployment); is {
		replicas = deployment.Spec.Replicas
	}
	return replicas != nil && *replicas >= 2 && !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	})
}

const (
	// disruptedShare is the share of nodes that are not ready, in percent, from which on Kubernetes takes a zone for disrupted, if they are
	// more than disruptedMin. It evicts more slowly then, or not at all.
	//
	// Source: ComputeZoneState in pkg/controller/nodelifecycle of Kubernetes, with the default of --unhealthy-zone-threshold.
	disruptedShare = 55
	disruptedMin   = 2
	// silentShare limits the nodes that are declared silent at the same time, in percent of all; one always may be.
	silentShare = 10
)

// SilenceObstacle is why the pods of a silent node are not to be replaced now: too many other nodes fail at the same time. Empty if there is
// nothing against it. Nodes that were declared silent lately count, also if they are not yet in the Snapshot.
func SilenceObstacle(world *cluster.Snapshot, node *corev1.Node, declaredLately ...types.UID) string {
	silent, inZone, notReady := 1, 0, 0
	for _, other := range world.Nodes() {
		if other.Name == node.Name {
			continue
		}
		if _, declared := SilenceOf(other); declared || slices.Contains(declaredLately, other.UID) {
			silent++
		}
		if kube.Zone(other) == kube.Zone(node) {
			inZone++
			if !kube.IsNodeReady(other) {
				notReady++
			}
		}
	}
	switch {
	case notReady > disruptedMin && notReady*100 >= inZone*disruptedShare:
		return fmt.Sprintf("%d of the %d other nodes of its zone are not ready", notReady, inZone)
	case silent > max(1, len(world.Nodes())*silentShare/100):
		return fmt.Sprintf("%d other nodes are silent", silent-1)
	}
	return ""
}
