package nodecontroller

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/naosu-dev/naosu/lab/cloud"
)

func oneInstance(t *testing.T) (*cloud.Cloud, cloud.Instance) {
	t.Helper()
	c, err := cloud.New(cloud.Options{InstantStart: true, Spec: cloud.Spec{
		Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 1, Zones: []string{"us-east-1b"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Instances()[0]
}

func nodeNamed(name, providerID string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: providerID}}
}

func TestInstanceExists(t *testing.T) {
	c, i := oneInstance(t)
	tests := map[string]struct {
		node   *corev1.Node
		exists bool
		fails  bool
	}{
		"by providerID":            {node: nodeNamed("renamed", providerID(i)), exists: true},
		"by name":                  {node: nodeNamed(i.NodeName, ""), exists: true},
		"forgotten":                {node: nodeNamed(i.NodeName, "aws:///us-east-1b/i-0123456789abcdef0")},
		"made by a person":         {node: nodeNamed("laptop", ""), fails: true},
		"another cloud's, played":  {node: nodeNamed(i.NodeName, "gce://project/zone/vm"), exists: true},
		"of another cloud":         {node: nodeNamed("vm", "gce://project/zone/vm"), fails: true},
		"an unreadable providerID": {node: nodeNamed("odd", "aws:///us-east-1b/"), fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			exists, err := provider{c}.InstanceExists(t.Context(), test.node)
			if exists != test.exists || (err != nil) != test.fails {
				t.Errorf("got %t, %v; want %t, failing %t", exists, err, test.exists, test.fails)
			}
		})
	}
}

func TestInstanceMetadata(t *testing.T) {
	c, i := oneInstance(t)
	got, err := provider{c}.InstanceMetadata(t.Context(), nodeNamed(i.NodeName, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := &cloudprovider.InstanceMetadata{
		ProviderID: "aws:///us-east-1b/" + i.ID, InstanceType: "m5.large", Zone: "us-east-1b", Region: "us-east-1",
		NodeAddresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: i.PrivateIP},
			{Type: corev1.NodeInternalDNS, Address: i.NodeName},
			{Type: corev1.NodeHostName, Address: i.NodeName},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	settled := nodeNamed(i.NodeName, "")
	settled.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: i.PrivateIP}, {Type: corev1.NodeExternalIP, Address: "192.0.2.7"}}
	got, err = provider{c}.InstanceMetadata(t.Context(), settled)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settled.Status.Addresses, got.NodeAddresses); diff != "" {
		t.Errorf("addresses of a node that has some (-want +got):\n%s", diff)
	}
	if _, err := (provider{c}).InstanceMetadata(t.Context(), nodeNamed("laptop", "")); !errors.Is(err, cloudprovider.InstanceNotFound) {
		t.Errorf("for an unknown node got %v, want InstanceNotFound", err)
	}
}
