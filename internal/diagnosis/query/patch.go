package query

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
)

// patchable are the workloads that replace their pods when their template changes.
var patchable = map[cluster.Kind]bool{cluster.Deployment: true, cluster.StatefulSet: true, cluster.DaemonSet: true}

// PatchTemplate patches the pod template of the pod's workload; false if there is no workload that would replace its pods.
func (q Query) PatchTemplate(pod *corev1.Pod, spec map[string]any) (change.Patch, bool) {
	object := q.World.Workload(pod)
	if object == nil {
		return change.Patch{}, false
	}
	kind, _ := cluster.KindOf(object)
	if !patchable[kind] {
		return change.Patch{}, false
	}
	return patchSpec(facts.RefTo(kind, object), map[string]any{"template": map[string]any{"spec": spec}}), true
}

// patchSpec changes an object's spec.
func patchSpec(object change.Ref, spec map[string]any) change.Patch {
	data, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		panic("diagnosis: a patch that is no JSON: " + err.Error()) // Only values of the API's own types are put in.
	}
	return change.Patch{Object: object, Patch: string(data)}
}

// PatchCronJob patches the pod template of a CronJob's next Jobs.
func PatchCronJob(cron change.Ref, spec map[string]any) change.Patch {
	template := map[string]any{"template": map[string]any{"spec": spec}}
	return patchSpec(cron, map[string]any{"jobTemplate": map[string]any{"spec": template}})
}
