// Package own reads naosu's own resources, which no Snapshot holds: what is held back of a repair at this moment belongs to
// the answer of whoever asks about nodes.
package own

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
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

// connected is the way to a cluster's own resources. It does not ask first which kinds there are: that would cost more than
// the reading, on every cluster that naosu is not installed in.
func connected(getter genericclioptions.RESTClientGetter) (client.Reader, error) {
	config, err := connect.Config(getter)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("make a scheme: %w", err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"NodeRepairPolicy", "Remediation"} {
		mapper.Add(v1alpha1.GroupVersion.WithKind(kind), meta.RESTScopeRoot)
	}
	reader, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return reader, nil
}
