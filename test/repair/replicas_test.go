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
const lastReplica crime = "took out the last ready replica"

// homes are the nodes on which a workload's pods are ready, and since when it is those.
type homes struct {
	nodes []string
	since time.Time
}

// lookHome notes where pods are ready.
func (w *watch) lookHome(pods []corev1.Pod) {
	seen := map[string]map[string]bool{}
	for i := range pods {
		m := w.c.machines[pods[i].Spec.NodeName]
		if m == nil || !m.up || !isReady(&pods[i]) {
			continue
		}
		app := pods[i].Labels["app"]
		if seen[app] == nil {
			seen[app] = map[string]bool{}
		}
		seen[app][m.node] = true
	}
	for _, app := range slices.Concat(slices.Collect(maps.Keys(w.homes)), slices.Collect(maps.Keys(seen))) {
		if nodes := slices.Sorted(maps.Keys(seen[app])); !slices.Equal(nodes, w.homes[app].nodes) {
			w.homes[app] = homes{nodes, w.c.now()}
		}
	}
}

// checkReplicas looks at each repair that begins. What has changed lately the controller may not know; what is being repaired it does.
func (w *watch) checkReplicas(running []v1alpha1.Remediation) {
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
			h := w.homes[load.name]
			alone := !slices.ContainsFunc(h.nodes, func(node string) bool { return !out[node] })
			if load.replicas > 1 && slices.Contains(h.nodes, r.Spec.Node.Name) && alone && w.c.now().Sub(h.since) > noticed {
				w.commit(lastReplica, "%s of %s, whose ready pods are on %v since %s", r.Spec.Node.Name, load.name, h.nodes, h.since.Format(time.TimeOnly))
			}
		}
	}
}
