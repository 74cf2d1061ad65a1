// Package discover finds the providers of a cluster's machines, and those that could not be used.
package discover

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/cloud/clusterapi"
	"github.com/naosu-dev/naosu/internal/cloud/gke"
	"github.com/naosu-dev/naosu/internal/cloud/karpenter"
	"github.com/naosu-dev/naosu/internal/cloud/medik8s"
)

// Options say where to look.
type Options struct {
	// Client reads and changes objects of Cluster API, Karpenter and medik8s. It should not cache: a cache would watch kinds that may not be
	// installed.
	Client client.Client
	// EKSCluster is the EKS cluster's name; if empty, it is read from labels of nodes and tags of instances.
	EKSCluster string
}

// Discover takes about a second at most. Providers that use objects of the cluster are always returned: they own nothing until their kinds are
// installed. AWS is returned if there are credentials and a region, and is otherwise a gap.
func Discover(ctx context.Context, o Options) (cloud.Providers, []cloud.Gap) {
	// Those that manage machines come before those that run them.
	found := cloud.Providers{karpenter.New(o.Client), clusterapi.New(o.Client), medik8s.New(o.Client), gke.Provider{}}
	p, gap := aws.New(ctx, aws.Options{Cluster: o.EKSCluster})
	if gap != nil {
		return append(found, aws.NoAccess{Why: gap.Why}), []cloud.Gap{*gap}
	}
	return append(found, p), nil
}

// DeleterIn is the provider that deletes network interfaces; nil if there is none, or no access to it.
func DeleterIn(providers cloud.Providers, _ []cloud.Gap) cloud.InterfaceDeleter {
	for _, p := range providers {
		if deleter, is := p.(cloud.InterfaceDeleter); is {
			return deleter
		}
	}
	return nil
}

// SizerIn is the provider that sizes node groups; nil if there is none, or no access to it.
func SizerIn(providers cloud.Providers, _ []cloud.Gap) cloud.NodeGroupSizer {
	for _, p := range providers {
		if sizer, is := p.(cloud.NodeGroupSizer); is {
			return sizer
		}
	}
	return nil
}

// ReadNetwork reads the network of machines; false if they are of no cloud whose network naosu reads. It takes no longer than the context allows,
// and about a second if there are no credentials.
func ReadNetwork(ctx context.Context, machines []cloud.Machine) (cloud.Network, bool) {
	reader := networkReader(ctx, machines)
	if reader == nil {
		return cloud.Network{}, false
	}
	return reader.Network(ctx, machines), true
}

// ReadScalingGroups is ReadNetwork of what a cloud tells of node groups only.
func ReadScalingGroups(ctx context.Context, machines []cloud.Machine) (cloud.Network, bool) {
	reader := networkReader(ctx, machines)
	if reader == nil {
		return cloud.Network{}, false
	}
	return reader.ScalingGroups(ctx, machines), true
}

// networkReader reads the network of machines; nil if they are of no cloud whose network naosu reads.
func networkReader(ctx context.Context, machines []cloud.Machine) cloud.NetworkReader {
	if !slices.ContainsFunc(machines, aws.NoAccess{}.Owns) {
		return nil
	}
	p, gap := aws.New(ctx, aws.Options{})
	if gap != nil {
		return aws.NoAccess{Why: gap.Why}
	}
	return p
}
