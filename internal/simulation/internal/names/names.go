package names

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// Of is an object's namespace and name.
func Of(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// PodRef refers to a pod.
func PodRef(pod *corev1.Pod) change.Ref {
	return change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
}

// NodeRef refers to a node.
func NodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// Compare orders by namespace and name.
func Compare(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// InNamespace is the part of a list, sorted by namespace, that is of one namespace.
func InNamespace[T metav1.Object](all []T, namespace string) []T {
	at := func(namespace string, after bool) int {
		i, _ := slices.BinarySearchFunc(all, namespace, func(o T, namespace string) int {
			if c := cmp.Compare(o.GetNamespace(), namespace); c != 0 || !after {
				return c
			}
			return -1
		})
		return i
	}
	return all[at(namespace, false):at(namespace, true)]
}
