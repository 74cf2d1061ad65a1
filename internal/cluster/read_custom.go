package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/pager"
	kjson "sigs.k8s.io/json"
)

// listCustom reads one page of a kind that is not built into Kubernetes, in the first of its versions that is served.
func (r *reading) listCustom(kind Kind, namespace string) pager.ListPageFunc {
	return func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		var body []byte
		var err error
		for _, version := range forms[kind].served {
			if body, err = r.getCustom(ctx, version.WithResource(kind.resource().Resource), namespace, o); !apierrors.IsNotFound(err) {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		return customPage(kind, body)
	}
}

func (r *reading) getCustom(ctx context.Context, resource schema.GroupVersionResource, namespace string, o metav1.ListOptions) ([]byte, error) {
	return r.client.Discovery().RESTClient().Get().AbsPath("/apis", resource.Group, resource.Version).
		NamespaceIfScoped(namespace, namespace != "").Resource(resource.Resource).
		SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).SetHeader("Accept", runtime.ContentTypeJSON).DoRaw(ctx)
}

// customPage is a list of a kind as the API gives it in JSON. Its error is an internal one of the API's: a server that gives
// what it should not is out of order.
func customPage(kind Kind, body []byte) (*metav1.List, error) {
	var page struct {
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("a list of every %s: %w", kind, err))
	}
	list := &metav1.List{ListMeta: page.ListMeta}
	for _, item := range page.Items {
		o := kind.Empty()
		if err := kjson.UnmarshalCaseSensitivePreserveInts(item, o); err != nil {
			return nil, apierrors.NewInternalError(fmt.Errorf("a %s: %w", kind, err))
		}
		list.Items = append(list.Items, runtime.RawExtension{Object: o})
	}
	return list, nil
}

// notInstalled says whether a kind could not be read because nothing of its API group is installed: then there are no objects
// of it. Who may not read the kind is refused whether it is installed or not.
func (r *reading) notInstalled(ctx context.Context, kind Kind, err error) bool {
	served := forms[kind].served
	if len(served) == 0 || !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return false
	}
	_, err = r.client.Discovery().RESTClient().Get().AbsPath("/apis", served[0].Group).SetHeader("Accept", runtime.ContentTypeJSON).DoRaw(ctx)
	return apierrors.IsNotFound(err)
}
