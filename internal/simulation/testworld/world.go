package testworld

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Epoch is the time of these tests' snapshots.
var Epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Objects are those of a small world.
type Objects []runtime.Object

// Of are the objects of all parts: an object or Objects each.
func Of(parts ...any) Objects {
	var all Objects
	for _, part := range parts {
		switch part := part.(type) {
		case Objects:
			all = append(all, part...)
		case runtime.Object:
			all = append(all, part)
		default:
			panic(fmt.Sprintf("%T is no part of a world", part))
		}
	}
	return all
}

// Judge is a Judge of a world of which nodes, pods and priority classes are known.
func (o Objects) Judge(t testing.TB) *scheduling.Judge {
	t.Helper()
	judge, err := scheduling.New(t.Context(), o.snapshot(), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

func (o Objects) snapshot() *cluster.Snapshot {
	knowledge := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.PriorityClass: cluster.Complete}
	return cluster.New(cluster.Contents{Objects: o, Taken: Epoch, Knowledge: knowledge})
}

// Run simulates changes in one future.
func (o Objects) Run(t testing.TB, changes ...change.Change) outcome.Outcome {
	t.Helper()
	result, err := simulation.Run(t.Context(), o.Judge(t), changes, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Node is a node of group "workers" with 4 CPUs and room for 110 pods.
func Node(name, zone string, edits ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: zone, "eks.amazonaws.com/nodegroup": "workers",
		}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("110"),
			},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, edit := range edits {
		edit(n)
	}
	n.Status.Capacity = n.Status.Allocatable
	return n
}

// CPU sets a node's CPUs.
func CPU(amount string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse(amount) }
}

// Template requests some CPU.
func Template(app, cpu string, edits ...func(*corev1.PodSpec)) corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Priority: new(int32(0)),
			Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			}}},
		},
	}
	for _, edit := range edits {
		edit(&t.Spec)
	}
	return t
}

// Priority sets a pod's priority.
func Priority(value int32) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.Priority = &value }
}

// Tolerating lets a pod stay on a node that fails for some seconds.
func Tolerating(seconds int64) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			s.Tolerations = append(s.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
}

// Mounting has a pod mount a claim.
func Mounting(claim string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Volumes = append(s.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
}

// InZone has a pod run in a zone.
func InZone(zone string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelTopologyZone: zone} }
}

// Spread spreads pods of app "web".
func Spread(key string, skew int32) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.TopologySpreadConstraints = append(s.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		})
	}
}

// AntiAffinity keeps a pod apart from an app's.
func AntiAffinity(key, app string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
			}},
		}}
	}
}

// Placed is a pod of a template; without a node it is pending.
func Placed(name, node string, t corev1.PodTemplateSpec, owners ...metav1.OwnerReference) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID(name), Labels: maps.Clone(t.Labels), OwnerReferences: owners,
			CreationTimestamp: metav1.Time{Time: Epoch.Add(-time.Hour)},
		},
		Spec: *t.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if node != "" {
		p.Spec.NodeName = node
		p.Status = corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: &metav1.Time{Time: Epoch.Add(-time.Hour)},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		}
	}
	return p
}

// OwnedBy is the reference to a controller.
func OwnedBy(apiVersion, kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(kind + name), Controller: new(true)}
}

// Deployment has a replica on each of the nodes, named as the API server would.
func Deployment(name string, t corev1.PodTemplateSpec, nodes ...string) Objects {
	selector := &metav1.LabelSelector{MatchLabels: t.Labels}
	replicas := new(int32(len(nodes)))
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("Deployment" + name)},
		Spec:       appsv1.DeploymentSpec{Replicas: replicas, Selector: selector, Template: t},
	}
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name + "-1", Namespace: "default", UID: types.UID("ReplicaSet" + name + "-1"),
			OwnerReferences: []metav1.OwnerReference{OwnedBy("apps/v1", "Deployment", name)},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Selector: selector, Template: t},
	}
	all := Of(d, rs)
	for i, node := range nodes {
		all = append(all, Placed(fmt.Sprintf("%s-1-%c", name, 'a'+i), node, t, OwnedBy("apps/v1", "ReplicaSet", name+"-1")))
	}
	return all
}

// StatefulSet has a replica on each of the nodes.
func StatefulSet(name string, t corev1.PodTemplateSpec, nodes ...string) Objects {
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("StatefulSet" + name)},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(len(nodes))), Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t,
		},
	}
	all := Of(set)
	for i, node := range nodes {
		all = append(all, Placed(fmt.Sprintf("%s-%d", name, i), node, t, OwnedBy("apps/v1", "StatefulSet", name)))
	}
	return all
}

// DaemonSet has a pod on each of the nodes.
func DaemonSet(name string, t corev1.PodTemplateSpec, nodes ...string) Objects {
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("DaemonSet" + name),
			Annotations: map[string]string{appsv1.DeprecatedTemplateGeneration: "1"},
		},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t},
	}
	all := Of(set)
	for _, node := range nodes {
		pod := Placed(name+"-"+node, node, t, OwnedBy("apps/v1", "DaemonSet", name))
		pod.Labels["pod-template-generation"] = "1"
		for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
		}
		all = append(all, pod)
	}
	return all
}

// Job has a pod on each of the nodes.
func Job(name string, limit int32, t corev1.PodTemplateSpec, nodes ...string) Objects {
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("Job" + name)},
		Spec: batchv1.JobSpec{
			Parallelism: new(int32(len(nodes))), Completions: new(int32(len(nodes))), BackoffLimit: &limit, Template: t,
		},
	}
	all := Of(j)
	for i, node := range nodes {
		all = append(all, Placed(fmt.Sprintf("%s-%c", name, 'a'+i), node, t, OwnedBy("batch/v1", "Job", name)))
	}
	return all
}

// ZonalClaim is a claim bound to a single-attach volume of a zone.
func ZonalClaim(name, zone string) Objects {
	return Of(
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("claim" + name), Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
			Spec: corev1.PersistentVolumeClaimSpec{
				VolumeName: "pv-" + name, StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			},
			Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
		},
		&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name, UID: types.UID("pv" + name)},
			Spec: corev1.PersistentVolumeSpec{
				StorageClassName: "gp3", AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				ClaimRef:               &corev1.ObjectReference{Namespace: "default", Name: name, UID: types.UID("claim" + name)},
				PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: name}},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
				}}}},
			},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
		},
	)
}

// WaitForFirstConsumerClass is a StorageClass of EBS volumes.
func WaitForFirstConsumerClass(name string) *storagev1.StorageClass {
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: &mode}
}

// Budget wants some pods of an app healthy.
func Budget(name, app string, least int) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("budget" + name)},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt(least)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
	}
}

// Generated is the suffix of a generated name, which tests do not depend on.
var Generated = regexp.MustCompile(`(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}( |$)`)

// DescribeFates is the outcome as lines of text, sorted: "moved web-1-a n1>n2 5m50s".
func DescribeFates(o outcome.Outcome) []string {
	lines := []string{}
	for _, f := range o.Fates {
		words := []string{string(f.Kind), f.Pod.Name}
		if f.From != "" || f.To != "" {
			words = append(words, f.From+">"+f.To)
		}
		if f.By.Name != "" {
			words = append(words, "by", f.By.Name)
		}
		if f.Until != 0 {
			words = append(words, f.Until.String())
		}
		if f.Why.ID != "" {
			words = append(words, string(f.Why.ID))
		}
		lines = append(lines, Generated.ReplaceAllString(strings.Join(words, " "), "-*$1"))
	}
	slices.Sort(lines)
	return lines
}

// ExpectGap compares the gap about something; empty is none.
func ExpectGap(t *testing.T, o outcome.Outcome, about, want string) {
	t.Helper()
	got := ""
	for _, gap := range o.NotModelled {
		if gap.About == about {
			got = string(gap.Why.ID)
		}
	}
	if got != want {
		t.Errorf("not modelled about %s: %q, want %q", about, got, want)
	}
}

// ExpectFates compares the fates, as DescribeFates gives them, in any order.
func ExpectFates(t *testing.T, o outcome.Outcome, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(append([]string{}, want...), DescribeFates(o)); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
}

// NewDeployment is a manifest: no UID, no status, no defaults.
func NewDeployment(replicas int32, t corev1.PodTemplateSpec) *appsv1.Deployment {
	t.Spec.SchedulerName = ""
	if t.Spec.PriorityClassName != "" {
		t.Spec.Priority = nil
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: t.Labels["app"], Namespace: "default"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t},
	}
}

// ThreeNodes are n1, n2 and n3, in zones a, b and c.
func ThreeNodes() Objects { return Of(Node("n1", "a"), Node("n2", "b"), Node("n3", "c")) }

// UnreachableFor is an unreachable node with a NoExecute taint of that age.
func UnreachableFor(ago time.Duration) func(*corev1.Node) {
	return func(n *corev1.Node) {
		NotReady(n)
		for i := range n.Spec.Taints {
			n.Spec.Taints[i].TimeAdded = &metav1.Time{Time: Epoch.Add(-ago)}
		}
	}
}

// CordonedNode cordons a node.
func CordonedNode(n *corev1.Node) {
	n.Spec.Unschedulable = true
	n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
}

// PatchOf patches an object in the default namespace.
func PatchOf(kind, name, patch string) change.Change {
	return change.Patch{Object: change.Ref{Kind: kind, Namespace: "default", Name: name}, Patch: patch}
}

// NotReady has a node be unreachable, and tainted for it.
func NotReady(n *corev1.Node) {
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	n.Spec.Taints = []corev1.Taint{
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
	}
}

// Recreating gives a Deployment, the first of the objects, the strategy Recreate.
func Recreating(of Objects) Objects {
	of[0].(*appsv1.Deployment).Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	return of
}

// Strategy sets how a Deployment, the first of the objects, replaces its pods.
func Strategy(of Objects, surge, unavailable int) Objects {
	of[0].(*appsv1.Deployment).Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
		MaxSurge: new(intstr.FromInt(surge)), MaxUnavailable: new(intstr.FromInt(unavailable)),
	}}
	return of
}

// ReplicaSetLacking is a Deployment of which a quota has refused pods: it has replicas, and pods on nodes.
func ReplicaSetLacking(name string, replicas int32, nodes ...string) Objects {
	of := Deployment(name, Template(name, "1", Tolerating(1)), nodes...)
	of[0].(*appsv1.Deployment).Spec.Replicas = &replicas
	rs := of[1].(*appsv1.ReplicaSet)
	rs.Spec.Replicas = &replicas
	rs.Status.Conditions = []appsv1.ReplicaSetCondition{{
		Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Message: `pods "x" is forbidden: exceeded quota: most, requested: pods=1, used: pods=2, limited: pods=2`,
	}}
	return of
}

// CompleteJudge is a Judge of a world in which every kind is known.
func (o Objects) CompleteJudge(t *testing.T) *scheduling.Judge {
	t.Helper()
	knowledge := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		knowledge[kind] = cluster.Complete
	}
	judge, err := scheduling.New(t.Context(), cluster.New(cluster.Contents{Objects: o, Taken: Epoch, Knowledge: knowledge}), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// Quota limits the pods of the default namespace.
func Quota(pods string) *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "most", Namespace: "default"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse(pods)}},
	}
}

// GrowAgent sets the CPU that DaemonSet "agent" requests.
func GrowAgent(cpu string) change.GrowDaemonSet {
	return change.GrowDaemonSet{Namespace: "default", Name: "agent", Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
}

// Compare simulates changes in three futures with nodes out of service.
func (o Objects) Compare(t testing.TB, changes []change.Change, out ...string) outcome.Outcome {
	t.Helper()
	result, err := simulation.Compare(t.Context(), o.Judge(t), changes, simulation.Options{Seeds: 3}, out...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// NewImage rolls out Deployment "web".
var NewImage = PatchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"annotations":{"version":"2"}}}}}`)
