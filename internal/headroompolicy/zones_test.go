package headroompolicy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// roomOf is the room of a pod that may run in some zones.
func roomOf(cpu string, zones []string, edits ...func(*corev1.PodSpec)) ZoneRoom {
	template := w.Template("data", cpu, edits...)
	return ZoneRoom{Pod: &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}, Zones: zones}
}

// eitherDisk requires one of two labels.
func eitherDisk(spec *corev1.PodSpec) {
	term := func(key string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpExists}}}
	}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{term("ssd"), term("nvme")},
	}}}
}

// TestMakeForZones has the scheduler place what holds room in a zone: where the pod may run that it stands for, and nowhere else.
func TestMakeForZones(t *testing.T) {
	adding := policyOf(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Autoscaling = v1alpha1.AutoscalingAddNodes })
	ssd := func(n *corev1.Node) { n.Labels["ssd"] = "" }
	nvme := func(n *corev1.Node) { n.Labels["nvme"] = "" }
	tainted := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "team", Effect: corev1.TaintEffectNoSchedule}}
	}
	tolerating := func(s *corev1.PodSpec) {
		s.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	}
	for name, tc := range map[string]struct {
		room  ZoneRoom
		nodes w.Objects
		want  string
	}{
		"the zone":                  {roomOf("1", []string{"c"}), w.ThreeNodes(), "n3"},
		"another zone only":         {roomOf("1", []string{"d"}), w.ThreeNodes(), ""},
		"one of two zones":          {roomOf("1", []string{"d", "b"}), w.ThreeNodes(), "n2"},
		"too large":                 {roomOf("1", []string{"c"}), w.Of(w.Node("n3", "c", w.CPU("500m"))), ""},
		"a taint":                   {roomOf("1", []string{"c"}), w.Of(w.Node("n3", "c", tainted)), ""},
		"a taint that it tolerates": {roomOf("1", []string{"c"}, tolerating), w.Of(w.Node("n3", "c", tainted)), "n3"},
		"the first label elsewhere": {roomOf("1", []string{"c"}, eitherDisk), w.Of(w.Node("n1", "a", ssd), w.Node("n3", "c")), ""},
		"the second label there":    {roomOf("1", []string{"c"}, eitherDisk), w.Of(w.Node("n1", "a", ssd), w.Node("n3", "c", nvme)), "n3"},
		"a cordoned node":           {roomOf("1", []string{"c"}), w.Of(w.Node("n3", "c", w.CordonedNode)), ""},
	} {
		made := maker.MakeForZones(adding, []ZoneRoom{tc.room}).Deployments
		if len(made) != 1 || made[0].Spec.Template.Spec.PriorityClassName != v1alpha1.HeadroomAddNodesClass {
			t.Fatalf("%s: %+v", name, made)
		}
		template := made[0].Spec.Template
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.Name, pod.Namespace, pod.UID, pod.Spec.SchedulerName, pod.Spec.Priority = "room", "default", "room", corev1.DefaultSchedulerName, new(int32(-10))
		placed, err := w.Of(tc.nodes).CompleteJudge(t).Place(t.Context(), pod)
		if err != nil || placed.Node != tc.want {
			t.Errorf("%s: on %q, want %q (%v)", name, placed.Node, tc.want, err)
		}
	}
}

// TestDiffForZones changes what a policy holds in zones, and never what it holds for failures; and the other way round.
func TestDiffForZones(t *testing.T) {
	policy := policyOf()
	small, large, elsewhere := roomOf("1", []string{"c"}), roomOf("2", []string{"c"}), roomOf("1", []string{"b"})
	zones := maker.MakeForZones(policy, []ZoneRoom{small, large, small})
	if len(zones.Deployments) != 2 || *zones.Deployments[0].Spec.Replicas+*zones.Deployments[1].Spec.Replicas != 3 {
		t.Fatalf("made are %+v", zones.Deployments)
	}
	objects := w.Of(w.Node("n1", "a"))
	failures := maker.Make(worldOf(objects), policy, Plan{plan{slots: []slot{{node: "n1", requests: requestsOf(small.Pod), count: 1}}}})
	existing := Objects{Deployments: append(failures.Deployments, zones.Deployments...)}
	if got := maker.DiffForZones(policy, existing, zones); !got.None() {
		t.Errorf("what is there has changes: %+v", got)
	}
	got := maker.DiffForZones(policy, existing, maker.MakeForZones(policy, []ZoneRoom{small, elsewhere}))
	if len(got.Delete.Deployments) != 1 || len(got.Update.Deployments) != 1 || *got.Update.Deployments[0].Spec.Replicas != 1 || len(got.Create.Deployments) != 1 {
		t.Errorf("changes are %+v", got)
	}
	if got := maker.DiffForZones(policy, existing, Objects{}); len(got.Delete.Deployments) != 2 {
		t.Errorf("given back are %+v", got.Delete)
	}
	if got := maker.Diff(policy, existing, failures); !got.None() {
		t.Errorf("the room for failures has changes: %+v", got)
	}
	if got := maker.Diff(policy, existing, Objects{}); len(got.Delete.Deployments) != 1 || got.Delete.Deployments[0].Name != failures.Deployments[0].Name {
		t.Errorf("given back with the room for failures are %+v", got.Delete)
	}
	if !maker.HoldsForZones(policy, existing, small) || maker.HoldsForZones(policy, existing, elsewhere) || maker.HoldsForZones(policy, failures, small) {
		t.Error("what is held is not told")
	}
	other := policyOf(func(p *v1alpha1.HeadroomPolicy) { p.UID = "policy-2" })
	if got := maker.Orphans(existing, []v1alpha1.HeadroomPolicy{*other}); len(got.Deployments) != 3 {
		t.Errorf("orphans are %+v", got)
	}
	if got := maker.Orphans(existing, []v1alpha1.HeadroomPolicy{*policy}); !got.none() {
		t.Errorf("orphans are %+v", got)
	}
}

// TestZonesAreNoRoom: what a policy holds in zones does not count as bound for its failures, and takes its node's capacity.
func TestZonesAreNoRoom(t *testing.T) {
	policy := policyOf()
	one := w.CPU("1")
	objects := w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.Deployment("web", w.Template("web", "600m"), "n1"))
	template := maker.MakeForZones(policy, []ZoneRoom{roomOf("600m", []string{"b"})}).Deployments[0].Spec.Template
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "room", Namespace: "naosu-system", UID: "room", Labels: template.Labels}, Spec: template.Spec,
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	pod.Spec.NodeName, pod.Spec.SchedulerName, pod.Spec.Priority = "n2", corev1.DefaultSchedulerName, new(int32(-10))
	if a := assess(t, append(objects, pod), policy); a.Covered != metav1.ConditionFalse || a.Reason != v1alpha1.HeadroomNeedsNodesReason || a.Bound.Placeholders != 0 {
		t.Errorf("it is %s, %s: %+v", a.Covered, a.Reason, a.Bound)
	}
}
