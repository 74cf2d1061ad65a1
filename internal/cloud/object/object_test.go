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
	}{
		"none":              {},
		"no answer":         {err: errors.New("connection refused"), passes: true, unsure: true},
		"the caller's end":  {err: context.Canceled, unsure: true},
		"server fails":      {err: apierrors.NewInternalError(errors.New("etcd")), passes: true, unsure: true},
		"server is slow":    {err: apierrors.NewServerTimeout(resource, "delete", 1), passes: true, unsure: true},
		"too many requests": {err: apierrors.NewTooManyRequestsError("busy"), passes: true, passesWritten: true},
		"changed":           {err: apierrors.NewConflict(resource, "a", errors.New("changed")), passes: true, passesWritten: true},
		"not permitted":     {err: apierrors.NewForbidden(resource, "a", errors.New("no"))},
		"not valid":         {err: apierrors.NewBadRequest("no")},
	} {
		t.Run(name, func(t *testing.T) {
			kind := schema.GroupKind{Kind: "Machine"}
			read, written := Failed("list", kind, tc.err), unwritten("delete", kind, tc.err)
			if (read == nil) != (tc.err == nil) || (written == nil) != (tc.err == nil) {
				t.Fatalf("of %v: %v, %v", tc.err, read, written)
			}
			if got := errors.Is(read, cloud.ErrPassing); got != tc.passes {
				t.Errorf("read: passes %t, want %t", got, tc.passes)
			}
			if got := errors.Is(written, cloud.ErrPassing); got != tc.passesWritten {
				t.Errorf("written: passes %t, want %t", got, tc.passesWritten)
			}
			if got := errors.Is(written, cloud.ErrUnsure); got != tc.unsure {
				t.Errorf("written: unsure %t, want %t", got, tc.unsure)
			}
		})
	}
}
