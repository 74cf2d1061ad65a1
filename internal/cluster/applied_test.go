package cluster_test

import (
	"bytes"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// secrets are words that no snapshot may hold.
var secrets = []string{"hunter2", "s3same", "0penSaysMe"}

// applied is a Deployment as it is after kubectl applied it, and a ReplicaSet that its controller made of it.
func applied() []runtime.Object {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "c", Image: "i", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: secrets[0]}, {Name: "EMPTY"}}}},
			InitContainers: []corev1.Container{{Name: "i", Image: "i", Env: []corev1.EnvVar{{Name: "KEY", Value: secrets[1]}}}},
		},
	}
	manifest := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2"},"name":"web"},` +
		`"spec":{"replicas":4611686018427387905,"template":{"spec":{"containers":[{"env":[{"name":"PASSWORD","value":"hunter2"},{"name":"OLD","value":"0penSaysMe"},{"name":"ODD","value":["s3same"]}],"name":"c"}]}}}}` + "\n"
	owned := []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "apps/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name: name, Namespace: "default", ManagedFields: owned,
			Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: manifest, "team": "a"},
		}
	}
	kind := func(kind, version string) metav1.TypeMeta { return metav1.TypeMeta{Kind: kind, APIVersion: version} }
	deployment := &appsv1.Deployment{TypeMeta: kind("Deployment", "apps/v1"), ObjectMeta: meta("web"), Spec: appsv1.DeploymentSpec{Template: *template.DeepCopy()}}
	set := &appsv1.ReplicaSet{TypeMeta: kind("ReplicaSet", "apps/v1"), ObjectMeta: meta("web-1"), Spec: appsv1.ReplicaSetSpec{Template: *template.DeepCopy()}}
	set.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: "web", Controller: new(true)}}
	pod := &corev1.Pod{TypeMeta: kind("Pod", "v1"), ObjectMeta: meta("web-1-a"), Spec: *template.Spec.DeepCopy()}
	return []runtime.Object{deployment, set, pod}
}

func readApplied(t *testing.T, keeps bool) *cluster.Snapshot {
	t.Helper()
	world, err := read(t, (&clustertest.API{Objects: applied()}).Serve(t), cluster.ReadOptions{Applied: keeps})
	if err != nil {
		t.Fatal(err)
	}
	return world
}

func values(world *cluster.Snapshot) (deployment, set, pod []corev1.EnvVar) {
	return world.Deployment("default", "web").Spec.Template.Spec.Containers[0].Env,
		world.ReplicaSet("default", "web-1").Spec.Template.Spec.Containers[0].Env, world.Pod("default", "web-1-a").Spec.Containers[0].Env
}

func TestReadApplied(t *testing.T) {
	world := readApplied(t, true)
	web := world.Deployment("default", "web")
	if !world.Applied(web) || len(web.ManagedFields) != 1 {
		t.Errorf("the owners of fields: %v", web.ManagedFields)
	}
	if set, pod := world.ReplicaSet("default", "web-1"), world.Pod("default", "web-1-a"); len(set.Annotations)+len(pod.Annotations) != 2 || set.ManagedFields != nil || pod.ManagedFields != nil {
		t.Errorf("of what nobody applies more is held: %v, %v", set, pod)
	}
	deployment, set, pod := values(world)
	if deployment[0].Value == "" || deployment[0].Value != set[0].Value || deployment[1].Value != "" || pod[0].Value != "" {
		t.Errorf("values %v, %v, %v", deployment, set, pod)
	}
	last := web.Annotations[corev1.LastAppliedConfigAnnotation]
	if !strings.Contains(last, `"value":"`+deployment[0].Value+`"`) || !strings.Contains(last, "4611686018427387905") || !strings.HasSuffix(last, "\n") || web.Annotations["team"] != "a" {
		t.Errorf("the manifest that was applied last: %q", last)
	}
	other, _, _ := values(readApplied(t, true))
	if other[0].Value == deployment[0].Value {
		t.Error("two reads have one key")
	}

	plain := readApplied(t, false)
	deployment, set, _ = values(plain)
	if web := plain.Deployment("default", "web"); plain.Applied(web) || web.ManagedFields != nil || len(web.Annotations) != 1 || deployment[0].Value+set[0].Value != "" || plain.Key() != nil {
		t.Errorf("unasked, more is held: %v", web)
	}
}

// TestNoValueInSnapshot: neither a file nor what is held of a cluster has the value of an environment variable.
func TestNoValueInSnapshot(t *testing.T) {
	world := readApplied(t, true)
	anonymous, err := world.Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	if deployments := anonymous.Deployments(); anonymous.Applied(deployments[0]) || anonymous.Key() != nil || deployments[0].ManagedFields != nil ||
		deployments[0].Annotations[corev1.LastAppliedConfigAnnotation] != "" || deployments[0].Spec.Template.Spec.Containers[0].Env[0].Value != "" {
		t.Errorf("without names: %v", deployments[0])
	}
	for _, o := range world.Objects(cluster.Deployment) {
		data, err := o.(*appsv1.Deployment).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s is held", secret)
			}
		}
		if bytes.Contains(data, world.Key()) {
			t.Error("the key is held")
		}
	}
	var file bytes.Buffer
	if err := world.Write(&file); err != nil {
		t.Fatal(err)
	}
	load := func(key []byte, keeps bool) *cluster.Snapshot {
		t.Helper()
		loaded, err := cluster.Load(t.Context(), cluster.Source{Path: "-", Stdin: bytes.NewReader(file.Bytes()), Applied: keeps, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return loaded
	}
	was, _, _ := values(world)
	with, set, _ := values(load(world.Key(), true))
	if loaded := load(world.Key(), true); with[0].Value != was[0].Value || set[0].Value != was[0].Value || !loaded.Applied(loaded.Deployment("default", "web")) || loaded.Deployment("default", "web").ManagedFields == nil {
		t.Errorf("with its key: %v, %v", with, set)
	}
	for name, key := range map[string][]byte{"none": nil, "another": []byte("another")} {
		loaded := load(key, true)
		web := loaded.Deployment("default", "web")
		env, _, _ := values(loaded)
		if env[0].Value != "" || loaded.Key() != nil || web.ManagedFields == nil || strings.Contains(web.Annotations[corev1.LastAppliedConfigAnnotation], was[0].Value) {
			t.Errorf("with %s key: %v", name, web)
		}
	}
	if web := load(world.Key(), false).Deployment("default", "web"); web.ManagedFields != nil || web.Spec.Template.Spec.Containers[0].Env[0].Value != "" {
		t.Errorf("unasked, more is held: %v", web)
	}
	// A snapshot as it was before: nothing to merge by.
	file.Reset()
	if err := readApplied(t, false).Write(&file); err != nil {
		t.Fatal(err)
	}
	if old := load(nil, true); old.Applied(old.Deployment("default", "web")) || old.Key() != nil {
		t.Error("an old snapshot is taken to have what manifests are merged by")
	}
}

// TestLoadApplied: what kubectl writes has values in the clear, which are digested with a key of their own.
func TestLoadApplied(t *testing.T) {
	list := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"PASSWORD","value":"hunter2"}]}]}}}}]}`
	world, err := cluster.Load(t.Context(), cluster.Source{Path: "-", Stdin: strings.NewReader(list), Applied: true})
	if err != nil {
		t.Fatal(err)
	}
	web := world.Deployment("default", "web")
	if value := web.Spec.Template.Spec.Containers[0].Env[0].Value; value == "" || strings.Contains(value, "hunter2") || !world.Applied(web) {
		t.Errorf("the value is %q", value)
	}
}
