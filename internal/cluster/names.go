package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// Names are those of up to so many objects of a kind, in a namespace if the kind has some. An error is one of
// k8s.io/apimachinery/pkg/api/errors.
func Names(ctx context.Context, client kubernetes.Interface, kind Kind, namespace string, limit int64) ([]string, error) {
	if !kind.Namespaced() {
		namespace = ""
	}
	r := &reading{client: client}
	list, err := r.list(kind, namespace)(ctx, metav1.ListOptions{Limit: limit})
	if err != nil {
		return nil, err
	}
	var names []string
	err = meta.EachListItem(list, func(o runtime.Object) error {
		names = append(names, o.(metav1.Object).GetName()) // Every kind's type is one.
		return nil
	})
	return names, err
}
