package own

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// User is the name of the person as the API server knows it.
func User(ctx context.Context, objects connect.Objects) (string, error) {
	var self authenticationv1.SelfSubjectReview
	if err := objects.Create(ctx, &self); err != nil {
		return "", exit.Talking(objects.Host, err)
	}
	return self.Status.UserInfo.Username, nil
}

// Decide sets a person's decision about a Remediation, in their name.
func Decide(ctx context.Context, objects connect.Objects, r *v1alpha1.Remediation, decision v1alpha1.Approval, user string) error {
	before := r.DeepCopy()
	r.Spec.Approval, r.Spec.ApprovedBy = decision, user
	err := objects.Patch(ctx, r, client.MergeFrom(before))
	switch {
	case apierrors.IsForbidden(err):
		return exit.Failure(sentence.ApproveForbidden(user, err.Error()))
	case err != nil:
		return exit.Talking(objects.Host, err)
	}
	return nil
}
