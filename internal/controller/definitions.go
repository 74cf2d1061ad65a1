package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// ErrNoDefinitions is that the cluster does not know naosu's resources.
var ErrNoDefinitions = errors.New("naosu's custom resource definitions are not installed in the cluster")

// The API server serves a definition some time after it accepted it, five seconds later if there are several API servers
// (kube-apiserver's establishing controller).
const (
	definitionsPollInterval = time.Second
	definitionsTimeout      = 15 * time.Second
)

// waitForDefinitions waits until the API server serves naosu's resources. It returns ErrNoDefinitions if it does not in definitionsTimeout.
func waitForDefinitions(ctx context.Context, ask discovery.DiscoveryInterface, log logr.Logger) error {
	waiting := false
	err := wait.PollUntilContextTimeout(ctx, definitionsPollInterval, definitionsTimeout, true, func(context.Context) (bool, error) {
		served, err := definitionsServed(ask)
		if err == nil && !served && !waiting {
			waiting = true
			log.Info("waiting for naosu's custom resource definitions", "timeout", definitionsTimeout)
		}
		return served, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return ErrNoDefinitions
	}
	return err
}

// definitionsServed is whether the API server serves all of naosu's resources.
func definitionsServed(ask discovery.DiscoveryInterface) (bool, error) {
	served, err := ask.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("asking for naosu's resources: %w", err)
	}
	kinds := map[string]bool{}
	for _, one := range served.APIResources {
		kinds[one.Kind] = true
	}
	for _, needed := range []string{v1alpha1.AddressPolicyKind, v1alpha1.FailoverPolicyKind, v1alpha1.HeadroomPolicyKind, v1alpha1.NodeRepairPolicyKind, v1alpha1.RebalancePolicyKind, "Remediation"} {
		if !kinds[needed] {
			return false, nil
		}
	}
	return true, nil
}
