package controller

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// networked is a world with the network that it was given last.
type networked struct {
	*cluster.Snapshot
	set []cloud.Network
}

func (n *networked) SetNetwork(network cloud.Network) { n.set = append(n.set, network) }

type world struct{ *networked }

func (w world) Snapshot() *cluster.Snapshot { return w.networked.Snapshot }

// TestNetworkReader: the network is read at once and every five minutes, if pods have addresses of the VPC CNI, and what fails is set, too.
func TestNetworkReader(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{ProviderID: "aws:///a/i-1"}}
	plugin := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: addresses.Plugin}}
	denied := cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{cloud.Subnets: {Permission: "ec2:DescribeSubnets"}}}
	whole := cloud.Network{Subnets: []cloud.Subnet{{ID: "s"}}}
	for name, tc := range map[string]struct {
		objects []runtime.Object
		offered bool
		want    []cloud.Network
	}{
		"the VPC CNI runs":                      {[]runtime.Object{node, plugin}, true, []cloud.Network{denied, whole, whole}},
		"another CNI":                           {[]runtime.Object{node}, true, nil},
		"a cloud whose network naosu reads not": {[]runtime.Object{node, plugin}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, reads, started := world{&networked{Snapshot: cluster.New(cluster.Contents{Objects: tc.objects})}}, 0, time.Now()
				read := func(_ context.Context, machines []cloud.Machine) (cloud.Network, bool) {
					if len(machines) != 1 || machines[0].ProviderID != node.Spec.ProviderID {
						t.Errorf("machines %+v", machines)
					}
					if reads++; reads == 1 {
						return denied, tc.offered
					}
					return whole, tc.offered
				}
				synced := func() bool { return time.Since(started) >= 3*time.Second }
				r := &networkReader{world: w, read: read, synced: synced, clock: clock.RealClock{}, log: logr.Discard()}
				ctx, cancel := context.WithTimeout(t.Context(), 2*networkInterval+time.Minute)
				defer cancel()
				if err := r.Start(ctx); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, w.set); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}
