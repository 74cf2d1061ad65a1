package aws

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

// TestProviderNetwork: naosu reads over the wire what the cloud has, with one call for each part, one for each further page and one for the cluster's other groups; an empty
// page is not the last.
func TestProviderNetwork(t *testing.T) {
	b := newNetwork(t)
	b.server.ScriptEmptyPages("ec2:DescribeNetworkInterfaces", 1)
	workers := b.members("workers")
	before := len(b.server.Calls())
	n := b.provider(provider.Options{}).Network(t.Context(), machines(workers))
	if len(n.Unread) > 0 {
		t.Fatalf("unread: %v", n.Unread)
	}
	var called []string
	for _, c := range b.server.Calls()[before:] {
		called = append(called, c.Service+":"+c.Action)
	}
	want := []string{"ec2:DescribeInstances", "ec2:DescribeSubnets", "ec2:DescribeNetworkInterfaces", "ec2:DescribeNetworkInterfaces", "ec2:GetSubnetCidrReservations", "ec2:GetSubnetCidrReservations", "ec2:DescribeInstanceTypes", "autoscaling:DescribeAutoScalingGroups", "autoscaling:DescribeAutoScalingGroups"}
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	subnets := map[string]naosu.Subnet{}
	for _, s := range n.Subnets {
		subnets[s.CIDR] = s
	}
	wide, narrow := subnets["10.0.0.0/24"], subnets["10.0.1.0/26"]
	if len(subnets) != 2 || wide.Zone != "us-east-1a" || wide.RoleCNI != "1" || narrow.RoleCNI != "" || wide.VPC == "" || narrow.Free <= 0 || narrow.Free >= 59 {
		t.Errorf("subnets: %+v", n.Subnets)
	}
	if diff := cmp.Diff([]naosu.Reservation{{CIDR: "10.0.0.128/28", Type: naosu.ReservedForPrefixes}, {CIDR: "10.0.0.240/29", Type: naosu.ReservedExplicitly}}, wide.Reservations); diff != "" || len(narrow.Reservations) > 0 {
		t.Errorf("reservations of the other subnet: %v, of this (-want +got):\n%s", narrow.Reservations, diff)
	}
	held := map[string]int64{}
	leaked, services := 0, 0
	for _, i := range n.Interfaces {
		held[i.Subnet] += int64(len(i.Addresses) + 16*len(i.Prefixes))
		switch {
		case strings.HasPrefix(i.Description, "aws-K8S-"):
			leaked++
			if i.State != naosu.InterfaceAvailable || i.Type != naosu.InterfacePlain || i.Subnet != narrow.ID || len(i.Addresses) != 3 || i.Cluster != "shop" || i.CreatedAt == nil || i.AttachedTo != "" || i.Primary {
				t.Errorf("a leaked interface: %+v", i)
			}
		case i.RequesterManaged != i.OperatorManaged:
			services++
		}
	}
	if leaked != 4 || services != 2 {
		t.Errorf("%d leaked interfaces and %d of services, want 4 and 2: %+v", leaked, services, n.Interfaces)
	}
	if held[wide.ID] != 251-wide.Free || held[narrow.ID] != 59-narrow.Free {
		t.Errorf("interfaces hold %v; free are %d of 251 and %d of 59", held, wide.Free, narrow.Free)
	}
	for _, w := range workers {
		at := slices.IndexFunc(n.Instances, func(i naosu.Instance) bool { return i.ID == w.ID })
		if at < 0 {
			t.Fatalf("no instance %s among %+v", w.ID, n.Instances)
		}
		i := n.Instances[at]
		primary := slices.ContainsFunc(n.Interfaces, func(c naosu.Interface) bool { return c.AttachedTo == w.ID && c.Primary && c.Subnet == i.Subnet })
		if i.Type != "m5.large" || i.MaxInterfaces != 3 || i.AddressesPerInterface != 10 || i.Group == "" || i.VPC != wide.VPC || !primary {
			t.Errorf("an instance: %+v, with a primary interface: %t", i, primary)
		}
	}
	if len(n.Groups) != 1 || n.Groups[0].Max != 100 || n.Groups[0].Desired != 2 || len(n.Groups[0].Subnets) != 2 || n.Groups[0].Name != n.Instances[0].Group {
		t.Errorf("groups: %+v", n.Groups)
	}
}

// TestProviderNetworkDenied: each denied call leaves its part unknown, with the permission, and all others are read.
func TestProviderNetworkDenied(t *testing.T) {
	for permission, unread := range map[string][]naosu.NetworkPart{
		"ec2:DescribeSubnets":                   {naosu.Subnets, naosu.Reservations},
		"ec2:GetSubnetCidrReservations":         {naosu.Reservations},
		"ec2:DescribeNetworkInterfaces":         {naosu.Interfaces},
		"ec2:DescribeInstances":                 {naosu.Instances, naosu.InstanceTypes, naosu.ScalingGroups},
		"ec2:DescribeInstanceTypes":             {naosu.InstanceTypes},
		"autoscaling:DescribeAutoScalingGroups": {naosu.ScalingGroups},
	} {
		t.Run(permission, func(t *testing.T) {
			b := newNetworkDenying(t, permission)
			n := b.provider(provider.Options{}).Network(t.Context(), machines(b.members("workers")))
			for _, part := range naosu.NetworkParts {
				why, failed := n.Unread[part]
				if failed != slices.Contains(unread, part) || failed && why.Permission != permission {
					t.Errorf("%s: unread %t, for want of %q", part, failed, why.Permission)
				}
			}
			for part, length := range map[naosu.NetworkPart]int{
				naosu.Subnets: len(n.Subnets), naosu.Interfaces: len(n.Interfaces), naosu.Instances: len(n.Instances), naosu.ScalingGroups: len(n.Groups),
			} {
				if _, failed := n.Unread[part]; failed != (length == 0) {
					t.Errorf("%d of %s", length, part)
				}
			}
		})
	}
}

// newNetworkDenying is the network of newNetwork, of which the clients may not make one call.
func newNetworkDenying(t *testing.T, permission string) *fixture {
	t.Helper()
	b := newNetwork(t)
	endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: b.cloud, ClusterName: "shop", Keys: []lab.Key{{ID: operator, Secret: secret, Denied: []string{permission}}}})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, endpoint)
	point(t, endpoint)
	return &fixture{t: t, cloud: b.cloud, server: endpoint.Server}
}

// TestProviderNetworkInTrouble: while EC2 throttles or does not answer, the parts are unknown, and no permission is said to lack.
func TestProviderNetworkInTrouble(t *testing.T) {
	b := newNetwork(t)
	b.server.Script("ec2:DescribeNetworkInterfaces", 10, &cloud.Error{Code: "RequestLimitExceeded", Message: "Request limit exceeded."})
	n := b.provider(provider.Options{}).Network(t.Context(), machines(b.members("workers")))
	why, failed := n.Unread[naosu.Interfaces]
	if len(n.Unread) != 1 || !failed || why.Permission != "" || !strings.Contains(why.Err, "RequestLimitExceeded") || len(n.Subnets) != 2 {
		t.Errorf("unread: %+v", n.Unread)
	}
}

// TestProviderNetworkOfOthers: machines of another region, and those that EC2 does not know, have no network.
func TestProviderNetworkOfOthers(t *testing.T) {
	b := newNetwork(t)
	elsewhere := naosu.Machine{Node: "a", ProviderID: "aws:///eu-west-1a/i-0123456789abcdef0"}
	n := b.provider(provider.Options{}).Network(t.Context(), []naosu.Machine{elsewhere})
	if len(n.Unread) != len(naosu.NetworkParts) || !strings.Contains(n.Unread[naosu.Subnets].Err, "us-east-1") {
		t.Errorf("unread: %+v", n.Unread)
	}
	n = b.provider(provider.Options{}).Network(t.Context(), []naosu.Machine{machine(cloud.Instance{ID: absent, Zone: "us-east-1a", NodeName: "unknown"})})
	if _, failed := n.Unread[naosu.Subnets]; !failed || len(n.Instances) > 0 {
		t.Errorf("of an unknown instance: %+v", n)
	}
}
