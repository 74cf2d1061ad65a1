package random

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/controller/failover"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// The times of leader election, by default.
const (
	leadLasts     = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryLead     = 2 * time.Second
)

// errKilled is the answer to what a process calls that is no more: nothing of it reaches the API server.
var errKilled = errors.New("the process was killed")

// process is a replica of the controller, with a memory of its own.
type process struct {
	n       *run
	name    string
	host    *machine
	started time.Time
	ctx     context.Context
	end     context.CancelFunc
	dead    bool

	reconciler *failover.Reconciler
	watcher    *failover.SilenceWatcher
	// onLease are the watcher's handlers of Leases.
	onLease cache.ResourceEventHandler
	// seen is what its caches show.
	seen *view
	// wake has it reconcile at a time; zero is never.
	wake time.Time

	// streams are the agents' by the UID of their Node, and received what it was told of nodes, for the checker.
	streams  map[types.UID]*stream
	received map[types.UID]*received

	elected bool
	// standsUntil is until when the process stands still, callsUntilKill after how many writes it is killed; negative is never. answered is whether
	// the last of them is done.
	standsUntil time.Time
	// stood is for how long it has stood still, and resumed when it last went on.
	stood          time.Duration
	resumed        time.Time
	callsUntilKill int
	answered       bool
	calls          int

	// readNode is what it was told last of each Node, readPod when it has last asked for each pod.
	readNode map[string]readNode
	readPod  map[client.ObjectKey]readPod
	patches  []time.Time
	// readPolicies are the policies that it was told past its caches.
	readPolicies []readPolicy
}

// readPolicy is an answer to a read of a policy.
type readPolicy struct {
	at     time.Time
	policy *v1alpha1.FailoverPolicy
}

// wasTold says whether a process has read, past its caches and within a window, a policy of which something is so; longer by the time for which it stood still.
func (p *process) wasTold(window time.Duration, is func(*v1alpha1.FailoverPolicy) bool) bool {
	return slices.ContainsFunc(p.readPolicies, func(one readPolicy) bool { return time.Since(one.at) <= window+p.stood && is(one.policy) })
}

// readNode is an answer to a read of a Node.
type readNode struct {
	at   time.Time
	node *corev1.Node
}

// readPod is a read of a pod, and what the process knew of the cluster then.
type readPod struct {
	at    time.Time
	world *cluster.Snapshot
}

// startReplica starts a replica on a machine.
func (n *run) startReplica(host *machine) *process {
	n.named++
	p := &process{
		n: n, name: fmt.Sprintf("replica-%d", n.named), host: host, started: time.Now(), callsUntilKill: -1,
		streams: map[types.UID]*stream{}, received: map[types.UID]*received{}, seen: n.look(),
		readNode: map[string]readNode{}, readPod: map[client.ObjectKey]readPod{}, wake: time.Now(),
	}
	p.ctx, p.end = context.WithCancel(n.ctx)
	direct := n.api.Connect(p.call)
	cached := interceptor.NewClient(direct, interceptor.Funcs{List: p.list})
	own := processClock{p: p}
	p.reconciler = &failover.Reconciler{
		World: p.world, Client: cached, Reader: direct, Records: &record.Records{Client: cached, Reader: direct, Clock: own},
		Providers: func() (cloud.Providers, []cloud.Gap) { return cloud.Providers{&provider{n, p}}, nil },
		Leading:   p.leading, Elected: p.isElected, Log: n.log.WithName(p.name), Clock: own,
	}
	p.watcher = &failover.SilenceWatcher{Reconciler: p.reconciler, Streams: p, Ticker: ticking{p: p}, Synced: func() bool { return true }}
	must(p.watcher.WatchLeases(leases{p: p}))
	for _, m := range n.machines {
		m.connectAt = maxTime(m.connectAt, time.Now())
	}
	n.running.Go(func() { _ = p.watcher.Start(p.ctx) })
	n.running.Go(func() { p.elect(direct) })
	n.running.Go(p.reconcile)
	n.processes = append(n.processes, p)
	return p
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// kill ends the process: whatever it is at. It is called with the run's lock held.
func (p *process) kill() {
	if p.dead {
		return
	}
	p.dead, p.elected = true, false
	p.end()
	p.n.processes = slices.DeleteFunc(slices.Clone(p.n.processes), func(one *process) bool { return one == p })
	p.n.restarts = append(p.n.restarts, restart{time.Now(), p.host})
}

func (p *process) stands() bool { return p.host.standing || time.Now().Before(p.standsUntil) }

// pass lets time pass in the process, and while it stands still.
func (p *process) pass(ctx context.Context, d time.Duration) error {
	for {
		if err := sleep(ctx, d); err != nil {
			return err
		}
		p.n.lock.Lock()
		dead, stands := p.dead, p.stands()
		p.n.lock.Unlock()
		switch {
		case dead:
			return errKilled
		case !stands:
			return nil
		}
		d = 100 * time.Millisecond
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// latency is how long the way to the API server takes: the same in each run, and hardly ever the same for two calls.
func (p *process) latency(call memory.Call) time.Duration {
	h := fnv.New64a()
	fmt.Fprint(h, p.name, call, p.calls)
	spread := time.Duration(h.Sum64() % uint64(6*time.Millisecond))
	if time.Now().Before(p.n.slowUntil) {
		spread += time.Duration(h.Sum64() % uint64(3*time.Second))
	}
	return 2*time.Millisecond + spread
}

var errFlaky = apierrors.NewInternalError(errors.New("the API server has a bad moment"))

// call makes a call of the process to the API server.
func (p *process) call(ctx context.Context, call memory.Call, do func() error) error {
	n := p.n
	n.lock.Lock()
	p.calls++
	p.asks(call)
	way := p.latency(call)
	n.lock.Unlock()
	if err := p.pass(ctx, way); err != nil {
		return err
	}
	err := p.serve(call, do)
	if errors.Is(err, errNoAnswer) {
		if ended := p.pass(ctx, connectionLost); ended != nil {
			return ended
		}
	}
	if passed := p.pass(ctx, way); passed != nil {
		return passed
	}
	return err
}

// errNoAnswer is what serve returns if nothing comes back, and connectionLost after what time the client gives up: it pings the API server.
var errNoAnswer = errors.New("no answer")

const connectionLost = 45 * time.Second

// serve is the API server's part in a call, and shows it to the checker.
func (p *process) serve(call memory.Call, do func() error) error {
	n := p.n
	n.lock.Lock()
	defer n.lock.Unlock()
	if p.dead {
		return errKilled
	}
	if n.apiDown || !n.carries(p.host.node, apiEnd) {
		return errNoAnswer
	}
	flaky := time.Now().Before(n.flakyUntil)
	if p.callsUntilKill == 0 && !p.answered && call.Writes() {
		p.kill()
		return errKilled
	}
	if flaky && p.calls%10 < 3 {
		return errFlaky
	}
	if n.mute && call.Writes() && (call.Kind == "Node" || call.Kind == "Pod") {
		return nil
	}
	before := n.checker.before(call)
	if err := do(); err != nil {
		return err
	}
	if call.Writes() {
		switch call.Kind {
		case "Node", "Pod":
			n.wrote()
		case v1alpha1.FailoverPolicyKind:
			n.version++
		}
		n.checker.onWrite(p, call, before)
		if p.callsUntilKill == 0 {
			p.kill()
			return errKilled
		}
		p.callsUntilKill--
	} else {
		p.told(call)
	}
	switch {
	case !n.carries(apiEnd, p.host.node):
		return errNoAnswer
	case flaky && p.calls%10 == 5:
		return errFlaky
	}
	return nil
}

// asks notes what the process asks for.
func (p *process) asks(call memory.Call) {
	if call.Verb == "get" && call.Kind == "Pod" {
		p.readPod[call.Key] = readPod{time.Now(), p.seen.world}
	}
}

// told notes what the API server tells the process.
func (p *process) told(call memory.Call) {
	switch {
	case call.Verb == "get" && call.Kind == "Node":
		node := &corev1.Node{}
		must(p.n.api.Direct.Get(p.n.ctx, call.Key, node))
		p.readNode[call.Key.Name] = readNode{time.Now(), node}
	case call.Verb == "get" && call.Kind == v1alpha1.FailoverPolicyKind:
		policy := &v1alpha1.FailoverPolicy{}
		must(p.n.api.Direct.Get(p.n.ctx, call.Key, policy))
		p.readPolicies = append(p.readPolicies, readPolicy{time.Now(), policy})
	case call.Verb == "get" && call.Kind == "Lease" && call.Key.Namespace == corev1.NamespaceNodeLease:
		lease := &coordinationv1.Lease{}
		must(client.IgnoreNotFound(p.n.api.Direct.Get(p.n.ctx, call.Key, lease)))
		if p.n.checker.leaseRead[p] == nil {
			p.n.checker.leaseRead[p] = map[string]*coordinationv1.Lease{}
		}
		p.n.checker.leaseRead[p][call.Key.Name] = lease
	}
}

// list answers from the cache.
func (p *process) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	policies, is := list.(*v1alpha1.FailoverPolicyList)
	if !is {
		return c.List(ctx, list, opts...)
	}
	p.n.lock.Lock()
	defer p.n.lock.Unlock()
	policies.Items = nil
	for i := range p.seen.policies {
		policies.Items = append(policies.Items, *p.seen.policies[i].DeepCopy())
	}
	return nil
}

func (p *process) world() *cluster.Snapshot {
	p.n.lock.Lock()
	defer p.n.lock.Unlock()
	return p.seen.world
}

func (p *process) isElected() bool {
	p.n.lock.Lock()
	defer p.n.lock.Unlock()
	return p.elected
}

// leading is leadership.holdsLease of internal/controller.
func (p *process) leading(ctx context.Context) (bool, error) {
	if !p.isElected() {
		return false, nil
	}
	lease, err := (&record.Records{Reader: p.reconciler.Reader}).Lease(ctx)
	if err != nil || lease == nil || lease.Spec.HolderIdentity == nil {
		return false, err
	}
	return *lease.Spec.HolderIdentity == p.name, nil
}

// elect takes and keeps the lead, as k8s.io/client-go/tools/leaderelection does; a process that has lost it ends.
func (p *process) elect(direct client.Client) {
	records := &record.Records{Client: direct, Reader: direct, Clock: clock.RealClock{}}
	renewed := time.Now()
	for {
		ctx, cancel := context.WithTimeout(p.ctx, renewDeadline)
		lease, err := records.Lease(ctx)
		holder := ""
		if err == nil {
			holder = record.Holder(lease, time.Now())
		}
		if err == nil && (holder == "" || holder == p.name) {
			if _, err = records.TakeLease(ctx, lease, p.name, leadLasts); err == nil {
				renewed = time.Now()
			}
		}
		cancel()
		p.n.lock.Lock()
		switch {
		case err == nil && (holder == "" || holder == p.name):
			if !p.elected {
				p.wake = time.Now()
			}
			p.elected = !p.dead
		case p.elected && (err == nil || time.Since(renewed) > renewDeadline):
			p.kill()
		}
		p.n.lock.Unlock()
		if p.pass(p.ctx, retryLead) != nil {
			return
		}
	}
}

// reconcile calls the Reconciler when it is due, in the process that leads.
func (p *process) reconcile() {
	for p.pass(p.ctx, 250*time.Millisecond) == nil {
		p.n.lock.Lock()
		due := p.elected && !p.wake.IsZero() && !time.Now().Before(p.wake)
		if due {
			p.wake = time.Time{}
		}
		p.n.lock.Unlock()
		if !due {
			continue
		}
		again, err := p.reconciler.Reconcile(p.ctx)
		if next := requeue.After(p.ctx, again, err).RequeueAfter; next > 0 {
			p.n.lock.Lock()
			p.wakeIn(next)
			p.n.lock.Unlock()
		}
	}
}

func (p *process) wakeIn(d time.Duration) {
	if at := time.Now().Add(d); p.wake.IsZero() || at.Before(p.wake) {
		p.wake = at
	}
}

// view is what caches show at a time.
type view struct {
	version  int
	world    *cluster.Snapshot
	policies []v1alpha1.FailoverPolicy
	leases   map[string]*coordinationv1.Lease
}

// refresh brings the caches of a process up to date, if they are not hung, and has it notice what has changed.
func (p *process) refresh() {
	n := p.n
	if p.stands() {
		p.stood += tick
		p.resumed = time.Now().Add(tick)
	}
	if p.stands() || n.apiDown || time.Now().Before(n.staleUntil) || !n.talk(p.host.node, apiEnd) {
		return
	}
	was, is := p.seen, n.look()
	if was == is {
		return
	}
	p.seen = is
	for name, lease := range is.leases {
		if before := was.leases[name]; before == nil || before.ResourceVersion != lease.ResourceVersion {
			p.leaseChanged(before, lease)
		}
	}
	if nodesChanged(was, is) || policiesChanged(was, is) {
		p.wakeIn(500 * time.Millisecond)
	}
	if podsChanged(was, is) {
		p.wakeIn(5 * time.Second)
	}
}

func (p *process) leaseChanged(before, after *coordinationv1.Lease) {
	if before == nil || before.Spec.RenewTime.Equal(after.Spec.RenewTime) {
		return
	}
	p.n.deliver = append(p.n.deliver, func() { p.onLease.OnUpdate(before, after) })
	if m := p.n.machineOf(after.Name); m != nil {
		p.noteSign(m.uid)
	}
}

// nodesChanged is the predicate of failover.Reconciler.AddTo.
func nodesChanged(was, is *view) bool {
	if len(was.world.Nodes()) != len(is.world.Nodes()) {
		return true
	}
	return slices.ContainsFunc(is.world.Nodes(), func(after *corev1.Node) bool {
		before := was.world.Node(after.Name)
		return before == nil || before.UID != after.UID || failoverpolicy.Healthy(before) != failoverpolicy.Healthy(after) ||
			failoverpolicy.Silent(before) != failoverpolicy.Silent(after) || before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID ||
			(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
	})
}

func podsChanged(was, is *view) bool {
	if len(was.world.Pods()) != len(is.world.Pods()) {
		return true
	}
	known := map[types.UID]*corev1.Pod{}
	for _, pod := range was.world.Pods() {
		known[pod.UID] = pod
	}
	return slices.ContainsFunc(is.world.Pods(), func(after *corev1.Pod) bool {
		before := known[after.UID]
		return before == nil || before.Spec.NodeName != after.Spec.NodeName || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
	})
}

func policiesChanged(was, is *view) bool {
	return !slices.EqualFunc(was.policies, is.policies, func(a, b v1alpha1.FailoverPolicy) bool { return a.UID == b.UID && a.Generation == b.Generation })
}

// leases is the informer of Leases.
type leases struct {
	cache.SharedIndexInformer
	p *process
}

func (l leases) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	l.p.onLease = handler
	return nil, nil
}

// ticking makes tickers that stand still with their process.
type ticking struct {
	clock.RealClock
	p *process
}

func (t ticking) NewTicker(d time.Duration) clock.Ticker {
	c := make(chan time.Time, 1)
	t.p.n.running.Go(func() {
		for t.p.pass(t.p.ctx, d) == nil {
			select {
			case c <- time.Now():
			default:
			}
		}
	})
	return ticker{c}
}

type ticker struct{ c chan time.Time }

func (t ticker) C() <-chan time.Time { return t.c }
func (ticker) Stop()                 {}
