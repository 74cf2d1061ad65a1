package agreement

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// slow is a resource of an API server that deletes one page with each request, and answers some with errors first.
type slow struct {
	dynamic.ResourceInterface
	objects, stuck int64 // stuck are those that cannot be deleted
	errs           []error
}

func (s *slow) DeleteCollection(_ context.Context, _ metav1.DeleteOptions, o metav1.ListOptions) error {
	if len(s.errs) > 0 {
		err := s.errs[0]
		s.errs = s.errs[1:]
		return err
	}
	s.objects = max(s.objects-o.Limit, s.stuck)
	return nil
}

func (s *slow) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return &unstructured.UnstructuredList{Items: make([]unstructured.Unstructured, min(s.objects, 1))}, nil
}

func TestDeleteAll(t *testing.T) {
	timeout := apierrors.NewTimeoutError("the request did not complete", 0)
	tests := []struct {
		name    string
		server  slow
		wantErr string
	}{
		{name: "nothing"},
		{name: "several pages", server: slow{objects: 10_300}},
		{name: "too slow, and asked for too much", server: slow{objects: 10_300, errs: []error{timeout, apierrors.NewTooManyRequests("later", 1), timeout}}},
		{name: "refused", server: slow{objects: 1, errs: []error{timeout, errors.New("no access")}}, wantErr: "no access"},
		{name: "one that stays", server: slow{objects: 10_300, stuck: 1, errs: []error{timeout}}, wantErr: "some are left after 10m0s: context deadline exceeded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := deleteAll(t.Context(), &test.server)
				switch {
				case test.wantErr == "" && (err != nil || test.server.objects != 0):
					t.Errorf("%d objects are left: %v", test.server.objects, err)
				case test.wantErr != "" && (err == nil || !strings.HasPrefix(err.Error(), test.wantErr)):
					t.Errorf("error %v, want %s", err, test.wantErr)
				}
			})
		})
	}
}
