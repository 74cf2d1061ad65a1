package cloud

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A subnet has an end: what does not fit in one zone goes to another, what fits nowhere waits.
func TestFullSubnets(t *testing.T) {
	const subnet = 1<<12 - reservedLow - reservedHigh
	b := newFixture(t, Options{Spec: Spec{Zones: []string{"x", "y"}, Groups: []GroupSpec{
		{Name: "x", InstanceType: "m5.large", Zones: []string{"x"}, Desired: subnet - 1, Max: subnet},
	}}})
	b.must(b.AddGroup(GroupSpec{Name: "both", InstanceType: "m5.large", Desired: 4, Max: 4, ZoneOrder: []string{"x", "y"}}))
	perZone := map[string]int{}
	for _, i := range b.members("both") {
		perZone[i.Zone]++
	}
	if perZone["x"] != 1 || perZone["y"] != 3 {
		t.Errorf("with room for one in x the group stands at %v", perZone)
	}
	b.must(b.SetDesired("x", subnet))
	if got := len(b.members("x")); got != subnet-1 {
		t.Errorf("group x has %d instances in a full subnet, want %d", got, subnet-1)
	}
	full := fmt.Sprintf("There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", b.Subnets()[0].ID)
	if diff := cmp.Diff(&Error{CodeInsufficientFreeAddresses, full}, b.Groups()[0].LaunchFault); diff != "" {
		t.Errorf("why the group cannot launch (-want +got):\n%s", diff)
	}
	b.must(b.SetDesired("x", subnet-1))
	if got := b.Groups()[0].LaunchFault; got != nil {
		t.Errorf("a group that lacks nothing has %v", got)
	}
}

// small is a region whose zone b has one subnet of eleven addresses, and whose zone a has two.
func small() Spec {
	return Spec{Zones: []string{"a", "b"}, Subnets: []SubnetSpec{
		{Name: "wide", Zone: "a", CIDR: "10.0.0.0/24", Tags: map[string]string{"kubernetes.io/role/cni": "1"}},
		{Name: "narrow", Zone: "b", CIDR: "10.0.1.0/28"},
		{Name: "subnet-0123456789abcdef0", Zone: "a", CIDR: "100.64.0.0/26"},
	}}
}

// TestCIDRReservations: EC2 assigns no single address of a reservation, and prefixes of one for prefixes first, then others of the subnet.
func TestCIDRReservations(t *testing.T) {
	b := newFixture(t, Options{Spec: Spec{Zones: []string{"a"}, Subnets: []SubnetSpec{{Name: "s", Zone: "a", CIDR: "10.0.0.0/26", Reservations: []CIDRReservation{
		{CIDR: "10.0.0.32/28", Type: reservedForPrefixes}, {CIDR: "10.0.0.16/29", Type: reservedExplicitly},
	}}}}})
	subnet := b.Subnets()[0]
	create := func(r NetworkInterfaceRequest) (*NetworkInterface, error) {
		r.Subnet = subnet.ID
		return b.CreateNetworkInterface(r)
	}
	first, err := create(NetworkInterfaceRequest{Prefixes: 1})
	b.must(err)
	if got := first.Prefixes; len(got) != 1 || got[0].String() != "10.0.0.32/28" {
		t.Errorf("the first prefix is %v", got)
	}
	if _, err := create(NetworkInterfaceRequest{Prefixes: 1}); err == nil {
		t.Error("a prefix is assigned of blocks of which AWS or a reservation has addresses")
	}
	// Of 64 addresses, AWS has 5, the reservations 24, and the first interface one of its own.
	second, err := create(NetworkInterfaceRequest{SecondaryAddresses: 33})
	b.must(err)
	for _, a := range append(second.Secondary, second.PrivateIP) {
		if subnet.reserved(a) {
			t.Errorf("%s is assigned", a)
		}
	}
	_, err = create(NetworkInterfaceRequest{})
	if refused := (*Error)(nil); !errors.As(err, &refused) || refused.Code != CodeInsufficientFreeAddresses || b.Subnets()[0].Free != 8 {
		t.Errorf("one more: %v; %d are free", err, b.Subnets()[0].Free)
	}
}

func TestSubnets(t *testing.T) {
	spec := small()
	spec.Groups = []GroupSpec{
		{Name: "narrow", InstanceType: "m5.large", Subnets: []string{"narrow"}, Desired: 2},
		{Name: "own", InstanceType: "m5.large", Subnets: []string{"subnet-0123456789abcdef0"}, Desired: 3},
	}
	b := newFixture(t, Options{Spec: spec, InstantStart: true})
	want := []Subnet{
		{Zone: "a", CIDR: netip.MustParsePrefix("10.0.0.0/24"), Free: 251, Tags: map[string]string{"Name": "wide", "kubernetes.io/role/cni": "1"}},
		{Zone: "b", CIDR: netip.MustParsePrefix("10.0.1.0/28"), Free: 9, Tags: map[string]string{"Name": "narrow"}},
		{ID: "subnet-0123456789abcdef0", Zone: "a", CIDR: netip.MustParsePrefix("100.64.0.0/26"), Free: 56},
	}
	got := b.Subnets()
	for i := range want[:2] {
		matches(t, "a subnet's ID", got[i].ID, `^subnet-0[0-9a-f]{16}$`)
		want[i].ID = got[i].ID
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("subnets (-want +got):\n%s", diff)
	}
	for _, i := range b.Instances() {
		zone, block := map[string]string{"narrow": "b", "own": "a"}[i.Group], map[string]int{"narrow": 1, "own": 2}[i.Group]
		if i.Zone != zone || i.Subnet != want[block].ID || !want[block].CIDR.Contains(netip.MustParseAddr(i.PrivateIP)) {
			t.Errorf("an instance of %s is in zone %s, subnet %s at %s", i.Group, i.Zone, i.Subnet, i.PrivateIP)
		}
	}
}

func TestValidateNetwork(t *testing.T) {
	group := func(g GroupSpec) Spec {
		s := small()
		g.Name, g.InstanceType = "g", "m5.large"
		s.Groups = []GroupSpec{g}
		return s
	}
	subnet := func(change SubnetSpec) Spec {
		s := small()
		s.Subnets = append(s.Subnets, change)
		return s
	}
	for name, tc := range map[string]struct {
		spec Spec
		want string // the field at fault
	}{
		"no name":                  {subnet(SubnetSpec{Zone: "a", CIDR: "10.0.4.0/24"}), "subnets[3].name"},
		"the same name":            {subnet(SubnetSpec{Name: "wide", Zone: "a", CIDR: "10.0.4.0/24"}), "subnets[3]"},
		"another zone":             {subnet(SubnetSpec{Name: "n", Zone: "c", CIDR: "10.0.4.0/24"}), "subnets[3].zone"},
		"no CIDR":                  {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "10.0.4.0"}), "subnets[3].cidr"},
		"IPv6":                     {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "fd00::/64"}), "subnets[3].cidr"},
		"too small":                {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "10.0.4.0/29"}), "subnets[3].cidr"},
		"too large":                {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "10.0.0.0/15"}), "subnets[3].cidr"},
		"not at its first address": {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "10.0.4.1/24"}), "subnets[3].cidr"},
		"overlap":                  {subnet(SubnetSpec{Name: "n", Zone: "a", CIDR: "10.0.0.128/25"}), "subnets[3].cidr"},
		"a group's unknown subnet": {group(GroupSpec{Subnets: []string{"absent"}}), "groups[0].subnets[0]"},
		"a zone without subnet":    {group(GroupSpec{Subnets: []string{"narrow"}, Zones: []string{"a", "b"}}), "groups[0].zones[0]"},
		"an interface's subnet":    {Spec{NetworkInterfaces: []NetworkInterfaceSpec{{Subnet: "absent"}}}, "networkInterfaces[0].subnet"},
		"an interface's addresses": {Spec{NetworkInterfaces: []NetworkInterfaceSpec{{Subnet: "us-east-1a", SecondaryAddresses: -1}}}, "networkInterfaces[0].secondaryAddresses"},
		"a time below zero":        {Spec{DetachTime: &metav1.Duration{Duration: -1}}, "detachTime"},
		"fewer than no interfaces": {Spec{InstanceTypes: []InstanceType{{Name: "x.large", CPU: "1", Memory: "1Gi", MaximumNetworkInterfaces: -1}}}, "instanceTypes[0].maximumNetworkInterfaces"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := tc.spec.Validate(nil)
			if got := cmp.Diff([]string{tc.want}, fields(errs)); got != "" {
				t.Errorf("faults (-want +got):\n%s\n%v", got, errs)
			}
		})
	}
	if errs := small().Validate(nil); len(errs) > 0 {
		t.Errorf("a sound network: %v", errs)
	}
}

func fields(errs field.ErrorList) []string {
	var names []string
	for _, e := range errs {
		names = append(names, e.Field)
	}
	return names
}

// TestNetworkIsKept stops a cloud while interfaces are being attached and detached; the one that resumes goes on with them, and
// gives nothing out twice.
func TestNetworkIsKept(t *testing.T) {
	spec := small()
	spec.Groups = []GroupSpec{{Name: "g", InstanceType: "m5.large", Zones: []string{"a"}, Subnets: []string{"wide"}, Desired: 1}}
	o := Options{Spec: spec, InstantStart: true, StatePath: filepath.Join(t.TempDir(), "cloud.json")}
	b := newFixture(t, o)
	owner, subnet := b.Instances()[0], b.Subnets()[0].ID
	first := b.attach(subnet, owner.ID, 1)
	b.advanceBy(attachTime)
	b.must(b.DetachNetworkInterface(first.Attachment.ID))
	b.attach(subnet, owner.ID, 2)

	resumed := newFixture(t, o)
	if diff := cmp.Diff(b.NetworkInterfaces(), resumed.NetworkInterfaces(), netipTypes); diff != "" {
		t.Fatalf("interfaces (-before +after the restart):\n%s", diff)
	}
	if diff := cmp.Diff(b.Subnets(), resumed.Subnets(), netipTypes); diff != "" {
		t.Errorf("subnets (-before +after the restart):\n%s", diff)
	}
	resumed.advanceBy(attachTime + detachTime) // its clock begins at the start
	var statuses []InterfaceStatus
	for _, i := range resumed.NetworkInterfaces() {
		statuses = append(statuses, i.Status)
	}
	if diff := cmp.Diff([]InterfaceStatus{InterfaceInUse, InterfaceAvailable, InterfaceInUse}, statuses); diff != "" {
		t.Errorf("statuses after the restart (-want +got):\n%s", diff)
	}
	if _, err := resumed.CreateNetworkInterface(NetworkInterfaceRequest{Subnet: subnet, SecondaryAddresses: 100}); err != nil {
		t.Error(err)
	}
	checkAddresses(t, resumed)
}

// TestStateWithoutNetwork resumes a lab that knew no subnets: its instances get the interfaces that they would have had.
func TestStateWithoutNetwork(t *testing.T) {
	o := Options{Spec: Spec{Groups: []GroupSpec{workers(3, 3)}}, InstantStart: true, StatePath: filepath.Join(t.TempDir(), "cloud.json")}
	b := newFixture(t, o)
	want := b.Instances()
	b.state.Subnets, b.state.Interfaces, b.state.Region.Subnets = nil, nil, nil
	for _, i := range b.state.Instances {
		i.Subnet, i.Capacity.MaximumNetworkInterfaces, i.Capacity.IPv4AddressesPerInterface = "", 0, 0
	}
	b.must(b.state.save(o.StatePath))
	resumed := newFixture(t, o)
	if diff := cmp.Diff(want, resumed.Instances(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("instances (-before +after the restart):\n%s", diff)
	}
	if n := len(resumed.NetworkInterfaces()); n != 3 {
		t.Errorf("%d interfaces, want one for each instance", n)
	}
	checkAddresses(t, resumed)
}

func BenchmarkLaunch1000(b *testing.B) {
	for b.Loop() {
		newFixture(b, Options{Spec: Spec{Groups: []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 1000}}}})
	}
}
