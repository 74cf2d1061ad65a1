// Package object reads and changes objects of kinds that may not be installed, and of which naosu has no Go types.
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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// List lists the objects of a kind in the version that the API server prefers; none if the kind is not installed.
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
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) { // uninstalled meanwhile
		return nil, nil
	}
	return list.Items, Failed("list", kind, err)
}

// Get reads one object; nil if there is none, or if the kind is not installed.
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

// Delete deletes an object with the UID and resource version that were read. One that is gone or being deleted is no error.
func Delete(ctx context.Context, c client.Client, o *unstructured.Unstructured) error {
	if o.GetDeletionTimestamp() != nil {
		return nil
	}
	uid, version := o.GetUID(), o.GetResourceVersion()
	err := c.Delete(ctx, o, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return writeFailed("delete", o.GroupVersionKind().GroupKind(), err)
}

// Annotate sets an annotation of an object, if it still has the resource version that was read.
func Annotate(ctx context.Context, c client.Client, o *unstructured.Unstructured, name, value string) error {
	changed := o.DeepCopy()
	annotations := changed.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	changed.SetAnnotations(annotations)
	err := c.Patch(ctx, changed, client.MergeFromWithOptions(o, client.MergeFromWithOptimisticLock{}))
	return writeFailed("annotate", o.GroupVersionKind().GroupKind(), err)
}

// Failed wraps an error of a request that changes nothing: it is ErrPassing if a later one may succeed, and a RefusedError if the API server
// rejected it. Nil stays nil.
func Failed(verb string, kind schema.GroupKind, err error) error {
	switch code := answered(err); {
	case err == nil:
		return nil
	case code == 0 && ended(err):
		return fmt.Errorf("%s %s: %w", verb, kind, err)
	case code > 0 && code < http.StatusInternalServerError && !isTransient(code):
		return &cloud.RefusedError{Permission: missingPermission(err), Err: fmt.Errorf("%s %s: %w", verb, kind, err)}
	}
	return fmt.Errorf("%s %s: %w: %w", verb, kind, cloud.ErrPassing, err)
}

// writeFailed wraps an error of a request that changes something: it is ErrUnsure unless an answer says that it was not carried out.
func writeFailed(verb string, kind schema.GroupKind, err error) error {
	code := answered(err)
	switch {
	case code == http.StatusNotFound: // deleted since it was read
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

// isTransient says whether a later request may succeed: the object was changed meanwhile, there are too many requests, or the token has expired
// and will be read anew.
func isTransient(code int32) bool {
	return code == http.StatusConflict || code == http.StatusTooManyRequests || code == http.StatusUnauthorized
}

// unauthorized matches the API server's message about a missing permission.
//
// Source: forbiddenMessage in k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go.
var unauthorized = regexp.MustCompile(`cannot (\S+) resource "([^"]+)" in API group "([^"]*)"`)

// missingPermission is the permission that an error names as missing, such as delete nodeclaims.karpenter.sh; empty if it names none.
func missingPermission(err error) string {
	said := unauthorized.FindStringSubmatch(err.Error())
	if said == nil || !apierrors.IsForbidden(err) {
		return ""
	}
	return said[1] + " " + schema.GroupResource{Group: said[3], Resource: said[2]}.String()
}

func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// May asks the API server, by a SelfSubjectAccessReview, whether naosu may use a verb on objects of a kind, in a namespace or, if it is empty, in
// all.
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

	if review.Status.Allowed {
		return cloud.Permission{May: v1alpha1.MayYes, Why: sentence.CloudAccessAllowed(verb, resource.String())}, nil
	}
	return cloud.Permission{May: v1alpha1.MayNo, Why: sentence.CloudAccessDenied(verb, resource.String())}, nil
}

// UnknownRepairer is a repairer of which it is unknown what it does to nodes. An error that is transient, or that all requests would have, is
// returned instead.
func UnknownRepairer(r cloud.Repairer, err error) ([]cloud.Repairer, error) {
	if errors.Is(err, cloud.ErrPassing) || ended(err) {
		return nil, err
	}
	r.Unknown = sentence.CloudUnread(r.By.String(), err.Error())
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
