package aws

import (
	"fmt"
	"testing"

	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

// BenchmarkNetwork reads a network of 10,000 interfaces, of 5,000 instances in 500 groups, and counts the calls: each counts towards the limits of
// the account.
func BenchmarkNetwork(b *testing.B) {
	spec := cloud.Spec{Zones: []string{"us-east-1a"}}
	for n := range 10 {
		spec.Subnets = append(spec.Subnets, cloud.SubnetSpec{Name: fmt.Sprint("s", n), Zone: "us-east-1a", CIDR: fmt.Sprintf("10.%d.0.0/18", n)})
	}
	for n := range 500 {
		spec.Groups = append(spec.Groups, cloud.GroupSpec{Name: fmt.Sprint("g", n), InstanceType: "m5.large", Desired: 10, Max: 10})
	}
	for n := range 5000 {
		spec.NetworkInterfaces = append(spec.NetworkInterfaces, cloud.NetworkInterfaceSpec{
			Subnet: fmt.Sprint("s", n%10), Description: "ELB", InterfaceType: "load_balancer", RequesterManaged: true,
		})
	}
	c, err := cloud.New(cloud.Options{InstantStart: true, Spec: spec})
	if err != nil {
		b.Fatal(err)
	}
	endpoint, err := lab.Listen(b.Context(), lab.Options{Cloud: c, ClusterName: "shop", Keys: []lab.Key{{ID: operator, Secret: secret}}})
	if err != nil {
		b.Fatal(err)
	}
	serve(b, endpoint)
	point(b, endpoint)
	workers := machines(c.Instances())
	p, gap := provider.New(b.Context(), provider.Options{})
	if gap != nil {
		b.Fatal(gap.Why)
	}
	for b.Loop() {
		before := len(endpoint.Calls())
		n := p.Network(b.Context(), workers)
		if len(n.Unread) > 0 || len(n.Interfaces) != 10_000 || len(n.Instances) != 5000 || len(n.Groups) != 500 {
			b.Fatalf("%d interfaces, %d instances, %d groups, unread %v", len(n.Interfaces), len(n.Instances), len(n.Groups), n.Unread)
		}
		calls := map[string]int{}
		throttled := 0
		for _, call := range endpoint.Calls()[before:] {
			calls[call.Action]++
			if call.Code != "" {
				throttled++
			}
		}
		for action, count := range calls {
			b.ReportMetric(float64(count), action)
		}
		b.ReportMetric(float64(throttled), "refused-calls")
	}
}
