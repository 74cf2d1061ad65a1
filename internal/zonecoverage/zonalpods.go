package zonecoverage

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/kube"
)

// zonalPod is a pod that must run in certain zones because of its volumes.
type zonalPod struct {
	pod      *corev1.Pod
	workload change.Ref
	// mounts are those that restrict it to zones: volumes that exist, or that its StorageClass provisions in certain zones only; or those that are provisioned
	// where the pod is placed, if its own nodeSelector or node affinity restricts it to zones.
	mounts []facts.Mount
	// exists says that the pod is one of the cluster's. Otherwise, it is one that its workload will create.
	exists bool
}

// zonalPodsOf are the pods with such volumes, and one for each that a workload asks for and that is not there: of a Deployment none of whose pods exists, of
// an ordinal of a StatefulSet, and of a CronJob that is not suspended.
func zonalPodsOf(world *cluster.Snapshot) []zonalPod {
	var all []zonalPod
	add := func(pod *corev1.Pod, workload change.Ref, exists bool) {
		mounts := zonalMounts(world, pod)
		if len(mounts) > 0 {
			all = append(all, zonalPod{pod, workload, mounts, exists})
		}
	}
	active := map[change.Ref]bool{}
	for _, pod := range world.Pods() {
		if facts.IsActive(pod) && facts.MountsClaim(pod) {
			workload := facts.WorkloadRef(world, pod)
			active[workload] = true
			add(pod, workload, true)
		}
	}
	for _, d := range world.Deployments() {
		if ref := facts.RefTo(cluster.Deployment, d); ptr.Deref(d.Spec.Replicas, 1) > 0 && !active[ref] {
			add(podOf(d, d.Name), ref, false)
		}
	}
	for _, c := range world.CronJobs() {
		if ref := facts.RefTo(cluster.CronJob, c); !ptr.Deref(c.Spec.Suspend, false) && !active[ref] {
			add(podOf(c, c.Name), ref, false)
		}
	}
	for _, s := range world.StatefulSets() {
		for _, pod := range missingOrdinals(world, s) {
			add(pod, facts.RefTo(cluster.StatefulSet, s), false)
		}
	}
	return all
}

// zonalMounts are the mounts of a pod that will be, or are, in certain zones only.
func zonalMounts(world *cluster.Snapshot, pod *corev1.Pod) []facts.Mount {
	var zonal []facts.Mount
	own := ownZones(&pod.Spec)
	for _, m := range facts.Mounts(world, pod) {
		if m.Scope == facts.ScopeUnprovisioned && len(own) > 0 {
			m.Scope, m.Zones = facts.ScopeZone, own
		}
		if m.Scope == facts.ScopeZone {
			zonal = append(zonal, m)
		}
	}
	return zonal
}

// ownZones are the zones to which a pod's nodeSelector or required node affinity restricts it; nil if it may run in any.
func ownZones(spec *corev1.PodSpec) []string {
	for _, label := range kube.ZoneLabels {
		if zone := spec.NodeSelector[label]; zone != "" {
			return []string{zone}
		}
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil || spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	required := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for _, term := range required.NodeSelectorTerms {
		if len(kube.NamedZones(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}})) == 0 {
			return nil
		}
	}
	return kube.NamedZones(required)
}

// missingOrdinals are the pods that a StatefulSet asks for and that are not there, with the claims of its templates.
func missingOrdinals(world *cluster.Snapshot, s *appsv1.StatefulSet) []*corev1.Pod {
	first := 0
	if s.Spec.Ordinals != nil {
		first = int(s.Spec.Ordinals.Start)
	}
	var missing []*corev1.Pod
	for ordinal := first; ordinal < first+int(ptr.Deref(s.Spec.Replicas, 1)); ordinal++ {
		name := fmt.Sprintf("%s-%d", s.Name, ordinal)
		if pod := world.Pod(s.Namespace, name); pod != nil && facts.IsActive(pod) {
			continue
		}
		pod := podOf(s, name)
		for _, claim := range s.Spec.VolumeClaimTemplates {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name + "-" + name},
			}})
		}
		missing = append(missing, pod)
	}
	return missing
}

// podOf is a pod of a workload's template.
func podOf(workload metav1.Object, name string) *corev1.Pod {
	template := kube.PodTemplate(workload)
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Name, pod.Namespace, pod.UID = name, workload.GetNamespace(), types.UID("new-"+string(workload.GetUID())+"-"+name)
	return pod
}

// zones are the zones that all mounts allow by name; those of the first if they have none in common.
func (t zonalPod) zones() []string {
	common := slices.DeleteFunc(slices.Clone(t.mounts[0].Zones), func(zone string) bool {
		return slices.ContainsFunc(t.mounts, func(m facts.Mount) bool { return !slices.Contains(m.Zones, zone) })
	})
	if len(common) == 0 {
		return t.mounts[0].Zones
	}
	return common
}

// isPending says whether the pod waits for a node now.
func (t zonalPod) isPending() bool { return t.exists && t.pod.Spec.NodeName == "" }

// unbound is the pod as it waits for a node.
func (t zonalPod) unbound() *corev1.Pod {
	pod := t.pod.DeepCopy()
	pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return pod
}
