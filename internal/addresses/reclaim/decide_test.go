package reclaim

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/cloud"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const owner = "i-00000000000000099"

// scope is that of a cluster with the node i-1, at noon.
func scope() Scope {
	return Scope{Now: noon, Cluster: "shop", Nodes: map[string]bool{"i-1": true}, SeesInstances: true, Limits: DefaultLimits}
}

// leaked is an interface of which nothing is left but that it holds addresses.
func leaked() cloud.Interface {
	return cloud.Interface{
		ID: "eni-1", State: cloud.InterfaceAvailable, Type: cloud.InterfacePlain, Description: "aws-K8S-" + owner, Instance: owner, Cluster: "shop", ByVPCCNI: true,
		CreatedAt: new(noon.Add(-time.Hour)), InstanceState: cloud.Gone,
	}
}

// seen is its observation since some minutes, the last of them just before noon.
func seen(since time.Duration) *Observation {
	return &Observation{ID: "eni-1", Owner: owner, First: noon.Add(-since), Last: noon.Add(-time.Minute)}
}

func TestDecide(t *testing.T) {
	type change func(*cloud.Interface, *Scope, **Observation)
	for name, tc := range map[string]struct {
		change change
		want   Reason
	}{
		"leaked":                               {func(*cloud.Interface, *Scope, **Observation) {}, Eligible},
		"of an instance that EC2 forgot":       {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = cloud.NotFound }, Eligible},
		"without the tag of its instance":      {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Instance = "" }, OwnerUnclear},
		"a load balancer's":                    {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Description = "ELB app/shop/1" }, NotVPCCNI},
		"without a description":                {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Description = "" }, NotVPCCNI},
		"a branch's description":               {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Description = "aws-k8s-branch-eni" }, NotVPCCNI},
		"in use":                               {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.State = cloud.InterfaceInUse }, InUse},
		"being detached":                       {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.State = "detaching" }, InUse},
		"of an unknown state":                  {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.State = "" }, InUse},
		"attached while it is available":       {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.AttachedTo = owner }, InUse},
		"a trunk":                              {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Type = cloud.InterfaceTrunk }, OtherType},
		"of an unknown type":                   {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Type = "" }, OtherType},
		"a requester's":                        {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.RequesterManaged = true }, ServiceManaged},
		"an operator's":                        {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.OperatorManaged = true }, ServiceManaged},
		"kept":                                 {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Unmanaged = true }, Reserved},
		"of a cluster without a name":          {func(_ *cloud.Interface, s *Scope, _ **Observation) { s.Cluster = "" }, NoClusterName},
		"untagged in a cluster without a name": {func(i *cloud.Interface, s *Scope, _ **Observation) { i.Cluster, s.Cluster = "", "" }, NoClusterName},
		"without a cluster's tag":              {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Cluster = "" }, NoClusterTag},
		"not tagged as the VPC CNI's":          {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.ByVPCCNI = false }, NoClusterTag},
		"another cluster's":                    {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Cluster = "shop2" }, OtherCluster},
		"another cluster's by the letter case": {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Cluster = "Shop" }, OtherCluster},
		"tagged with another instance":         {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Instance = "i-2" }, OwnerUnclear},
		"of no instance":                       {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Description, i.Instance = "aws-K8S-", "" }, OwnerUnclear},
		"of no instance, tagged":               {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.Description = "aws-K8S-" }, OwnerUnclear},
		"of what is no instance": {func(i *cloud.Interface, _ *Scope, _ **Observation) {
			i.Description, i.Instance = "aws-K8S-node", "node"
		}, OwnerUnclear},
		"of an instance that was not read": {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = "" }, OwnerUnread},
		"without all nodes":                {func(_ *cloud.Interface, s *Scope, _ **Observation) { s.Nodes = nil }, OwnerUnread},
		"with credentials of another account": {func(i *cloud.Interface, s *Scope, _ **Observation) {
			i.InstanceState, s.SeesInstances = cloud.NotFound, false
		}, OwnerUnread},
		"terminated, seen without the nodes'":     {func(_ *cloud.Interface, s *Scope, _ **Observation) { s.SeesInstances = false }, Eligible},
		"of a running instance":                   {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = cloud.On }, OwnerExists},
		"of a stopped instance":                   {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = cloud.Off }, OwnerExists},
		"of an instance that is pending or ends":  {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = cloud.Changes }, OwnerExists},
		"of a state that naosu does not know":     {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.InstanceState = "hibernated" }, OwnerExists},
		"of a node":                               {func(_ *cloud.Interface, s *Scope, _ **Observation) { s.Nodes[owner] = true }, OwnerExists},
		"too young":                               {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.CreatedAt = new(noon.Add(-30*time.Minute + 1)) }, TooYoung},
		"just old enough":                         {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.CreatedAt = new(noon.Add(-30 * time.Minute)) }, Eligible},
		"of the future":                           {func(i *cloud.Interface, _ *Scope, _ **Observation) { i.CreatedAt = new(noon.Add(time.Hour)) }, TooYoung},
		"never observed":                          {func(_ *cloud.Interface, _ *Scope, o **Observation) { *o = nil }, SeenOnce},
		"observed for another instance":           {func(_ *cloud.Interface, _ *Scope, o **Observation) { (*o).Owner = "i-2" }, SeenOnce},
		"observed with another name":              {func(_ *cloud.Interface, _ *Scope, o **Observation) { (*o).ID = "eni-2" }, SeenOnce},
		"observed long ago":                       {func(_ *cloud.Interface, _ *Scope, o **Observation) { (*o).Last = noon.Add(-time.Hour - 1) }, SeenOnce},
		"observed in the future":                  {func(_ *cloud.Interface, _ *Scope, o **Observation) { (*o).Last = noon.Add(1) }, SeenOnce},
		"observed backwards":                      {func(_ *cloud.Interface, _ *Scope, o **Observation) { (*o).First = noon }, SeenOnce},
		"observed briefly":                        {func(_ *cloud.Interface, _ *Scope, o **Observation) { *o = seen(10*time.Minute - 1) }, ObservedBriefly},
		"of an unknown age, observed as always":   {func(i *cloud.Interface, _ *Scope, o **Observation) { i.CreatedAt, *o = nil, seen(29*time.Minute) }, ObservedBriefly},
		"of an unknown age, observed for as long": {func(i *cloud.Interface, _ *Scope, o **Observation) { i.CreatedAt, *o = nil, seen(30*time.Minute) }, Eligible},
		"of an unknown age, never observed":       {func(i *cloud.Interface, _ *Scope, o **Observation) { i.CreatedAt, *o = nil, nil }, SeenOnce},
	} {
		t.Run(name, func(t *testing.T) {
			i, s, o := leaked(), scope(), seen(15*time.Minute)
			tc.change(&i, &s, &o)
			got := s.Decide(i, o)
			if got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
			if !slices.Contains(Reasons, got) {
				t.Errorf("%s is none of the reasons", got)
			}
		})
	}
}

// TestNothingIsEligible: the zero Interface, Scope and Observation are eligible for nothing, so that what was not read deletes nothing.
func TestNothingIsEligible(t *testing.T) {
	if got := (Scope{}).Decide(leaked(), seen(time.Hour)); got == Eligible {
		t.Error("an interface is eligible in a cluster of which nothing is known")
	}
	if got := scope().Decide(cloud.Interface{}, &Observation{}); got == Eligible {
		t.Error("an interface of which nothing is known is eligible")
	}
}

func TestPass(t *testing.T) {
	s, i := scope(), leaked()
	reason := func(listed []cloud.Interface, earlier []Observation) (Reason, []Observation) {
		t.Helper()
		decisions, kept := s.Pass(listed, earlier)
		if len(decisions) != len(listed) {
			t.Fatalf("%d decisions about %d interfaces", len(decisions), len(listed))
		}
		return decisions[0].Reason, kept
	}
	one := []cloud.Interface{i}
	first, kept := reason(one, nil)
	s.Now = noon.Add(9 * time.Minute)
	second, kept := reason(one, kept)
	if want := []Observation{{"eni-1", owner, noon, s.Now}}; first != SeenOnce || second != ObservedBriefly || cmp.Diff(want, kept) != "" {
		t.Errorf("%s, then %s with %v", first, second, kept)
	}
	s.Now = noon.Add(10 * time.Minute)
	if third, again := reason(one, kept); third != Eligible || again[0].First != noon {
		t.Errorf("%s after ten minutes, with %v", third, again)
	}
	if _, none := s.Pass(nil, kept); len(none) != 0 {
		t.Errorf("an interface that is not listed is observed: %v", none)
	}
	i.Unmanaged = true
	if reserved, none := reason([]cloud.Interface{i}, kept); reserved != Reserved || len(none) != 0 {
		t.Errorf("%s, with %v", reserved, none)
	}
	s.Now = noon.Add(71 * time.Minute)
	if late, again := reason(one, kept); late != SeenOnce || again[0].First != s.Now {
		t.Errorf("%s after an hour without a pass, with %v", late, again)
	}
}

// TestPassObservesTheYoung: what is too young is observed already, and what was observed for another instance begins anew.
func TestPassObservesTheYoung(t *testing.T) {
	s, i := scope(), leaked()
	i.CreatedAt = new(noon.Add(-20 * time.Minute))
	decisions, kept := s.Pass([]cloud.Interface{i}, nil)
	if decisions[0].Reason != TooYoung || len(kept) != 1 {
		t.Fatalf("%s, with %v", decisions[0].Reason, kept)
	}
	other := i
	other.Instance, other.Description = "i-00000000000000098", "aws-K8S-i-00000000000000098"
	s.Now = noon.Add(10 * time.Minute)
	if decisions, _ = s.Pass([]cloud.Interface{i}, kept); decisions[0].Reason != Eligible {
		t.Errorf("%s after ten minutes", decisions[0].Reason)
	}
	if decisions, kept = s.Pass([]cloud.Interface{other}, kept); decisions[0].Reason != SeenOnce || kept[0].First != s.Now {
		t.Errorf("%s of another instance, with %v", decisions[0].Reason, kept)
	}
}

// TestPassIsBounded: of more interfaces than may be observed, those are that were observed for longest, and in the end all of them take their turn.
func TestPassIsBounded(t *testing.T) {
	s := scope()
	var listed []cloud.Interface
	for n := range MaxObservations + 7 {
		i := leaked()
		i.ID = "eni-" + strconv.Itoa(n)
		listed = append(listed, i)
	}
	var kept []Observation
	for range 2 {
		if _, kept = s.Pass(listed, kept); len(kept) != MaxObservations {
			t.Fatalf("%d are observed", len(kept))
		}
		if slices.ContainsFunc(kept, func(o Observation) bool { return o.First != noon }) {
			t.Error("one is observed that was not before, and another no longer is")
		}
		s.Now = s.Now.Add(10 * time.Minute)
	}
	decisions, _ := s.Pass(listed, kept)
	count := map[Reason]int{}
	for _, d := range decisions {
		count[d.Reason]++
	}
	if diff := cmp.Diff(map[Reason]int{Eligible: MaxObservations, SeenOnce: 7}, count); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next, after := s.Pass(listed[:10], kept)
	if len(after) != 10 || next[0].Interface.ID != "eni-0" {
		t.Errorf("%d are observed, the first of which is %s", len(after), next[0].Interface.ID)
	}
}

// BenchmarkPass is one pass over a VPC of 10,000 interfaces, each of which has leaked.
func BenchmarkPass(b *testing.B) {
	s := scope()
	listed := make([]cloud.Interface, 10_000)
	for n := range listed {
		listed[n] = leaked()
		listed[n].ID = "eni-" + strconv.Itoa(n)
		listed[n].CreatedAt = new(noon.Add(-time.Duration(n) * time.Minute))
	}
	_, kept := s.Pass(listed, nil)
	for b.Loop() {
		s.Pass(listed, kept)
	}
}
