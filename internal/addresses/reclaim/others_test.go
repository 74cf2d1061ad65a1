package reclaim

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// mostPlayed is how many interleavings are played until one shows what is wrong with a cleaner.
const mostPlayed = 20_000

// TestOthersDelete plays the same interleavings with the algorithms of the three cleaners that exist: for each it finds what they delete and should not. Only
// what decides is theirs; their calls never fail. Of what is kept, the VPC CNI's own tag says so, which it heeds only on attached interfaces.
func TestOthersDelete(t *testing.T) {
	young := func(w *world) bool { return w.violation == attaching && w.age(w.victim) < 5*60 }
	hibernated := func(w *world) bool { return w.violation == attaching && w.victim.maker.state.last() == "stopped" }
	for name, tc := range map[string]struct {
		cleaner cleaner
		what    func(*world) bool
	}{
		"VPC CNI: slow attachment":                     {&vpcCNI{}, is(attaching)},
		"VPC CNI: unreadable time of creation":         {&vpcCNI{}, young},
		"VPC CNI: kept":                                {&vpcCNI{}, is(kept)},
		"VPC CNI: another cluster's":                   {&vpcCNI{}, is(otherCluster)},
		"VPC resource controller: slow attachment":     {&resourceController{}, is(attaching)},
		"VPC resource controller: hibernated instance": {&resourceController{}, hibernated},
		"VPC resource controller: kept":                {&resourceController{}, is(kept)},
		"VPC resource controller: deleted Node":        {&resourceController{byNode: true}, is(attaching)},
		"Cilium operator: slow attachment":             {&ciliumOperator{}, is(attaching)},
		"Cilium operator: kept":                        {&ciliumOperator{}, is(kept)},
	} {
		t.Run(name, func(t *testing.T) { findsViolation(t, fresher(tc.cleaner), tc.what) })
	}
}

func is(what violation) func(*world) bool {
	return func(w *world) bool { return w.violation == what }
}

// fresher makes cleaners like one that has seen nothing yet.
func fresher(like cleaner) func() cleaner {
	return func() cleaner {
		switch c := like.(type) {
		case *vpcCNI:
			return new(*c)
		case *resourceController:
			return new(*c)
		case *ciliumOperator:
			return new(*c)
		}
		return nil
	}
}

// TestEachCheckIsNeeded plays the same interleavings with naosu, each time without one of its checks: for each there is an interface that only this check
// spares.
func TestEachCheckIsNeeded(t *testing.T) {
	withheld := func(from func(*cloud.Interface, *Scope)) func() cleaner {
		return func() cleaner { return &naosu{without: from} }
	}
	for name, with := range map[string]func() cleaner{
		"the description":      withheld(func(i *cloud.Interface, _ *Scope) { i.Description = cloud.VPCCNIDescription + i.Instance }),
		"the instance's tag":   withheld(func(i *cloud.Interface, _ *Scope) { i.Instance = i.Description[min(len(i.Description), 8):] }),
		"the type":             withheld(func(i *cloud.Interface, _ *Scope) { i.Type = cloud.InterfacePlain }),
		"operators":            withheld(func(i *cloud.Interface, _ *Scope) { i.OperatorManaged = false }),
		"no_manage":            withheld(func(i *cloud.Interface, _ *Scope) { i.Unmanaged = false }),
		"the cluster's tag":    withheld(func(i *cloud.Interface, s *Scope) { i.Cluster, i.ByVPCCNI = s.Cluster, true }),
		"the cluster's name":   withheld(func(i *cloud.Interface, s *Scope) { s.Cluster, i.Cluster, i.ByVPCCNI = "A", "A", true }),
		"the VPC CNI's tag":    withheld(func(i *cloud.Interface, _ *Scope) { i.ByVPCCNI = true }),
		"the instance's state": withheld(func(i *cloud.Interface, _ *Scope) { i.InstanceState = cloud.Gone }),
		"stopped instances":    withheld(stoppedIsGone),
		"another account":      withheld(func(_ *cloud.Interface, s *Scope) { s.SeesInstances = true }),
		"age and observation":  withheld(func(_ *cloud.Interface, s *Scope) { s.MinAge, s.MinObserved = 0, 0 }),
		"describing once more": func() cleaner { return &naosu{trusting: true} },
	} {
		t.Run(name, func(t *testing.T) { findsViolation(t, with, anyViolation) })
	}
}

func stoppedIsGone(i *cloud.Interface, _ *Scope) {
	if i.InstanceState == cloud.Off {
		i.InstanceState = cloud.Gone
	}
}

// findsViolation fails the test if no interleaving has the cleaner delete what it should not.
func findsViolation(t *testing.T, with func() cleaner, violates func(*world) bool) {
	t.Helper()
	t.Parallel()
	for n := range mostPlayed {
		seed := *firstSeed + uint64(n)
		if i := drawn(seed); violates(i.play(with())) {
			smaller := i.shrink(with, violates)
			t.Logf("-first %d, in %d steps: %s", seed, len(smaller.ops), smaller.trace(with()))
			return
		}
	}
	t.Errorf("%d interleavings show nothing wrong", mostPlayed)
}

// queue is what a cleaner has chosen and deletes one after the other, whatever EC2 answers.
type queue []string

func (q *queue) call(w *world, _ int) bool {
	if len(*q) == 0 {
		return false
	}
	w.remove((*q)[0])
	*q = (*q)[1:]
	return true
}

func (q *queue) kill() { *q = nil }

// vpcCNI is the look of the VPC CNI's address manager on a node of cluster A: pkg/awsutils/awsutils.go. Each node looks once an hour, so that with some
// nodes a look may come at any time.
type vpcCNI struct {
	queue
}

func (c *vpcCNI) pass(w *world, how int) {
	c.queue = nil
	found := w.list(lagOf(how))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		s := found[id]
		_, made := s.tags[tagInstance]
		if s.status != "available" || !made || w.named[0] && s.tags[tagCluster] != "A" || !strings.HasPrefix(s.description, "aws-K8S-") {
			continue
		}
		created, stated := s.tags[tagCreated]
		at, err := time.Parse(time.RFC3339, created)
		if !stated || err != nil {
			w.retag(id)
		}
		if stated && timeOf(w.now).Sub(at) >= 5*time.Minute { // The zero time, which an unreadable tag gives, is long ago.
			c.queue = append(c.queue, id)
		}
	}
}

// retag has the VPC CNI set the time of an interface's creation to now.
func (w *world) retag(id string) {
	for _, c := range w.enis {
		if c.id == id && c.shows.last().exists {
			w.change(c, func(s *eniState) { s.tags[tagCreated] = w.stamp() })
		}
	}
}

// resourceController is the VPC resource controller of EKS: pkg/aws/ec2/api/cleanup. It looks every 30 minutes and deletes what two looks have seen; with
// byNode, it deletes at once what instances have left whose Nodes are gone.
type resourceController struct {
	queue
	byNode bool
	seen   map[string]bool
	next   int
}

func (c *resourceController) pass(w *world, how int) {
	if w.now < c.next && !c.byNode || !w.named[0] {
		return
	}
	c.queue, c.next = nil, w.now+30*60
	gone, available := map[string]bool{}, map[string]bool{}
	for _, m := range w.machines {
		gone[m.id] = !m.node
	}
	found := w.list(lagOf(how))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		s := found[id]
		if s.status != "available" || s.tags[tagCluster] != "A" || s.tags[tagOwner] != "amazon-vpc-cni" {
			continue
		}
		available[id] = true
		if c.byNode && gone[s.tags[tagInstance]] || !c.byNode && c.seen[id] {
			c.queue = append(c.queue, id)
		}
	}
	c.seen = available
}

// ciliumOperator is the garbage collection of the Cilium operator: pkg/aws/eni/eni_gc.go. Every five minutes it deletes what it listed the time before, and
// lists what is available and has the tags that it is configured with, here the cluster's.
type ciliumOperator struct {
	queue
	listed []string
	next   int
}

func (c *ciliumOperator) pass(w *world, how int) {
	if w.now < c.next || !w.named[0] {
		return
	}
	c.queue, c.listed, c.next = c.listed[:min(len(c.listed), 25)], nil, w.now+5*60
	found := w.list(lagOf(how))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		s := found[id]
		if s.status == "available" && s.tags[tagCluster] == "A" {
			c.listed = append(c.listed, id)
		}
	}
}
