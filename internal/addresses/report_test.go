package addresses

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// TestHeld compares with the tables of the VPC CNI's own documentation.
func TestHeld(t *testing.T) {
	for name, tc := range map[string]struct {
		settings                       Settings
		pods, interfaces, perInterface int
		want                           int
	}{
		// docs/eni-and-ip-target.md: a p3dn.24xlarge has 15 interfaces of 50 addresses. 98 and 10 of them are for pods.
		"defaults, 3 pods":                  {Settings{WarmENI: 1}, 3, 15, 50, 98 + 2},
		"defaults, no pod":                  {Settings{WarmENI: 1}, 0, 15, 50, 49 + 1},
		"defaults, one interface of pods":   {Settings{WarmENI: 1}, 49, 15, 50, 98 + 2},
		"defaults, one pod more":            {Settings{WarmENI: 1}, 50, 15, 50, 147 + 3},
		"WARM_IP_TARGET and the minimum":    {Settings{WarmENI: 1, WarmIP: 5, MinimumIP: 10}, 3, 15, 50, 10 + 1},
		"more pods than the minimum":        {Settings{WarmENI: 1, WarmIP: 5, MinimumIP: 10}, 50, 15, 50, 55 + 2},
		"no more than the type allows":      {Settings{WarmENI: 1}, 29, 3, 10, 30},
		"prefixes":                          {Settings{Prefixes: true, WarmPrefix: 1}, 17, 3, 10, 3*16 + 1},
		"prefixes and WARM_IP_TARGET":       {Settings{Prefixes: true, WarmPrefix: 1, WarmIP: 1}, 16, 3, 10, 2*16 + 1},
		"prefixes, more than one interface": {Settings{Prefixes: true, WarmPrefix: 1}, 9 * 16, 3, 10, 10*16 + 2},
		"an unknown type":                   {Settings{WarmENI: 1}, 3, 0, 0, 0},
		"no warm pool":                      {Settings{}, 0, 3, 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.settings.held(tc.pods, tc.interfaces, tc.perInterface); got != tc.want {
				t.Errorf("%d addresses, want %d", got, tc.want)
			}
		})
	}
}

func TestSizeOf(t *testing.T) {
	for cidr, want := range map[string]int64{
		"10.0.1.0/24": 251, "10.0.1.7/24": 251, "10.0.0.0/16": 65531, "10.0.0.16/28": 11,
		"10.0.0.0/8": 0, "10.0.0.0/29": 0, "0.0.0.0/0": 0, "10.0.0/24": 0, "2001:db8::/56": 0, "::ffff:10.0.0.0/120": 0, "": 0, "nonsense": 0,
	} {
		if _, got, valid := sizeOf(cidr); got != want || valid != (want > 0) {
			t.Errorf("%q has %d addresses (%t), want %d", cidr, got, valid, want)
		}
	}
}

func TestInstanceID(t *testing.T) {
	got := map[string]string{}
	for _, id := range []string{"aws:///us-east-1a/i-0123456789abcdef0", "aws:///us-east-1a/x/fargate-ip-10-0-0-1", "gce://p/z/i-1", "", "aws://"} {
		got[id] = InstanceID(id)
	}
	want := map[string]string{
		"aws:///us-east-1a/i-0123456789abcdef0": "i-0123456789abcdef0", "aws:///us-east-1a/x/fargate-ip-10-0-0-1": "", "gce://p/z/i-1": "", "": "", "aws://": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReservations: what CIDR reservations keep from the VPC CNI is not free, whether EC2 counts it as available or not, and no prefix is in an explicit one.
// The subnet has 251 addresses, of which the interface holds 11.
func TestReservations(t *testing.T) {
	reserve := func(texts ...string) (all []cloud.Reservation) {
		for _, text := range texts {
			kind, cidr, _ := strings.Cut(text, " ")
			all = append(all, cloud.Reservation{CIDR: cidr, Type: cloud.ReservationType(kind)})
		}
		return all
	}
	for name, tc := range map[string]struct {
		reservations   []cloud.Reservation
		prefixes       bool
		available      int64
		unread         bool
		free, reserved int64
		blocks         int
	}{
		"none":                                      {available: 240, free: 240, blocks: 13},
		"an explicit one":                           {reservations: reserve("explicit 10.0.0.64/26"), available: 240, free: 176, reserved: 64, blocks: 9},
		"EC2 does not count it as available":        {reservations: reserve("explicit 10.0.0.64/26"), available: 176, free: 176, reserved: 64, blocks: 9},
		"interfaces of others are not seen":         {reservations: reserve("explicit 10.0.0.64/26"), available: 100, free: 100, reserved: 64, blocks: 9},
		"one for prefixes, of single addresses":     {reservations: reserve("prefix 10.0.0.64/26"), available: 240, free: 176, reserved: 64, blocks: 13},
		"one for prefixes, with prefix delegation":  {reservations: reserve("prefix 10.0.0.64/26"), prefixes: true, available: 240, free: 240, blocks: 13},
		"an explicit one, with prefix delegation":   {reservations: reserve("explicit 10.0.0.64/26"), prefixes: true, available: 240, free: 176, reserved: 64, blocks: 9},
		"a small one":                               {reservations: reserve("explicit 10.0.0.72/30"), prefixes: true, available: 240, free: 236, reserved: 4, blocks: 12},
		"with addresses of the interface":           {reservations: reserve("explicit 10.0.0.32/28"), available: 240, free: 235, reserved: 5, blocks: 13},
		"with AWS's own":                            {reservations: reserve("explicit 10.0.0.0/28", "explicit 10.0.0.240/28"), available: 240, free: 213, reserved: 27, blocks: 13},
		"of the whole subnet":                       {reservations: reserve("explicit 10.0.0.0/24"), available: 240, reserved: 240},
		"interfaces were not read":                  {reservations: reserve("explicit 10.0.0.32/28"), available: 240, unread: true, free: 235, reserved: 16},
		"of another subnet, of IPv6, and malformed": {reservations: reserve("explicit 10.0.1.0/28", "explicit ::/64", "explicit x"), available: 240, free: 240, blocks: 13},
	} {
		t.Run(name, func(t *testing.T) {
			one := cloud.Interface{ID: "eni-0", Subnet: "s0", AttachedTo: "i-0", State: cloud.InterfaceInUse, Type: cloud.InterfacePlain, Primary: true}
			for n := range 11 {
				one.Addresses = append(one.Addresses, address(0, 32+n))
			}
			s := cloud.Subnet{ID: "s0", Zone: "a", VPC: "vpc", CIDR: "10.0.0.0/24", Free: tc.available, Reservations: tc.reservations}
			n := cloud.Network{Subnets: []cloud.Subnet{s}, Interfaces: []cloud.Interface{one}, Instances: []cloud.Instance{instance(0, "s0", "")}}
			if tc.unread {
				n.Interfaces, n.Unread = nil, map[cloud.NetworkPart]cloud.Unread{cloud.Interfaces: {}}
			}
			r := Compute(withPlugin(worldOf(n, 0), map[string]string{"ENABLE_PREFIX_DELEGATION": strconv.FormatBool(tc.prefixes)}))
			got := r.Subnet("s0")
			if got.Free != tc.free || got.Reserved != tc.reserved || got.Reserved > 0 && got.Available != tc.available {
				t.Errorf("%d are free of %d, and %d reserved, want %d and %d", got.Free, got.Available, got.Reserved, tc.free, tc.reserved)
			}
			prefix, _, _ := sizeOf(s.CIDR)
			if blocks := freeBlocks(s, prefix, n.Interfaces); !tc.unread && blocks != tc.blocks {
				t.Errorf("%d prefixes are free, want %d", blocks, tc.blocks)
			}
			if a := newAllocator(r, n); a != nil && a.free["s0"] != tc.free {
				t.Errorf("a forecast begins with %d", a.free["s0"])
			}
		})
	}
}
