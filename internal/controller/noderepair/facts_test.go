package noderepair

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// worldOf is a cluster that is known wholly, as of now. Kubelets are heard where no leases are given.
func worldOf(objects ...runtime.Object) *cluster.Snapshot {
	if !slices.ContainsFunc(objects, func(o runtime.Object) bool { _, is := o.(*coordinationv1.Lease); return is }) {
		for _, o := range slices.Clone(objects) {
			if node, is := o.(*corev1.Node); is {
				objects = append(objects, lease(node.Name, 0))
			}
		}
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: now})
}

func node(name, zone string, conditions ...corev1.NodeCondition) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: ago(24 * time.Hour), Labels: map[string]string{
			corev1.LabelTopologyZone: zone, corev1.LabelInstanceTypeStable: "m5.large", "eks.amazonaws.com/nodegroup": "workers", corev1.LabelHostname: name,
		}},
		Spec: corev1.NodeSpec{ProviderID: "aws:///" + zone + "/i-" + name},
		Status: corev1.NodeStatus{
			Conditions: append([]corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: ago(0)}}, conditions...),
			NodeInfo:   corev1.NodeSystemInfo{OSImage: "Linux 1", KernelVersion: "6.1"},
		},
	}
}

func down(since time.Duration) corev1.NodeCondition {
	return corev1.NodeCondition{
		Type: "NetworkingReady", Status: corev1.ConditionFalse, Reason: "InterfaceNotUp", LastTransitionTime: ago(since), LastHeartbeatTime: ago(time.Minute),
	}
}

func pod(name, on string, owner metav1.Object, kind string, change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Annotations: map[string]string{}},
		Spec:       corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue},
		}},
	}
	if owner != nil {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: new(true)}}
	}
	if change != nil {
		change(p)
	}
	return p
}

func unready(p *corev1.Pod) { p.Status.Conditions = nil }

// web is a Deployment of three in the midst of a rollout: an old ReplicaSet and a new one.
func web() []runtime.Object {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web"}, Spec: appsv1.DeploymentSpec{Replicas: new(int32(3))}}
	set := func(name string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID(name),
			OwnerReferences: []metav1.OwnerReference{{Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)}},
		}}
	}
	was, is := set("web-1"), set("web-2")
	return []runtime.Object{
		deployment, was, is, pod("a", "n1", was, "ReplicaSet", nil), pod("b", "n2", is, "ReplicaSet", nil), pod("c", "n3", is, "ReplicaSet", unready),
	}
}

func TestPodsOf(t *testing.T) {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db"}, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2))}}
	daemons := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "agent", UID: "agent"}}
	world := worldOf(append(web(),
		node("n1", "1a"), node("n2", "1a"), set, daemons,
		pod("bare", "n1", nil, "", func(p *corev1.Pod) {
			unready(p)
			p.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}),
		pod("db-0", "n1", set, "StatefulSet", func(p *corev1.Pod) { p.Annotations["karpenter.sh/do-not-disrupt"] = "true" }),
		pod("db-1", "n1", set, "StatefulSet", nil),
		pod("agent-1", "n1", daemons, "DaemonSet", nil),
		pod("static", "n1", nil, "", func(p *corev1.Pod) { p.Annotations[corev1.MirrorPodAnnotationKey] = "x" }),
		pod("over", "n1", nil, "", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }),
		pod("going", "n1", nil, "", func(p *corev1.Pod) { p.DeletionTimestamp = new(ago(0)) }),
	)...)
	ref := func(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "shop", Name: name} }
	want := []guard.Pod{
		{Ref: ref("a"), Annotations: map[string]string{}, Ready: true, Replicas: 3, ReadyElsewhere: 1},
		{Ref: ref("bare"), Annotations: map[string]string{}, Replicas: 1, LocalData: true},
		{Ref: ref("db-0"), Annotations: map[string]string{"karpenter.sh/do-not-disrupt": "true"}, Ready: true, Replicas: 2},
		{Ref: ref("db-1"), Annotations: map[string]string{}, Ready: true, Replicas: 2},
	}
	if diff := cmp.Diff(want, drainedPods(world, "n1")); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
	}
}

func TestNodesOf(t *testing.T) {
	labelled := node("n1", "1a", down(time.Minute))
	labelled.Labels["eks.amazonaws.com/nodegroup-image"] = "ami-1"
	labelled.Labels["node-role.kubernetes.io/control-plane"] = ""
	labelled.Annotations, labelled.CreationTimestamp = map[string]string{"a": "b"}, ago(time.Hour)
	agent := pod("agent-1", "n1", nil, "", func(p *corev1.Pod) {
		p.Labels = map[string]string{kube.NameLabel: kube.NaosuAgent}
		p.Spec.Containers[0].Image = "naosu-agent:1.2"
	})
	leaving := node("n3", "1b")
	leaving.Spec.Taints = []corev1.Taint{{Key: "karpenter.sh/disrupted", Effect: corev1.TaintEffectNoSchedule}}
	leaving.Annotations = map[string]string{ // Of which naosu has set one.
		action.ScaleDownDisabledByAnnotation: "r karpenter.sh/do-not-disrupt naosu.dev/do-not-disrupt",
		"karpenter.sh/do-not-disrupt":        "true", v1alpha1.DoNotDisruptAnnotation: "true",
	}
	world := worldOf(labelled, node("n2", "1b"), leaving, agent)
	policies := []v1alpha1.NodeRepairPolicy{policy(v1alpha1.ModeReport)}
	want := []guard.Node{
		{
			Name: "n1", Zone: "1a", Group: "workers", Image: "ami-1", InstanceType: "m5.large", AgentVersion: "naosu-agent:1.2", Ready: true, Unhealthy: true,
			Annotations: map[string]string{"a": "b"}, UID: "uid-n1", ProviderID: "aws:///1a/i-n1", Created: ago(time.Hour).Time,
			MachineKey: "aws://i-n1", ControlPlane: true,
		},
		{
			Name: "n2", Zone: "1b", Group: "workers", Image: "Linux 1 (6.1)", InstanceType: "m5.large", Ready: true, UID: "uid-n2", ProviderID: "aws:///1b/i-n2",
			Created: ago(24 * time.Hour).Time, MachineKey: "aws://i-n2",
		},
		{
			Name: "n3", Zone: "1b", Group: "workers", Image: "Linux 1 (6.1)", InstanceType: "m5.large", Ready: true, UID: "uid-n3", ProviderID: "aws:///1b/i-n3",
			Created: ago(24 * time.Hour).Time, MachineKey: "aws://i-n3", Leaving: "karpenter.sh/disrupted", Annotations: map[string]string{v1alpha1.DoNotDisruptAnnotation: "true"},
		},
	}
	if diff := cmp.Diff(want, guardNodes(world, policies)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func lease(node string, before time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: node},
		Spec:       coordinationv1.LeaseSpec{LeaseDurationSeconds: new(int32(40)), RenewTime: new(metav1.NewMicroTime(now.Add(-before)))},
	}
}

func TestLeasesOf(t *testing.T) {
	world := worldOf(
		node("n1", ""), node("n2", ""), node("n3", ""), node("without", ""), node("ahead", ""), node("little", ""),
		lease("n1", 40*time.Second), lease("n2", 41*time.Second), lease("n3", time.Hour), lease("gone", time.Hour),
		lease("ahead", -time.Hour), lease("little", -time.Minute),
	)
	if total, expired := countLeases(world, now); total != 5 || expired != 3 {
		t.Errorf("%d of %d expired, want 3 of 5: what is renewed in an hour is not heard now", expired, total)
	}
}

func TestShiftedOf(t *testing.T) {
	for name, tc := range map[string]struct {
		cordoned string // hosts, of the zone that their first letter is: - not cordoned, x cordoned, o by naosu
		want     []string
	}{
		"nothing is cordoned":         {"a1 - a2 - b1 - b2 -", nil},
		"a zone is":                   {"a1 x a2 x b1 - b2 -", []string{"a"}},
		"one of a zone is":            {"a1 x a2 - b1 - b2 -", nil},
		"the only one of a zone is":   {"a1 x b1 - b2 -", nil},
		"all are":                     {"a1 x a2 x b1 x b2 x", nil},
		"one of them by naosu itself": {"a1 x a2 o b1 - b2 -", nil},
		"no zone":                     {"-1 x -2 x b1 -", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			for pair := range slices.Chunk(strings.Fields(tc.cordoned), 2) {
				host, mark := pair[0], pair[1]
				zone := host[:1]
				if zone == "-" {
					zone = ""
				}
				n := node(host, zone)
				n.Spec.Unschedulable = mark != "-"
				if mark == "o" {
					n.Annotations = map[string]string{action.CordonedByAnnotation: "r"}
				}
				objects = append(objects, n)
			}
			if diff := cmp.Diff(tc.want, shiftedZones(worldOf(objects...))); diff != "" {
				t.Errorf("zones (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfirmed(t *testing.T) {
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Evidence: v1alpha1.Evidence{Condition: "NetworkingReady"}}}
	silent := node("n1", "", down(time.Hour))
	silent.Status.Conditions[0].Status = corev1.ConditionUnknown
	unknown := down(time.Hour)
	unknown.Status = corev1.ConditionUnknown
	fresh := down(time.Second)
	fresh.LastHeartbeatTime = metav1.Time{}
	for name, tc := range map[string]struct {
		node *corev1.Node
		want time.Time
	}{
		"the agent's last word":        {node("n1", "", down(time.Hour)), now.Add(-time.Minute)},
		"it does not beat, but it is":  {node("n1", "", fresh), now.Add(-time.Second)},
		"nobody can speak":             {silent, now},
		"that nothing is known is now": {node("n1", "", unknown), now},
		"no such condition":            {node("n1", ""), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := confirmedAt(r, tc.node, now); !got.Equal(tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
