package testworld

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// VPCCNI is the DaemonSet of the VPC CNI without a warm pool: a node fills an interface, and attaches another once pods use all its addresses.
func VPCCNI() *appsv1.DaemonSet {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: addresses.Plugin}}
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "aws-node"}}
	set.Spec.Template.Labels = set.Spec.Selector.MatchLabels
	set.Spec.Template.Spec = corev1.PodSpec{
		HostNetwork: true, NodeSelector: map[string]string{"none": "none"},
		Containers: []corev1.Container{{Name: addresses.Plugin, Env: []corev1.EnvVar{{Name: "WARM_ENI_TARGET", Value: "0"}}}},
	}
	return set
}

// Network is that of the world's nodes, whose provider IDs and pods' addresses it sets: each has an interface with four addresses, three of them for pods, in the subnet of its zone, and may have
// another. So many addresses are free in each subnet.
func (o Objects) Network(free map[string]int64) cloud.Network {
	n := cloud.Network{}
	group := cloud.ScalingGroup{Name: "workers", Max: 9}
	for _, zone := range slices.Sorted(maps.Keys(free)) {
		n.Subnets = append(n.Subnets, cloud.Subnet{ID: "subnet-" + zone, Zone: zone, VPC: "vpc", CIDR: "10.0.0.0/16", Free: free[zone]})
		group.Subnets = append(group.Subnets, "subnet-"+zone)
	}
	at := map[string]int{}
	for _, object := range o {
		node, ok := object.(*corev1.Node)
		if !ok {
			continue
		}
		third := len(n.Instances)
		at[node.Name], node.Spec.ProviderID = third, "aws:///x/i-"+node.Name
		subnet := "subnet-" + cluster.Zone(node)
		n.Instances = append(n.Instances, cloud.Instance{ID: "i-" + node.Name, Subnet: subnet, VPC: "vpc", Group: group.Name, MaxInterfaces: 2, AddressesPerInterface: 4})
		i := cloud.Interface{ID: "eni-" + node.Name, Subnet: subnet, AttachedTo: "i-" + node.Name, State: cloud.InterfaceInUse, Type: cloud.InterfacePlain, Primary: true}
		for fourth := range 4 {
			i.Addresses = append(i.Addresses, fmt.Sprintf("10.0.%d.%d", third, fourth))
		}
		n.Interfaces = append(n.Interfaces, i)
	}
	pods := map[string]int{}
	for _, object := range o {
		if pod, ok := object.(*corev1.Pod); ok && addresses.UsesAddress(pod) && pod.Status.Phase == corev1.PodRunning {
			pods[pod.Spec.NodeName]++
			pod.Status.PodIP = fmt.Sprintf("10.0.%d.%d", at[pod.Spec.NodeName], pods[pod.Spec.NodeName])
		}
	}
	n.Groups = append(n.Groups, group)
	return n
}

// JudgeOn is Judge with a network.
func (o Objects) JudgeOn(t testing.TB, n cloud.Network) *scheduling.Judge {
	t.Helper()
	judge, err := scheduling.New(t.Context(), o.snapshot().WithNetwork(n), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}
