package diagnosis_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	story4     = "testdata/audit/n401-story4.yaml"
	full       = "testdata/audit/n404-full.yaml"
	fragmented = "testdata/audit/n405-fragmented.yaml"
)

// TestWhyPodHasNoAddress tells each of the causes of the VPC CNI's one message.
func TestWhyPodHasNoAddress(t *testing.T) {
	for name, tc := range map[string]struct {
		input, pod string
		edit       func([]runtime.Object) []runtime.Object
		network    *cloud.Network
		code       finding.Code
		causes     []message.ID
		unknown    []message.ID
	}{
		"the subnet, leaks and warm pools": {story4, "web-11", nil, nil, finding.N401, []message.ID{message.CauseNoFree, message.CauseLeakedIn, message.CauseWarmPool, message.CauseNoOtherSubnet}, nil},
		"a CIDR reservation":               {story4, "web-11", reserved, nil, finding.N401, []message.ID{message.CauseReserved, message.CauseLeakedIn}, nil},
		"the type's limit":                 {full, "web-2", nil, nil, finding.N404, []message.ID{message.CauseSlotsUsed}, nil},
		"fragmentation":                    {fragmented, "web-16", nil, nil, finding.N405, []message.ID{message.CauseNoBlock}, nil},
		"the plugin is not ready":          {story4, "web-10", pluginNotReady, nil, "", []message.ID{message.AddressPluginDown}, nil},
		"no plugin on the node":            {story4, "web-10", noPlugin, nil, "", []message.ID{message.AddressNoPlugin}, nil},
		"a permission":                     {story4, "web-10", pluginEvent("MissingIAMPermissions", "Unauthorized operation: failed to call ec2:CreateNetworkInterface"), nil, "", []message.ID{message.AddressNoPermission}, nil},
		"throttling":                       {story4, "web-10", pluginEvent("Unhealthy", "RequestLimitExceeded: Request limit exceeded."), nil, "", []message.ID{message.AddressThrottled}, nil},
		"cool-down":                        {story4, "web-10", spare, nil, "", []message.ID{message.AddressCoolDown}, nil},
		"nothing that can be seen":         {story4, "web-10", free, nil, "", []message.ID{message.RuledOutPlugin, message.RuledOutLimit, message.RuledOutFree, message.AddressNoCause}, []message.ID{message.AddressThrottleGap}},
		"no cloud was asked":               {story4, "web-10", noNetwork, nil, "", []message.ID{message.AddressMissing}, []message.ID{message.AddressesUnknown}},
		"no permission to ask": {
			story4, "web-10", noNetwork, &cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{cloud.Subnets: {Permission: "ec2:DescribeSubnets", Err: "no"}}},
			"",
			[]message.ID{message.AddressMissing},
			[]message.ID{message.AddressPartUnread},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, tc.input)
			if tc.edit != nil {
				objects = tc.edit(objects)
			}
			world := worldOf(objects)
			if tc.network != nil {
				world = world.WithNetwork(*tc.network)
			}
			pod := change.Ref{Kind: "Pod", Namespace: "shop", Name: tc.pod}
			got := diagnosis.Explain(t.Context(), query.Query{World: world, Judge: judgeOf(t, world), Subject: &pod})
			if got.Severity != finding.Critical {
				t.Errorf("severity %q", got.Severity)
			}
			links, code := slices.Clone(got.Causes), finding.Code("")
			for _, f := range got.Findings {
				links, code = append(links, f.Causes...), f.Code
				if !f.Message.Equal(got.Summary) {
					t.Errorf("the summary is %s", message.English().Say(got.Summary))
				}
				for _, r := range f.Remedies {
					if r.Verified && r.Change == nil {
						t.Errorf("verified, though nothing was simulated: %s", r.Command)
					}
				}
			}
			if code != tc.code || len(got.Findings) > 1 {
				t.Errorf("%d findings, the last %q, want %q", len(got.Findings), code, tc.code)
			}
			var all, gaps []message.ID
			for _, link := range links {
				all = append(all, link.Message.ID)
				if len(link.Evidence) == 0 && link.Message.ID != message.AddressNoCause && link.Message.ID != message.SameOnNode && link.Message.ID != message.CauseWarmPool {
					t.Errorf("no evidence for: %s", message.English().Say(link.Message))
				}
			}
			for _, gap := range got.Unknown {
				gaps = append(gaps, gap.Message.ID)
			}
			for _, want := range tc.causes {
				if !slices.Contains(all, want) {
					t.Errorf("%s is not among the causes %s", want, all)
				}
			}
			for _, want := range tc.unknown {
				if !slices.Contains(gaps, want) {
					t.Errorf("%s is not among what is unknown: %s", want, gaps)
				}
			}
		})
	}
}

// reserved has a CIDR reservation in place of a leaked interface: EC2 reports three free addresses, which the VPC CNI cannot take.
func reserved(objects []runtime.Object) []runtime.Object {
	for _, o := range objects {
		if subnet, is := o.(*custom.Subnet); is && subnet.Name == "subnet-0a" {
			subnet.Spec.Free, subnet.Spec.Reservations = 3, []cloud.Reservation{{CIDR: "10.0.1.28/30", Type: cloud.ReservedExplicitly}}
		}
	}
	return slices.DeleteFunc(objects, func(o runtime.Object) bool {
		one, is := o.(*custom.NetworkInterface)
		return is && one.Name == "eni-0005"
	})
}

const badPlugin = "aws-node-bad"

func pluginNotReady(objects []runtime.Object) []runtime.Object {
	for _, o := range objects {
		if pod, is := o.(*corev1.Pod); is && pod.Name == badPlugin {
			pod.Status.Conditions[0].Status = corev1.ConditionFalse
		}
	}
	return objects
}

func noPlugin(objects []runtime.Object) []runtime.Object {
	return slices.DeleteFunc(objects, func(o runtime.Object) bool {
		pod, is := o.(*corev1.Pod)
		return is && pod.Name == badPlugin
	})
}

func pluginEvent(reason, text string) func([]runtime.Object) []runtime.Object {
	return func(objects []runtime.Object) []runtime.Object {
		e := &corev1.Event{Reason: reason, Message: text, InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "kube-system", Name: badPlugin, UID: "p-" + badPlugin}}
		e.Name, e.Namespace = "e", "kube-system"
		return append(objects, e)
	}
}

// free gives every subnet free addresses.
func free(objects []runtime.Object) []runtime.Object {
	for _, o := range objects {
		if subnet, is := o.(*custom.Subnet); is {
			subnet.Spec.Free = 9
		}
	}
	return objects
}

// spare gives the node an address that no pod uses, too.
func spare(objects []runtime.Object) []runtime.Object {
	for _, o := range free(objects) {
		if card, is := o.(*custom.NetworkInterface); is && card.Spec.AttachedTo == "i-00000000000000002" {
			card.Spec.Addresses = append(card.Spec.Addresses, "10.0.1.30")
		}
	}
	return objects
}

func noNetwork(objects []runtime.Object) []runtime.Object {
	return slices.DeleteFunc(objects, func(o runtime.Object) bool { return o.GetObjectKind().GroupVersionKind().Group == custom.NetworkGroup })
}

// TestSubnetWithoutPods: what a subnet lacks is reported without pods that wait, too, but only once, and not of a subnet in a snapshot of which
// nothing was read.
func TestSubnetWithoutPods(t *testing.T) {
	objects := slices.DeleteFunc(clustertest.Load(t, story4), func(o runtime.Object) bool { _, is := o.(*corev1.Event); return is })
	found := about(audit(t, objects), finding.N401)
	if len(found) != 1 || found[0].Severity != finding.Warning {
		t.Errorf("%d findings: %+v", len(found), found)
	}
	world := worldOf(noNetwork(objects)).WithNetwork(cloud.Network{Unread: map[cloud.NetworkPart]cloud.Unread{cloud.Subnets: {}, cloud.Interfaces: {}, cloud.Instances: {}}})
	if world.Knowledge(cluster.Subnet) != cluster.Absent || !world.HasNetwork() {
		t.Errorf("subnets are %s", world.Knowledge(cluster.Subnet))
	}
	a := diagnosis.Audit(t.Context(), query.Query{World: world, Judge: judgeOf(t, world)}, nil)
	for _, f := range a.Findings {
		if f.Code >= finding.N401 && f.Code <= finding.N405 {
			t.Errorf("%s of nothing: %+v", f.Code, f)
		}
	}
}
