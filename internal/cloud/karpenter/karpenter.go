// Package karpenter replaces Karpenter's machines by deleting NodeClaims, and reads whether Karpenter repairs nodes itself.
package karpenter

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
)

// +kubebuilder:rbac:groups=karpenter.sh,resources=nodeclaims,verbs=list;delete
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list

// name is that of the provider.
const name = "karpenter"

var nodeClaim = schema.GroupKind{Group: "karpenter.sh", Kind: "NodeClaim"}

// Labels of nodes: those that Karpenter has registered, and those of EKS Auto Mode, whose Karpenter is EKS's.
// https://karpenter.sh/docs/concepts/nodeclaims/
const (
	labelRegistered = "karpenter.sh/registered"
	labelPool       = "karpenter.sh/nodepool"
	labelCompute    = "eks.amazonaws.com/compute-type"
)

// Provider is Karpenter. It is safe for concurrent use.
type Provider struct{ client client.Client }

var _ interface {
	cloud.Provider
	cloud.Replacer
	cloud.Permitter
	cloud.Repairers
} = (*Provider)(nil)

// New returns a provider that owns nothing where Karpenter is not installed.
func New(c client.Client) *Provider { return &Provider{c} }

// Name is karpenter.
func (p *Provider) Name() string { return name }

// Owns says whether Karpenter has registered a node.
func (p *Provider) Owns(m cloud.Machine) bool {
	_, pool := m.Labels[labelPool]
	return pool || m.Labels[labelRegistered] == "true"
}

// Replace deletes the NodeClaim: Karpenter then drains the node, terminates the machine, and launches another if pods are pending. A node without
// a NodeClaim is being deleted already.
// https://karpenter.sh/docs/concepts/disruption/#manual-methods
func (p *Provider) Replace(ctx context.Context, m cloud.Machine) (cloud.Operation, error) {
	claim, err := p.claim(ctx, m)
	if err != nil || claim == nil {
		return cloud.Operation{}, err
	}
	if err := object.Delete(ctx, p.client, claim); err != nil {
		return cloud.Operation{}, err
	}
	return cloud.Operation{ID: string(claim.GetUID())}, nil
}

// May asks the API server whether NodeClaims may be deleted.
func (p *Provider) May(ctx context.Context, action v1alpha1.Action, _ cloud.Machine) (cloud.Permission, error) {
	if action != v1alpha1.ActionReplace {
		return cloud.Permission{}, cloud.ErrNotOffered
	}
	return object.May(ctx, p.client, "delete", nodeClaim, "")
}

// claim is the NodeClaim of a machine, nil if there is none. Machines are identified by provider ID, because names of nodes may be reused.
func (p *Provider) claim(ctx context.Context, m cloud.Machine) (*unstructured.Unstructured, error) {
	if m.ProviderID == "" {
		return nil, fmt.Errorf("the node %s has no provider ID", m.Node)
	}
	claims, err := object.List(ctx, p.client, nodeClaim)
	if err != nil {
		return nil, err
	}
	for i := range claims {
		if id, _, _ := unstructured.NestedString(claims[i].Object, "status", "providerID"); id == m.ProviderID {
			return &claims[i], nil
		}
	}
	return nil, nil
}
