package reclaim

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/cloud"
)

var (
	interleavings = flag.Int("interleavings", 40_000, "how many random interleavings are played")
	firstSeed     = flag.Uint64("first", 1, "the seed of the first of them")
)

// timeOf is the time in Kubernetes and EC2 some seconds after a world begins.
func timeOf(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// op is one thing that happens, with two numbers that say to what and how.
type op struct{ kind, which, how uint8 }

// interleaving is what happens in a world.
type interleaving struct {
	named [2]bool
	blind bool
	ops   []op
}

// The kinds of what happens; those in often happen more often.
const (
	opLaunch = iota
	opCreate
	opAttach
	opDetach
	opFree
	opRestart
	opStep
	opNode
	opKeep
	opForeign
	opCorrupt
	opWait
	opPass
	opCall
	opFinish
	opKill
	opKinds
)

var often = slices.Concat(
	slices.Repeat([]uint8{opWait, opPass, opFinish, opCreate, opStep, opAttach, opCall, opDetach, opFree}, 2),
	[]uint8{opLaunch, opRestart, opNode, opKeep, opForeign, opCorrupt, opKill},
)

// waits are in seconds: up to five minutes, in which EC2 may be out of date, and up to an hour and more, in which a resumed instance is not.
var waits = []int{1, 5, 30, 60, 150, 300, 600, 600, 1200, 1800, 2400, 4000}

// lags are how many seconds EC2 is late, mostly none.
var lags = []int{0, 0, 0, 1, 10, 60, 120, mostLag}

func lagOf(how int) int { return lags[how%len(lags)] }

func drawn(seed uint64) interleaving {
	r := rand.New(rand.NewPCG(seed, 0))
	i := interleaving{named: [2]bool{r.IntN(8) > 0, r.IntN(3) > 0}, blind: r.IntN(16) == 0, ops: []op{{kind: opLaunch, how: 1}, {kind: opLaunch, which: uint8(r.IntN(3)), how: 1}}}
	for len(i.ops) < 30+int(seed%60) {
		which, how := uint8(r.IntN(64)), uint8(r.IntN(256))
		chunk := []op{{often[r.IntN(len(often))], which, how}}
		switch r.IntN(10) {
		case 0: // an interface that leaks, unless more is between
			chunk = []op{{opCreate, which, how}, {opStep, which, how}, {opStep, which, how}}
		case 1: // a cleaner's usual pass
			chunk = []op{{opWait, which, how}, {opPass, which, how}, {opFinish, which, how}}
		case 2: // one in which something happens
			chunk = []op{{opPass, which, how}, {[]uint8{opKeep, opStep, opCorrupt, opNode}[r.IntN(4)], which, how}, {opWait, which, how}, {opFinish, which, how}}
		case 3: // an instance that EC2 may not show yet
			chunk = []op{{opLaunch, which, how}, {opCreate, which, how}, {opCreate, which + 1, how}, {opPass, which, how}, {opPass, which, how}, {opFinish, which, how}}
		}
		i.ops = append(i.ops, chunk...)
	}
	return i
}

// cleaner deletes interfaces of cluster A.
type cleaner interface {
	// pass lists, call makes the next call of what the pass has begun, and kill ends it. how says how late EC2 is, and what else goes wrong.
	pass(w *world, how int)
	call(w *world, how int) (more bool)
	kill()
}

func (w *world) apply(o op, c cleaner) {
	which, how := int(o.which), int(o.how)
	switch o.kind {
	case opLaunch:
		w.launch(which%2, how%4 > 0)
	case opCreate:
		w.create(which)
	case opAttach:
		w.attach(which)
	case opDetach:
		w.detach(which)
	case opFree:
		w.free(which)
	case opRestart:
		w.restart(which)
	case opStep:
		w.step(which, how)
	case opNode:
		w.node(which)
	case opKeep:
		w.keep(which, how)
	case opForeign:
		w.foreign(which, how)
	case opCorrupt:
		w.corrupt(which, how)
	case opWait:
		w.now += waits[how%len(waits)]
	case opPass:
		w.tell("a pass, for which EC2 is %d seconds late", lagOf(how))
		c.pass(w, how)
	case opCall:
		c.call(w, how)
	case opFinish:
		for c.call(w, how) {
		}
	case opKill:
		w.tell("the cleaner is killed")
		c.kill()
	}
}

// play plays an interleaving and returns the world that it leaves, which has a violation or not.
func (i interleaving) play(c cleaner) *world { return i.playIn(&world{}, c) }

// trace tells what happens in an interleaving.
func (i interleaving) trace(c cleaner) string {
	w := i.playIn(&world{told: true}, c)
	return fmt.Sprintf("names set: %v; EC2 shows no instance: %t\n", i.named, i.blind) + strings.Join(w.log, "\n")
}

func (i interleaving) playIn(w *world, c cleaner) *world {
	w.named, w.blind = i.named, i.blind
	for _, o := range i.ops {
		w.now++
		if w.apply(o, c); w.violation != "" {
			break
		}
	}
	return w
}

// shrink leaves out of an interleaving what its violation does not need.
func (i interleaving) shrink(with func() cleaner, violates func(*world) bool) interleaving {
	fails := func(smaller interleaving) bool { return violates(smaller.play(with())) }
	keep := func(smaller interleaving) {
		if fails(smaller) {
			i = smaller
		}
	}
	keep(interleaving{[2]bool{true, true}, i.blind, i.ops})
	keep(interleaving{i.named, false, i.ops})
	for before := -1; before != len(i.ops); {
		before = len(i.ops)
		for size := len(i.ops); size > 0; size /= 2 {
			for at := 0; at+size <= len(i.ops); {
				if smaller := (interleaving{i.named, i.blind, slices.Delete(slices.Clone(i.ops), at, at+size)}); fails(smaller) {
					i = smaller
				} else {
					at++
				}
			}
		}
		for at := range i.ops {
			for n := range i.ops[at].how {
				smaller := interleaving{i.named, i.blind, slices.Clone(i.ops)}
				smaller.ops[at].how = n
				if fails(smaller) {
					i = smaller
					break
				}
			}
		}
	}
	return i
}

// anyViolation says whether something is deleted that should not be.
func anyViolation(w *world) bool { return w.violation != "" }

// TestNothingInUseIsDeleted plays random interleavings of what two clusters' instances, people, EC2 and naosu do in a VPC. naosu deletes no interface that an
// instance is about to attach, that somebody keeps, or that is not its cluster's; and in the end it has deleted all that leaked.
func TestNothingInUseIsDeleted(t *testing.T) {
	const parts = 4
	most := *interleavings
	if testing.Short() {
		most /= 10
	}
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			during, after := 0, 0
			for n := part; n < most; n += parts {
				deleted, leaked := playToTheEnd(t, *firstSeed+uint64(n))
				during, after = during+deleted, after+leaked
			}
			t.Logf("%d interfaces were deleted, and %d when all was calm", during, after)
			if during == 0 || after == 0 {
				t.Error("nothing leaked")
			}
		})
	}
}

func playToTheEnd(t *testing.T, seed uint64) (deleted, leaked int) {
	t.Helper()
	with := func() cleaner { return &naosu{} }
	i, c := drawn(seed), with()
	w := i.play(c)
	if deleted = w.deleted; w.violation != "" {
		t.Fatalf("-first %d: an interface is deleted that is %s\n%s", seed, w.violation, i.shrink(with, anyViolation).trace(with()))
	}
	left, leaked := w.settle(c)
	if left != "" {
		t.Fatalf("-first %d: %s after\n%s", seed, left, i.trace(with()))
	}
	return deleted, leaked
}

// settle lets some hours pass in which nothing happens but passes, and returns what is left then, and how many there were before.
func (w *world) settle(c cleaner) (left string, before int) {
	w.launch(0, true)
	leaked := func() []*eni {
		return w.enisThat(func(c *eni) bool {
			return w.named[0] && !w.blind && c.cluster == 0 && !c.kept && !c.corrupted && c.maker != nil && c.shows.last().status == "available" &&
				slices.Contains([]string{"terminated", ""}, c.maker.state.last()) && !c.maker.node
		})
	}
	for _, m := range w.machines { // The Nodes of instances that are gone are deleted some time.
		m.node = m.node && m.attaches()
	}
	before = len(leaked())
	for range 4 {
		w.now += 15 * 60
		c.pass(w, 0)
		for c.call(w, 1) {
		}
	}
	if all := leaked(); len(all) > 0 {
		return all[0].id + " is left", before
	}
	if w.violation != "" {
		return "an interface is deleted that is " + string(w.violation), before
	}
	return "", before
}

// naosu is what is judged, with what it keeps from one pass to the next and what it loses when it is killed.
type naosu struct {
	kept []Observation
	run  *Run
	// listed is what the last pass has listed.
	listed map[string]cloud.Interface
	// without takes something from what naosu is told, or from what it asks for.
	without func(*cloud.Interface, *Scope)
	// trusting does not describe interfaces again.
	trusting bool
}

var _ cleaner = (*naosu)(nil)

// as is an interface as naosu's AWS provider reads it.
func as(id string, s eniState, instances map[string]string) cloud.Interface {
	i := cloud.Interface{
		ID: id, State: cloud.InterfaceState(s.status), Type: cloud.InterfaceType(s.kind), Description: s.description, AttachedTo: s.attached,
		Cluster: s.tags[tagCluster], ByVPCCNI: s.tags[tagOwner] == "amazon-vpc-cni", Instance: s.tags[tagInstance],
		RequesterManaged: s.requester, OperatorManaged: s.operate,
	}
	value, set := s.tags[tagKeep]
	i.Unmanaged = set && value != "false"
	if at, err := time.Parse(time.RFC3339, s.tags[tagCreated]); err == nil {
		i.CreatedAt = &at
	}
	i.InstanceState = map[string]cloud.Running{
		"running": cloud.On, "stopped": cloud.Off, "shutting-down": cloud.Changes, "terminated": cloud.Gone, "": cloud.NotFound,
	}[instances[strings.TrimPrefix(s.description, "aws-K8S-")]]
	return i
}

func (n *naosu) scope(w *world, instances map[string]string) Scope {
	s := Scope{Now: timeOf(w.now), Nodes: map[string]bool{}, Limits: DefaultLimits}
	if w.named[0] {
		s.Cluster = "A"
	}
	for _, m := range w.machines {
		if m.node && m.cluster == 0 {
			s.Nodes[m.id] = true
			s.SeesInstances = s.SeesInstances || instances[m.id] != ""
		}
	}
	return s
}

// told is what naosu is told, without what a test withholds from it.
func (n *naosu) told(i cloud.Interface, s *Scope) cloud.Interface {
	if n.without != nil {
		n.without(&i, s)
	}
	return i
}

func (n *naosu) pass(w *world, how int) {
	instances := w.states(lagOf(how / 8))
	s := n.scope(w, instances)
	found := w.list(lagOf(how))
	n.listed = map[string]cloud.Interface{}
	var all []cloud.Interface
	for _, id := range slices.Sorted(maps.Keys(found)) {
		n.listed[id] = n.told(as(id, found[id], instances), &s)
		all = append(all, n.listed[id])
	}
	decisions, kept := s.Pass(all, n.kept)
	n.run = s.NewRun(decisions, n.kept)
	if how%16 == 9 {
		n.run = nil // It is killed before it has kept what it has seen.
		return
	}
	n.kept = kept
}

func (n *naosu) call(w *world, how int) bool {
	if n.run == nil {
		return false
	}
	call, more := n.run.Next(timeOf(w.now))
	if !more {
		n.kept, n.run = n.run.Keep(n.kept), nil
		return false
	}
	for timeOf(w.now).Before(call.NotBefore) {
		w.now++
	}
	var trouble error
	switch how % 16 {
	case 13:
		trouble = fmt.Errorf("%w: RequestLimitExceeded", cloud.ErrPassing)
	case 14:
		trouble = &cloud.RefusedError{Permission: "ec2:DeleteNetworkInterface", Err: errors.New("UnauthorizedOperation")}
	}
	switch call.Kind {
	case DryRun:
		n.run.Tried(trouble)
	case Describe:
		n.describe(w, call.ID, lagOf(how/16), trouble)
	case Delete:
		n.delete(w, call.ID, how, trouble)
	}
	return true
}

func (n *naosu) describe(w *world, id string, lag int, trouble error) {
	s, found := w.list(lag)[id]
	i := as(id, s, w.states(mostLag-lag))
	if i = n.told(i, &n.run.scope); n.trusting {
		i, found = n.listed[id], true
	}
	switch {
	case trouble != nil:
		n.run.Described(nil, trouble, timeOf(w.now))
	case !found:
		n.run.Described(nil, nil, timeOf(w.now))
	default:
		n.run.Described(&i, nil, timeOf(w.now))
	}
}

func (n *naosu) delete(w *world, id string, how int, trouble error) {
	if trouble == nil {
		switch w.remove(id) {
		case answerInUse:
			trouble = cloud.ErrInterfaceInUse
		case answerManaged:
			trouble = cloud.ErrInterfaceManaged
		}
		if how%16 == 15 {
			trouble = cloud.ErrUnsure
		}
	}
	n.run.Deleted(trouble, timeOf(w.now))
}

func (n *naosu) kill() { n.run = nil }
