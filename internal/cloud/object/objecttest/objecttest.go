// Package objecttest makes clients for tests: controller-runtime's fake one, with given kinds installed.
package objecttest

import (
	"context"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"
)

// Options say what the cluster is like.
type Options struct {
	// Kinds are installed beside Kubernetes' own.
	Kinds []schema.GroupVersionKind
	// Manifests are the objects there are.
	Manifests []string
	// Allowed are what access reviews allow, as "delete nodeclaims.karpenter.sh".
	Allowed []string
	// Faults are what happens to calls, by "list NodeClaim" and the like.
	Faults map[string]error
}

// New is a client of such a cluster.
func New(t *testing.T, o Options) client.Client {
	t.Helper()
	var versions []schema.GroupVersion
	for _, kind := range o.Kinds {
		versions = append(versions, kind.GroupVersion())
	}
	known := meta.NewDefaultRESTMapper(versions)
	for _, kind := range append(o.Kinds, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}) {
		known.Add(kind, meta.RESTScopeNamespace)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithRESTMapper(known)
	for _, manifest := range o.Manifests {
		builder = builder.WithObjects(Object(t, manifest))
	}
	return builder.WithInterceptorFuncs(interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if err := o.Faults["list "+kindOf(list)]; err != nil {
				return err
			}
			return c.List(ctx, list, options...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if err := o.Faults["delete "+kindOf(object)]; err != nil {
				return err
			}
			return c.Delete(ctx, object, options...)
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			review, is := object.(*authorizationv1.SelfSubjectAccessReview)
			if !is {
				return c.Create(ctx, object, options...)
			}
			of := review.Spec.ResourceAttributes
			for _, allowed := range o.Allowed {
				review.Status.Allowed = review.Status.Allowed || allowed == of.Verb+" "+of.Resource+"."+of.Group
			}
			return nil
		},
	}).Build()
}

func kindOf(o interface{ GetObjectKind() schema.ObjectKind }) string {
	kind := o.GetObjectKind().GroupVersionKind().Kind
	if len(kind) > 4 && kind[len(kind)-4:] == "List" {
		return kind[:len(kind)-4]
	}
	return kind
}

// Object reads a manifest.
func Object(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &o.Object); err != nil {
		t.Fatalf("reading %s: %v", manifest, err)
	}
	return o
}
