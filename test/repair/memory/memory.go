// Package memory is an API server that lives in the test: controller-runtime's fake client, with what the real API server
// does and the fake leaves out, as far as a repair can notice: preconditions, UIDs, pods that end gracefully, eviction and
// PodDisruptionBudgets. test/repair/conformance plays the same calls on both.
//
// It permits everything, validates and defaults nothing, knows no generations, and a pod that was asked to end does so when a test says so.
package memory

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// API is an API server.
type API struct {
	// Client reaches it as a program under test does: through Before and After.
	Client client.WithWatch
	// Direct reaches it past them.
	Direct client.WithWatch
	// Before sees each call before it is done, After each that was; what they return is the caller's answer. nil lets all pass.
	Before, After func(Call) error

	objects atomic.Int64 // that were ever made
}

// Call is one request.
type Call struct {
	// Verb is as in RBAC, with the subresource after a slash, such as "patch/status" or "create/eviction".
	Verb string
	// Kind is the object's.
	Kind string
	Key  types.NamespacedName
}

// Writes says whether the call may change anything.
func (c Call) Writes() bool { return c.Verb != "get" && c.Verb != "list" }

func (c Call) String() string { return fmt.Sprintf("%s %s %s", c.Verb, c.Kind, c.Key) }

// New is an API server that holds objects, whose kinds with a status have it as a subresource.
func New(scheme *runtime.Scheme, withStatus []client.Object, objects ...client.Object) *API {
	a := &API{}
	for _, o := range objects {
		a.born(o)
	}
	// Without managed fields, which are not used here.
	tracker := testing.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	store := remember(fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithStatusSubresource(withStatus...).WithObjects(objects...).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).Build())
	a.Direct = interceptor.NewClient(store, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if review, is := o.(*authorizationv1.SelfSubjectAccessReview); is { // which nothing keeps
				review.Status.Allowed = true
				return nil
			}
			a.born(o)
			return c.Create(ctx, o, opts...)
		},
		Delete: remove,
		SubResourceCreate: func(ctx context.Context, c client.Client, name string, o, sub client.Object, opts ...client.SubResourceCreateOption) error {
			if name != "eviction" {
				return c.SubResource(name).Create(ctx, o, sub, opts...)
			}
			return evict(ctx, store, o, sub, opts...)
		},
	})
	a.Client = a.Connect(a.see)
	return a
}

// born gives an object what the API server gives a new one. UIDs are counted, so that the same calls make the same objects.
func (a *API) born(o client.Object) {
	if o.GetUID() == "" {
		o.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", a.objects.Add(1))))
	}
	if at := o.GetCreationTimestamp(); at.IsZero() {
		o.SetCreationTimestamp(metav1.NewTime(time.Now().Truncate(time.Second)))
	}
}

// kubelet is the finalizer by which a pod stays until its node says that it has ended.
const kubelet = "memory.test/kubelet"

// Ended takes a pod that was asked to end away, as its kubelet does when its containers have stopped. One that was not
// asked stays.
func (a *API) Ended(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp == nil || !controllerutil.RemoveFinalizer(pod, kubelet) {
		return nil
	}
	return client.IgnoreNotFound(a.Direct.Update(ctx, pod))
}

// remove deletes with preconditions; a pod on a node is only asked to end.
func remove(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	now := o.DeepCopyObject().(client.Object)
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), now); err != nil {
		return err
	}
	if err := precondition(c.Scheme(), now, options.Preconditions); err != nil {
		return err
	}
	if pod, ok := now.(*corev1.Pod); ok && len(options.DryRun) == 0 {
		if ended, err := release(ctx, c, pod, options.GracePeriodSeconds); err != nil || ended {
			return client.IgnoreNotFound(err)
		}
	}
	options.Preconditions = nil // Seen to already, and the finalizer has changed the version.
	return client.IgnoreNotFound(c.Delete(ctx, now, &options))
}

// release has a pod wait for its kubelet before it goes, or, where it is not to be waited for, no longer; the pod may be gone
// by that.
func release(ctx context.Context, c client.Client, pod *corev1.Pod, grace *int64) (ended bool, err error) {
	waits := pod.Spec.NodeName != "" && (grace == nil || *grace > 0) &&
		pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
	switch {
	case waits && pod.DeletionTimestamp == nil && controllerutil.AddFinalizer(pod, kubelet):
		return false, c.Update(ctx, pod)
	case !waits && controllerutil.RemoveFinalizer(pod, kubelet):
		return pod.DeletionTimestamp != nil, c.Update(ctx, pod)
	}
	return false, nil
}

func precondition(scheme *runtime.Scheme, now client.Object, p *metav1.Preconditions) error {
	conflict := func(format string, args ...any) error {
		gvk, err := apiutil.GVKForObject(now, scheme)
		if err != nil {
			return err
		}
		return apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, now.GetName(), fmt.Errorf(format, args...))
	}
	switch {
	case p == nil:
		return nil
	case p.UID != nil && *p.UID != now.GetUID():
		return conflict("the UID is %s, not %s", now.GetUID(), *p.UID)
	case p.ResourceVersion != nil && *p.ResourceVersion != now.GetResourceVersion():
		return conflict("the resourceVersion is %s, not %s", now.GetResourceVersion(), *p.ResourceVersion)
	}
	return nil
}
