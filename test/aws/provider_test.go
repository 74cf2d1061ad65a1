package aws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/lab/cloud"
)

// provider is naosu's own, led to the lab by the environment alone.
func (b *fixture) provider(o provider.Options) *provider.Provider {
	b.t.Helper()
	p, gap := provider.New(b.t.Context(), o)
	if gap != nil {
		b.t.Fatalf("no provider: %s", message.English().Say(gap.Why))
	}
	return p
}

func machine(i cloud.Instance) naosu.Machine {
	return naosu.Machine{Node: i.NodeName, UID: "uid-" + i.ID, ProviderID: "aws:///" + i.Zone + "/" + i.ID, Labels: i.Labels}
}

func machines(instances []cloud.Instance) []naosu.Machine {
	all := make([]naosu.Machine, 0, len(instances))
	for _, i := range instances {
		all = append(all, machine(i))
	}
	return all
}

var (
	unknown = cloud.Instance{ID: absent, Zone: "us-east-1a", NodeName: "unknown"}
	yes, no = true, false
)

// count is how often an action was called.
func (b *fixture) count(action string) (n int) {
	for _, c := range b.server.Calls() {
		if c.Service+":"+c.Action == action {
			n++
		}
	}
	return n
}

func TestProviderStates(t *testing.T) {
	b := newFixture(t)
	stopping, ending := b.unsettle()
	running := b.members("workers")
	b.must(b.cloud.SetImpaired(running[0].ID, true))
	b.must(b.cloud.Reboot(running[1].ID))
	asked := []cloud.Instance{running[0], stopping, unknown, running[1], ending, running[2]}
	got, err := b.provider(provider.Options{}).States(t.Context(), machines(asked)...)
	b.must(err)
	want := []naosu.State{
		{Running: naosu.On, Impaired: &yes, Message: "running; instance status impaired, system status ok"},
		{Running: naosu.Changes, Message: "stopping"},
		{Running: naosu.NotFound, Message: "InvalidInstanceID.NotFound"},
		{Running: naosu.On, Impaired: &no, Message: "running; instance status initializing, system status ok"},
		{Running: naosu.Changes, Message: "shutting-down"},
		{Running: naosu.On, Impaired: &no, Message: "running; instance status ok, system status ok"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestProviderBatches: a large fleet is asked for by the hundred, and each machine gets its own state.
func TestProviderBatches(t *testing.T) {
	b := newFixture(t)
	b.must(b.cloud.AddGroup(cloud.GroupSpec{Name: "many", InstanceType: "m5.large", Desired: 241}))
	all := b.cloud.Instances()
	states, err := b.provider(provider.Options{}).States(t.Context(), machines(all)...)
	b.must(err)
	want := map[cloud.InstanceState]naosu.Running{cloud.Running: naosu.On, cloud.Pending: naosu.Changes}
	for i, state := range states {
		if state.Running != want[all[i].State] {
			t.Errorf("%s is %s, the provider says %s", all[i].ID, all[i].State, state.Running)
		}
	}
	if n := b.count("ec2:DescribeInstances"); n != 3 || len(states) != 250 {
		t.Errorf("%d states by %d calls, want 250 by 3", len(states), n)
	}
}

func TestProviderReboot(t *testing.T) {
	b := newFixture(t)
	struck := b.members("workers")[0]
	p := b.provider(provider.Options{})
	done, err := p.Reboot(t.Context(), machine(struck))
	b.must(err)
	if done.ID == "" || done.At.IsZero() {
		t.Errorf("the operation has neither token nor time: %+v", done)
	}
	if i, _ := b.cloud.Instance(struck.ID); i.Reboots != 1 {
		t.Errorf("rebooted %d times, want once", i.Reboots)
	}
}

func fault(code string) *cloud.Error { return &cloud.Error{Code: code, Message: "as scripted"} }

// TestProviderRebootFaults: whatever goes wrong, a machine is asked to reboot once, and it is known whether it may have
// been.
func TestProviderRebootFaults(t *testing.T) {
	for _, tc := range []struct {
		name    string
		fault   *cloud.Error
		times   int
		calls   int
		reboots int
		is, not error
	}{
		{name: "throttled once", fault: fault("RequestLimitExceeded"), times: 1, calls: 2, reboots: 1},
		{name: "throttled all the time", fault: fault("RequestLimitExceeded"), times: 9, calls: 3, is: naosu.ErrPassing, not: naosu.ErrUnsure},
		{name: "AWS fails", fault: fault("InternalError"), times: 1, calls: 1, is: naosu.ErrUnsure},
		{name: "refused", fault: fault("UnsupportedOperation"), times: 1, calls: 1, not: naosu.ErrUnsure},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t)
			struck := b.members("workers")[0]
			b.server.Script("ec2:RebootInstances", tc.times, tc.fault)
			_, err := b.provider(provider.Options{}).Reboot(t.Context(), machine(struck))
			if (err == nil) != (tc.reboots > 0) || tc.is != nil && !errors.Is(err, tc.is) || tc.not != nil && errors.Is(err, tc.not) {
				t.Errorf("error %v", err)
			}
			if i, _ := b.cloud.Instance(struck.ID); i.Reboots != tc.reboots || b.count("ec2:RebootInstances") != tc.calls {
				t.Errorf("%d calls, %d reboots; want %d and %d", b.count("ec2:RebootInstances"), i.Reboots, tc.calls, tc.reboots)
			}
		})
	}
}

// TestProviderReplace keeps the group's size, however often it is asked.
func TestProviderReplace(t *testing.T) {
	b := newFixture(t)
	struck := b.members("workers")[0]
	p := b.provider(provider.Options{})
	done, err := p.Replace(t.Context(), machine(struck))
	b.must(err)
	if done.ID == "" || done.At.IsZero() {
		t.Errorf("the operation has neither token nor time: %+v", done)
	}
	for range 2 {
		_, err := p.Replace(t.Context(), machine(struck))
		b.must(err)
	}
	_, err = p.Replace(t.Context(), machine(unknown))
	b.must(err)
	for _, g := range b.cloud.Groups() {
		if g.Name == "workers" && (g.Desired != 6 || len(g.Instances) != 6 || slices.Contains(g.Instances, struck.ID)) {
			t.Errorf("desired %d, instances %v; want six without %s", g.Desired, g.Instances, struck.ID)
		}
	}
	if n := len(b.cloud.Instances()); n != 10 {
		t.Errorf("%d instances, want the nine and one in the place of the terminated", n)
	}
}

func TestProviderReplaceRefused(t *testing.T) {
	b := newFixture(t)
	struck := b.members("spare")[0]
	p := b.provider(provider.Options{})
	b.server.Script("autoscaling:TerminateInstanceInAutoScalingGroup", 3, fault("Throttling"))
	if _, err := p.Replace(t.Context(), machine(struck)); !errors.Is(err, naosu.ErrPassing) || errors.Is(err, naosu.ErrUnsure) {
		t.Errorf("throttled: %v, want ErrPassing and not ErrUnsure", err)
	}
	b.server.Script("autoscaling:TerminateInstanceInAutoScalingGroup", 3, fault("InternalError"))
	if _, err := p.Replace(t.Context(), machine(struck)); !errors.Is(err, naosu.ErrUnsure) {
		t.Errorf("AWS fails: %v, want ErrUnsure", err)
	}
	b = newFixture(t)
	b.as(reader, secret)
	if _, err := b.provider(provider.Options{}).Replace(t.Context(), machine(struck)); err == nil || errors.Is(err, naosu.ErrPassing) || errors.Is(err, naosu.ErrNotOffered) {
		t.Errorf("not permitted: %v", err)
	}
	b = newFixture(t)
	left := b.members("workers")[0]
	b.must(b.cloud.Rotate("workers", cloud.Rotation{Old: cloud.OldLeave})) // which leaves the old ones in no group
	if _, err := b.provider(provider.Options{}).Replace(t.Context(), machine(left)); !errors.Is(err, naosu.ErrNotOffered) {
		t.Errorf("in no group: %v, want ErrNotOffered", err)
	}
	if i, _ := b.cloud.Instance(left.ID); i.State != cloud.Running {
		t.Errorf("the instance in no group is %s", i.State)
	}
}

// TestProviderOtherMachine: where EC2 has named a node, no other instance than that node's own is acted on.
func TestProviderOtherMachine(t *testing.T) {
	b := newFixture(t)
	members := b.members("workers")
	struck, other := members[0], members[1]
	p := b.provider(provider.Options{})
	for name, tc := range map[string]struct {
		node    string
		refused bool
	}{
		"its private name":            {struck.NodeName, false},
		"another's private name":      {other.NodeName, true},
		"in a domain of its own":      {strings.Split(struck.NodeName, ".")[0] + ".corp.example", false},
		"another's, in such a domain": {strings.Split(other.NodeName, ".")[0] + ".corp.example", true},
		"its ID":                      {struck.ID + ".us-east-1.compute.internal", false},
		"another's ID":                {other.ID, true},
		"a name that people gave":     {"worker-1", false},
		"one that only begins alike":  {"ip-10-0-0-1-worker", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(struck)
			m.Node = tc.node
			before, _ := b.cloud.Instance(struck.ID)
			_, err := p.Reboot(t.Context(), m)
			after, _ := b.cloud.Instance(struck.ID)
			if (err != nil) != tc.refused || (after.Reboots == before.Reboots) != tc.refused || errors.Is(err, naosu.ErrPassing) || errors.Is(err, naosu.ErrUnsure) {
				t.Errorf("rebooted %d times, then %d; %v", before.Reboots, after.Reboots, err)
			}
			for _, action := range []v1alpha1.Action{v1alpha1.ActionReboot, v1alpha1.ActionReplace} {
				may, err := p.May(t.Context(), action, m)
				b.must(err)
				if (may.Why.ID == message.CloudOtherMachine && may.May == v1alpha1.MayNo) != tc.refused {
					t.Errorf("%s: %s, %s", action, may.May, message.English().Say(may.Why))
				}
			}
			if !tc.refused {
				return
			}
			if _, err := p.Replace(t.Context(), m); err == nil || !strings.Contains(err.Error(), tc.node) || !strings.Contains(err.Error(), struck.ID) {
				t.Errorf("replaced, or refused without the names: %v", err)
			}
		})
	}
	if i, _ := b.cloud.Instance(struck.ID); i.State != cloud.Running {
		t.Errorf("%s is %s", struck.ID, i.State)
	}
	b.server.Script("ec2:DescribeInstances", 9, fault("RequestLimitExceeded"))
	if _, err := p.Reboot(t.Context(), machine(struck)); !errors.Is(err, naosu.ErrPassing) || errors.Is(err, naosu.ErrUnsure) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("EC2 does not say whose it is: %v, want ErrPassing alone", err)
	}
}

func TestProviderMay(t *testing.T) {
	b := newFixture(t)
	struck := b.members("workers")[0]
	b.must(b.cloud.Suspend("spare", true, "Launch"))
	halted := b.members("spare")[0]
	for _, tc := range []struct {
		key    string
		action v1alpha1.Action
		of     cloud.Instance
		may    v1alpha1.May
		why    message.ID
	}{
		{operator, v1alpha1.ActionReboot, struck, v1alpha1.MayYes, message.CloudDryRunPassed},
		{reader, v1alpha1.ActionReboot, struck, v1alpha1.MayNo, message.CloudRefused},
		{"AKIAABSENT", v1alpha1.ActionReboot, struck, v1alpha1.MayNo, message.CloudRefused},
		{operator, v1alpha1.ActionReplace, struck, v1alpha1.MayUnknown, message.CloudNoDryRun},
		{operator, v1alpha1.ActionReplace, halted, v1alpha1.MayNo, message.CloudNoLaunch},
		{operator, v1alpha1.ActionReplace, unknown, v1alpha1.MayNo, message.CloudNoScaling},
		{"AKIAABSENT", v1alpha1.ActionReplace, struck, v1alpha1.MayUnknown, message.CloudUnread},
	} {
		t.Run(fmt.Sprint(tc.action, " ", tc.why), func(t *testing.T) {
			b.as(tc.key, secret)
			got, err := b.provider(provider.Options{}).May(t.Context(), tc.action, machine(tc.of))
			b.must(err)
			if got.May != tc.may || got.Why.ID != tc.why {
				t.Errorf("%s (%s), want %s (%s)", got.May, message.English().Say(got.Why), tc.may, tc.why)
			}
		})
	}
	for _, i := range b.cloud.Instances() {
		if i.Reboots != 0 || i.State != cloud.Running {
			t.Errorf("asking changed %s: rebooted %d times, %s", i.ID, i.Reboots, i.State)
		}
	}
	b.as(operator, secret)
	b.server.Script("ec2:RebootInstances", 9, fault("RequestLimitExceeded"))
	if _, err := b.provider(provider.Options{}).May(t.Context(), v1alpha1.ActionReboot, machine(struck)); !errors.Is(err, naosu.ErrPassing) {
		t.Errorf("throttled: %v, want ErrPassing", err)
	}
	if _, err := b.provider(provider.Options{}).May(t.Context(), v1alpha1.ActionRestartService, machine(struck)); !errors.Is(err, naosu.ErrNotOffered) {
		t.Errorf("a service: %v, want ErrNotOffered", err)
	}
}

// TestProviderRepairers: the cloud's NodeRepairConfig is read as it stands, by one call a group.
func TestProviderRepairers(t *testing.T) {
	b := newFixture(t)
	b.must(b.cloud.SetNodeRepair("workers", cloud.NodeRepairConfig{Enabled: true, NodeRepairConfigOverrides: []cloud.NodeRepairOverride{
		{NodeMonitoringCondition: "NetworkingReady", NodeUnhealthyReason: "InterfaceNotUp", MinRepairWaitTimeMins: 12, RepairAction: cloud.RepairReboot},
		{NodeMonitoringCondition: "KernelReady", NodeUnhealthyReason: "ForkFailedOutOfPIDs", MinRepairWaitTimeMins: 5, RepairAction: cloud.RepairNoAction},
	}}))
	all := machines(b.cloud.Instances())
	p := b.provider(provider.Options{}) // the cluster's name is read from tags
	got, err := p.Repairers(t.Context(), all)
	b.must(err)
	if len(got) != 1 || got[0].By != (change.Ref{Kind: "Group", Name: "workers"}) || len(got[0].Nodes) != 6 || !got[0].Known() {
		t.Fatalf("repairers %+v, want the group workers with six nodes", got)
	}
	if n := b.count("eks:DescribeNodegroup"); n != 2 {
		t.Errorf("%d calls of DescribeNodegroup, want one for each of two groups", n)
	}
	for _, tc := range []struct {
		condition corev1.NodeCondition
		wait      time.Duration
		action    v1alpha1.Action
	}{
		{unhealthy("NetworkingReady", "InterfaceNotUp"), 12 * time.Minute, v1alpha1.ActionReboot},
		{unhealthy("NetworkingReady", "IPAMDNotReady"), 30 * time.Minute, v1alpha1.ActionReplace},
		{unhealthy("KernelReady", "ForkFailedOutOfPIDs"), 5 * time.Minute, v1alpha1.ActionNone},
		{unhealthy("Ready", "KubeletNotReady"), 30 * time.Minute, v1alpha1.ActionReplace},
		{unhealthy("AcceleratedHardwareReady", "NvidiaXID64Error"), 10 * time.Minute, v1alpha1.ActionReboot},
		{unhealthy("AcceleratedHardwareReady", "NvidiaXID79Error"), 10 * time.Minute, v1alpha1.ActionReplace},
		{unhealthy("AcceleratedHardwareReady", "DCGMError"), 0, ""},
		{unhealthy("DiskPressure", "KubeletHasDiskPressure"), 0, ""},
	} {
		var rule naosu.RepairerRule
		if at := slices.IndexFunc(got[0].Rules, func(r naosu.RepairerRule) bool { return r.Matches(tc.condition) }); at >= 0 {
			rule = got[0].Rules[at]
		}
		if rule.For != tc.wait || rule.Action != tc.action {
			t.Errorf("%s %s: %s after %s, want %s after %s", tc.condition.Type, tc.condition.Reason, rule.Action, rule.For, tc.action, tc.wait)
		}
	}

	b.must(b.cloud.SetNodeRepair("workers", cloud.NodeRepairConfig{}))
	if got, err := p.Repairers(t.Context(), all); err != nil || len(got) != 0 {
		t.Errorf("switched off: %+v, %v; want none", got, err)
	}
}

func unhealthy(condition corev1.NodeConditionType, reason string) corev1.NodeCondition {
	return corev1.NodeCondition{Type: condition, Status: corev1.ConditionFalse, Reason: reason}
}

// TestProviderRepairersUnknown: what cannot be read is said to be unknown, group by group.
func TestProviderRepairersUnknown(t *testing.T) {
	b := newFixture(t)
	all := machines(b.cloud.Instances())
	untagged := machine(unknown)
	untagged.Labels = map[string]string{"eks.amazonaws.com/nodegroup": "elsewhere"}
	auto := naosu.Machine{Node: "auto", Labels: map[string]string{"eks.amazonaws.com/compute-type": "auto"}}
	for _, tc := range []struct {
		name, key, cluster string
		machines           []naosu.Machine
		want               map[string]message.ID
	}{
		{"not permitted", reader, "", all, map[string]message.ID{"workers": message.CloudUnread, "spare": message.CloudUnread}},
		{"another cluster", operator, "absent", all, map[string]message.ID{"workers": message.CloudUnread, "spare": message.CloudUnread}},
		{"no cluster", operator, "", []naosu.Machine{untagged}, map[string]message.ID{"elsewhere": message.CloudNoCluster}},
		{"Auto Mode", operator, "", []naosu.Machine{auto}, map[string]message.ID{"auto-mode": ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b.as(tc.key, secret)
			found, err := b.provider(provider.Options{Cluster: tc.cluster}).Repairers(t.Context(), tc.machines)
			b.must(err)
			got := map[string]message.ID{}
			for _, r := range found {
				got[r.By.Name] = r.Unknown.ID
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("repairers and what is unknown of them (-want +got):\n%s", diff)
			}
		})
	}
	b.as(operator, secret)
	b.server.Script("eks:DescribeNodegroup", 9, fault("ThrottlingException"))
	if _, err := b.provider(provider.Options{}).Repairers(t.Context(), all); !errors.Is(err, naosu.ErrPassing) {
		t.Errorf("throttled: %v, want ErrPassing", err)
	}
}

func TestProviderOwns(t *testing.T) {
	p := newFixture(t).provider(provider.Options{})
	for id, want := range map[string]bool{
		"aws:///us-east-1a/i-0123456789abcdef0":                     true,
		"aws:///us-east-1-bos-1a/i-0123456789abcdef0":               true,
		"aws:///eu-west-1a/i-0123456789abcdef0":                     false,
		"aws:///us-east-1a/f4a7e1/fargate-ip-10-0-1-2.ec2.internal": false,
		"gce://project/us-east-1a/gke-1":                            false,
		"":                                                          false,
		"aws:///us-east-1a/i-0123456789abcdef0/aws:///us-east-1a/i-other": false,
	} {
		if got := p.Owns(naosu.Machine{ProviderID: id}); got != want {
			t.Errorf("owns %q: %t, want %t", id, got, want)
		}
	}
}

// TestProviderMissing: without credentials or region there is no provider, and it is said which.
func TestProviderMissing(t *testing.T) {
	b := newFixture(t)
	b.as("", "")
	if _, gap := provider.New(t.Context(), provider.Options{}); gap == nil || gap.Why.ID != message.CloudNoCredentials {
		t.Errorf("without credentials: %+v", gap)
	}
	b.as(operator, secret)
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	if _, gap := provider.New(t.Context(), provider.Options{}); gap == nil || gap.Why.ID != message.CloudNoRegion {
		t.Errorf("without a region: %+v", gap)
	}
}

// TestProviderStops when its caller does, and does not take that for a fault that passes.
func TestProviderStops(t *testing.T) {
	b := newFixture(t)
	p := b.provider(provider.Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.States(ended, machine(b.members("workers")[0]))
	if !errors.Is(err, context.Canceled) || errors.Is(err, naosu.ErrPassing) {
		t.Errorf("%v, want that the context was cancelled", err)
	}
}

// TestSuspendProcesses is what a person switches off by AWS's own command line.
func TestSuspendProcesses(t *testing.T) {
	b := newFixture(t)
	group, which := sdk.String("spare"), []string{"Launch"}
	_, err := b.clients().autoscaling.SuspendProcesses(t.Context(), &autoscaling.SuspendProcessesInput{AutoScalingGroupName: group, ScalingProcesses: which})
	b.must(err)
	b.must(terminate(b.members("spare")[0].ID, false)(t.Context(), b.clients()))
	if n := len(b.members("spare")); n != 1 {
		t.Errorf("%d instances run, want one", n)
	}
	if diff := cmp.Diff(which, b.group("spare").SuspendedProcesses); diff != "" {
		t.Errorf("suspended (-want +got):\n%s", diff)
	}
	_, err = b.clients().autoscaling.ResumeProcesses(t.Context(), &autoscaling.ResumeProcessesInput{AutoScalingGroupName: group})
	b.must(err)
	if g := b.group("spare"); len(g.Instances) != 2 || len(g.SuspendedProcesses) != 0 {
		t.Errorf("after it was resumed the group has %v, suspended %v", g.Instances, g.SuspendedProcesses)
	}
	b.refused(func(ctx context.Context, c clients) error {
		_, err := c.autoscaling.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: sdk.String("absent")})
		return err
	}, "ValidationError", http.StatusBadRequest)
}

func (b *fixture) group(name string) cloud.Group {
	b.t.Helper()
	for _, g := range b.cloud.Groups() {
		if g.Name == name {
			return g
		}
	}
	b.t.Fatalf("there is no group %s", name)
	return cloud.Group{}
}
