// Package discover finds out who runs a cluster's machines. What is not there is left out, and what cannot be asked is
// named.
package discover

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/aws"
)

// Options say where to look.
type Options struct {
	// Client reads and changes the objects of those who run machines as such. Its reads should not be cached: a cache would
	// watch kinds that may come and go.
	Client client.Client
	// EKSCluster is the EKS cluster's name; without it, labels of nodes and tags of instances tell.
	EKSCluster string
}

// Discover takes about a second at most.
func Discover(ctx context.Context, o Options) (cloud.Providers, []cloud.Gap) {
	var found cloud.Providers
	var gaps []cloud.Gap
	if p, gap := aws.New(ctx, aws.Options{Cluster: o.EKSCluster}); gap != nil {
		gaps = append(gaps, *gap)
	} else {
		found = append(found, p)
	}
	return found, gaps
}
