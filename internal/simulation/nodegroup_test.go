package simulation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
)

func nodesOf(o simulation.Outcome) []string {
	names := []string{}
	for _, n := range o.World.Nodes() {
		names = append(names, n.Name+"/"+cluster.Zone(n))
	}
	return names
}

func TestGroups(t *testing.T) {
	fitsNot := daemonSet("big", template("big", "2"), "n1")
	waits := fitsNot[1].(*corev1.Pod)
	waits.Spec.NodeName, waits.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	waits.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}},
		}}},
	}}}
	uninitialized := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	}
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
		nodes  []string
	}{
		"a new node gets pending pods and a pod of each DaemonSet": {
			world(node("n1", "a", cpu("1")), deployment("web", template("web", "1"), "n1", ""), daemonSet("agent", template("agent", "0"), "n1")),
			change.AddNodes{Count: 1},
			[]string{"created agent-* >workers-a-new-1", "moved web-1-b >workers-a-new-1"},
			[]string{"n1/a", "workers-a-new-1/a"},
		},
		"in the zone of a volume": {
			world(node("n1", "a"), zonalClaim("data", "c"), statefulSet("db", template("db", "1", mounting("data")), "")),
			change.AddNodes{Count: 1, Zone: "c"},
			[]string{"moved db-0 >workers-c-new-1"},
			[]string{"n1/a", "workers-c-new-1/c"},
		},
		"a new node stays uninitialized where the others do": {
			world(node("n1", "a", uninitialized), node("n2", "a", uninitialized), deployment("web", template("web", "1"), "")),
			change.AddNodes{Count: 1},
			nil,
			[]string{"n1/a", "n2/a", "workers-a-new-1/a"},
		},
		"and is initialized where one of the others only starts": {
			world(node("n1", "a", uninitialized), node("n2", "a", cpu("1")), node("n3", "a", cpu("1")), deployment("web", template("web", "1"), "n2", "n3", "")),
			change.AddNodes{Count: 1},
			[]string{"moved web-1-c >workers-a-new-1"},
			[]string{"n1/a", "n2/a", "n3/a", "workers-a-new-1/a"},
		},
		"a group adds a node in the zone with the fewest": {
			world(node("n1", "a"), node("n2", "a"), node("n3", "b")),
			change.ResizeGroup{Group: "workers", To: 6, Zones: []string{"a", "b", "c"}},
			nil,
			[]string{"n1/a", "n2/a", "n3/b", "workers-b-new-1/b", "workers-c-new-1/c", "workers-c-new-2/c"},
		},
		"and removes one in the zone with the most": {
			world(node("n1", "a", cpu("1")), node("n2", "a"), node("n3", "b"), deployment("web", template("web", "1"), "n2"), daemonSet("agent", template("agent", "1"), "n1", "n2", "n3")),
			change.ResizeGroup{Group: "workers", To: 2},
			[]string{"ended agent-n2 n2> FateDaemon", "moved web-1-a n2>n3"},
			[]string{"n1/a", "n3/b"},
		},
		"a DaemonSet's pods pending for removed nodes are removed": {
			world(node("n1", "a", cpu("1")), daemonSet("agent", template("agent", "0"), "n1"), fitsNot),
			change.RotateGroup{Group: "workers"},
			[]string{"created agent-* >workers-a-new-1", "ended agent-n1 n1> FateDaemon", "ended big-n1 FateDaemon", "waiting big-* FateUnschedulable"},
			[]string{"workers-a-new-1/a"},
		},
		"a rotation adds as many, then drains the old": {
			world(node("n1", "a"), node("n2", "b"), deployment("web", template("web", "1", inZone("a")), "n1"), deployment("api", template("api", "1", inZone("b")), "n2")),
			change.RotateGroup{Group: "workers"},
			[]string{"moved api-1-a n2>workers-b-new-1", "moved web-1-a n1>workers-a-new-1"},
			[]string{"workers-a-new-1/a", "workers-b-new-1/b"},
		},
		"a rotation into other zones leaves a volume's pod pending": {
			world(node("n1", "c"), node("n2", "c"), zonalClaim("data", "c"), statefulSet("db", template("db", "1", mounting("data")), "n1")),
			change.RotateGroup{Group: "workers", Zones: []string{"a", "b"}},
			[]string{"waiting db-0 n1> FateUnschedulable"},
			[]string{"workers-a-new-1/a", "workers-b-new-1/b"},
		},
		"a node that a budget protects stays": {
			world(node("n1", "a"), deployment("web", template("web", "1"), "n1"), budget("keep", "web", 1)),
			change.RotateGroup{Group: "workers"},
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
			[]string{"n1/a", "workers-a-new-1/a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.run(t, tc.change)
			expectFates(t, outcome, tc.want...)
			if diff := cmp.Diff(tc.nodes, nodesOf(outcome)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGroupsAfterLosses adds nodes after some were lost: the zone that lost a node has the fewest.
func TestGroupsAfterLosses(t *testing.T) {
	to := func(n int) change.Change { return change.ResizeGroup{Group: "workers", To: n} }
	for name, tc := range map[string]struct {
		changes []change.Change
		want    []string
	}{
		"a node's zone":      {[]change.Change{change.LoseNode{Node: "n1"}, to(3)}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
		"by one more":        {[]change.Change{change.LoseNode{Node: "n1"}, change.AddNodes{Count: 1}}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
		"not in a lost zone": {[]change.Change{change.LoseZone{Zone: "a"}, to(3)}, []string{"n2/b", "n3/c", "workers-b-new-1/b"}},
		"from none":          {[]change.Change{to(0), to(2)}, []string{"workers-a-new-1/a", "workers-b-new-1/b"}},
		"when all are lost":  {[]change.Change{change.LoseGroup{Group: "workers"}, change.AddNodes{Count: 1}}, []string{"workers-a-new-1/a"}},
		"down and up again":  {[]change.Change{to(2), to(3)}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := world(node("n1", "a"), node("n2", "b"), node("n3", "c")).run(t, tc.changes...)
			if diff := cmp.Diff(tc.want, nodesOf(outcome)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestVerticalAutoscaler is story 5: with one more node the DaemonSet's requests rise, which preempts the batch jobs.
func TestVerticalAutoscaler(t *testing.T) {
	autoscaler := template("autoscaler", "10m")
	autoscaler.Spec.Containers[0].Image = "registry.k8s.io/cpa/cpvpa:v0.8.4"
	autoscaler.Spec.Containers[0].Command = []string{
		"/cpvpa", "--target=daemonset/calico", "--namespace=default",
		`--default-config={"main":{"requests":{"cpu":{"base":"80m","step":"20m","nodesPerStep":2,"max":"500m"}}}}`,
	}
	follower := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "follower", Namespace: "default", UID: types.UID("follower")},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(0)), Template: autoscaler},
	}
	w := world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1")), follower,
		daemonSet("calico", template("calico", "100m", priority(2000001000)), "n1", "n2"),
		job("night", 0, template("night", "890m"), "n1", "n2"))
	expectFates(t, w.run(t, change.AddNodes{Count: 1}),
		"created calico-* >workers-a-new-1",
		"moved calico-n1 n1>n1",
		"moved calico-n2 n2>n2",
		"preempted night-a n1> by calico-* 30s FateJobFailed",
		"lost night-b n2> FateJobSibling",
	)
}
