package addresses

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

var errKilled = errors.New("killed")

func TestReconcile(t *testing.T) {
	deleted := "Ended AsForecast Act0:Done Verify0:Done"
	for name, tc := range map[string]struct {
		spec    func(*v1alpha1.AddressPolicySpec)
		prepare func(*fixture)
		pass    time.Duration
		deleted []string
		ends    []string
		ready   string
	}{
		"before it was observed for long enough": {pass: 9 * time.Minute, ready: "Ready"},
		"once it was":                            {pass: 12 * time.Minute, deleted: []string{"eni-9"}, ends: []string{deleted}, ready: "Ready"},
		"and then no more":                       {pass: time.Hour, deleted: []string{"eni-9"}, ends: []string{deleted}, ready: "Ready"},
		"observed for a minute": {
			spec: func(s *v1alpha1.AddressPolicySpec) { s.ObservationSeconds = 60 }, pass: 80 * time.Second, deleted: []string{"eni-9"}, ends: []string{deleted}, ready: "Ready",
		},
		"too young": {
			spec: func(s *v1alpha1.AddressPolicySpec) { s.MinAgeSeconds = 7200 }, pass: 59 * time.Minute, ready: "Ready",
		},
		"mode Report": {
			spec: func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeReport }, pass: time.Hour, ends: []string{"Proposed"}, ready: "Ready",
		},
		"mode Approve": {
			spec: func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeApprove }, pass: time.Hour, ends: []string{"Proposed"}, ready: "Ready",
		},
		"a role that does not permit it": {
			prepare: func(f *fixture) {
				f.Permit = func(_ context.Context, _ *v1alpha1.Remediation, ruling guard.Ruling) guard.Ruling {
					denied := guard.Named{Check: "permission", Verdict: guard.Verdict{Decision: guard.Deny, Reason: "NotPermitted", Message: sentence.PermissionAutomate()}}
					ruling.All, ruling.Named = append(ruling.All, denied), denied
					return ruling
				}
			},
			pass: time.Hour, ends: []string{"Proposed"}, ready: "Ready",
		},
		"paused": {spec: func(s *v1alpha1.AddressPolicySpec) { s.Paused = true }, pass: time.Hour, ready: "Paused"},
		"outside of the window": {
			spec: func(s *v1alpha1.AddressPolicySpec) {
				s.MaintenanceWindow = &v1alpha1.MaintenanceWindow{Start: "02:00", OpenForMinutes: 60, TimeZone: "UTC"}
			},
			pass: time.Hour, ends: []string{"Waiting"}, ready: "Ready",
		},
		"a process that does not lead": {prepare: func(f *fixture) { f.leads = false }, pass: time.Hour, ready: "Ready"},
		"a budget of two": {
			spec:    func(s *v1alpha1.AddressPolicySpec) { s.MaxDeletions = 2 },
			prepare: func(f *fixture) { f.leak("eni-7", 3*time.Hour); f.leak("eni-8", 2*time.Hour) },
			pass:    12 * time.Minute, deleted: []string{"eni-7", "eni-8"}, ends: []string{"Ended AsForecast Act0:Done Act1:Done Verify1:Done"}, ready: "Ready",
		},
		"and the rest in the next": {
			spec:    func(s *v1alpha1.AddressPolicySpec) { s.MaxDeletions = 2 },
			prepare: func(f *fixture) { f.leak("eni-7", 3*time.Hour); f.leak("eni-8", 2*time.Hour) },
			pass:    30 * time.Minute, deleted: []string{"eni-7", "eni-8", "eni-9"}, ends: []string{"Ended AsForecast Act0:Done Act1:Done Verify1:Done", deleted}, ready: "Ready",
		},
		"a cluster without a name": {
			prepare: func(f *fixture) {
				f.network.Interfaces[0].Cluster, f.network.Interfaces[1].Cluster = "", ""
			},
			pass: time.Hour, ready: "NoClusterName",
		},
		"another CNI":                 {prepare: func(f *fixture) { f.objects = f.objects[:1] }, pass: time.Hour, ready: "NoVPCCNI"},
		"DaemonSets that are unknown": {prepare: func(f *fixture) { f.objects = f.objects[:1]; f.knowledge[cluster.DaemonSet] = cluster.Forbidden }, pass: time.Hour, ready: "AddressesUnknown"},
		"another cloud":               {prepare: func(f *fixture) { f.notOffered = true }, pass: time.Hour, ready: "AddressesUnknown"},
		"nodes that are unknown":      {prepare: func(f *fixture) { f.knowledge[cluster.Node] = cluster.Forbidden }, pass: time.Hour, ready: "AddressesUnknown"},
		"instances that are unread":   {prepare: unread(cloud.Instances), pass: time.Hour, ready: "AddressesUnknown"},
		"interfaces that are unread":  {prepare: unread(cloud.Interfaces), pass: time.Hour, ready: "AddressesUnknown"},
		"subnets that are unread":     {prepare: unread(cloud.Subnets), pass: time.Hour, ready: "AddressesUnknown"},
		"limits that are unread":      {prepare: unread(cloud.InstanceTypes), pass: 12 * time.Minute, deleted: []string{"eni-9"}, ends: []string{deleted}, ready: "Ready"},
		"an instance that exists":     {prepare: func(f *fixture) { f.network.Interfaces[1].InstanceState = cloud.Off }, pass: time.Hour, ready: "Ready"},
		"an interface that is in use when it is deleted": {
			prepare: failing("delete", cloud.ErrInterfaceInUse, 1), pass: 12 * time.Minute, ends: []string{"Ended NotNeeded Act0:Failed"}, ready: "Ready",
		},
		"a throttled deletion": {
			prepare: failing("delete", cloud.ErrPassing, 1), pass: 12 * time.Minute, ends: []string{"Ended GaveUp Act0:Failed"}, ready: "Ready",
		},
		"and another run after a rest": {
			prepare: failing("delete", cloud.ErrPassing, 1), pass: 40 * time.Minute, deleted: []string{"eni-9"}, ends: []string{"Ended GaveUp Act0:Failed", deleted}, ready: "Ready",
		},
		"a deletion without an answer": {
			prepare: failing("delete", cloud.ErrUnsure, 1), pass: 12 * time.Minute, ends: []string{"Ended GaveUp Act0:Failed"}, ready: "Ready",
		},
		"a deletion that is denied": {
			prepare: failing("dry", denied("ec2:DeleteNetworkInterface"), 100), pass: 12 * time.Minute, ends: []string{"Ended Refused Act0:Failed"}, ready: "NotPermitted",
		},
		"a description that is denied": {
			prepare: failing("describe", denied("ec2:DescribeNetworkInterfaces"), 100), pass: 12 * time.Minute, ends: []string{"Ended Refused Act0:Failed"}, ready: "NotPermitted",
		},
		"an outage of EC2 in the run": {
			prepare: failing("describe", cloud.ErrPassing, 100), pass: 12 * time.Minute, ends: []string{"Ended GaveUp Act0:Failed"}, ready: "Ready",
		},
		"an interface that is kept meanwhile": {
			prepare: func(f *fixture) {
				f.fail = func(call, _ string) error {
					if call == "describe" {
						f.network.Interfaces[1].Unmanaged = true
					}
					return nil
				}
			},
			pass: 12 * time.Minute, ends: []string{"Ended NotNeeded Act0:Skipped"}, ready: "Ready",
		},
		"an interface that EC2 shows on": {
			prepare: func(f *fixture) { f.lingers = true }, pass: 14 * time.Minute, deleted: []string{"eni-9"},
			ends: []string{"Ended DidNotHelp Act0:Done Verify0:Failed"}, ready: "Ready",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, policy(tc.spec))
			f.leak("eni-9", time.Hour)
			if tc.prepare != nil {
				tc.prepare(f)
			}
			f.pass(tc.pass)
			if diff := cmp.Diff(tc.deleted, f.deleted); diff != "" {
				t.Errorf("deleted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.ends, f.ends()); diff != "" {
				t.Errorf("Remediations (-want +got):\n%s", diff)
			}
			if ready, _ := f.ready(); ready != tc.ready {
				t.Errorf("Ready is %s, want %s: %+v", ready, tc.ready, f.policy("all").Status)
			}
		})
	}
}

func unread(part cloud.NetworkPart) func(*fixture) {
	return func(f *fixture) {
		f.unread = map[cloud.NetworkPart]cloud.Unread{part: {Permission: "ec2:Describe" + string(part), Err: "denied"}}
	}
}

// failing has the first n calls fail.
func failing(which string, err error, n int) func(*fixture) {
	return func(f *fixture) {
		f.fail = func(call, _ string) error {
			if call != which || n == 0 {
				return nil
			}
			n--
			return err
		}
	}
}

func denied(permission string) error {
	return &cloud.RefusedError{Permission: permission, Err: errors.New("UnauthorizedOperation")}
}

// TestPermissionIsNamed: whoever reads the policy or the Remediation learns which permission naosu lacks.
func TestPermissionIsNamed(t *testing.T) {
	f := newFixture(t, policy(nil))
	f.leak("eni-9", time.Hour)
	failing("dry", denied("ec2:DeleteNetworkInterface"), 1)(f)
	f.pass(12 * time.Minute)
	said := []string{f.policy("all").Status.Conditions[0].Message, f.remediations()[0].Status.Steps[0].Message}
	for _, s := range said {
		if !hasWords([]string{s}, "ec2:DeleteNetworkInterface") {
			t.Errorf("%q", s)
		}
	}
	unread(cloud.Interfaces)(f)
	f.pass(10 * time.Minute)
	unknown := f.policy("all").Status.Unknown
	if unknown == nil || !hasWords([]string{unknown.Message}, "ec2:DescribeNetworkInterface") || unknown.Since.Time.Before(noon.Add(12*time.Minute)) {
		t.Errorf("%+v", unknown)
	}
	since := unknown.Since
	f.pass(10 * time.Minute)
	if got := f.policy("all").Status.Unknown; got == nil || !got.Since.Equal(&since) {
		t.Errorf("unknown is %+v, was since %v", got, since)
	}
	f.unread = nil
	f.pass(10 * time.Minute)
	if got := f.policy("all").Status.Unknown; got != nil {
		t.Errorf("%+v", got)
	}
}

// TestCalls: a run makes one dry run, describes each interface right before its deletion, and deletes at most one a second.
func TestCalls(t *testing.T) {
	f := newFixture(t, policy(nil))
	for n := range 4 {
		f.leak(fmt.Sprintf("eni-%d", 5+n), time.Hour)
	}
	f.pass(12 * time.Minute)
	want := []string{
		"dry eni-5", "describe eni-5", "delete eni-5", "describe eni-6", "delete eni-6", "describe eni-7", "delete eni-7", "describe eni-8", "delete eni-8",
	}
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, at := range f.deletedAt[1:] {
		if at.Sub(f.deletedAt[i]) < reclaim.Pause {
			t.Errorf("deletions at %v", f.deletedAt)
		}
	}
	if !hasWords(f.said(), "ReclaimBegan", "4 leaked interfaces") {
		t.Error("no Event says that it began")
	}
	if run := f.policy("all").Status.LastRun; run == nil || run.Deleted != 4 || run.Planned != 4 {
		t.Errorf("the last run was %+v", run)
	}
	if f.reads > 6 {
		t.Errorf("the network was read %d times in 12 minutes", f.reads)
	}
}

// TestObservationsSurvive: a Reconciler that takes over goes on with the observations, and a second reading is one that was made later.
func TestObservationsSurvive(t *testing.T) {
	f := newFixture(t, policy(nil))
	f.leak("eni-9", time.Hour)
	for range 9 { // Each takes over at once.
		f.Reconciler = f.another()
		f.pass(time.Minute)
	}
	if len(f.deleted) > 0 {
		t.Fatal("it is deleted too early")
	}
	first := f.policy("all").Status.Observations
	if len(first) != 1 || !first[0].FirstSeen.Time.Equal(noon) {
		t.Fatalf("%+v", first)
	}
	f.Reconciler = f.another()
	f.pass(6 * time.Minute)
	if !slices.Equal(f.deleted, []string{"eni-9"}) {
		t.Errorf("deleted %v", f.deleted)
	}

	// While it is not known, nothing is added to what was observed; after an hour, it begins anew.
	f.leak("eni-10", time.Hour)
	f.pass(5 * time.Minute)
	unread(cloud.Interfaces)(f)
	f.pass(2 * time.Hour)
	f.unread = nil
	f.pass(9 * time.Minute)
	if len(f.deleted) != 1 {
		t.Error("an interface is deleted that was not seen for an hour")
	}
	f.pass(5 * time.Minute)
	if len(f.deleted) != 2 {
		t.Errorf("deleted %v", f.deleted)
	}
}

// TestClockSetBack: a reading that is no later than the one before counts for nothing.
func TestClockSetBack(t *testing.T) {
	f := newFixture(t, policy(nil))
	f.leak("eni-9", time.Hour)
	f.pass(6 * time.Minute)
	f.clock.SetTime(noon.Add(-time.Hour))
	f.pass(30 * time.Minute)
	if ready, _ := f.ready(); ready != v1alpha1.PolicyAddressesUnknownReason || len(f.deleted) > 0 {
		t.Errorf("Ready is %s, deleted %v", ready, f.deleted)
	}
}

// TestKilled: a Reconciler is killed at each write, before or after it, and another takes over. Each interface is deleted once, no sooner than without.
func TestKilled(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := range 60 {
			f := newFixture(t, policy(nil))
			f.leak("eni-8", time.Hour)
			f.leak("eni-9", time.Hour)
			writes, killed := 0, false
			kill := func() error {
				if writes++; writes-1 != at {
					return nil
				}
				killed = true
				f.Reconciler = f.another()
				return errKilled
			}
			if f.write = kill; after {
				f.write, f.after = nil, kill
			}
			f.pass(25 * time.Minute)
			if slices.Sort(f.deleted); !slices.Equal(f.deleted, []string{"eni-8", "eni-9"}) {
				t.Errorf("killed at write %d (after: %t): deleted %v, %v", at, after, f.deleted, f.ends())
			}
			if len(f.deletedAt) > 0 && f.deletedAt[0].Before(noon.Add(10*time.Minute)) {
				t.Errorf("killed at write %d (after: %t): deleted at %v", at, after, f.deletedAt)
			}
			if ends := f.ends(); len(ends) != 1 || ends[0] != "Ended AsForecast Act0:Done Act1:Done Verify1:Done" {
				t.Errorf("killed at write %d (after: %t): %v", at, after, ends)
			}
			if !killed {
				break
			}
		}
	}
}

// TestHysteresis: a subnet is low below one number, and until another; also for a Reconciler that takes over.
func TestHysteresis(t *testing.T) {
	f := newFixture(t, policy(func(s *v1alpha1.AddressPolicySpec) {
		s.LowBelowPercent, s.ClearFromPercent = new(int32(10)), new(int32(20))
	}))
	for _, step := range []struct {
		free  int64
		low   string
		event string
	}{
		{200, "False", ""},
		{26, "False", ""},
		{25, "False", ""},
		{24, "True", "SubnetLow"},
		{30, "True", ""},
		{49, "True", ""},
		{24, "True", ""},
		{50, "False", "SubnetClear"},
		{26, "False", ""},
		{0, "True", "SubnetLow"},
	} {
		f.network.Subnets[0].Free = step.free
		f.Reconciler = f.another()
		f.pass(6 * time.Minute)
		_, low := f.ready()
		said := f.said()
		if low != step.low || step.event == "" && len(said) > 0 || step.event != "" && !hasWords(said, step.event, fmt.Sprint(step.free)) {
			t.Errorf("with %d free: low is %s, want %s; Events %q", step.free, low, step.low, said)
		}
	}
	unread(cloud.Subnets)(f)
	f.pass(6 * time.Minute)
	if _, low := f.ready(); low != "Unknown" || len(f.policy("all").Status.LowSubnets) != 1 {
		t.Errorf("low is %s, of %+v", low, f.policy("all").Status.LowSubnets)
	}
}

// TestLowFirst: a budget is spent on low subnets first.
func TestLowFirst(t *testing.T) {
	f := newFixture(t, policy(func(s *v1alpha1.AddressPolicySpec) { s.MaxDeletions = 1 }))
	f.leak("eni-8", 2*time.Hour)
	f.leak("eni-9", time.Hour)
	f.network.Subnets = append(f.network.Subnets, cloud.Subnet{ID: "subnet-2", Zone: "us-east-1b", VPC: "vpc-1", CIDR: "10.0.1.0/27", Free: 1})
	f.network.Instances = append(f.network.Instances, cloud.Instance{ID: "i-2", Type: "m5.large", Subnet: "subnet-2", VPC: "vpc-1"})
	node := f.objects[0].DeepCopyObject().(*corev1.Node)
	node.Name, node.Spec.ProviderID = "n2", "aws:///us-east-1b/i-2"
	f.objects = append(f.objects, node)
	f.network.Interfaces[2].Subnet = "subnet-2"
	f.pass(11 * time.Minute)
	if !slices.Equal(f.deleted, []string{"eni-9"}) {
		t.Errorf("deleted %v", f.deleted)
	}
}

// TestDecisionsOfPeople: what people decide stops a Remediation, and its interfaces rest.
func TestDecisionsOfPeople(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(*fixture, *v1alpha1.Remediation)
		ends []string
	}{
		"approved": {func(_ *fixture, r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Approved }, []string{"Ended AsForecast Act0:Done Verify0:Done"}},
		"rejected": {func(_ *fixture, r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Rejected }, []string{"Ended Rejected"}},
		"aborted": {func(_ *fixture, r *v1alpha1.Remediation) {
			r.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
		}, []string{"Ended Aborted"}},
		"no policy": {func(f *fixture, _ *v1alpha1.Remediation) {
			if err := f.api.Delete(f.t.Context(), f.policy("all")); err != nil {
				f.t.Fatal(err)
			}
		}, []string{"Ended NotAsked"}},
		"deleted by others": {func(f *fixture, _ *v1alpha1.Remediation) { f.network.Interfaces = f.network.Interfaces[:1] }, []string{"Ended NotNeeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, policy(func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeApprove }))
			f.leak("eni-9", time.Hour)
			f.pass(12 * time.Minute)
			r := &f.remediations()[0]
			if r.Status.Phase != v1alpha1.PhaseProposed {
				t.Fatalf("%v", f.ends())
			}
			tc.do(f, r)
			if err := f.api.Update(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			f.pass(20 * time.Minute)
			if diff := cmp.Diff(tc.ends, f.ends()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPausedWithin: a policy that is paused, or that only reports, between two deletions ends the Remediation.
func TestPausedWithin(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.AddressPolicySpec){
		"paused": func(s *v1alpha1.AddressPolicySpec) { s.Paused = true },
		"Report": func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeReport },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, policy(nil))
			f.leak("eni-8", time.Hour)
			f.leak("eni-9", time.Hour)
			f.fail = func(call, id string) error {
				if call == "delete" && id == "eni-8" {
					f.edit(change)
				}
				return nil
			}
			f.pass(12 * time.Minute)
			if !slices.Equal(f.deleted, []string{"eni-8"}) || f.ends()[0] != "Ended NotAsked Act0:Done Act1:Skipped" && f.ends()[0] != "Ended NotAsked Act0:Done" {
				t.Errorf("deleted %v: %v", f.deleted, f.ends())
			}
		})
	}
}

// TestFirstDecides: of two policies the first by name decides.
func TestFirstDecides(t *testing.T) {
	second := policy(nil)
	second.Name, second.UID = "zone", "policy-2"
	f := newFixture(t, policy(func(s *v1alpha1.AddressPolicySpec) { s.Mode = v1alpha1.ModeReport }), second)
	f.leak("eni-9", time.Hour)
	f.pass(time.Hour)
	other := f.policy("zone").Status
	if len(f.deleted) > 0 || len(other.Conditions) != 1 || other.Conditions[0].Reason != v1alpha1.PolicyOtherPolicyReason {
		t.Errorf("deleted %v; the second policy says %+v", f.deleted, other)
	}
}

// TestStatusIsBounded: as many interfaces as may leak fit into the status, and are deleted in the end.
func TestStatusIsBounded(t *testing.T) {
	f := newFixture(t, policy(func(s *v1alpha1.AddressPolicySpec) { s.MaxDeletions = 50 }))
	for n := range 510 {
		f.leak(fmt.Sprintf("eni-1%03d", n), time.Hour)
	}
	f.pass(11 * time.Minute)
	s := f.policy("all").Status
	if len(s.Observations) > reclaim.MaxObservations || len(s.Decisions) == 0 || len(f.remediations()[0].Spec.Changes) != 50 {
		t.Errorf("%d observations; decisions %+v", len(s.Observations), s.Decisions)
	}
}

// TestMetrics: what is known, low and leaked, and what was deleted, by the process that leads.
func TestMetrics(t *testing.T) {
	f := newFixture(t, policy(nil))
	f.leak("eni-9", time.Hour)
	f.leak("eni-8", time.Minute)
	f.network.Subnets[0].Free, f.network.Instances[0].Group = 3, "workers"
	f.network.Groups = []cloud.ScalingGroup{{Name: "workers", Max: 2, Subnets: []string{"subnet-1"}}}
	f.pass(12 * time.Minute)
	want := `
# HELP naosu_addresses_deletions_total Deletions of interfaces that ended, by policy and result: Done, Failed or Skipped.
# TYPE naosu_addresses_deletions_total counter
naosu_addresses_deletions_total{policy="all",result="Done"} 1
# HELP naosu_addresses_interfaces Available interfaces of the VPC CNI, by what was decided about them, while the network is known.
# TYPE naosu_addresses_interfaces gauge
naosu_addresses_interfaces{decision="TooYoung",policy="all"} 1
# HELP naosu_addresses_known Whether the network was read completely when it was read last.
# TYPE naosu_addresses_known gauge
naosu_addresses_known{policy="all"} 1
# HELP naosu_addresses_low_subnets Subnets with few free addresses.
# TYPE naosu_addresses_low_subnets gauge
naosu_addresses_low_subnets{policy="all"} 1
# HELP naosu_addresses_subnet_free Free addresses of a subnet of the nodes when it was read last.
# TYPE naosu_addresses_subnet_free gauge
naosu_addresses_subnet_free{policy="all",subnet="subnet-1",zone="us-east-1a"} 3
# HELP naosu_addresses_subnet_free_at_maximum Addresses of a subnet that would be free if every Auto Scaling group grew to its maximum, negative if there are too few.
# TYPE naosu_addresses_subnet_free_at_maximum gauge
naosu_addresses_subnet_free_at_maximum{policy="all",subnet="subnet-1",zone="us-east-1a"} -7
# HELP naosu_addresses_subnet_held Addresses of a subnet that are held, by holder: pods, interfaces (the nodes' interfaces themselves), spare, leaked or other, while the network is known.
# TYPE naosu_addresses_subnet_held gauge
naosu_addresses_subnet_held{holder="interfaces",policy="all",subnet="subnet-1",zone="us-east-1a"} 1
naosu_addresses_subnet_held{holder="leaked",policy="all",subnet="subnet-1",zone="us-east-1a"} 2
naosu_addresses_subnet_held{holder="other",policy="all",subnet="subnet-1",zone="us-east-1a"} 0
naosu_addresses_subnet_held{holder="pods",policy="all",subnet="subnet-1",zone="us-east-1a"} 0
naosu_addresses_subnet_held{holder="spare",policy="all",subnet="subnet-1",zone="us-east-1a"} 0
# HELP naosu_addresses_subnet_size Addresses of a subnet of the nodes, without those that AWS reserves.
# TYPE naosu_addresses_subnet_size gauge
naosu_addresses_subnet_size{policy="all",subnet="subnet-1",zone="us-east-1a"} 251
`
	if err := testutil.CollectAndCompare(f.Reconciler, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	unread(cloud.Interfaces)(f)
	f.pass(10 * time.Minute)
	if n := testutil.CollectAndCount(f.Reconciler, "naosu_addresses_interfaces"); n != 0 {
		t.Errorf("%d interfaces are reported of which nothing is known", n)
	}
	if free, held := testutil.CollectAndCount(f.Reconciler, "naosu_addresses_subnet_free"), testutil.CollectAndCount(f.Reconciler, "naosu_addresses_subnet_held"); free != 1 || held != 0 {
		t.Errorf("without interfaces, %d subnets have free addresses, and %d holders are reported", free, held)
	}
	unread(cloud.Subnets)(f)
	f.pass(10 * time.Minute)
	if n := testutil.CollectAndCount(f.Reconciler, "naosu_addresses_subnet_free"); n != 0 {
		t.Errorf("%d subnets are reported of which nothing is known", n)
	}
	f.Elected = func() bool { return false }
	if n := testutil.CollectAndCount(f.Reconciler); n != 0 {
		t.Errorf("%d metrics of a process that does not lead", n)
	}
}
