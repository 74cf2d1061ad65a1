package eksnoderepair

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// scale is the tests' pace.
const scale = 10

// fixture is a cloud of one group and the nodes of it, in virtual time.
type fixture struct {
	*testing.T
	cloud  *cloud.Cloud
	client *fake.Clientset
}

func runRepairs(t *testing.T, spec cloud.Spec, test func(b *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := cloud.New(cloud.Options{Spec: spec, Pace: pace.New(scale), InstantStart: true})
		if err != nil {
			t.Fatal(err)
		}
		b := &fixture{T: t, cloud: c, client: fake.NewClientset()}
		for _, i := range c.Instances() {
			n := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: i.NodeName, Labels: i.Labels},
				Spec:       corev1.NodeSpec{ProviderID: "aws:///" + i.Zone + "/" + i.ID},
				Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{BootID: "first"}},
			}
			if err := b.client.Tracker().Add(n); err != nil {
				t.Fatal(err)
			}
		}
		var running sync.WaitGroup
		running.Go(func() { run(ctx, b.client, Options{Cloud: c, Pace: pace.New(scale), Clock: clock.RealClock{}}) })
		defer running.Wait()
		defer cancel()
		<-time.After(200 * time.Millisecond) // client-go looks every 100 ms whether a cache is filled
		test(b)
	})
}

func (b *fixture) advance(d time.Duration) {
	<-time.After(d / scale)
	synctest.Wait()
}

// setCondition sets a condition and the boot ID of the nth node.
func (b *fixture) setCondition(n int, condition, status, reason, bootID string) {
	b.Helper()
	name := b.cloud.Instances()[n].NodeName
	node, err := b.client.CoreV1().Nodes().Get(b.Context(), name, metav1.GetOptions{})
	if err != nil {
		b.Fatal(err)
	}
	node.Status.NodeInfo.BootID = bootID
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeConditionType(condition), Status: corev1.ConditionStatus(status), Reason: reason, LastTransitionTime: metav1.Now(),
	}}
	if _, err := b.client.CoreV1().Nodes().UpdateStatus(b.Context(), node, metav1.UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
}

// repairOf is the repair of the nth machine, reboots with their number.
func (b *fixture) repairOf(n int) string {
	i := b.cloud.Instances()[n]
	switch {
	case i.State != cloud.Running:
		return cloud.RepairReplace
	case i.Reboots > 0:
		return fmt.Sprintf("%s %d", cloud.RepairReboot, i.Reboots)
	}
	return ""
}

func group(size int, config *cloud.NodeRepairConfig) cloud.Spec {
	return cloud.Spec{Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: size, NodeRepair: config}}}
}

func TestWaits(t *testing.T) {
	reboot := cloud.NodeRepairOverride{
		NodeMonitoringCondition: "NetworkingReady", NodeUnhealthyReason: "InterfaceNotUp", MinRepairWaitTimeMins: 12, RepairAction: cloud.RepairReboot,
	}
	none := reboot
	none.RepairAction = cloud.RepairNoAction
	enabled := cloud.NodeRepairConfig{Enabled: true}
	overridden, switchedOff := enabled, enabled
	overridden.NodeRepairConfigOverrides = []cloud.NodeRepairOverride{reboot}
	switchedOff.NodeRepairConfigOverrides = []cloud.NodeRepairOverride{none}
	tests := map[string]struct {
		config                    *cloud.NodeRepairConfig
		condition, status, reason string
		before, after             time.Duration // when nothing may be done yet, and when it must be
		want                      string
	}{
		"not configured":            {nil, "NetworkingReady", "False", "InterfaceNotUp", 2 * time.Hour, 0, ""},
		"switched off by the user":  {&cloud.NodeRepairConfig{}, "NetworkingReady", "False", "InterfaceNotUp", 2 * time.Hour, 0, ""},
		"networking":                {&enabled, "NetworkingReady", "False", "InterfaceNotUp", 29 * time.Minute, 2 * time.Minute, cloud.RepairReplace},
		"an accelerator":            {&enabled, "AcceleratedHardwareReady", "False", "NvidiaDoubleBitError", 9 * time.Minute, 2 * time.Minute, cloud.RepairReplace},
		"a kubelet that is silent":  {&enabled, "Ready", "Unknown", "NodeStatusUnknown", 29 * time.Minute, 2 * time.Minute, cloud.RepairReplace},
		"disk pressure is no cause": {&enabled, "DiskPressure", "True", "KubeletHasDiskPressure", 2 * time.Hour, 0, ""},
		"unknown is not unhealthy":  {&enabled, "NetworkingReady", "Unknown", "Lost", 2 * time.Hour, 0, ""},
		"overridden":                {&overridden, "NetworkingReady", "False", "InterfaceNotUp", 11 * time.Minute, 2 * time.Minute, "Reboot 1"},
		"another reason":            {&overridden, "NetworkingReady", "False", "IPAMDNotReady", 29 * time.Minute, 2 * time.Minute, cloud.RepairReplace},
		"overridden to nothing":     {&switchedOff, "NetworkingReady", "False", "InterfaceNotUp", 2 * time.Hour, 0, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			runRepairs(t, group(3, tt.config), func(b *fixture) {
				b.setCondition(1, tt.condition, tt.status, tt.reason, "first")
				b.advance(tt.before)
				if got := b.repairOf(1); got != "" {
					t.Errorf("%q was done already", got)
				}
				b.advance(tt.after)
				if got := b.repairOf(1); got != tt.want {
					t.Errorf("%q was done, want %q", got, tt.want)
				}
				if b.repairOf(0) != "" || b.repairOf(2) != "" {
					t.Error("a healthy node was repaired")
				}
			})
		})
	}
}

// TestReasonSwitchedOff is story 3: enabled, reported, listed among the reasons that are repaired, and nothing happens.
func TestReasonSwitchedOff(t *testing.T) {
	spec := group(3, &cloud.NodeRepairConfig{Enabled: true})
	spec.RepairSwitchedOff = []cloud.UnhealthyReason{{Condition: "NetworkingReady", Reason: "InterfaceNotUp"}}
	runRepairs(t, spec, func(b *fixture) {
		b.setCondition(0, "NetworkingReady", "False", "InterfaceNotUp", "first")
		b.setCondition(1, "NetworkingReady", "False", "IPAMDNotReady", "first")
		b.advance(3 * time.Hour)
		if b.repairOf(0) != "" || b.repairOf(1) != cloud.RepairReplace {
			t.Errorf("done: %q and %q, want nothing and a replacement", b.repairOf(0), b.repairOf(1))
		}
	})
}

func TestRebootAgain(t *testing.T) {
	config := &cloud.NodeRepairConfig{Enabled: true, NodeRepairConfigOverrides: []cloud.NodeRepairOverride{{
		NodeMonitoringCondition: "NetworkingReady", NodeUnhealthyReason: "InterfaceNotUp", MinRepairWaitTimeMins: 10, RepairAction: cloud.RepairReboot,
	}}}
	runRepairs(t, group(1, config), func(b *fixture) {
		b.setCondition(0, "NetworkingReady", "False", "InterfaceNotUp", "first")
		b.advance(time.Hour)
		if got := b.repairOf(0); got != "Reboot 1" {
			t.Fatalf("done: %q, want one reboot while it is not back", got)
		}
		b.setCondition(0, "NetworkingReady", "False", "InterfaceNotUp", "second")
		b.advance(9 * time.Minute)
		if got := b.repairOf(0); got != "Reboot 1" {
			t.Errorf("done: %q before the wait is over again", got)
		}
		b.advance(2 * time.Minute)
		if got := b.repairOf(0); got != "Reboot 2" {
			t.Errorf("done: %q after the wait, want a second reboot", got)
		}
	})
}

func TestThresholds(t *testing.T) {
	enabled := func(change func(*cloud.NodeRepairConfig)) *cloud.NodeRepairConfig {
		config := &cloud.NodeRepairConfig{Enabled: true}
		change(config)
		return config
	}
	tests := map[string]struct {
		size, unhealthy, want int
		config                *cloud.NodeRepairConfig
	}{
		"a small group has none":    {5, 3, 3, enabled(func(*cloud.NodeRepairConfig) {})},
		"a fifth may be unhealthy":  {10, 2, 2, enabled(func(*cloud.NodeRepairConfig) {})},
		"more may not":              {10, 3, 0, enabled(func(*cloud.NodeRepairConfig) {})},
		"own count":                 {10, 3, 3, enabled(func(c *cloud.NodeRepairConfig) { c.MaxUnhealthyNodeThresholdCount = 3 })},
		"over its own count":        {4, 3, 0, enabled(func(c *cloud.NodeRepairConfig) { c.MaxUnhealthyNodeThresholdCount = 2 })},
		"own share":                 {4, 3, 0, enabled(func(c *cloud.NodeRepairConfig) { c.MaxUnhealthyNodeThresholdPercentage = 50 })},
		"one at a time":             {5, 3, 1, enabled(func(c *cloud.NodeRepairConfig) { c.MaxParallelNodesRepairedCount = 1 })},
		"a share at a time, and up": {5, 3, 2, enabled(func(c *cloud.NodeRepairConfig) { c.MaxParallelNodesRepairedPercentage = 21 })},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			runRepairs(t, group(tt.size, tt.config), func(b *fixture) {
				for n := range tt.unhealthy {
					b.setCondition(n, "NetworkingReady", "False", "InterfaceNotUp", "first")
				}
				b.advance(2 * time.Hour)
				repaired := 0
				for n := range tt.size {
					if b.repairOf(n) != "" {
						repaired++
					}
				}
				if repaired != tt.want {
					t.Errorf("%d nodes were repaired, want %d", repaired, tt.want)
				}
			})
		})
	}
}
