package cloud

import (
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The lengths that a subnet's CIDR may have: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html.
const (
	shortestCIDR = 16
	longestCIDR  = 28
)

func (s Spec) validateNetwork(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var names []string
	var blocks []netip.Prefix
	for i, subnet := range s.Subnets {
		at := path.Child("subnets").Index(i)
		if subnet.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !slices.Contains(s.Zones, subnet.Zone) {
			errs = append(errs, field.NotSupported(at.Child("zone"), subnet.Zone, s.Zones))
		}
		block, fault := parseCIDR(at.Child("cidr"), subnet.CIDR)
		switch {
		case fault != nil:
			errs = append(errs, fault)
		case slices.ContainsFunc(blocks, block.Overlaps):
			errs = append(errs, field.Invalid(at.Child("cidr"), subnet.CIDR, "must not overlap another subnet"))
		default:
			blocks = append(blocks, block)
		}
		errs = append(errs, subnet.validateReservations(at.Child("cidrReservations"))...)
		names = append(names, subnet.Name)
	}
	errs = append(errs, duplicates(path.Child("subnets"), names)...)
	if s.DetachTime != nil && s.DetachTime.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("detachTime"), s.DetachTime.Duration.String(), "must not be negative"))
	}
	for i, spec := range s.NetworkInterfaces {
		errs = append(errs, spec.validate(path.Child("networkInterfaces").Index(i), names)...)
	}
	return errs
}

// validateReservations checks that reservations are of the subnet, and do not overlap.
func (s SubnetSpec) validateReservations(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var before []netip.Prefix
	whole, _ := netip.ParsePrefix(s.CIDR)
	for i, r := range s.Reservations {
		at := path.Index(i)
		block, err := netip.ParsePrefix(r.CIDR)
		switch {
		case err != nil || block != block.Masked() || !whole.Contains(block.Addr()) || block.Bits() < whole.Bits():
			errs = append(errs, field.Invalid(at.Child("cidr"), r.CIDR, "must be a CIDR of the subnet that begins at its first address"))
		case slices.ContainsFunc(before, block.Overlaps):
			errs = append(errs, field.Invalid(at.Child("cidr"), r.CIDR, "must not overlap another reservation"))
		}
		if kinds := []string{reservedForPrefixes, reservedExplicitly}; !slices.Contains(kinds, r.Type) {
			errs = append(errs, field.NotSupported(at.Child("type"), r.Type, kinds))
		}
		before = append(before, block)
	}
	return errs
}

func parseCIDR(path *field.Path, text string) (netip.Prefix, *field.Error) {
	block, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return block, field.Invalid(path, text, "must be an IPv4 CIDR such as 10.0.0.0/24")
	case !block.Addr().Is4() || block.Bits() < shortestCIDR || block.Bits() > longestCIDR:
		return block, field.Invalid(path, text, "must be an IPv4 CIDR from /16 to /28")
	case block != block.Masked():
		return block, field.Invalid(path, text, "must begin at its first address, "+block.Masked().String())
	}
	return block, nil
}

func (n NetworkInterfaceSpec) validate(path *field.Path, subnets []string) field.ErrorList {
	var errs field.ErrorList
	if !slices.Contains(subnets, n.Subnet) {
		errs = append(errs, field.NotSupported(path.Child("subnet"), n.Subnet, subnets))
	}
	if n.SecondaryAddresses < 0 {
		errs = append(errs, field.Invalid(path.Child("secondaryAddresses"), n.SecondaryAddresses, "must not be negative"))
	}
	if n.Prefixes < 0 {
		errs = append(errs, field.Invalid(path.Child("prefixes"), n.Prefixes, "must not be negative"))
	}
	return errs
}

// validateSubnets checks that the group's subnets are there, and one in each of its zones.
func (g GroupSpec) validateSubnets(path *field.Path, region Spec) field.ErrorList {
	var names []string
	for _, s := range region.Subnets {
		names = append(names, s.Name)
	}
	errs := subset(path.Child("subnets"), g.Subnets, names)
	if len(errs) > 0 {
		return errs
	}
	for i, zone := range g.Zones {
		if slices.Contains(region.Zones, zone) && !region.subnetFor(g, zone) {
			errs = append(errs, field.Invalid(path.Child("zones").Index(i), zone, "none of the group's subnets is in it"))
		}
	}
	if len(g.Zones) == 0 {
		errs = append(errs, field.Required(path.Child("zones"), "no subnet is in any"))
	}
	return errs
}
