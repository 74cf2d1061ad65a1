package requeue

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAfter(t *testing.T) {
	conflict := fmt.Errorf("write: %w", apierrors.NewConflict(schema.GroupResource{Resource: "nodes"}, "n1", errors.New("changed")))
	for name, tc := range map[string]struct {
		err  error
		want time.Duration
	}{"no error": {nil, time.Minute}, "a conflict": {conflict, SyncRetry}, "another error": {errors.New("no"), errorRetry}} {
		if got := After(t.Context(), time.Minute, tc.err).RequeueAfter; got != tc.want {
			t.Errorf("%s: after %v, want %v", name, got, tc.want)
		}
	}
}
