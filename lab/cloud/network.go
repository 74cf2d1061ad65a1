package cloud

import (
	"fmt"
	"net/netip"
	"strings"
)

// VPC is the ID of the region's one network.
func (c *Cloud) VPC() string { return fmt.Sprintf("vpc-0%016x", c.random("vpc").Uint64()) }

// privateDNSName is the name that EC2 gives an address, and by which its node registers.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-dns.html
func privateDNSName(region string, address netip.Addr) string {
	domain := region + ".compute.internal"
	if region == "us-east-1" {
		domain = "ec2.internal"
	}
	return fmt.Sprintf("ip-%s.%s", strings.ReplaceAll(address.String(), ".", "-"), domain)
}
