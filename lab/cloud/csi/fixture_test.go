package csi_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/cloud/csi"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/pace"
)

// scale is how much faster than reality the tests' cluster is.
const scale = 20

// The Nodes have no kubelet: the controllers that watch heartbeats are off.
func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Pace: pace.New(scale), Flags: map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--node-monitor-grace-period=1h"},
	}})
}

// fixture is a cloud for one test with a real control plane, with the CSI drivers over it and a hand-made Node for each of
// its two instances, one in zone a and one in b.
type fixture struct {
	*testing.T
	kubernetes.Interface
	namespace string
	cloud     *cloud.Cloud
	instances map[string]cloud.Instance
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	shared := testbed.Shared(t)
	b := &fixture{T: t, Interface: shared.Client, namespace: shared.Namespace, instances: map[string]cloud.Instance{}}
	var err error
	b.cloud, err = cloud.New(cloud.Options{InstantStart: true, Spec: cloud.Spec{
		Seed:   seed(t.Name()),
		Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 2, Zones: []string{zoneA, zoneB}}},
	}})
	b.must(err)
	for _, i := range b.cloud.Instances() {
		b.instances[i.Zone] = i
		b.node(i)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() {
		ended <- csi.Run(ctx, csi.Options{Config: shared.AdminConfig(), Cloud: b.cloud, Pace: pace.New(scale)})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("running the CSI drivers: %v", err)
		}
	})
	return b
}

// seed is another for each test, and so are the names of its instances and volumes: all drivers of this plane see every object
// of it, also what the test before has left to be deleted.
func seed(test string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(test))
	return sum.Sum64()
}

// node makes what the instance's kubelet would have registered and the cloud's node controller would have completed.
func (b *fixture) node(i cloud.Instance) {
	b.Helper()
	_, err := b.CoreV1().Nodes().Create(b.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        i.NodeName,
		Labels:      map[string]string{corev1.LabelTopologyZone: i.Zone, corev1.LabelHostname: i.NodeName, "test": b.namespace},
		Annotations: map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
	}}, metav1.CreateOptions{})
	b.must(err)
	b.Cleanup(func() {
		_ = b.CoreV1().Nodes().Delete(context.WithoutCancel(b.Context()), i.NodeName, metav1.DeleteOptions{})
	})
	status := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":%q}],
		"capacity":{"cpu":"2","memory":"8Gi","pods":"29"},"allocatable":{"cpu":"2","memory":"8Gi","pods":"29"}}}`, time.Now().Format(time.RFC3339))
	_, err = b.CoreV1().Nodes().Patch(b.Context(), i.NodeName, types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{}, "status")
	b.must(err)
	_, err = b.StorageV1().CSINodes().Create(b.Context(), &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: i.NodeName},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
			Name: "ebs.csi.aws.com", NodeID: i.ID, TopologyKeys: []string{corev1.LabelTopologyZone},
			Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(i.Capacity.Volumes))},
		}}},
	}, metav1.CreateOptions{})
	b.must(err)
	b.Cleanup(func() {
		_ = b.StorageV1().CSINodes().Delete(context.WithoutCancel(b.Context()), i.NodeName, metav1.DeleteOptions{})
	})
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// eventually retries until there is no error.
func (b *fixture) eventually(what string, ask func(context.Context) error) {
	b.Helper()
	testbed.Eventually(b, func() error {
		if err := ask(b.Context()); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
}

// waitForEvent waits for an event of an object of the namespace.
func (b *fixture) waitForEvent(object, reason, says string) {
	b.Helper()
	b.eventually(reason+" of "+object, func(ctx context.Context) error {
		events, err := b.CoreV1().Events(b.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + object + ",reason=" + reason})
		if err != nil {
			return err
		}
		var messages []string
		for _, e := range events.Items {
			if strings.Contains(e.Message, says) {
				return nil
			}
			messages = append(messages, e.Message)
		}
		return fmt.Errorf("got %q, want %q", messages, says)
	})
}
