package simulation_test

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

// epoch is the time of these tests' snapshots.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// objects are those of a small world.
type objects []runtime.Object

func world(parts ...any) objects {
	var all objects
	for _, part := range parts {
		switch part := part.(type) {
		case objects:
			all = append(all, part...)
		case runtime.Object:
			all = append(all, part)
		default:
			panic(fmt.Sprintf("%T is no part of a world", part))
		}
	}
	return all
}

func (o objects) judge(t testing.TB) *scheduling.Judge {
	t.Helper()
	knowledge := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.PriorityClass: cluster.Complete}
	snapshot := cluster.New(cluster.Contents{Objects: o, Taken: epoch, Knowledge: knowledge})
	judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// run simulates changes in one future.
func (o objects) run(t testing.TB, changes ...change.Change) outcome.Outcome {
	t.Helper()
	result, err := simulation.Run(t.Context(), o.judge(t), changes, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// node is a node of group "workers" with 4 CPUs and room for 110 pods.
func node(name, zone string, edits ...func(*corev1.Node)) *corev1.Node {
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

func cpu(amount string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse(amount) }
}

// template requests some CPU.
func template(app, cpu string, edits ...func(*corev1.PodSpec)) corev1.PodTemplateSpec {
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

func priority(value int32) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.Priority = &value }
}

func tolerating(seconds int64) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			s.Tolerations = append(s.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
}

func mounting(claim string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Volumes = append(s.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
}

func inZone(zone string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelTopologyZone: zone} }
}

func spread(key string, skew int32) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.TopologySpreadConstraints = append(s.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		})
	}
}

func antiAffinity(key, app string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
			}},
		}}
	}
}

// placed is a pod of a template; without a node it is pending.
func placed(name, node string, t corev1.PodTemplateSpec, owners ...metav1.OwnerReference) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID(name), Labels: maps.Clone(t.Labels), OwnerReferences: owners,
			CreationTimestamp: metav1.Time{Time: epoch.Add(-time.Hour)},
		},
		Spec: *t.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if node != "" {
		p.Spec.NodeName = node
		p.Status = corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: &metav1.Time{Time: epoch.Add(-time.Hour)},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		}
	}
	return p
}

func ownedBy(apiVersion, kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(kind + name), Controller: new(true)}
}

// deployment has a replica on each of the nodes, named as the API server would.
func deployment(name string, t corev1.PodTemplateSpec, nodes ...string) objects {
	selector := &metav1.LabelSelector{MatchLabels: t.Labels}
	replicas := new(int32(len(nodes)))
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("Deployment" + name)},
		Spec:       appsv1.DeploymentSpec{Replicas: replicas, Selector: selector, Template: t},
	}
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name + "-1", Namespace: "default", UID: types.UID("ReplicaSet" + name + "-1"),
			OwnerReferences: []metav1.OwnerReference{ownedBy("apps/v1", "Deployment", name)},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Selector: selector, Template: t},
	}
	all := world(d, rs)
	for i, node := range nodes {
		all = append(all, placed(fmt.Sprintf("%s-1-%c", name, 'a'+i), node, t, ownedBy("apps/v1", "ReplicaSet", name+"-1")))
	}
	return all
}

// statefulSet has a replica on each of the nodes.
func statefulSet(name string, t corev1.PodTemplateSpec, nodes ...string) objects {
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("StatefulSet" + name)},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(len(nodes))), Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t,
		},
	}
	all := world(set)
	for i, node := range nodes {
		all = append(all, placed(fmt.Sprintf("%s-%d", name, i), node, t, ownedBy("apps/v1", "StatefulSet", name)))
	}
	return all
}

// daemonSet has a pod on each of the nodes.
func daemonSet(name string, t corev1.PodTemplateSpec, nodes ...string) objects {
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("DaemonSet" + name),
			Annotations: map[string]string{appsv1.DeprecatedTemplateGeneration: "1"},
		},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t},
	}
	all := world(set)
	for _, node := range nodes {
		pod := placed(name+"-"+node, node, t, ownedBy("apps/v1", "DaemonSet", name))
		pod.Labels["pod-template-generation"] = "1"
		for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
		}
		all = append(all, pod)
	}
	return all
}

// job has a pod on each of the nodes.
func job(name string, limit int32, t corev1.PodTemplateSpec, nodes ...string) objects {
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("Job" + name)},
		Spec: batchv1.JobSpec{
			Parallelism: new(int32(len(nodes))), Completions: new(int32(len(nodes))), BackoffLimit: &limit, Template: t,
		},
	}
	all := world(j)
	for i, node := range nodes {
		all = append(all, placed(fmt.Sprintf("%s-%c", name, 'a'+i), node, t, ownedBy("batch/v1", "Job", name)))
	}
	return all
}

// zonalClaim is a claim bound to a single-attach volume of a zone.
func zonalClaim(name, zone string) objects {
	return world(
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

func waitForFirstConsumerClass(name string) *storagev1.StorageClass {
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: &mode}
}

// budget wants some pods of an app healthy.
func budget(name, app string, least int) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("budget" + name)},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt(least)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
	}
}

// generated is the suffix of a generated name, which tests do not depend on.
var generated = regexp.MustCompile(`(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}( |$)`)

// describeFates is the outcome as lines of text, sorted: "moved web-1-a n1>n2 5m50s".
func describeFates(o outcome.Outcome) []string {
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
		lines = append(lines, generated.ReplaceAllString(strings.Join(words, " "), "-*$1"))
	}
	slices.Sort(lines)
	return lines
}

// expectGap compares the gap about something; empty is none.
func expectGap(t *testing.T, o outcome.Outcome, about, want string) {
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

func expectFates(t *testing.T, o outcome.Outcome, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(append([]string{}, want...), describeFates(o)); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
}
