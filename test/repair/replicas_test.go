package repair

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// lastReplica is a repair that begins on the last node that has ready pods of a workload, but for nodes that are being repaired.
const lastReplica violation = "took out the last ready replica"

// readyNodes are the nodes on which a workload's pods are ready, and since when these are the nodes.
type readyNodes struct {
	nodes []string
	since time.Time
}

// observeReplicas records where pods are ready.
func (w *checker) observeReplicas(pods []corev1.Pod) {
	result := map[string]map[string]bool{}
	for i := range pods {
		m := w.c.machines[pods[i].Spec.NodeName]
		if m == nil || !m.up || !isReady(&pods[i]) {
			continue
		}
		app := pods[i].Labels["app"]
		if result[app] == nil {
			result[app] = map[string]bool{}
		}
		result[app][m.node] = true
	}
	for _, app := range slices.Concat(slices.Collect(maps.Keys(w.readyNodes)), slices.Collect(maps.Keys(result))) {
		if nodes := slices.Sorted(maps.Keys(result[app])); !slices.Equal(nodes, w.readyNodes[app].nodes) {
			w.readyNodes[app] = readyNodes{nodes, w.c.now()}
		}
	}
}

// checkReplicas looks at each repair that begins. What has changed lately the controller may not know; what is being repaired it does.
func (w *checker) checkReplicas(running []v1alpha1.Remediation) {
	running = slices.DeleteFunc(slices.Clone(running), func(r v1alpha1.Remediation) bool {
		return r.Spec.Action() == v1alpha1.ActionRestartService || meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded) != nil
	})
	out := map[string]bool{}
	for _, r := range running {
		out[r.Spec.Node.Name] = true
	}
	for _, r := range running {
		if !w.began[r.UID].IsZero() {
			continue
		}
		for _, load := range w.workloads {
			h := w.readyNodes[load.name]
			alone := !slices.ContainsFunc(h.nodes, func(node string) bool { return !out[node] })
			if load.replicas > 1 && slices.Contains(h.nodes, r.Spec.Node.Name) && alone && w.c.now().Sub(h.since) > detectionDelay {
				w.report(lastReplica, "%s of %s, whose ready pods are on %v since %s", r.Spec.Node.Name, load.name, h.nodes, h.since.Format(time.TimeOnly))
			}
		}
	}
}
