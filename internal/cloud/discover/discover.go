// Package discover finds out who runs a cluster's machines. What is not there is left out, and what cannot be asked is
// named.
package discover

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/cloud/clusterapi"
	"github.com/naosu-dev/naosu/internal/cloud/karpenter"
	"github.com/naosu-dev/naosu/internal/cloud/medik8s"
)

// Options say where to look.
type Options struct {
	// Client reads and changes the objects of those who run machines as such. Its reads should not be cached: a cache would
	// watch kinds that may come and go.
	Client client.Client
	// EKSCluster is the EKS cluster's name; without it, labels of nodes and tags of instances tell.
	EKSCluster string
}

// Discover takes about a second at most. Those that work by objects of the cluster are always there: they own nothing until
// their kinds are installed. AWS is asked for if it can be, and is otherwise a gap.
func Discover(ctx context.Context, o Options) (cloud.Providers, []cloud.Gap) {
	// Who manages machines comes before who runs them.
	found := cloud.Providers{karpenter.New(o.Client), clusterapi.New(o.Client), medik8s.New(o.Client)}
	p, gap := aws.New(ctx, aws.Options{Cluster: o.EKSCluster})
	if gap != nil {
		return append(found, aws.Blind{Why: gap.Why}), []cloud.Gap{*gap}
	}
	return append(found, p), nil
}
