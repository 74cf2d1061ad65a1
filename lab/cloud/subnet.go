package cloud

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
)

// SubnetSpec is a subnet of the region's VPC.
type SubnetSpec struct {
	// Name is the subnet's ID if it has the form of one, such as "subnet-0a1b2c3d4e5f60718"; else, it is its tag Name.
	Name string `json:"name"`
	Zone string `json:"zone"`
	// CIDR is an IPv4 block from /16 to /28, such as "10.0.0.0/24". AWS keeps its first four addresses and its last.
	CIDR string            `json:"cidr"`
	Tags map[string]string `json:"tags,omitempty"`
	// Reservations are its CIDR reservations: EC2 assigns no single address of them by itself.
	Reservations []CIDRReservation `json:"cidrReservations,omitempty"`
}

// CIDRReservation is a range of a subnet that is reserved.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-cidr-reservation.html
type CIDRReservation struct {
	CIDR string `json:"cidr"`
	// Type is prefix or explicit. Of the former, EC2 assigns prefixes, before others of the subnet.
	Type string `json:"type"`
}

// Types of CIDR reservations.
const (
	reservedForPrefixes = "prefix"
	reservedExplicitly  = "explicit"
)

// Subnet is the present state of a subnet.
type Subnet struct {
	ID   string            `json:"id"`
	Zone string            `json:"zone"`
	CIDR netip.Prefix      `json:"cidr"`
	Tags map[string]string `json:"tags,omitempty"`
	// Reservations are as the Spec has them.
	Reservations []CIDRReservation `json:"cidrReservations,omitempty"`
	// Free is how many addresses no interface holds, those in Reservations included: AWS's documentation does not say otherwise.
	Free int `json:"-"`
}

// AWS keeps the first four addresses of a subnet and the last for itself.
// https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
const (
	reservedLow  = 4
	reservedHigh = 1
)

// defaultSubnets are a /20 of 10.0.0.0/16 for each zone.
func defaultSubnets(zones []string) []SubnetSpec {
	subnets := make([]SubnetSpec, 0, len(zones))
	for i, zone := range zones {
		subnets = append(subnets, SubnetSpec{Name: zone, Zone: zone, CIDR: fmt.Sprintf("10.%d.%d.0/20", i>>4, i<<4&0xff)})
	}
	return subnets
}

var subnetID = regexp.MustCompile(`^subnet-([0-9a-f]{8}|[0-9a-f]{17})$`)

// newSubnet expects a Spec that has been validated.
func (c *Cloud) newSubnet(spec SubnetSpec) *Subnet {
	s := &Subnet{ID: spec.Name, Zone: spec.Zone, CIDR: netip.MustParsePrefix(spec.CIDR), Tags: maps.Clone(spec.Tags), Reservations: slices.Clone(spec.Reservations)}
	if !subnetID.MatchString(spec.Name) {
		s.ID = fmt.Sprintf("subnet-0%016x", c.random("subnet/"+spec.Name).Uint64())
		if s.Tags == nil {
			s.Tags = map[string]string{}
		}
		if _, named := s.Tags["Name"]; !named {
			s.Tags["Name"] = spec.Name
		}
	}
	return s
}

// Subnets are the region's subnets, in the order the Spec gives them.
func (c *Cloud) Subnets() []Subnet {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.showSubnets()
}

func (c *Cloud) showSubnets() []Subnet {
	shown := make([]Subnet, 0, len(c.state.Subnets))
	for _, s := range c.state.Subnets {
		shown = append(shown, Subnet{ID: s.ID, Zone: s.Zone, CIDR: s.CIDR, Tags: maps.Clone(s.Tags), Reservations: s.Reservations, Free: s.Free})
	}
	return shown
}

// TagSubnet sets tags of a subnet and leaves the others.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html
func (c *Cloud) TagSubnet(id string, tags map[string]string) error {
	return c.update(func() error {
		s, err := c.subnet(id)
		if err != nil {
			return err
		}
		all := maps.Clone(s.Tags)
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, tags)
		s.Tags = all
		return nil
	})
}

// subnet finds a subnet by its ID.
func (c *Cloud) subnet(id string) (*Subnet, error) {
	at := slices.IndexFunc(c.state.Subnets, func(s *Subnet) bool { return s.ID == id })
	if at < 0 {
		return nil, refuse(CodeSubnetNotFound, "The subnet ID '%s' does not exist", id)
	}
	return c.state.Subnets[at], nil
}

// subnetOf is the subnet that holds an address.
func (c *Cloud) subnetOf(a netip.Addr) *Subnet {
	for _, s := range c.state.Subnets {
		if s.CIDR.Contains(a) {
			return s
		}
	}
	return nil
}

// subnetsOf are those that a group's instances may be launched into in a zone.
func (c *Cloud) subnetsOf(g *group, zone string) []*Subnet {
	var usable []*Subnet
	for _, s := range c.state.Subnets {
		if s.Zone == zone && (len(g.Subnets) == 0 || slices.ContainsFunc(g.Subnets, s.named)) {
			usable = append(usable, s)
		}
	}
	return usable
}

// full says whether a group's subnets in a zone have no address for another instance.
func (c *Cloud) full(g *group, zone string) bool {
	return !slices.ContainsFunc(c.subnetsOf(g, zone), func(s *Subnet) bool { return c.unreserved(s) > 0 })
}

// unreserved is how many addresses of a subnet nothing holds and no CIDR reservation has.
func (c *Cloud) unreserved(s *Subnet) int {
	n := s.Free
	for _, r := range s.Reservations {
		block := netip.MustParsePrefix(r.CIDR)
		for a := block.Addr(); block.Contains(a); a = a.Next() {
			if s.assignable(a) && !c.held(a) {
				n--
			}
		}
	}
	return n
}

// named says whether a Spec means the subnet by a name.
func (s *Subnet) named(name string) bool { return name == s.ID || name == s.Tags["Name"] }

// size is how many addresses the CIDR has, reserved ones included.
func (s *Subnet) size() int { return 1 << (s.CIDR.Addr().BitLen() - s.CIDR.Bits()) }

// usable is how many addresses interfaces can hold.
func (s *Subnet) usable() int { return s.size() - reservedLow - reservedHigh }

// at is the address with the number n, counted from the CIDR's first.
func (s *Subnet) at(n int) netip.Addr { return offset(s.CIDR.Addr(), n) }

// assignable says whether an address of the subnet is none that AWS keeps.
func (s *Subnet) assignable(a netip.Addr) bool {
	n := distance(s.CIDR.Addr(), a)
	return s.CIDR.Contains(a) && n >= reservedLow && n < s.size()-reservedHigh
}

// reserved says whether an address is in a CIDR reservation, and reservedFor whether it is in one of a type.
func (s *Subnet) reserved(a netip.Addr) bool {
	return s.reservedFor(a, reservedForPrefixes) || s.reservedFor(a, reservedExplicitly)
}

func (s *Subnet) reservedFor(a netip.Addr, kind string) bool {
	return slices.ContainsFunc(s.Reservations, func(r CIDRReservation) bool { return r.Type == kind && netip.MustParsePrefix(r.CIDR).Contains(a) })
}
