package cloud

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
)

// The region is one network, 10.0.0.0/16, with a /20 for each zone. AWS keeps the first four addresses of a subnet and
// the last for itself.
const (
	subnetSize    = 1 << 12
	subnetFirst   = 4
	subnetHighest = subnetSize - 2
)

func (c *Cloud) subnetFull(zone string) bool {
	taken := 0
	for _, i := range c.state.Instances {
		if i.Zone == zone {
			taken++
		}
	}
	return taken > subnetHighest-subnetFirst
}

// freeAddress is a random address of the zone's subnet that no known instance has.
func (c *Cloud) freeAddress(zone string, random *rand.Rand) netip.Addr {
	for {
		host := subnetFirst + random.IntN(subnetHighest-subnetFirst+1)
		offset := slices.Index(c.state.Region.Zones, zone)*subnetSize + host
		address := netip.AddrFrom4([4]byte{10, 0, byte(offset >> 8), byte(offset)})
		text := address.String()
		taken := slices.ContainsFunc(c.state.Instances, func(i *instance) bool { return i.PrivateIP == text })
		if !taken {
			return address
		}
	}
}

// privateDNSName is the name that EC2 gives an address, and by which its node registers.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-dns.html
func privateDNSName(region string, address netip.Addr) string {
	domain := region + ".compute.internal"
	if region == "us-east-1" {
		domain = "ec2.internal"
	}
	return fmt.Sprintf("ip-%s.%s", strings.ReplaceAll(address.String(), ".", "-"), domain)
}
