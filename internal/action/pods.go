package action

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// podsOn reads the pods of a node past any cache.
func (p *Performer) podsOn(ctx context.Context, node string) ([]*corev1.Pod, error) {
	var list corev1.PodList
	if err := p.Reader.List(ctx, &list, client.MatchingFields{"spec.nodeName": node}); err != nil {
		return nil, fmt.Errorf("list the pods of the node %s: %w", node, err)
	}
	return pointers(list.Items), nil
}

func pointers(pods []corev1.Pod) []*corev1.Pod {
	all := make([]*corev1.Pod, len(pods))
	for i := range pods {
		all[i] = &pods[i]
	}
	return all
}

// classifyPods tells the pods of a node by what a drain does with them. On a node that nobody answers for, what was told to end
// says so to nobody: it is not waited for. Bare pods are never ended, as kubectl drain does with --force.
func classifyPods(pods []*corev1.Pod, s *observation) {
	for _, pod := range pods {
		switch {
		case !cluster.Drains(pod):
		case pod.DeletionTimestamp != nil:
			if !kube.IsNodeUnreachable(s.node) {
				s.leaving = append(s.leaving, pod)
			}
		case metav1.GetControllerOfNoCopy(pod) == nil:
			s.staying = append(s.staying, pod)
		default:
			s.evictable = append(s.evictable, pod)
		}
	}
}

func podNames(pods []*corev1.Pod) []string {
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Namespace+"/"+pod.Name)
	}
	return names
}

// podCounts is how many pods of each controller run, by its UID, and on which nodes.
type podCounts map[types.UID]map[string]int

func (c podCounts) total(owner types.UID) int32 {
	total := 0
	for _, n := range c[owner] {
		total += n
	}
	return int32(total)
}

// elsewhere is how many run on other nodes.
func (c podCounts) elsewhere(owner types.UID, node string) int32 {
	return c.total(owner) - int32(c[owner][node])
}

// countReadyPods counts pods of some namespaces that run; those of Jobs also if they have done so.
func (p *Performer) countReadyPods(ctx context.Context, namespaces ...string) (podCounts, error) {
	counted := podCounts{}
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(namespaces))) {
		var list corev1.PodList
		if err := p.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("list the pods of the namespace %s: %w", namespace, err)
		}
		for i := range list.Items {
			pod := &list.Items[i]
			owner := metav1.GetControllerOfNoCopy(pod)
			if owner == nil || !cluster.Runs(pod) && (owner.Kind != "Job" || pod.Status.Phase != corev1.PodSucceeded) {
				continue
			}
			if counted[owner.UID] == nil {
				counted[owner.UID] = map[string]int{}
			}
			counted[owner.UID][pod.Spec.NodeName]++
		}
	}
	return counted, nil
}

// missingPods says which workloads of a forecast have fewer pods than when it was made, and which pods of a node do not run
// although others of their controller do elsewhere, so that it is the node that is to blame. The node may be nil.
func (p *Performer) missingPods(ctx context.Context, r *v1alpha1.Remediation, node *corev1.Node) (missing, broken []string, err error) {
	var here []*corev1.Pod
	if node != nil {
		if here, err = p.podsOn(ctx, node.Name); err != nil {
			return nil, nil, err
		}
	}
	owners := movedOwners(r)
	var namespaces []string
	for _, o := range owners {
		namespaces = append(namespaces, o.Namespace)
	}
	for _, pod := range here {
		namespaces = append(namespaces, pod.Namespace)
	}
	counted, err := p.countReadyPods(ctx, namespaces...)
	if err != nil {
		return nil, nil, err
	}
	if missing, err = p.missingReplicas(ctx, owners, counted); err != nil {
		return nil, nil, err
	}
	for _, pod := range here {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner != nil && !cluster.Ended(pod) && !cluster.Runs(pod) && pod.DeletionTimestamp == nil && counted.elsewhere(owner.UID, node.Name) > 0 {
			broken = append(broken, pod.Namespace+"/"+pod.Name)
		}
	}
	return missing, broken, nil
}

// missingReplicas are controllers with fewer pods than they had, and should have.
func (p *Performer) missingReplicas(ctx context.Context, owners map[types.UID]v1alpha1.PodForecast, counted podCounts) (missing []string, err error) {
	for _, uid := range slices.Sorted(maps.Keys(owners)) {
		o := owners[uid]
		runs := counted.total(uid)
		if runs >= o.Owner.Ready {
			continue
		}
		wanted, err := p.desiredReplicas(ctx, o.Namespace, o.Owner)
		if err != nil {
			return nil, err
		}
		if runs < min(wanted, o.Owner.Ready) {
			missing = append(missing, strings.ToLower(o.Owner.Kind)+"/"+o.Owner.Name)
		}
	}
	return missing, nil
}

// movedOwners are those of a forecast whose controller must have made them again, one for each controller.
func movedOwners(r *v1alpha1.Remediation) map[types.UID]v1alpha1.PodForecast {
	owners := map[types.UID]v1alpha1.PodForecast{}
	if r.Status.Forecast == nil {
		return owners
	}
	for _, pod := range r.Status.Forecast.Pods {
		if pod.Owner != nil && (pod.Fate == "Moved" || pod.Fate == "Delayed") {
			owners[pod.Owner.UID] = pod
		}
	}
	return owners
}

// desiredReplicas is how many pods a controller should have by now: people scale, roll out and delete while a node is mended. One
// of a kind that is not known should have what it had.
func (p *Performer) desiredReplicas(ctx context.Context, namespace string, owner *v1alpha1.OwnerReference) (int32, error) {
	var controller client.Object
	switch owner.Kind {
	case "ReplicaSet":
		controller = &appsv1.ReplicaSet{}
	case "StatefulSet":
		controller = &appsv1.StatefulSet{}
	case "Job":
		controller = &batchv1.Job{}
	default:
		return owner.Ready, nil
	}
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: owner.Name}, controller)
	switch {
	case apierrors.IsNotFound(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read the %s %s/%s: %w", owner.Kind, namespace, owner.Name, err)
	case controller.GetUID() != owner.UID:
		return 0, nil
	}
	switch c := controller.(type) {
	case *appsv1.ReplicaSet:
		return replicasOrOne(c.Spec.Replicas), nil
	case *appsv1.StatefulSet:
		return replicasOrOne(c.Spec.Replicas), nil
	case *batchv1.Job:
		if c.Status.CompletionTime != nil {
			return 0, nil
		}
	}
	return owner.Ready, nil
}

func replicasOrOne(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
