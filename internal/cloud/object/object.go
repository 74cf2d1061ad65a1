// Package object reads and changes objects of kinds that a cluster may not have, and that naosu knows only in part.
package object

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
)

// List is every object of a kind in the version that the cluster prefers; none if it does not know the kind.
func List(ctx context.Context, c client.Client, kind schema.GroupKind, options ...client.ListOption) ([]unstructured.Unstructured, error) {
	mapping, err := c.RESTMapper().RESTMapping(kind)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, Failed("find", kind, err)
	}
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(mapping.GroupVersionKind.GroupVersion().WithKind(kind.Kind + "List"))
	err = c.List(ctx, &list, options...)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) { // taken away since
		return nil, nil
	}
	return list.Items, Failed("list", kind, err)
}

// Get reads one object; nil if there is none, or no such kind.
func Get(ctx context.Context, c client.Client, kind schema.GroupKind, key client.ObjectKey) (*unstructured.Unstructured, error) {
	mapping, err := c.RESTMapper().RESTMapping(kind)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, Failed("find", kind, err)
	}
	var found unstructured.Unstructured
	found.SetGroupVersionKind(mapping.GroupVersionKind)
	err = c.Get(ctx, key, &found)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, Failed("get", kind, err)
	}
	return &found, nil
}

// Delete deletes an object as it was read and no other. One that is gone or going is left to itself.
func Delete(ctx context.Context, c client.Client, o *unstructured.Unstructured) error {
	if o.GetDeletionTimestamp() != nil {
		return nil
	}
	uid, version := o.GetUID(), o.GetResourceVersion()
	err := c.Delete(ctx, o, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return unwritten("delete", o.GroupVersionKind().GroupKind(), err)
}

// Annotate sets an annotation of an object as it was read.
func Annotate(ctx context.Context, c client.Client, o *unstructured.Unstructured, name, value string) error {
	changed := o.DeepCopy()
	annotations := changed.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	changed.SetAnnotations(annotations)
	err := c.Patch(ctx, changed, client.MergeFromWithOptions(o, client.MergeFromWithOptimisticLock{}))
	return unwritten("annotate", o.GroupVersionKind().GroupKind(), err)
}

// Failed wraps an error of a call that changes nothing: it is ErrPassing where a later try may fare better, and a RefusedError
// where the API server answered that it will not do it. Nil stays nil.
func Failed(verb string, kind schema.GroupKind, err error) error {
	switch code := answered(err); {
	case err == nil:
		return nil
	case code == 0 && ended(err):
		return fmt.Errorf("%s %s: %w", verb, kind, err)
	case code > 0 && code < http.StatusInternalServerError && !turnedAway(code):
		return &cloud.RefusedError{Permission: lacking(err), Err: fmt.Errorf("%s %s: %w", verb, kind, err)}
	}
	return fmt.Errorf("%s %s: %w: %w", verb, kind, cloud.ErrPassing, err)
}

// unwritten wraps an error of a call that changes something: it is ErrUnsure where no answer tells that it was not done.
func unwritten(verb string, kind schema.GroupKind, err error) error {
	code := answered(err)
	switch {
	case code == http.StatusNotFound: // gone since it was read, as who looks again will see
		return fmt.Errorf("%s %s: %w: %w", verb, kind, cloud.ErrPassing, err)
	case err == nil, code > 0 && code < http.StatusInternalServerError:
		return Failed(verb, kind, err)
	}
	return fmt.Errorf("%s %s: %w: %w", verb, kind, cloud.ErrUnsure, err)
}

// answered is the HTTP status of the API server's answer, 0 if there was none.
func answered(err error) int32 {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return 0
	}
	return answer.Status().Code
}

// turnedAway are answers that may be others in a moment: the object was changed meanwhile, there are too many requests, or the
// token has expired and is about to be read anew.
func turnedAway(code int32) bool {
	return code == http.StatusConflict || code == http.StatusTooManyRequests || code == http.StatusUnauthorized
}

// unauthorized is how the API server says which right is missing, where no admission webhook says something else.
//
// Source: forbiddenMessage in k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go.
var unauthorized = regexp.MustCompile(`cannot (\S+) resource "([^"]+)" in API group "([^"]*)"`)

// lacking is the permission that the API server says is missing, such as delete nodeclaims.karpenter.sh; empty if none is.
func lacking(err error) string {
	said := unauthorized.FindStringSubmatch(err.Error())
	if said == nil || !apierrors.IsForbidden(err) {
		return ""
	}
	return said[1] + " " + schema.GroupResource{Group: said[3], Resource: said[2]}.String()
}

func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// May asks the API server whether naosu may do something to objects of a kind, in a namespace or, where it is empty, in
// the cluster.
func May(ctx context.Context, c client.Client, verb string, kind schema.GroupKind, namespace string) (cloud.Permission, error) {
	mapping, err := c.RESTMapper().RESTMapping(kind)
	if meta.IsNoMatchError(err) {
		return cloud.Permission{}, fmt.Errorf("%w: %w", cloud.ErrNotOffered, err)
	}
	if err != nil {
		return cloud.Permission{}, Failed("find", kind, err)
	}
	resource := mapping.Resource.GroupResource()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: resource.Group, Resource: resource.Resource, Namespace: namespace,
		},
	}}
	if err := c.Create(ctx, review); err != nil {
		return cloud.Permission{}, Failed("review the access to", kind, err)
	}
	args := message.Args{"verb": verb, "resource": resource.String()}
	if review.Status.Allowed {
		return cloud.Permission{May: v1alpha1.MayYes, Why: message.Of(message.CloudAccessAllowed, args)}, nil
	}
	return cloud.Permission{May: v1alpha1.MayNo, Why: message.Of(message.CloudAccessDenied, args)}, nil
}

// Unread is a repairer of which it cannot be said what it does to nodes. A fault that may pass, or that meets everything,
// it hands back instead.
func Unread(r cloud.Repairer, err error) ([]cloud.Repairer, error) {
	if errors.Is(err, cloud.ErrPassing) || ended(err) {
		return nil, err
	}
	r.Unknown = message.Of(message.CloudUnread, message.Args{"what": r.By.String(), "words": err.Error()})
	return []cloud.Repairer{r}, nil
}

// Selects says whether a label selector, as objects hold one, selects labels.
func Selects(fields map[string]any, set map[string]string) (bool, error) {
	var stated metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &stated); err != nil {
		return false, fmt.Errorf("read a selector: %w", err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&stated)
	if err != nil {
		return false, fmt.Errorf("read a selector: %w", err)
	}
	return selector.Matches(labels.Set(set)), nil
}
