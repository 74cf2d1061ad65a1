package merge_test

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/merge"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, annotations: {team: a}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {pool: p0}
      containers:
      - {name: main, image: "img:1", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
      - {name: side, image: "side:1"}
`

// manifest is the Deployment above with some words replaced, pair by pair.
func manifest(t *testing.T, replacements ...string) map[string]any {
	t.Helper()
	text := strings.NewReplacer(replacements...).Replace(web)
	if len(replacements) > 0 && text == web {
		t.Fatal("nothing is replaced")
	}
	fields := map[string]any{}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	// As a file is read: whole numbers are int64.
	return runtime.DeepCopyJSON(whole(fields).(map[string]any))
}

func whole(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = whole(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = whole(inner)
		}
	case float64:
		return int64(value)
	}
	return value
}

func client(t *testing.T, manifest map[string]any, live *appsv1.Deployment) *appsv1.Deployment {
	t.Helper()
	var before runtime.Object
	if live != nil {
		before = live
	}
	merged, err := merge.Client(manifest, before)
	if err != nil {
		t.Fatal(err)
	}
	d := merged.(*appsv1.Deployment)
	d.UID = types.UID("known")
	return d
}

func server(t *testing.T, manifest map[string]any, live *appsv1.Deployment, force bool) (*appsv1.Deployment, error) {
	t.Helper()
	var before runtime.Object
	if live != nil {
		before = live
	}
	merged, err := merge.Server(manifest, before, force)
	if err != nil {
		return nil, err
	}
	d := merged.(*appsv1.Deployment)
	d.UID = types.UID("known")
	return d, nil
}

// by is a change that somebody else makes.
func by(t *testing.T, manager string, live *appsv1.Deployment, change func(*appsv1.Deployment)) *appsv1.Deployment {
	t.Helper()
	next := live.DeepCopy()
	change(next)
	updated, err := merge.Updated(live, next, manager, "")
	if err != nil {
		t.Fatal(err)
	}
	return updated.(*appsv1.Deployment)
}

func tolerate(d *appsv1.Deployment) {
	d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
}

func scale(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(7)) }

func TestClient(t *testing.T) {
	first := client(t, manifest(t), nil)
	if first.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || first.Annotations[corev1.LastAppliedConfigAnnotation] == "" {
		t.Errorf("a new object has no defaults or no manifest: %+v", first)
	}
	live := by(t, "someone", by(t, "scaler", first, scale), tolerate)

	again := client(t, manifest(t), live)
	if len(again.Spec.Template.Spec.Tolerations) != 1 || *again.Spec.Replicas != 3 {
		t.Errorf("tolerations %v, replicas %d", again.Spec.Template.Spec.Tolerations, *again.Spec.Replicas)
	}
	removed := client(t, manifest(t, "  replicas: 3\n", "", "nodeSelector: {pool: p0}", "", "      - {name: side, image: \"side:1\"}\n", ""), live)
	spec := removed.Spec.Template.Spec
	if *removed.Spec.Replicas != 1 || spec.NodeSelector != nil || len(spec.Containers) != 1 || len(spec.Tolerations) != 1 {
		t.Errorf("what is applied no more stays: replicas %d, %+v", *removed.Spec.Replicas, spec)
	}
	never := client(t, manifest(t, "  replicas: 3\n", ""), nil)
	if kept := client(t, manifest(t, "  replicas: 3\n", ""), by(t, "scaler", never, scale)); *kept.Spec.Replicas != 7 {
		t.Errorf("replicas that were never applied become %d", *kept.Spec.Replicas)
	}
	fewer := client(t, manifest(t, `, {name: B, value: "2"}`, `, {name: C, value: "3"}`), live)
	if env := fewer.Spec.Template.Spec.Containers[0].Env; len(env) != 2 || env[0].Name == "B" || env[1].Name == "B" {
		t.Errorf("environment %v", env)
	}
}

func TestServer(t *testing.T) {
	first, err := server(t, manifest(t), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if first.Annotations[corev1.LastAppliedConfigAnnotation] != "" || first.Spec.Strategy.Type == "" {
		t.Errorf("a new object: %+v", first)
	}
	live := by(t, "someone", first, tolerate)
	removed, err := server(t, manifest(t, "nodeSelector: {pool: p0}", ""), live, false)
	if err != nil || removed.Spec.Template.Spec.NodeSelector != nil || len(removed.Spec.Template.Spec.Tolerations) != 1 {
		t.Errorf("err = %v, %+v", err, removed)
	}
	scaled := by(t, "scaler", live, scale)
	if _, err := server(t, manifest(t), scaled, false); err == nil || !strings.Contains(err.Error(), `conflict with "scaler" using apps/v1: .spec.replicas`) {
		t.Errorf("no conflict: %v", err)
	}
	if forced, err := server(t, manifest(t), scaled, true); err != nil || *forced.Spec.Replicas != 3 {
		t.Errorf("err = %v, %+v", err, forced)
	}
	if left, err := server(t, manifest(t, "  replicas: 3\n", ""), scaled, false); err != nil || *left.Spec.Replicas != 7 {
		t.Errorf("err = %v, %+v", err, left)
	}
}

// TestServerAfterClient: what kubectl applied by itself is as if it had been applied by the server.
func TestServerAfterClient(t *testing.T) {
	live := by(t, "someone", client(t, manifest(t), nil), tolerate)
	merged, err := server(t, manifest(t, "nodeSelector: {pool: p0}", "", "replicas: 3", "replicas: 4"), live, false)
	if err != nil {
		t.Fatal(err)
	}
	if spec := merged.Spec.Template.Spec; *merged.Spec.Replicas != 4 || spec.NodeSelector != nil || len(spec.Tolerations) != 1 {
		t.Errorf("replicas %d, %+v", *merged.Spec.Replicas, spec)
	}
}
