package admission_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/admission"
)

func parse[T any](t *testing.T, text string) *T {
	t.Helper()
	object := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func deployment(t *testing.T, container string) *appsv1.Deployment {
	return parse[appsv1.Deployment](t, `
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i, `+container+`}]}`)
}

func statefulSet(t *testing.T, size string) *appsv1.StatefulSet {
	return parse[appsv1.StatefulSet](t, `
metadata: {name: db, namespace: default}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: i}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: `+size+`}}}`)
}

func job(t *testing.T, spec, image string) *batchv1.Job {
	return parse[batchv1.Job](t, `
metadata: {name: night, namespace: default}
spec:
  `+spec+`
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: `+image+`}]}}`)
}

// as is an object as the API server has it: with its UID, and the defaults set.
func as[T runtime.Object](o T, uid string) T {
	admission.Default(o)
	if one, is := any(o).(*batchv1.Job); is {
		one.UID = "u"
		one.Spec.Template.Labels = map[string]string{
			"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": one.Name, "controller-uid": uid, "job-name": one.Name,
		}
	}
	return o
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		next, before runtime.Object
		want         string
	}{
		"well": {deployment(t, ""), nil, ""},
		"requests above limits": {
			deployment(t, "resources: {requests: {cpu: 900m}, limits: {cpu: 500m}}"), nil,
			`The Deployment "web" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: "900m": must be less than or equal to cpu limit of 500m`,
		},
		"requests that follow from limits": {deployment(t, "resources: {limits: {cpu: 500m}}"), nil, ""},
		"a mount of no volume": {
			deployment(t, "volumeMounts: [{name: other, mountPath: /data}]"), nil,
			`The Deployment "web" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: "other"`,
		},
		"two problems": {
			deployment(t, "imagePullPolicy: Often, ports: [{containerPort: 70000}]"), nil,
			"containers[0].imagePullPolicy: Unsupported value",
		},
		"no selector": {
			parse[appsv1.DaemonSet](t, "metadata: {name: d, namespace: default}"), nil,
			"The DaemonSet \"d\" is invalid: spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
		},
		"a Job that always restarts": {
			parse[batchv1.Job](t, "metadata: {name: j, namespace: default}\nspec: {template: {spec: {containers: [{name: c, image: i}]}}}"), nil,
			`The Job "j" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`,
		},
		"a Job":       {job(t, "parallelism: 2", "i"), nil, ""},
		"a bare pod":  {parse[corev1.Pod](t, "metadata: {name: p, namespace: default}\nspec: {containers: [{name: c, image: i}]}"), nil, ""},
		"of no image": {parse[corev1.Pod](t, "metadata: {name: p, namespace: default}\nspec: {containers: [{name: c}]}"), nil, "spec.containers[0].image: Required value"},
		"a claim of nothing": {
			parse[corev1.PersistentVolumeClaim](t, "metadata: {name: p, namespace: default}\nspec: {accessModes: [ReadWriteOnce]}"), nil,
			"spec.resources[storage]: Required value",
		},
		"a kind that is not looked at": {&corev1.Service{}, nil, ""},

		"a new image":       {deployment(t, "tty: true"), as(deployment(t, ""), ""), ""},
		"requests above it": {deployment(t, "resources: {requests: {cpu: 2}, limits: {cpu: 1}}"), as(deployment(t, ""), ""), "must be less than or equal to cpu limit of 1"},
		"what was wrong before": {
			deployment(t, "resources: {requests: {cpu: 2}, limits: {cpu: 1}}"), deployment(t, "resources: {requests: {cpu: 2}, limits: {cpu: 1}}"), "",
		},
		"claim templates as they were": {statefulSet(t, "1Gi"), as(statefulSet(t, "1024Mi"), ""), ""},
		"other claim templates": {
			statefulSet(t, "2Gi"), as(statefulSet(t, "1Gi"), ""),
			`The StatefulSet "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas'`,
		},
		"a Job's parallelism": {job(t, "parallelism: 2", "i"), as(job(t, "parallelism: 1", "i"), "u"), ""},
		"a Job's template":    {job(t, "parallelism: 1", "j"), as(job(t, "parallelism: 1", "i"), "u"), "spec.template: Invalid value: field is immutable"},
		"a Job's completions": {job(t, "completions: 3", "i"), as(job(t, "completions: 2", "i"), "u"), "spec.completions: Invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			err := admission.Validate(tc.next, tc.before)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestPatchedSelector changes what no update may.
func TestPatchedSelector(t *testing.T) {
	next := deployment(t, "")
	next.Spec.Selector.MatchLabels["tier"] = "front"
	next.Spec.Template.Labels["tier"] = "front"
	if err := admission.Validate(next, as(deployment(t, ""), "")); err == nil || !strings.Contains(err.Error(), "spec.selector: Invalid value") || !strings.Contains(err.Error(), "field is immutable") {
		t.Errorf("got %v", err)
	}
}

// TestClientSchemeHasNoDefaults: Kubernetes' packages add defaults to the builder of client-go's own scheme. It must have been
// built before, or whatever is read of a cluster or of a file would have fields that nobody set.
func TestClientSchemeHasNoDefaults(t *testing.T) {
	d := deployment(t, "")
	scheme.Scheme.Default(d)
	if d.Spec.Replicas != nil {
		t.Error("client-go's scheme sets defaults")
	}
}
