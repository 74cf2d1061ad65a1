package nodecontroller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/naosu-dev/naosu/lab/cloud"
)

const providerName = "aws"

// provider answers as k8s.io/cloud-provider-aws does (pkg/providers/v1/instances_v2.go).
type provider struct {
	cloud *cloud.Cloud
}

var (
	_ cloudprovider.Interface   = provider{}
	_ cloudprovider.InstancesV2 = provider{}
)

// InstanceExists is false for an instance that is terminated or no longer described, and an error, upon which nothing happens, for
// a Node that never had an instance.
func (p provider) InstanceExists(_ context.Context, node *corev1.Node) (bool, error) {
	id, err := p.instanceID(node)
	if err != nil {
		return false, err
	}
	instance, found := p.cloud.Instance(id)
	return found && instance.State != cloud.Terminated, nil
}

// InstanceShutdown is true once an instance has stopped, not while it is stopping.
func (p provider) InstanceShutdown(_ context.Context, node *corev1.Node) (bool, error) {
	id, err := p.instanceID(node)
	if err != nil {
		return false, err
	}
	instance, _ := p.cloud.Instance(id)
	return instance.State == cloud.Stopped, nil
}

func (p provider) InstanceMetadata(_ context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	id, err := p.instanceID(node)
	if err != nil {
		return nil, err
	}
	instance, found := p.cloud.Instance(id)
	if !found {
		return nil, fmt.Errorf("instance %s of node %s: %w", id, node.Name, cloudprovider.InstanceNotFound)
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID:    providerID(instance),
		InstanceType:  instance.Type,
		Zone:          instance.Zone,
		Region:        p.cloud.Region(),
		NodeAddresses: addresses(node, instance),
	}, nil
}

// addresses are the instance's; a node that has been initialised keeps those it has.
func addresses(node *corev1.Node, instance cloud.Instance) []corev1.NodeAddress {
	uninitialised := func(t corev1.Taint) bool { return t.Key == cloudproviderapi.TaintExternalCloudProvider }
	if len(node.Status.Addresses) > 0 && !slices.ContainsFunc(node.Spec.Taints, uninitialised) {
		return node.Status.Addresses
	}
	return []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: instance.PrivateIP},
		{Type: corev1.NodeInternalDNS, Address: instance.NodeName},
		{Type: corev1.NodeHostName, Address: instance.NodeName},
	}
}

// instanceID reads a node's providerID, or finds the instance with the node's name while it has none, or one of
// another cloud.
func (p provider) instanceID(node *corev1.Node) (string, error) {
	if strings.HasPrefix(node.Spec.ProviderID, providerName+"://") {
		return parseProviderID(node.Spec.ProviderID)
	}
	instance, found := p.cloud.InstanceByNode(node.Name)
	if !found {
		return "", fmt.Errorf("node %s: %w", node.Name, cloudprovider.InstanceNotFound)
	}
	return instance.ID, nil
}

// providerID is such as aws:///us-east-1a/i-0123456789abcdef0.
func providerID(i cloud.Instance) string {
	return fmt.Sprintf("%s:///%s/%s", providerName, i.Zone, i.ID)
}

func parseProviderID(id string) (string, error) {
	instance := id[strings.LastIndex(id, "/")+1:]
	if !strings.HasPrefix(instance, "i-") {
		return "", fmt.Errorf("reading providerID %q: not an EC2 instance", id)
	}
	return instance, nil
}

// What follows is what a provider may offer and this one does not.

func (p provider) InstancesV2() (cloudprovider.InstancesV2, bool) { return p, true }

func (provider) ProviderName() string { return providerName }

func (provider) HasClusterID() bool                                                    { return true }
func (provider) Initialize(_ cloudprovider.ControllerClientBuilder, _ <-chan struct{}) {}
func (provider) Instances() (cloudprovider.Instances, bool)                            { return nil, false }

func (provider) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return nil, false }

func (provider) Zones() (cloudprovider.Zones, bool) { return nil, false }

func (provider) Clusters() (cloudprovider.Clusters, bool) { return nil, false }

func (provider) Routes() (cloudprovider.Routes, bool) { return nil, false }
