package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/program"
)

// fieldManager is who the API server sees applying manifests.
const fieldManager = "naosu-lab"

// patience for what comes into being by itself a moment after a namespace does, such as its service account.
const applyPatience = 15 * time.Second

// objectClient changes the cluster as a person with kubectl would.
type objectClient struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	pace   *pace.Pace
	kinds  program.Kinds // naosu's, once they are there
}

func newObjectClient(config *rest.Config, p *pace.Pace) (*objectClient, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a discovery client: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoverer))
	return &objectClient{client: client, mapper: mapper, pace: p}, nil
}

// apply creates the object, or changes it to what is given, and returns its UID.
func (h *objectClient) apply(ctx context.Context, o scenario.Object) (types.UID, error) {
	scaled := o.Scaled(h.pace)
	h.kinds.Scale(o.GroupVersionKind(), scaled.Object, h.pace)
	return h.applyOnce(ctx, scaled.Unstructured)
}

// applyOnce applies an object as it is.
func (h *objectClient) applyOnce(ctx context.Context, o unstructured.Unstructured) (uid types.UID, err error) {
	name := fmt.Sprintf("applying %s %s", o.GetKind(), o.GetName())
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, applyPatience, true, func(ctx context.Context) (bool, error) {
		resource, err := h.resource(o.GroupVersionKind(), o.GetNamespace())
		if err != nil {
			return false, err
		}
		applied, err := resource.Apply(ctx, o.GetName(), &o, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		if err == nil {
			uid = applied.GetUID()
		}
		if last = err; isTransient(err) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, errors.Join(last, err))
	}
	return uid, nil
}

// isTransient says whether an error passes: a service account that its controller has still to make.
func isTransient(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "serviceaccount")
}

func (h *objectClient) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := h.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, fmt.Errorf("finding the resource of %s: %w", gvk.Kind, err)
	}
	client := h.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return client, nil
	}
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return client.Namespace(namespace), nil
}

// resourceOf is the client for an object that was watched, whose own kind and version are not filled in.
func (h *objectClient) resourceOf(o metav1.Object) (client dynamic.ResourceInterface, kind schema.GroupVersionKind, err error) {
	if untyped, ok := o.(*unstructured.Unstructured); ok {
		kind = untyped.GroupVersionKind()
	} else {
		kinds, _, err := scheme.Scheme.ObjectKinds(o.(runtime.Object))
		if err != nil {
			return nil, kind, fmt.Errorf("finding the kind of %s: %w", o.GetName(), err)
		}
		kind = kinds[0]
	}
	client, err = h.resource(kind, o.GetNamespace())
	return client, kind, err
}

// delete deletes exactly these objects. One that does not exist is no error.
func (h *objectClient) delete(ctx context.Context, objects []metav1.Object, force bool) error {
	for _, o := range objects {
		client, kind, err := h.resourceOf(o)
		if err != nil {
			return err
		}
		options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(o.GetUID()))}
		if force {
			options.GracePeriodSeconds = new(int64)
		}
		if err := client.Delete(ctx, o.GetName(), options); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("deleting %s %s: %w", kind.Kind, o.GetName(), err)
		}
	}
	return nil
}

// patch merges the fragment into each of the objects.
func (h *objectClient) patch(ctx context.Context, objects []metav1.Object, merge scenario.Fragment) error {
	for _, o := range objects {
		client, kind, err := h.resourceOf(o)
		if err != nil {
			return err
		}
		scaled := merge.Scaled(h.pace)
		h.kinds.Scale(kind, scaled, h.pace)
		data, err := json.Marshal(scaled)
		if err != nil {
			return fmt.Errorf("writing the patch: %w", err)
		}
		if _, err := client.Patch(ctx, o.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: fieldManager}); err != nil {
			return fmt.Errorf("patching %s %s: %w", kind.Kind, o.GetName(), err)
		}
	}
	return nil
}
