package cloud

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

var netipTypes = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
}

// networked is a cloud with one running instance of a group, and the subnet it is in.
func networked(t testing.TB, group GroupSpec) (b *fixture, owner Instance) {
	t.Helper()
	group.Name, group.InstanceType, group.Desired, group.Max = "g", "m5.large", 1, 3
	b = newFixture(t, Options{Spec: Spec{Zones: []string{"a"}, Groups: []GroupSpec{group}}, InstantStart: true})
	return b, b.Instances()[0]
}

// attach makes an interface and attaches it.
func (b *fixture) attach(subnet, instance string, device int) *NetworkInterface {
	b.t.Helper()
	i, err := b.CreateNetworkInterface(NetworkInterfaceRequest{Subnet: subnet, SecondaryAddresses: 1})
	b.must(err)
	_, err = b.AttachNetworkInterface(i.ID, instance, device)
	b.must(err)
	return b.networkInterface(i.ID)
}

func (b *fixture) networkInterface(id string) *NetworkInterface {
	all := b.NetworkInterfaces()
	if at := slices.IndexFunc(all, func(i *NetworkInterface) bool { return i.ID == id }); at >= 0 {
		return all[at]
	}
	return nil
}

func TestPrimaryInterface(t *testing.T) {
	b, owner := networked(t, GroupSpec{})
	primary := b.NetworkInterfaces()[0]
	want := &NetworkInterface{
		ID: primary.ID, Subnet: b.Subnets()[0].ID, Zone: "a", Status: InterfaceInUse, Type: "interface",
		PrivateIP: netip.MustParseAddr(owner.PrivateIP), Created: testStart,
		Attachment: &Attachment{ID: primary.Attachment.ID, Instance: owner.ID, DeleteOnTermination: true, Began: testStart},
	}
	if diff := cmp.Diff(want, primary, netipTypes); diff != "" {
		t.Errorf("primary interface (-want +got):\n%s", diff)
	}
	matches(t, "its ID", primary.ID, `^eni-0[0-9a-f]{16}$`)
	matches(t, "its attachment's ID", primary.Attachment.ID, `^eni-attach-0[0-9a-f]{16}$`)
	if err := b.DetachNetworkInterface(primary.Attachment.ID); !HasCode(err, CodeOperationNotPermitted) {
		t.Errorf("detaching it: %v", err)
	}
}

// TestInterfaceLifecycle follows an interface through EC2's statuses.
func TestInterfaceLifecycle(t *testing.T) {
	b, owner := networked(t, GroupSpec{})
	free := b.Subnets()[0].Free
	i := b.attach(owner.Subnet, owner.ID, 1)
	if i.Status != InterfaceAttaching || b.Subnets()[0].Free != free-2 {
		t.Errorf("an interface that is being attached is %s, %d addresses are free of %d", i.Status, b.Subnets()[0].Free, free)
	}
	b.advanceBy(attachTime)
	if i = b.networkInterface(i.ID); i.Status != InterfaceInUse {
		t.Errorf("an attached interface is %s", i.Status)
	}
	if err := b.DeleteNetworkInterface(i.ID); !HasCode(err, CodeInvalidParameter) || !strings.HasSuffix(err.Error(), ": Network interface '"+i.ID+"' is currently in use.") {
		t.Errorf("deleting an interface in use: %v", err)
	}
	b.must(b.DetachNetworkInterface(i.Attachment.ID))
	if err := b.DeleteNetworkInterface(i.ID); !HasCode(err, CodeInvalidParameter) {
		t.Errorf("deleting an interface that is being detached: %v", err)
	}
	b.advanceBy(detachTime)
	if i = b.networkInterface(i.ID); i.Status != InterfaceAvailable || i.Attachment != nil {
		t.Errorf("a detached interface is %+v", i)
	}
	b.must(b.DeleteNetworkInterface(i.ID))
	if err := b.DeleteNetworkInterface(i.ID); !HasCode(err, CodeInterfaceNotFound) {
		t.Errorf("deleting a deleted interface: %v", err)
	}
	if got := b.Subnets()[0].Free; got != free {
		t.Errorf("%d addresses are free in the end, were %d", got, free)
	}
}

// TestTermination is what becomes of interfaces when their instance ends: only those that are attached at that moment and to be deleted
// with it are.
func TestTermination(t *testing.T) {
	b, owner := networked(t, GroupSpec{KeepPrimaryInterface: true})
	primary := b.NetworkInterfaces()[0]
	deleted := b.attach(owner.Subnet, owner.ID, 1)
	b.must(b.SetDeleteOnTermination(deleted.ID, deleted.Attachment.ID, true))
	detaching := b.attach(owner.Subnet, owner.ID, 2)
	b.must(b.SetDeleteOnTermination(detaching.ID, detaching.Attachment.ID, true))
	b.must(b.Terminate(owner.ID, true))
	b.advanceBy(shutdownTime - detachTime/2)
	b.must(b.DetachNetworkInterface(detaching.Attachment.ID))
	b.advanceBy(detachTime)
	if b.networkInterface(deleted.ID) != nil {
		t.Error("the interface that was to be deleted with its instance is there")
	}
	for name, id := range map[string]string{"primary, which the launch template keeps": primary.ID, "detaching": detaching.ID} {
		if i := b.networkInterface(id); i == nil || i.Status != InterfaceAvailable || i.Attachment != nil {
			t.Errorf("the interface %s is %+v, want it available", name, i)
		}
	}
}

// TestDetachTime is that of the Spec.
func TestDetachTime(t *testing.T) {
	b, owner := networked(t, GroupSpec{})
	b.state.Region.DetachTime = &metav1.Duration{Duration: time.Minute}
	i := b.attach(owner.Subnet, owner.ID, 1)
	b.must(b.DetachNetworkInterface(i.Attachment.ID))
	b.advanceBy(59 * time.Second)
	if got := b.networkInterface(i.ID).Status; got != InterfaceDetaching {
		t.Errorf("the interface is %s before its time", got)
	}
	b.advanceBy(time.Second)
	if got := b.networkInterface(i.ID).Status; got != InterfaceAvailable {
		t.Errorf("the interface is %s after a minute", got)
	}
}

func TestAttachRefusals(t *testing.T) {
	spec := small()
	spec.Groups = []GroupSpec{{Name: "g", InstanceType: "m5.large", Subnets: []string{"wide"}, Desired: 1, Max: 2}}
	b := newFixture(t, Options{Spec: spec, InstantStart: true})
	wide, narrow, owner := b.Subnets()[0].ID, b.Subnets()[1].ID, b.Instances()[0]
	attached := b.attach(wide, owner.ID, 1)
	b.must(b.SetDesired("g", 2))
	pending := b.Instances()[1].ID
	create := func(r NetworkInterfaceRequest) string {
		i, err := b.CreateNetworkInterface(r)
		b.must(err)
		return i.ID
	}
	one, elsewhere := create(NetworkInterfaceRequest{Subnet: wide}), create(NetworkInterfaceRequest{Subnet: narrow})
	crowded := create(NetworkInterfaceRequest{Subnet: wide, SecondaryAddresses: 10})
	for name, tc := range map[string]struct {
		id, instance string
		device       int
		want         string
	}{
		"no interface":       {"eni-01234567", owner.ID, 2, CodeInterfaceNotFound},
		"no instance":        {one, "i-01234567", 2, CodeInstanceNotFound},
		"attached":           {attached.ID, owner.ID, 2, CodeInterfaceInUse},
		"a pending instance": {one, pending, 1, CodeIncorrectState},
		"another zone":       {elsewhere, owner.ID, 2, CodeInvalidParameterCombination},
		"a taken device":     {one, owner.ID, 1, CodeInvalidParameter},
		"too many addresses": {crowded, owner.ID, 2, CodePrivateIPLimitExceeded},
	} {
		if _, err := b.AttachNetworkInterface(tc.id, tc.instance, tc.device); !HasCode(err, tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	b.attach(wide, owner.ID, 2)
	if _, err := b.AttachNetworkInterface(one, owner.ID, 3); !HasCode(err, CodeAttachmentLimitExceeded) {
		t.Errorf("a fourth interface of an m5.large: %v", err)
	}
	if _, err := b.AssignPrivateIPAddresses(attached.ID, 9); !HasCode(err, CodePrivateIPLimitExceeded) {
		t.Errorf("an eleventh address of an m5.large's interface: %v", err)
	}
}

// TestExhaustion takes a subnet's last addresses. A prefix needs sixteen that lie together.
func TestExhaustion(t *testing.T) {
	b := newFixture(t, Options{Spec: Spec{Zones: []string{"a"}, Subnets: []SubnetSpec{{Name: "s", Zone: "a", CIDR: "10.0.0.0/26"}}}})
	subnet := b.Subnets()[0].ID
	i, err := b.CreateNetworkInterface(NetworkInterfaceRequest{Subnet: subnet, Prefixes: 1})
	b.must(err)
	if i.Addresses() != 17 || b.Subnets()[0].Free != 59-17 {
		t.Errorf("an interface with a prefix holds %d addresses, %d are free", i.Addresses(), b.Subnets()[0].Free)
	}
	if _, err := b.AssignPrefixes(i.ID, 3); !HasCode(err, CodeInsufficientCIDRBlocks) {
		t.Errorf("four prefixes in a /26: %v", err)
	}
	if _, err := b.AssignPrivateIPAddresses(i.ID, 40); err != nil {
		t.Error(err)
	}
	if _, err := b.AssignPrivateIPAddresses(i.ID, 3); !HasCode(err, CodeInsufficientFreeAddresses) {
		t.Errorf("three addresses of two: %v", err)
	}
	if _, err := b.CreateNetworkInterface(NetworkInterfaceRequest{Subnet: subnet, SecondaryAddresses: 2}); !HasCode(err, CodeInsufficientFreeAddresses) {
		t.Errorf("an interface of three addresses of two: %v", err)
	}
	b.must(b.UnassignPrivateIPAddresses(i.ID, b.networkInterface(i.ID).Secondary...))
	if got := b.Subnets()[0].Free; got != 59-17 {
		t.Errorf("%d addresses are free after all are given back", got)
	}
	checkAddresses(t, b)
}

// TestSpecInterfaces are those of a load balancer, which nobody else may delete, and one that was left behind.
func TestSpecInterfaces(t *testing.T) {
	b := newFixture(t, Options{Spec: Spec{Zones: []string{"a"}, NetworkInterfaces: []NetworkInterfaceSpec{
		{Subnet: "a", Description: "ELB app/shop", InterfaceType: "load_balancer", RequesterManaged: true},
		{Subnet: "a", Description: "aws-K8S-i-0123456789abcdef0", SecondaryAddresses: 9, Tags: map[string]string{"node.k8s.amazonaws.com/createdAt": "yesterday"}},
	}}})
	all := b.NetworkInterfaces()
	if len(all) != 2 || all[0].Status != InterfaceInUse || all[1].Status != InterfaceAvailable || all[1].Addresses() != 10 {
		t.Fatalf("interfaces: %+v", all)
	}
	if err := b.DeleteNetworkInterface(all[0].ID); !HasCode(err, CodeOperationNotPermitted) {
		t.Errorf("deleting a load balancer's: %v", err)
	}
	b.must(b.TagNetworkInterface(all[1].ID, map[string]string{"a": "b"}))
	if got := b.networkInterface(all[1].ID).Tags; len(got) != 2 || len(all[1].Tags) != 1 {
		t.Errorf("tags are %v, those that were returned before %v", got, all[1].Tags)
	}
}

// Whatever happens to instances and interfaces, no address is held twice, and the subnets' counts add up.
func TestAddressesAreHeldOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := small()
		spec.Seed = rapid.Uint64().Draw(rt, "seed")
		spec.Groups = []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3, Max: 30}}
		b := newFixture(t, Options{Spec: spec})
		subnet := rapid.SampledFrom(b.Subnets())
		draw := func(rt *rapid.T) *NetworkInterface {
			if all := b.NetworkInterfaces(); len(all) > 0 {
				return rapid.SampledFrom(all).Draw(rt, "interface")
			}
			return &NetworkInterface{}
		}
		count := rapid.IntRange(0, 12)
		// What is asked may be refused: a refusal changes nothing, which is what is checked.
		rt.Repeat(map[string]func(*rapid.T){
			"resize": func(rt *rapid.T) { b.must(b.SetDesired("workers", rapid.IntRange(0, 30).Draw(rt, "desired"))) },
			"create": func(rt *rapid.T) {
				_, _ = b.CreateNetworkInterface(NetworkInterfaceRequest{
					Subnet: subnet.Draw(rt, "subnet").ID, SecondaryAddresses: count.Draw(rt, "secondary"), Prefixes: count.Draw(rt, "prefixes") / 6,
				})
			},
			"attach": func(rt *rapid.T) {
				if i, some := drawMember(rt, b); some {
					_, _ = b.AttachNetworkInterface(draw(rt).ID, i.ID, rapid.IntRange(1, 3).Draw(rt, "device"))
				}
			},
			"keep or not": func(rt *rapid.T) {
				if i := draw(rt); i.Attachment != nil {
					_ = b.SetDeleteOnTermination(i.ID, i.Attachment.ID, rapid.Bool().Draw(rt, "deleted"))
				}
			},
			"detach": func(rt *rapid.T) {
				if i := draw(rt); i.Attachment != nil {
					_ = b.DetachNetworkInterface(i.Attachment.ID)
				}
			},
			"assign":   func(rt *rapid.T) { _, _ = b.AssignPrivateIPAddresses(draw(rt).ID, count.Draw(rt, "addresses")) },
			"prefixes": func(rt *rapid.T) { _, _ = b.AssignPrefixes(draw(rt).ID, 1) },
			"unassign": func(rt *rapid.T) {
				if i := draw(rt); len(i.Secondary) > 0 {
					b.must(b.UnassignPrivateIPAddresses(i.ID, i.Secondary[0]))
				}
			},
			"delete": func(rt *rapid.T) { _ = b.DeleteNetworkInterface(draw(rt).ID) },
			"lose":   func(*rapid.T) { b.must(b.LoseZone("a")) },
			"wait": func(rt *rapid.T) {
				b.must(b.RestoreZone("a"))
				b.advanceBy(time.Duration(rapid.IntRange(1, 90).Draw(rt, "seconds")) * time.Second)
			},
			"": func(rt *rapid.T) { checkAddresses(rt, b) },
		})
	})
}

func checkAddresses(t rapid.TB, b *fixture) {
	t.Helper()
	holder := map[netip.Addr]string{}
	for _, i := range b.NetworkInterfaces() {
		for a := range i.addresses() {
			if other, held := holder[a]; held {
				t.Fatalf("%s is held by %s and by %s", a, other, i.ID)
			}
			holder[a] = i.ID
		}
		if (i.Status == InterfaceAvailable) != (i.Attachment == nil) {
			t.Fatalf("%s is %s with the attachment %+v", i.ID, i.Status, i.Attachment)
		}
	}
	for _, s := range b.Subnets() {
		held := 0
		for a := range holder {
			if !s.CIDR.Contains(a) {
				continue
			}
			held++
			if !s.assignable(a) {
				t.Fatalf("%s of %s is AWS's own", a, s.CIDR)
			}
		}
		if s.Free < 0 || s.Free+held != s.usable() {
			t.Fatalf("%s has %d free addresses while %d of %d are held", s.CIDR, s.Free, held, s.usable())
		}
	}
	for _, i := range b.Instances() {
		address := netip.MustParseAddr(i.PrivateIP)
		if primary := b.networkInterfaceAt(address); i.State != Terminated && (primary == nil || primary.Attachment.Instance != i.ID) {
			t.Fatalf("the address %s of %s is held by %+v", address, i.ID, primary)
		}
	}
}

// networkInterfaceAt is the interface whose primary address it is.
func (c *Cloud) networkInterfaceAt(a netip.Addr) *NetworkInterface {
	for _, i := range c.NetworkInterfaces() {
		if i.PrivateIP == a && i.Attachment != nil {
			return i
		}
	}
	return nil
}
