package clusterautoscaler

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/naosu-dev/naosu/lab/cloud"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// testJudge knows these volumes, claims and classes.
func testJudge(t testing.TB, objects ...runtime.Object) *judge {
	t.Helper()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0)
	j, err := newJudge(t.Context(), factory)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	return j
}

// worldBuilder builds worlds: nodes of two cores in groups, and pods that ask for milli-CPU.
type worldBuilder struct{ world }

func newWorld() *worldBuilder {
	return &worldBuilder{world{now: noon, owners: map[string]bool{"ReplicaSet/default/web": true}}}
}

// group adds one whose nodes are labelled role=NAME, over the zones given.
func (m *worldBuilder) group(name string, low, target, high int, zones ...string) *worldBuilder {
	spec := cloud.Group{
		GroupSpec: cloud.GroupSpec{Name: name, InstanceType: "m5.large", Zones: zones, Labels: map[string]string{"role": name}},
		Capacity:  cloud.InstanceType{CPU: "2", Memory: "8Gi"},
	}
	m.groups = append(m.groups, group{name: name, min: low, target: target, max: high, instances: map[string]instance{}, template: templateNode(spec)})
	return m
}

// node adds a ready node, an hour old, to a group; edits come last.
func (m *worldBuilder) node(groupName, name, zone string, edits ...func(*corev1.Node)) *worldBuilder {
	hourAgo := metav1.NewTime(noon.Add(-time.Hour))
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: hourAgo, Labels: map[string]string{
			"role": groupName, corev1.LabelTopologyZone: zone, corev1.LabelHostname: name,
		}},
		Status: corev1.NodeStatus{
			Capacity:   corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("29")},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: hourAgo}},
		},
	}
	n.Status.Allocatable = n.Status.Capacity
	for _, edit := range edits {
		edit(n)
	}
	m.nodes = append(m.nodes, n)
	for i := range m.groups {
		if m.groups[i].name == groupName {
			m.groups[i].instances[name] = instance{id: "i-" + name, launched: hourAgo.Time}
		}
	}
	return m
}

func (m *worldBuilder) pod(pods ...*corev1.Pod) *worldBuilder {
	m.pods = append(m.pods, pods...)
	return m
}

// budget allows so many disruptions of "web".
func (m *worldBuilder) budget(allowed int32) *worldBuilder {
	m.budgets = append(m.budgets, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	})
	return m
}

func notReady(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

// testPod is a replica of "web" that asks for some milli-CPU, a minute old.
func testPod(name string, milliCPU int64, edits ...func(*corev1.Pod)) *corev1.Pod {
	yes := true
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(noon.Add(-time.Minute)),
			Labels:          map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: "web", Controller: &yes}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": *resource.NewMilliQuantity(milliCPU, resource.DecimalSI)},
		}}}},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

func pending(p *corev1.Pod) {
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
}

func deleting(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: noon} }

func on(node string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.NodeName = node } }
func role(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"role": name} }
}
func ranked(n int32) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Priority = &n } }
func bare(p *corev1.Pod)               { p.OwnerReferences = nil }
func ownedBy(kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.OwnerReferences[0].Kind = kind }
}

func annotated(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, key, value) }
}

// onlyOn is the affinity that the DaemonSet controller gives its pods.
func onlyOn(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
			}}}},
		}}}
	}
}

// spread keeps replicas of "web" evenly on nodes, counting tainted ones or not.
func spread(taints corev1.NodeInclusionPolicy) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule, NodeTaintsPolicy: &taints,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
	}
}

func claiming(claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
}

// boundVolume is a claim and its volume, which lives in one zone.
func boundVolume(claim, zone string) []runtime.Object {
	class := "gp2"
	return []runtime.Object{
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: claim, UID: types.UID(claim), Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
			Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pv-" + claim, StorageClassName: &class},
			Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
		},
		&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "pv-" + claim},
			Spec: corev1.PersistentVolumeSpec{
				StorageClassName: class,
				ClaimRef:         &corev1.ObjectReference{Namespace: "default", Name: claim, UID: types.UID(claim)},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
				}}}},
			},
		},
	}
}

func daemonSet(milliCPU int64, edits ...func(*corev1.PodSpec)) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "agent", UID: "agent"}}
	ds.Spec.Template.Spec = testPod("", milliCPU).Spec
	for _, edit := range edits {
		edit(&ds.Spec.Template.Spec)
	}
	return ds
}

// eventLines are a scan's events, one line each.
func eventLines(do actions) []string {
	var lines []string
	for _, e := range do.events {
		subject := "autoscaler"
		if o, ok := e.subject.(metav1.Object); ok {
			subject = o.GetName()
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", subject, e.reason, e.message))
	}
	return lines
}

func resizeLines(do actions) []string {
	var lines []string
	for _, r := range do.resizes {
		lines = append(lines, r.String())
	}
	return lines
}
