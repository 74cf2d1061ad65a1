package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
)

const deleteCall = "ec2:DeleteNetworkInterface"

// left adds an interface to the cloud that the VPC CNI of the cluster shop made for an instance, with some of its tags changed.
func (b *fixture) left(instance string, tags map[string]string) string {
	b.t.Helper()
	all := map[string]string{
		"cluster.k8s.amazonaws.com/name": "shop", "eks:eni:owner": "amazon-vpc-cni", "node.k8s.amazonaws.com/instance_id": instance,
		"node.k8s.amazonaws.com/createdAt": time.Now().Add(-time.Hour).Format(time.RFC3339),
	}
	for key, value := range tags {
		if all[key] = value; value == "" {
			delete(all, key)
		}
	}
	made, err := b.cloud.CreateNetworkInterface(cloud.NetworkInterfaceRequest{
		Subnet: b.cloud.Subnets()[0].ID, Description: "aws-K8S-" + instance, SecondaryAddresses: 2, Tags: all,
	})
	b.must(err)
	return made.ID
}

// has says whether the cloud has an interface.
func (b *fixture) has(id string) bool {
	return slices.ContainsFunc(b.cloud.NetworkInterfaces(), func(i *cloud.NetworkInterface) bool { return i.ID == id })
}

// since are the calls after the first n, in IAM's words.
func (b *fixture) since(n int) (called []string) {
	for _, c := range b.server.Calls()[n:] {
		name := c.Service + ":" + c.Action
		if slices.Contains(c.Parameters["DryRun"], "true") {
			name += " (dry run)"
		}
		called = append(called, name)
	}
	return called
}

// TestInterface: naosu reads an interface with the state of the instance that it was made for, and none where there is none.
func TestInterface(t *testing.T) {
	b := newNetwork(t)
	workers := b.members("workers")
	running, ended := workers[0].ID, workers[1].ID
	b.must(b.cloud.Terminate(ended, true))
	p := b.provider(provider.Options{})
	for instance, want := range map[string]naosu.Running{running: naosu.On, ended: naosu.Changes, absent: naosu.NotFound, "i-abc": "", "": ""} {
		i, err := p.Interface(t.Context(), b.left(instance, nil))
		b.must(err)
		if i == nil || i.InstanceState != want || i.Cluster != "shop" || !i.ByVPCCNI || i.CreatedAt == nil || len(i.Addresses) != 3 {
			t.Errorf("of the instance %q, want %q: %+v", instance, want, i)
		}
	}
	for value, want := range map[string]bool{"true": true, "True": true, "no": true, "false": false} {
		i, err := p.Interface(t.Context(), b.left(absent, map[string]string{"node.k8s.amazonaws.com/no_manage": value}))
		b.must(err)
		if i.Unmanaged != want {
			t.Errorf("no_manage=%s: kept %t", value, i.Unmanaged)
		}
	}
	i, err := p.Interface(t.Context(), b.left(absent, map[string]string{"node.k8s.amazonaws.com/instance_id": running}))
	b.must(err)
	if i.InstanceState != "" || i.Owner() != "" {
		t.Errorf("of two instances: %+v", i)
	}
	if i, err := p.Interface(t.Context(), absentInterface); i != nil || err != nil {
		t.Errorf("of an unknown one: %+v, %v", i, err)
	}
}

// TestDeleteInterface has EC2 answer a deletion with each code that matters. It is never repeated.
func TestDeleteInterface(t *testing.T) {
	refusal := func(err error) string {
		if refused, is := errors.AsType[*naosu.RefusedError](err); is && !errors.Is(err, naosu.ErrInterfaceInUse) && !errors.Is(err, naosu.ErrInterfaceManaged) {
			return "refused " + refused.Permission
		}
		for _, class := range []error{naosu.ErrInterfaceInUse, naosu.ErrInterfaceManaged, naosu.ErrUnsure, naosu.ErrPassing} {
			if errors.Is(err, class) {
				return class.Error()
			}
		}
		return fmt.Sprint(err)
	}
	for _, tc := range []struct {
		code, message, want string
	}{
		{"InvalidNetworkInterfaceID.NotFound", "The networkInterface ID does not exist", "<nil>"},
		{"InvalidParameterValue", "Network interface 'eni-1' is currently in use.", naosu.ErrInterfaceInUse.Error()},
		{"InvalidNetworkInterface.InUse", "in use", naosu.ErrInterfaceInUse.Error()},
		{"InvalidParameterValue", "Value for parameter networkInterfaceId is invalid", "refused "},
		{"OperationNotPermitted", "You are not allowed to manage 'ela-attach' attachments.", naosu.ErrInterfaceManaged.Error()},
		{"UnauthorizedOperation", "You are not authorized to perform this operation.", "refused " + deleteCall},
		{"AuthFailure", "AWS was not able to validate the provided access credentials", "refused "},
		{"RequestLimitExceeded", "Request limit exceeded.", naosu.ErrPassing.Error()},
		{"ExpiredToken", "The security token included in the request is expired", naosu.ErrPassing.Error()},
		{"InternalError", "An internal error has occurred", naosu.ErrUnsure.Error()},
		{"Unavailable", "The server is overloaded", naosu.ErrUnsure.Error()},
	} {
		t.Run(tc.code, func(t *testing.T) {
			b := newNetwork(t)
			p, id := b.provider(provider.Options{}), b.left(absent, nil)
			for name, do := range map[string]func() error{
				"delete":  func() error { return p.DeleteInterface(t.Context(), id) },
				"dry run": func() error { return p.MayDeleteInterface(t.Context(), id) },
			} {
				b.server.Script(deleteCall, 1, &cloud.Error{Code: tc.code, Message: tc.message})
				before := len(b.server.Calls())
				want := tc.want
				if want == naosu.ErrUnsure.Error() && name == "dry run" {
					want = naosu.ErrPassing.Error() // Nothing would have been done.
				}
				if got := refusal(do()); got != want || len(b.since(before)) != 1 {
					t.Errorf("%s: %s after the calls %v, want %s", name, got, b.since(before), want)
				}
			}
			if !b.has(id) {
				t.Error("it is deleted")
			}
			b.must(p.MayDeleteInterface(t.Context(), id))
			b.must(p.DeleteInterface(t.Context(), id))
			b.must(p.DeleteInterface(t.Context(), id))
			if b.has(id) {
				t.Error("it is not deleted")
			}
		})
	}
}

// ahead is a clock that is some time ahead, which a run waits for as for the real one.
type ahead struct {
	clock.RealClock
	by time.Duration
}

func (a ahead) Now() time.Time { return a.RealClock.Now().Add(a.by) }

// planned are two passes over the wire, eleven minutes apart, and the run of deletions that follows. naosu has read the network n.
func (b *fixture) planned(p *provider.Provider) (r *reclaim.Run, n naosu.Network) {
	b.t.Helper()
	workers := b.members("workers")
	s := reclaim.Scope{Cluster: "shop", Nodes: map[string]bool{}, Limits: reclaim.DefaultLimits}
	for _, w := range workers {
		s.Nodes[w.ID] = true
	}
	var kept []reclaim.Observation
	for pass := range 2 {
		n = p.Network(b.t.Context(), machines(workers))
		s.Now, s.SeesInstances = time.Now().Add(time.Duration(pass)*11*time.Minute), len(n.Instances) > 0
		decisions, observed := s.Pass(n.Interfaces, kept)
		r, kept = s.NewRun(decisions, kept), observed
	}
	return r, n
}

// reclaim makes the calls of a run.
func (b *fixture) reclaim(p *provider.Provider, r *reclaim.Run) *reclaim.Run {
	b.t.Helper()
	b.must(action.DeleteInterfaces(b.t.Context(), p, r, ahead{by: 11 * time.Minute}))
	return r
}

// TestReclaim deletes what instances that are gone have left, and nothing else, with one dry run and a description right before each deletion.
func TestReclaim(t *testing.T) {
	b := newNetwork(t)
	running := b.members("workers")[0].ID
	gone := []string{b.left(absent, nil), b.left("i-0123456789abcdef1", map[string]string{"node.k8s.amazonaws.com/createdAt": time.Now().Add(-2 * time.Hour).Format(time.RFC3339)})}
	spared := []string{
		b.left(running, nil), b.left(absent, map[string]string{"cluster.k8s.amazonaws.com/name": "other"}), b.left(absent, map[string]string{"cluster.k8s.amazonaws.com/name": ""}),
		b.left(absent, map[string]string{"eks:eni:owner": ""}), b.left(absent, map[string]string{"node.k8s.amazonaws.com/no_manage": "yes"}),
		b.left(absent, map[string]string{"node.k8s.amazonaws.com/instance_id": running}), b.left(absent, map[string]string{"node.k8s.amazonaws.com/createdAt": "yesterday"}),
		b.left(absent, map[string]string{"node.k8s.amazonaws.com/createdAt": time.Now().Format(time.RFC3339)}), b.left("", nil),
	}
	others := len(b.cloud.NetworkInterfaces()) - len(gone)
	before := len(b.server.Calls())
	p := b.provider(provider.Options{})
	r, _ := b.planned(p)
	b.reclaim(p, r)
	want := []reclaim.Result{{ID: gone[1], Outcome: reclaim.Deleted}, {ID: gone[0], Outcome: reclaim.Deleted}}
	if diff := cmp.Diff(want, r.Results()); diff != "" || r.Stopped() != nil {
		t.Errorf("stopped: %v; results (-want +got):\n%s", r.Stopped(), diff)
	}
	for _, id := range spared {
		if !b.has(id) {
			t.Errorf("%s is deleted", id)
		}
	}
	if n := len(b.cloud.NetworkInterfaces()); n != others {
		t.Errorf("%d interfaces are there, want %d", n, others)
	}
	called := b.since(before)
	if diff := cmp.Diff([]string{"ec2:DescribeInstances", "ec2:DescribeSubnets", "ec2:DescribeNetworkInterfaces", "ec2:DescribeInstances"}, called[:4]); diff != "" {
		t.Errorf("calls of a pass (-want +got):\n%s", diff)
	}
	one := []string{"ec2:DescribeNetworkInterfaces", "ec2:DescribeInstances", deleteCall}
	if diff := cmp.Diff(slices.Concat([]string{deleteCall + " (dry run)"}, one, one), called[len(called)-7:]); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	var at []time.Time
	for _, c := range b.server.Calls()[before:] {
		if c.Action == "DeleteNetworkInterface" && c.Code == "" {
			at = append(at, c.At)
		}
	}
	if len(at) != 2 || at[1].Sub(at[0]) < reclaim.Pause {
		t.Errorf("deletions at %v", at)
	}
}

// TestReclaimMeanwhile has something happen to an interface after it was listed, or right before it is deleted.
func TestReclaimMeanwhile(t *testing.T) {
	for name, tc := range map[string]struct {
		right   bool // before the deletion
		do      func(*fixture, string)
		want    reclaim.Outcome
		why     reclaim.Reason
		deleted bool
	}{
		"attached":       {true, (*fixture).attach, reclaim.Refused, "", false},
		"deleted":        {true, (*fixture).delete, reclaim.Deleted, "", true},
		"attached early": {false, (*fixture).attach, reclaim.Spared, reclaim.InUse, false},
		"deleted early":  {false, (*fixture).delete, reclaim.Gone, "", true},
		"kept early":     {false, (*fixture).keep, reclaim.Spared, reclaim.Reserved, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newNetwork(t)
			id := b.left(absent, nil)
			p := b.provider(provider.Options{})
			r, _ := b.planned(p)
			if tc.right {
				b.server.Before(deleteCall, 1, func() { tc.do(b, id) })
			} else {
				tc.do(b, id)
			}
			got := b.reclaim(p, r).Results()
			if len(got) != 1 || got[0].Outcome != tc.want || got[0].Reason != tc.why || b.has(id) == tc.deleted || r.Stopped() != nil {
				t.Errorf("%+v, stopped by %v", got, r.Stopped())
			}
		})
	}
}

// TestReclaimStops: a run does not go on where EC2 would refuse the next deletion, too, or does not answer.
func TestReclaimStops(t *testing.T) {
	for _, code := range []string{"RequestLimitExceeded", "UnauthorizedOperation", "InternalError"} {
		t.Run(code, func(t *testing.T) {
			b := newNetwork(t)
			first, second := b.left(absent, nil), b.left(absent, nil)
			p := b.provider(provider.Options{})
			for call, want := range map[string]int{"dry run": 1, "deletion": 2} {
				r, _ := b.planned(p)
				before := len(b.server.Calls())
				script := func() { b.server.Script(deleteCall, 1, fault(code)) }
				if call == "dry run" {
					script()
				} else {
					b.server.Before("ec2:DescribeNetworkInterfaces", 1, script)
				}
				b.reclaim(p, r)
				if n := strings.Count(strings.Join(b.since(before), " "), deleteCall); n != want || !b.has(first) || !b.has(second) || r.Stopped() == nil {
					t.Errorf("%s: %+v, stopped by %v after %v", call, r.Results(), r.Stopped(), b.since(before))
				}
			}
		})
	}
}

// TestReclaimEnds: a run whose context ends makes no further call.
func TestReclaimEnds(t *testing.T) {
	b := newNetwork(t)
	first, second := b.left(absent, nil), b.left(absent, nil)
	p := b.provider(provider.Options{})
	r, _ := b.planned(p)
	ctx, cancel := context.WithCancel(t.Context())
	b.server.Before(deleteCall, 1, cancel)
	if err := action.DeleteInterfaces(ctx, p, r, ahead{by: 11 * time.Minute}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if !b.has(first) && !b.has(second) {
		t.Error("both are deleted")
	}
}

// attach attaches an interface to a worker of its zone.
func (b *fixture) attach(id string) {
	for _, w := range b.members("workers") {
		if w.Zone == "us-east-1a" {
			if _, err := b.cloud.AttachNetworkInterface(id, w.ID, 1); err != nil {
				b.t.Error(err)
			}
		}
	}
}

func (b *fixture) delete(id string) { b.must(b.cloud.DeleteNetworkInterface(id)) }

func (b *fixture) keep(id string) {
	b.must(b.cloud.TagNetworkInterface(id, map[string]string{"node.k8s.amazonaws.com/no_manage": "true"}))
}

// TestReclaimDenied shows what each permission is for: without it, nothing is deleted, and naosu says which is missing.
func TestReclaimDenied(t *testing.T) {
	for permission, where := range map[string]naosu.NetworkPart{
		"ec2:DescribeNetworkInterfaces": naosu.Interfaces, "ec2:DescribeInstances": naosu.Instances, deleteCall: "",
	} {
		t.Run(permission, func(t *testing.T) {
			b := newNetworkDenying(t, permission)
			id := b.left(absent, nil)
			p := b.provider(provider.Options{})
			r, n := b.planned(p)
			b.reclaim(p, r)
			lacks := n.Unread[where].Permission
			if refused, is := errors.AsType[*naosu.RefusedError](r.Stopped()); is {
				lacks = refused.Permission
			}
			if !b.has(id) || lacks != permission || len(r.Results()) > 0 {
				t.Errorf("%+v, stopped by %v; %q is missing", r.Results(), r.Stopped(), lacks)
			}
		})
	}
}
