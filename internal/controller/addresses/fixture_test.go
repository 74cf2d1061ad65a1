package addresses

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

const gone = "i-00000000000000099"

// ec2 is what EC2 has. Each call may fail.
type ec2 struct {
	clock      *clocktesting.FakeClock
	network    cloud.Network
	unread     map[cloud.NetworkPart]cloud.Unread
	notOffered bool
	// fail is asked before each call, by the call's name.
	fail func(call, id string) error
	// calls are the calls that concern one interface, deleted what was deleted, and when.
	calls     []string
	deleted   []string
	deletedAt []time.Time
	reads     int
	// lingers says that what is deleted is shown all the same.
	lingers bool
}

func (e *ec2) called(call, id string) error {
	if call != "read" {
		e.calls = append(e.calls, call+" "+id)
	}
	if e.fail == nil {
		return nil
	}
	return e.fail(call, id)
}

func (e *ec2) read(context.Context) (cloud.Network, bool) {
	e.reads++
	n := e.network
	n.Interfaces, n.Unread = slices.Clone(n.Interfaces), e.unread
	if _, unread := e.unread[cloud.Interfaces]; unread {
		n.Interfaces = nil
	}
	return n, !e.notOffered
}

func (e *ec2) at(id string) int {
	return slices.IndexFunc(e.network.Interfaces, func(i cloud.Interface) bool { return i.ID == id })
}

func (e *ec2) Interface(_ context.Context, id string) (*cloud.Interface, error) {
	if err := e.called("describe", id); err != nil {
		return nil, err
	}
	if at := e.at(id); at >= 0 {
		return new(e.network.Interfaces[at]), nil
	}
	return nil, nil
}

func (e *ec2) MayDeleteInterface(_ context.Context, id string) error { return e.called("dry", id) }

func (e *ec2) DeleteInterface(_ context.Context, id string) error {
	if err := e.called("delete", id); err != nil {
		return err
	}
	e.deleted, e.deletedAt = append(e.deleted, id), append(e.deletedAt, e.clock.Now())
	if at := e.at(id); at >= 0 && !e.lingers {
		e.network.Interfaces = slices.Delete(e.network.Interfaces, at, at+1)
	}
	return nil
}

// leak adds an interface that an instance left behind, created some time before noon.
func (e *ec2) leak(id string, age time.Duration) {
	e.network.Interfaces = append(e.network.Interfaces, cloud.Interface{
		ID: id, Subnet: "subnet-1", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Description: "aws-K8S-" + gone, Instance: gone, Cluster: "shop",
		ByVPCCNI: true, CreatedAt: new(noon.Add(-age)), InstanceState: cloud.Gone, Addresses: []string{"10.0.0.20", "10.0.0.21"},
	})
}

// fixture is a Reconciler on a made API and EC2.
type fixture struct {
	*Reconciler
	*ec2
	t     *testing.T
	clock *clocktesting.FakeClock
	api   client.WithWatch
	leads bool
	// write is called before each write of the Reconciler; what it returns fails the write. after is called after each.
	write, after func() error
	events       *events.FakeRecorder
	objects      []runtime.Object
	knowledge    map[cluster.Kind]cluster.Knowledge
	through      client.Client
}

func policy(edit func(*v1alpha1.AddressPolicySpec)) *v1alpha1.AddressPolicy {
	p := &v1alpha1.AddressPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "policy-1", Generation: 1},
		Spec:       v1alpha1.AddressPolicySpec{Mode: v1alpha1.ModeAuto, MinAgeSeconds: 1800, ObservationSeconds: 600, MaxDeletions: 20},
	}
	if edit != nil {
		edit(&p.Spec)
	}
	return p
}

func newFixture(t *testing.T, policies ...client.Object) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	clock := clocktesting.NewFakeClock(noon)
	f := &fixture{t: t, clock: clock, leads: true, events: events.NewFakeRecorder(10_000), knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.DaemonSet: cluster.Complete}}
	f.ec2 = &ec2{clock: clock, network: cloud.Network{
		Subnets:   []cloud.Subnet{{ID: "subnet-1", Zone: "us-east-1a", VPC: "vpc-1", CIDR: "10.0.0.0/24", Free: 200}},
		Instances: []cloud.Instance{{ID: "i-1", Type: "m5.large", Subnet: "subnet-1", VPC: "vpc-1", MaxInterfaces: 3, AddressesPerInterface: 10}},
		Interfaces: []cloud.Interface{{
			ID: "eni-1", Subnet: "subnet-1", State: cloud.InterfaceInUse, Type: cloud.InterfacePlain, Description: "aws-K8S-i-1", AttachedTo: "i-1", Instance: "i-1",
			Cluster: "shop", ByVPCCNI: true, Primary: true, Addresses: []string{"10.0.0.10"},
		}},
	}}
	f.objects = []runtime.Object{
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n1"}, Spec: corev1.NodeSpec{ProviderID: "aws:///us-east-1a/i-1"}},
		&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: addresses.Plugin, UID: "ds"}},
	}
	f.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(policies...).WithStatusSubresource(&v1alpha1.AddressPolicy{}, &v1alpha1.Remediation{}).Build()
	call := func(what *func() error) error {
		if *what == nil {
			return nil
		}
		return (*what)()
	}
	f.through = interceptor.NewClient(f.api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			o.SetUID(types.UID("uid-" + o.GetName()))
			o.SetCreationTimestamp(metav1.NewTime(f.clock.Now()))
			if err := call(&f.write); err != nil {
				return err
			}
			return errors.Join(c.Create(ctx, o, opts...), call(&f.after))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := call(&f.write); err != nil {
				return err
			}
			return errors.Join(c.SubResource(sub).Patch(ctx, o, patch, opts...), call(&f.after))
		},
	})
	f.Reconciler = f.another()
	return f
}

// another is a Reconciler that takes over.
func (f *fixture) another() *Reconciler {
	return &Reconciler{
		Snapshot:    f.world,
		ReadNetwork: f.read, FindDeleter: func() cloud.InterfaceDeleter { return f.ec2 },
		Client: f.through, Reader: f.through, Clock: f.clock,
		Records: &record.Records{Client: f.through, Reader: f.through, Events: f.events, Clock: f.clock},
		Leading: func(context.Context) (bool, error) { return f.leads, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := f.clock.Now()
			return guard.Facts{Now: now, Leading: guard.Known(f.leads, now), APIServer: guard.Known(guard.APIServer{Ready: true, Leases: 3}, now), Ledger: guard.Known(ledger.Ledger{}, now)}
		},
	}
}

// world is the cluster with the network as EC2 has it.
func (f *fixture) world() *cluster.Snapshot {
	n := f.network
	n.Interfaces, n.Unread = slices.Clone(n.Interfaces), f.unread
	return cluster.New(cluster.Contents{Taken: f.clock.Now(), Objects: f.objects, Knowledge: f.knowledge}).WithNetwork(n)
}

// pass reconciles again and again for a time.
func (f *fixture) pass(d time.Duration) {
	f.t.Helper()
	for end := f.clock.Now().Add(d); f.clock.Now().Before(end); {
		again, _ := f.Reconcile(f.t.Context()) // Errors are tried again.
		f.clock.Step(min(max(again, time.Second), resyncInterval, end.Sub(f.clock.Now())))
	}
}

func (f *fixture) remediations() []v1alpha1.Remediation {
	f.t.Helper()
	var all v1alpha1.RemediationList
	if err := f.api.List(context.Background(), &all); err != nil {
		f.t.Fatal(err)
	}
	slices.SortFunc(all.Items, func(a, b v1alpha1.Remediation) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return all.Items
}

func (f *fixture) policy(name string) *v1alpha1.AddressPolicy {
	f.t.Helper()
	var p v1alpha1.AddressPolicy
	if err := f.api.Get(context.Background(), client.ObjectKey{Name: name}, &p); err != nil {
		f.t.Fatal(err)
	}
	return &p
}

// edit changes the spec of the policy, as a person does.
func (f *fixture) edit(change func(*v1alpha1.AddressPolicySpec)) {
	f.t.Helper()
	p := f.policy("all")
	change(&p.Spec)
	p.Generation++
	if err := f.api.Update(context.Background(), p); err != nil {
		f.t.Fatal(err)
	}
}

// ends are phase, outcome and steps of each Remediation.
func (f *fixture) ends() []string {
	var all []string
	for _, r := range f.remediations() {
		end := string(r.Status.Phase)
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); c != nil {
			end += " " + c.Reason
		}
		for _, step := range r.Status.Steps {
			end += fmt.Sprintf(" %s%d:%s", step.Name, step.Change, step.Result)
		}
		all = append(all, end)
	}
	return all
}

// ready is the reason of the condition Ready, and low the status of AddressesLow.
func (f *fixture) ready() (reason, low string) {
	p := f.policy("all")
	if c := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.PolicyReady); c != nil {
		reason = c.Reason
	}
	if c := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.AddressesLow); c != nil {
		low = string(c.Status)
	}
	return reason, low
}

// said are the Events so far.
func (f *fixture) said() []string {
	var all []string
	for len(f.events.Events) > 0 {
		all = append(all, <-f.events.Events)
	}
	return all
}

func hasWords(all []string, words ...string) bool {
	return slices.ContainsFunc(all, func(s string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(s, word) })
	})
}
