package object

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// TestFaults: what may pass, and whether anything may have been done.
func TestFaults(t *testing.T) {
	resource := schema.GroupResource{Resource: "machines"}
	for name, tc := range map[string]struct {
		err                           error
		passes, passesWritten, unsure bool
		// refused is whether it is a refusal, lacks the permission that it names.
		refused bool
		lacks   string
	}{
		"none":              {},
		"no answer":         {err: errors.New("connection refused"), passes: true, unsure: true},
		"the caller's end":  {err: context.Canceled, unsure: true},
		"server fails":      {err: apierrors.NewInternalError(errors.New("etcd")), passes: true, unsure: true},
		"server is slow":    {err: apierrors.NewServerTimeout(resource, "delete", 1), passes: true, unsure: true},
		"too many requests": {err: apierrors.NewTooManyRequestsError("busy"), passes: true, passesWritten: true},
		"changed":           {err: apierrors.NewConflict(resource, "a", errors.New("changed")), passes: true, passesWritten: true},
		"token has expired": {err: apierrors.NewUnauthorized("Unauthorized"), passes: true, passesWritten: true},
		"not permitted": {
			err: apierrors.NewForbidden(schema.GroupResource{Group: "karpenter.sh", Resource: "nodeclaims"}, "a", errors.New(
				`User "system:serviceaccount:naosu-system:naosu-controller" cannot delete resource "nodeclaims" in API group "karpenter.sh" at the cluster scope`,
			)), refused: true, lacks: "delete nodeclaims.karpenter.sh",
		},
		"a webhook says no": {
			err: apierrors.NewForbidden(resource, "a", errors.New(`admission webhook "keep.example.com" denied the request: keep it`)), refused: true,
		},
		"not valid": {err: apierrors.NewBadRequest(`User "a" cannot delete resource "b" in API group "c"`), refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			kind := schema.GroupKind{Kind: "Machine"}
			read, written := Failed("list", kind, tc.err), writeFailed("delete", kind, tc.err)
			if (read == nil) != (tc.err == nil) || (written == nil) != (tc.err == nil) {
				t.Fatalf("of %v: %v, %v", tc.err, read, written)
			}
			if got := errors.Is(read, cloud.ErrPassing); got != tc.passes {
				t.Errorf("read: passes %t, want %t", got, tc.passes)
			}
			if got := errors.Is(written, cloud.ErrPassing); got != tc.passesWritten {
				t.Errorf("written: passes %t, want %t", got, tc.passesWritten)
			}
			for _, err := range []error{read, written} {
				refusal, refused := errors.AsType[*cloud.RefusedError](err)
				if refused != tc.refused || refused && (refusal.Permission != tc.lacks || !errors.Is(err, tc.err)) {
					t.Errorf("%v: refused %t, %+v; want %t for want of %q", err, refused, refusal, tc.refused, tc.lacks)
				}
			}
			if got := errors.Is(written, cloud.ErrUnsure); got != tc.unsure {
				t.Errorf("written: unsure %t, want %t", got, tc.unsure)
			}
		})
	}
}

// What is gone when it is to be changed is seen to be gone by who looks again.
func TestGoneMeanwhile(t *testing.T) {
	err := writeFailed("annotate", schema.GroupKind{Kind: "Machine"}, apierrors.NewNotFound(schema.GroupResource{Resource: "machines"}, "a"))
	if !errors.Is(err, cloud.ErrPassing) || errors.Is(err, cloud.ErrUnsure) {
		t.Errorf("%v, want ErrPassing and not ErrUnsure", err)
	}
}
