package twin

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// state is what must not change by the making of a twin.
type state struct {
	UID, Owner, Created string
	// Of a pod:
	Node, Started string
	Phase         corev1.PodPhase
	Ready         bool
	Restarts      int32
	// Content is all but the metadata, of kinds that nothing in the twin has a reason to write to.
	Content map[string]any
}

// timeless are kinds whose objects do not change while nothing happens.
var timeless = []cluster.Kind{
	cluster.PersistentVolume, cluster.PersistentVolumeClaim, cluster.VolumeAttachment, cluster.StorageClass, cluster.CSINode, cluster.CSIDriver,
	cluster.PriorityClass, cluster.PodDisruptionBudget, cluster.ResourceQuota, cluster.Deployment, cluster.ReplicationController,
}

// states is the state of a cluster, by kind, namespace and name.
func states(s *cluster.Snapshot) map[string]state {
	seen := map[string]state{}
	for _, kind := range cluster.Kinds() {
		for _, o := range s.Objects(kind) {
			name := string(kind) + " " + o.GetNamespace() + "/" + o.GetName()
			if kind == cluster.Event || kind == cluster.APIService || kind == cluster.EndpointSlice || kind == cluster.Lease && o.GetNamespace() != corev1.NamespaceNodeLease || name == "Service default/kubernetes" {
				continue // what the control plane writes for itself
			}
			one := state{UID: string(o.GetUID()), Created: o.GetCreationTimestamp().UTC().String()}
			if ref := metav1.GetControllerOf(o); ref != nil && ref.UID != "of-a-job-that-is-gone" {
				one.Owner = ref.Kind + " " + string(ref.UID)
			}
			if pod, is := o.(*corev1.Pod); is {
				one.pod(pod)
			}
			if slices.Contains(timeless, kind) {
				one.Content = content(o)
			}
			seen[name] = one
		}
	}
	return seen
}

func (s *state) pod(pod *corev1.Pod) {
	s.Node, s.Phase, s.Ready = pod.Spec.NodeName, pod.Status.Phase, ready(pod)
	if pod.Status.StartTime != nil {
		s.Started = pod.Status.StartTime.UTC().String()
	}
	for _, c := range pod.Status.ContainerStatuses {
		s.Restarts += c.RestartCount
	}
}

func content(o metav1.Object) map[string]any {
	data, _ := json.Marshal(o) // API types always have a JSON form
	all := map[string]any{}
	_ = json.Unmarshal(data, &all)
	delete(all, "metadata")
	if spec, is := all["spec"].(map[string]any); is && spec["template"] != nil {
		delete(all, "spec") // which the lab brings to its pace
	}
	return all
}
