// Package own reads naosu's own resources, which no Snapshot holds: what is held back of a repair at this moment belongs to
// the answer of whoever asks about nodes.
package own

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Resources are naosu's own.
type Resources struct {
	Policies     []v1alpha1.NodeRepairPolicy
	Remediations []v1alpha1.Remediation
}

// List reads all of them. With an error it returns what could be read before.
func List(ctx context.Context, reader client.Reader) (Resources, error) {
	var policies v1alpha1.NodeRepairPolicyList
	if err := reader.List(ctx, &policies); err != nil {
		return Resources{}, err
	}
	var remediations v1alpha1.RemediationList
	err := reader.List(ctx, &remediations)
	return Resources{policies.Items, remediations.Items}, err
}

// Absent says whether the API server does not know a kind.
func Absent(err error) bool {
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err)
}
