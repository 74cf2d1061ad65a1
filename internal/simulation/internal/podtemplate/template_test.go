package podtemplate_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
)

func template(edits ...func(*corev1.PodTemplateSpec)) *corev1.PodTemplateSpec {
	t := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Image: "web:1", Env: []corev1.EnvVar{{Name: "LEVEL"}},
	}}}}
	for _, edit := range edits {
		edit(t)
	}
	return t
}

func TestSame(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*corev1.PodTemplateSpec)
		same bool
	}{
		"defaults": {func(t *corev1.PodTemplateSpec) { t.Spec.RestartPolicy = corev1.RestartPolicyAlways }, true},
		"hash of the ReplicaSet": {func(t *corev1.PodTemplateSpec) {
			t.Labels = map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: "abc"}
		}, true},
		"deprecated account": {func(t *corev1.PodTemplateSpec) { t.Spec.DeprecatedServiceAccount = "web" }, false},
		"image":              {func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Image = "web:2" }, false},
		"annotation":         {func(t *corev1.PodTemplateSpec) { t.Annotations = map[string]string{"restarted": "now"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := podtemplate.Same(template(), template(tc.edit)); got != tc.same {
				t.Errorf("same: %v", got)
			}
		})
	}
}

// A manifest's template keeps what it does not carry: annotations that others set, and values that a Snapshot has none of.
func TestInherit(t *testing.T) {
	live := template(func(t *corev1.PodTemplateSpec) {
		t.Annotations = map[string]string{"restarted": "yesterday", "team": "a"}
	})
	next := template(func(t *corev1.PodTemplateSpec) {
		t.Annotations = map[string]string{"team": "b"}
		t.Spec.Containers[0].Env[0].Value = "debug"
	})
	podtemplate.Inherit(next, live)
	if next.Annotations["restarted"] != "yesterday" || next.Annotations["team"] != "b" || next.Spec.Containers[0].Env[0].Value != "" {
		t.Errorf("inherited: %v, %v", next.Annotations, next.Spec.Containers[0].Env)
	}
	if !podtemplate.LacksValues(next) {
		t.Error("a variable without value is taken as known")
	}
}

// A limit below its request is raised to it.
func TestSetResources(t *testing.T) {
	spec := &template().Spec
	container := podtemplate.ContainerOf(spec, "")
	container.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	podtemplate.SetResources(container, corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}, nil)
	if got := spec.Containers[0].Resources; got.Requests.Cpu().String() != "2" || got.Limits.Cpu().String() != "2" || got.Limits.Memory().String() != "1Gi" {
		t.Errorf("resources %v", got)
	}
	if podtemplate.ContainerOf(spec, "other") != nil {
		t.Error("a container that does not exist was found")
	}
}
