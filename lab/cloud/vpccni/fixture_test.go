package vpccni

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// fixture is a cloud whose machines are all on, with the address managers of them. It is made in a bubble of synctest.
type fixture struct {
	*Manager
	t     *testing.T
	sets  cache.Indexer
	nodes cache.Indexer
}

// State is part of Machines.
func (b *fixture) State(string) (nodes.State, bool) { return nodes.On, true }

// play runs a test in a bubble, with one subnet in the zone "a" and a group of m5.large in it.
func play(t *testing.T, cidr string, desired int, change func(*cloud.Spec), test func(*fixture)) {
	t.Helper()
	spec := cloud.Spec{
		Zones: []string{"a"}, Subnets: []cloud.SubnetSpec{{Name: "own", Zone: "a", CIDR: cidr}},
		Groups: []cloud.GroupSpec{{Name: "g", InstanceType: "m5.large", Subnets: []string{"own"}, Desired: desired, Max: 100}},
	}
	if change != nil {
		change(&spec)
	}
	synctest.Test(t, func(t *testing.T) {
		c, err := cloud.New(cloud.Options{Spec: spec, InstantStart: true})
		if err != nil {
			t.Fatal(err)
		}
		b := &fixture{
			Manager: New(Options{Cloud: c}), t: t,
			sets: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}), nodes: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}),
		}
		b.daemonSets, b.Manager.nodes = appslisters.NewDaemonSetLister(b.sets), corelisters.NewNodeLister(b.nodes)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() { b.run(ctx, b) })
		test(b)
		cancel()
		running.Wait()
	})
}

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // the bubble's clock, which nobody waits for
	synctest.Wait()
}

// configure sets the environment of the DaemonSet aws-node, as NAME=value.
func (b *fixture) configure(env ...string) {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "aws-node"}}
	container := corev1.Container{Name: "aws-node"}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: value})
	}
	set.Spec.Template.Spec.Containers = []corev1.Container{container}
	b.must(b.sets.Add(set))
}

// admit has calls of EC2 refused.
func (b *fixture) admit(f func(action string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ec2.admit = f
}

func (b *fixture) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// node is that of the group's nth instance.
func (b *fixture) node(n int) string { return b.cloud.Instances()[n].NodeName }

// assign gives addresses to so many pods of a node, and returns those that it had.
func (b *fixture) assign(node string, from, n int) (addresses []string) {
	for i := range n {
		if address := b.Assign(node, types.UID(fmt.Sprintf("%s/%d", node, from+i))); address != "" {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// held is how many addresses each of a node's interfaces has beside its own, by device index.
func (b *fixture) held(node string) []int {
	i, _ := b.cloud.InstanceByNode(node)
	var held []int
	for _, one := range (&agent{Manager: b.Manager, instance: i}).attached() {
		held = append(held, len(one.Secondary))
	}
	return held
}

// available are the interfaces that no instance has.
func (b *fixture) available() (found []*cloud.NetworkInterface) {
	for _, i := range b.cloud.NetworkInterfaces() {
		if i.Status == cloud.InterfaceAvailable {
			found = append(found, i)
		}
	}
	return found
}

func (b *fixture) free() int { return b.cloud.Subnets()[0].Free }

func addresses(texts []string) map[netip.Addr]bool {
	set := map[netip.Addr]bool{}
	for _, text := range texts {
		set[netip.MustParseAddr(text)] = true
	}
	return set
}
