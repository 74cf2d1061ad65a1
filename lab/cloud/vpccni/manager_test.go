package vpccni

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// TestWarmInterface: with the defaults, a whole interface is kept in reserve, so that one pod takes twenty addresses of the subnet.
func TestWarmInterface(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		node := b.node(0)
		pass(time.Minute)
		if diff := cmp.Diff([]int{9}, b.held(node)); diff != "" {
			t.Errorf("addresses without a pod (-want +got):\n%s", diff)
		}
		if got := b.assign(node, 0, 1); len(got) != 1 || b.assign(node, 0, 1)[0] != got[0] {
			t.Errorf("a pod has the address %v, and then another", got)
		}
		pass(time.Minute)
		if diff := cmp.Diff([]int{9, 9}, b.held(node)); diff != "" || b.free() != 251-20 {
			t.Errorf("with a pod, %d addresses are free (-want +got):\n%s", b.free(), diff)
		}
		created := b.cloud.NetworkInterfaces()[1]
		i := b.cloud.Instances()[0]
		if created.Description != "aws-K8S-"+i.ID || created.Tags[instanceTag] != i.ID || created.Tags[createdAtTag] == "" || created.Tags[clusterTag] != "" ||
			!created.Attachment.DeleteOnTermination || created.Attachment.DeviceIndex != 1 {
			t.Errorf("the interface is %+v with %+v", created, created.Attachment)
		}
	})
}

// TestLimits: no machine has more interfaces than its type allows, and none of its pods another's address.
func TestLimits(t *testing.T) {
	play(t, "10.0.0.0/24", 2, nil, func(b *fixture) {
		var all []string
		for range 5 {
			all = append(b.assign(b.node(0), 0, 40), b.assign(b.node(1), 0, 40)...)
			pass(time.Minute)
		}
		if len(all) != 2*27 || len(addresses(all)) != len(all) {
			t.Errorf("%d pods have %d addresses, want 27 on each of two m5.large", len(all), len(addresses(all)))
		}
	})
}

// TestAddressTargets counts addresses, and returns what is too many.
func TestAddressTargets(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		b.configure("WARM_IP_TARGET=2", "MINIMUM_IP_TARGET=4", "CLUSTER_NAME=shop")
		pass(10 * time.Minute)
		if diff := cmp.Diff([]int{4}, b.held(b.node(0))); diff != "" {
			t.Errorf("addresses without a pod (-want +got):\n%s", diff)
		}
		given := b.assign(b.node(0), 0, 4)
		pass(time.Minute)
		if diff := cmp.Diff([]int{6}, b.held(b.node(0))); diff != "" {
			t.Errorf("addresses with four pods (-want +got):\n%s", diff)
		}
		for _, address := range given {
			b.Release(b.node(0), address)
		}
		pass(2 * time.Minute)
		if diff := cmp.Diff([]int{4}, b.held(b.node(0))); diff != "" {
			t.Errorf("addresses after the pods (-want +got):\n%s", diff)
		}
		if tags := b.cloud.NetworkInterfaces()[0].Tags; tags[clusterTag] != "shop" || tags[ownerTag] != ownerName {
			t.Errorf("the primary interface has the tags %v", tags)
		}
	})
}

// TestCoolDown: a pod's address is given to no other for half a minute.
func TestCoolDown(t *testing.T) {
	play(t, "10.0.0.0/28", 1, nil, func(b *fixture) {
		given := b.assign(b.node(0), 0, 9)
		b.Release(b.node(0), given[3])
		pass(coolDown - time.Second)
		if got := b.assign(b.node(0), 9, 1); got != nil {
			t.Errorf("another pod has %v while it cools down", got)
		}
		pass(2 * time.Second)
		if got := b.assign(b.node(0), 9, 1); !slices.Equal(got, given[3:4]) {
			t.Errorf("another pod has %v afterwards, want %s", got, given[3])
		}
	})
}

// TestExhaustedSubnet: what is left goes to who comes first. The rest is asked for again every two minutes.
func TestExhaustedSubnet(t *testing.T) {
	play(t, "10.0.0.0/27", 2, nil, func(b *fixture) {
		pass(time.Minute)
		first := b.assign(b.node(0), 0, 12)
		pass(time.Minute)
		first = append(first, b.assign(b.node(0), 12, 12)...)
		second := b.assign(b.node(1), 0, 12)
		if len(first)+len(second) > 27-3 || b.free() > 7 {
			t.Fatalf("%d and %d pods have addresses, %d are free", len(first), len(second), b.free())
		}
		if got := b.assign(b.node(1), 0, 12); len(got) != 9 {
			t.Errorf("%d pods of the second machine have addresses, want 9", len(got))
		}
		b.must(b.cloud.Terminate(b.cloud.Instances()[0].ID, true))
		pass(time.Minute + insufficientPause)
		if got := b.assign(b.node(1), 0, 12); len(got) != 12 {
			t.Errorf("%d pods of the second machine have addresses after the first one has ended, want 12", len(got))
		}
	})
}

// TestSubnetDiscovery takes addresses from another subnet of the zone that is tagged for it.
func TestSubnetDiscovery(t *testing.T) {
	for tag, want := range map[string]int{"": 9, "1": 15} {
		play(t, "10.0.0.0/28", 1, func(s *cloud.Spec) {
			s.Subnets = append(s.Subnets, cloud.SubnetSpec{Name: "pods", Zone: "a", CIDR: "100.64.0.0/24", Tags: map[string]string{subnetTag: tag}})
		}, func(b *fixture) {
			b.assign(b.node(0), 0, 15)
			pass(5 * time.Minute)
			if got := b.assign(b.node(0), 0, 15); len(got) != want {
				t.Errorf("with the tag %q, %d pods have addresses, want %d", tag, len(got), want)
			}
		})
	}
}

// TestCordon: on a node that is cordoned, nothing is attached and nothing freed.
func TestCordon(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: b.node(0)}, Spec: corev1.NodeSpec{Unschedulable: true}}
		pass(time.Minute)
		given := b.assign(b.node(0), 0, 1)
		b.must(b.nodes.Add(node))
		pass(time.Minute)
		if diff := cmp.Diff([]int{9}, b.held(b.node(0))); diff != "" {
			t.Errorf("cordoned with a pod (-want +got):\n%s", diff)
		}
		b.must(b.nodes.Delete(node))
		pass(time.Minute)
		b.must(b.nodes.Add(node))
		b.Release(b.node(0), given[0])
		pass(5 * time.Minute)
		if diff := cmp.Diff([]int{9, 9}, b.held(b.node(0))); diff != "" {
			t.Errorf("cordoned without a pod (-want +got):\n%s", diff)
		}
		b.must(b.nodes.Delete(node))
		pass(5 * time.Minute)
		if diff := cmp.Diff([]int{9}, b.held(b.node(0))); diff != "" {
			t.Errorf("uncordoned (-want +got):\n%s", diff)
		}
	})
}

// TestRestart: pods keep their addresses when the lab starts again.
func TestRestart(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		given := b.assign(b.node(0), 0, 3)
		again := New(Options{Cloud: b.cloud})
		again.Reserve(b.node(0), "another", given[1])
		got := again.Assign(b.node(0), "a")
		if second := again.Assign(b.node(0), "b"); got != given[0] || second != given[2] {
			t.Errorf("new pods have %s and %s, want those but %s of %v", got, second, given[1], given)
		}
	})
}

// TestLimitedCalls: while the account has made too many calls, a machine's pool waits; afterwards, it is what it should be.
func TestLimitedCalls(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		var refused []string
		b.admit(func(action string) error {
			refused = append(refused, action)
			return &cloud.Error{Code: "RequestLimitExceeded"}
		})
		pass(time.Minute)
		if got := b.assign(b.node(0), 0, 1); got != nil || !slices.Contains(refused, "AssignPrivateIpAddresses") {
			t.Errorf("a pod has %v after the refused calls %v", got, refused)
		}
		b.admit(nil)
		pass(time.Minute)
		if got := b.assign(b.node(0), 0, 1); len(got) != 1 {
			t.Errorf("a pod has no address after the limit")
		}
		pass(time.Minute)
		if diff := cmp.Diff([]int{9, 9}, b.held(b.node(0))); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
	})
}
