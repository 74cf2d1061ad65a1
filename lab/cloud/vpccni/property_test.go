package vpccni

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// Whatever happens to pods and instances, every pod's address is its own and on an interface that its machine has, no machine has
// more interfaces than its type allows, and once all is quiet, nothing is left of instances that have ended.
func TestAddressesOfPods(t *testing.T) {
	slowly := func(s *cloud.Spec) { s.DetachTime = &metav1.Duration{Duration: time.Minute} }
	rapid.Check(t, func(rt *rapid.T) {
		actions := rapid.SliceOfN(rapid.IntRange(0, 99), 20, 60).Draw(rt, "actions")
		cidr := rapid.SampledFrom([]string{"10.0.0.0/24", "10.0.0.0/26", "10.0.0.0/27"}).Draw(rt, "cidr")
		prefixes := rapid.Bool().Draw(rt, "prefixes")
		fault := "" // told outside of the bubble, which rapid knows nothing of
		play(t, cidr, 3, slowly, func(b *fixture) { fault = b.perform(actions, prefixes) })
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// perform does one thing after the other, and says what is wrong then.
func (b *fixture) perform(actions []int, prefixes bool) string {
	b.configure("CLUSTER_NAME=shop", fmt.Sprintf("ENABLE_PREFIX_DELEGATION=%t", prefixes))
	pods := map[types.UID]podAddress{}
	for n, action := range actions {
		b.act(n, action, pods)
		if fault := b.check(pods); fault != "" {
			return fmt.Sprintf("after action %d: %s", n, fault)
		}
	}
	b.must(b.cloud.SetDesired("g", 1))
	pass(3 * time.Hour)
	if left := b.available(); len(left) > 0 {
		return fmt.Sprintf("%d interfaces are left", len(left))
	}
	return ""
}

type podAddress struct{ node, address string }

// act does one thing, with as much of chance as the number has.
func (b *fixture) act(n, action int, pods map[types.UID]podAddress) {
	var running []cloud.Instance
	for _, i := range b.cloud.Instances() {
		if up(i) {
			running = append(running, i)
		}
	}
	switch {
	case action < 40 && len(running) > 0:
		node, uid := running[action%len(running)].NodeName, types.UID(fmt.Sprint(n))
		for i := range action % 26 {
			uid := uid + types.UID(fmt.Sprintf("/%d", i))
			if address := b.Assign(node, uid); address != "" {
				pods[uid] = podAddress{node, address}
			}
		}
	case action < 65 && len(running) > 0: // all pods of a machine end, or some
		node := running[action%len(running)].NodeName
		for n, uid := range slices.Sorted(maps.Keys(pods)) {
			if pods[uid].node == node && (action < 50 || n%3 > 0) {
				b.Release(node, pods[uid].address)
				delete(pods, uid)
			}
		}
	case action < 75 && len(running) > 0:
		b.must(b.cloud.Terminate(running[action%len(running)].ID, false))
	case action < 80:
		b.must(b.cloud.SetDesired("g", 1+action%6))
	case action < 85:
		pass(time.Duration(action) * 100 * time.Millisecond)
	default:
		pass(time.Duration(action-84) * 15 * time.Second)
	}
	synctest.Wait()
	for uid, pod := range pods { // those of machines that have ended have ended with them
		if i, found := b.cloud.InstanceByNode(pod.node); !found || !up(i) {
			delete(pods, uid)
		}
	}
}

func (b *fixture) check(pods map[types.UID]podAddress) string {
	owner := map[netip.Addr]types.UID{}
	held := map[string][]netip.Prefix{} // by instance
	count := map[string]int{}
	for _, i := range b.cloud.NetworkInterfaces() {
		if i.Attachment == nil {
			continue
		}
		if count[i.Attachment.Instance]++; i.Status == cloud.InterfaceInUse {
			held[i.Attachment.Instance] = append(held[i.Attachment.Instance], blocksOf(i)...)
		}
	}
	for instance, n := range count {
		if n > 3 {
			return fmt.Sprintf("%s has %d interfaces", instance, n)
		}
	}
	for uid, pod := range pods {
		address := netip.MustParseAddr(pod.address)
		if other, taken := owner[address]; taken {
			return fmt.Sprintf("the pods %s and %s have %s", uid, other, address)
		}
		owner[address] = uid
		if i, _ := b.cloud.InstanceByNode(pod.node); !slices.ContainsFunc(held[i.ID], func(b netip.Prefix) bool { return b.Contains(address) }) {
			return fmt.Sprintf("the pod %s has %s, which no interface of its machine has", uid, address)
		}
	}
	return ""
}
