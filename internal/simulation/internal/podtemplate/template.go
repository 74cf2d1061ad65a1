package podtemplate

import (
	"cmp"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

// Same reports whether a controller keeps its pods when one template replaces the other: whether they are equal once the API
// server's defaults are filled in.
//
// Source: pkg/controller/deployment/util of Kubernetes (EqualIgnoreHash); other controllers compare what the API server stores.
func Same(a, b *corev1.PodTemplateSpec) bool {
	return equality.Semantic.DeepEqual(defaulted(a), defaulted(b))
}

// defaulted is a template as the API server stores it, without the label that distinguishes a Deployment's ReplicaSets.
func defaulted(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	stored := corev1.PodTemplate{Template: *template.DeepCopy()}
	corev1defaults.SetObjectDefaults_PodTemplate(&stored)
	delete(stored.Template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	stored.Template.CreationTimestamp = metav1.Time{}
	spec := &stored.Template.Spec
	spec.ServiceAccountName = cmp.Or(spec.ServiceAccountName, spec.DeprecatedServiceAccount) // The API server sets both.
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	return &stored.Template
}

// Inherit copies to a manifest's template what the live one has and the manifest does not carry: annotations that were not
// applied, and the values of environment variables, of which a Snapshot has none. A variable of the same name without another
// source keeps its value.
//
// Source: kubectl apply removes only what it applied before.
func Inherit(next, before *corev1.PodTemplateSpec) {
	next.Annotations = InheritedAnnotations(next.Annotations, before.Annotations)
	inheritEnvironment(next.Spec.InitContainers, before.Spec.InitContainers)
	inheritEnvironment(next.Spec.Containers, before.Spec.Containers)
}

func inheritEnvironment(next, before []corev1.Container) {
	for i := range next {
		was := environmentOf(before, next[i].Name)
		for j := range next[i].Env {
			variable := &next[i].Env[j]
			if old, ok := was[variable.Name]; ok && old.Value == "" && old.ValueFrom == nil && variable.ValueFrom == nil {
				variable.Value = ""
			}
		}
	}
}

// environmentOf are the variables of a container by their names.
func environmentOf(containers []corev1.Container, name string) map[string]corev1.EnvVar {
	variables := map[string]corev1.EnvVar{}
	for i := range containers {
		if containers[i].Name == name {
			for _, variable := range containers[i].Env {
				variables[variable.Name] = variable
			}
		}
	}
	return variables
}

// LacksValues reports whether a template has environment variables whose values are not known.
func LacksValues(template *corev1.PodTemplateSpec) bool {
	for _, containers := range [][]corev1.Container{template.Spec.InitContainers, template.Spec.Containers} {
		for i := range containers {
			if slices.ContainsFunc(containers[i].Env, func(v corev1.EnvVar) bool { return v.Value == "" && v.ValueFrom == nil }) {
				return true
			}
		}
	}
	return false
}

// Of is the template of a workload that replaces its pods when it changes, nil for other objects.
func Of(o metav1.Object) *corev1.PodTemplateSpec {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet:
		return kube.PodTemplate(o)
	default:
		return nil
	}
}

// InheritedAnnotations are annotations together with those of the live object that they do not name.
func InheritedAnnotations(next, before map[string]string) map[string]string {
	if len(before) == 0 {
		return next
	}
	all := maps.Clone(before)
	maps.Copy(all, next)
	return all
}
