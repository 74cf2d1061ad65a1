package cluster

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// proportional are names of the cluster proportional vertical autoscaler in images and commands. Its parameters determine the future requests of a
// DaemonSet.
//
// Source: github.com/kubernetes-sigs/cluster-proportional-vertical-autoscaler, whose program is cpvpa.
var proportional = []string{"cluster-proportional-vertical-autoscaler", "cpvpa"}

// parameters are the ConfigMaps that the proportional vertical autoscalers among the objects mount: the only
// ConfigMaps that are ever read.
func parameters(objects []runtime.Object) []types.NamespacedName {
	var names []types.NamespacedName
	for _, o := range objects {
		d, ok := o.(*appsv1.Deployment)
		if !ok {
			continue
		}
		pod := &d.Spec.Template.Spec
		if !slices.ContainsFunc(pod.Containers, isProportional) {
			continue
		}
		for _, v := range pod.Volumes {
			if v.ConfigMap != nil {
				names = append(names, types.NamespacedName{Namespace: d.Namespace, Name: v.ConfigMap.Name})
			}
		}
	}
	return names
}

func isProportional(c corev1.Container) bool {
	words := append([]string{c.Image}, c.Command...)
	return slices.ContainsFunc(proportional, func(known string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, known) })
	})
}

// withoutOtherConfigMaps leaves out the ConfigMaps that are not on the allow-list, which files may hold.
func withoutOtherConfigMaps(objects []runtime.Object) []runtime.Object {
	allowed := map[types.NamespacedName]bool{}
	for _, name := range parameters(objects) {
		allowed[name] = true
	}
	return slices.DeleteFunc(objects, func(o runtime.Object) bool {
		c, ok := o.(*corev1.ConfigMap)
		return ok && !allowed[nameOf(c)]
	})
}
