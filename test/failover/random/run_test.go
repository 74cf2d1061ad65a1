package random

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

var verbose = flag.Bool("log", false, "print what the controller logs")

// tick is how much time passes between two looks at everything that is played.
const tick = 500 * time.Millisecond

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		must(add(s))
	}
	return s
}()

// run is a cluster, the replicas of the controller on it, and the faults injected into them.
type run struct {
	plan
	// lock guards all that is played. Nobody waits for time to pass who holds it.
	lock    sync.Mutex
	ctx     context.Context
	began   time.Time
	api     *memory.API
	checker *checker
	rogue   *rogue
	log     logr.Logger

	machines []*machine
	owners   []*owner
	named    int
	// version counts the writes to the API server; latest is the last view of it that was read, at latestAt.
	version int
	// changes counts those that are no renewals of Leases; kept is up to which what makes pods has seen them, read what there is.
	changes, kept int
	read          *present
	fixed         []runtime.Object // of latest, that are no Leases
	fixedAt       int
	latest        *view
	latestAt      time.Time

	processes []*process
	// restarts are replicas that have ended and are to be started again.
	restarts []restart
	running  sync.WaitGroup
	// deliver is what the watches of processes have yet to tell them, with the lock not held.
	deliver []func()

	// attachedAt is when a volume was last seen attached to a node, unwantedSince since when no pod wants one, by the name of its attachment.
	attachedAt, unwantedSince map[string]time.Time

	// mute is whether nothing of what the controller writes about nodes and pods is done.
	mute    bool
	cuts    []*cut
	apiDown bool
	// touches is how many faults have somebody write to every object.
	touches                                                               int
	slowUntil, flakyUntil, staleUntil, probesSlowUntil                    time.Time
	cloudFailsUntil, cloudForbidsUntil, cloudUnknownUntil, cloudSlowUntil time.Time

	reports []report
	history []asked
	// undo are what ends each fault, by its place in the plan.
	undo map[int]func()
	// later are parts of faults that have yet to come.
	later []later
}

// asked is what people asked for from a time on.
type asked struct {
	since    time.Time
	policies []v1alpha1.FailoverPolicy
	replicas map[types.UID]int // by the UID of the controller
}

// rogue does what failover must never do, once, at a second of the run, in place of a replica: the one that leads, or another.
type rogue struct {
	at      int
	another bool
	do      func(n *run, p *process, c client.Client)
}

// act has the rogue act when it is time.
func (n *run) act() {
	at := slices.IndexFunc(n.processes, func(p *process) bool { return n.rogue != nil && p.elected != n.rogue.another })
	if at < 0 || n.seconds() < n.rogue.at {
		return
	}
	do, p := n.rogue.do, n.processes[at]
	n.rogue = nil
	n.running.Go(func() { do(n, p, n.api.Connect(p.call)) })
}

// play performs the run in a bubble of testing/synctest, and returns its checker.
func (p plan) play(ctx context.Context, rogue *rogue) *checker {
	ctx, cancel := context.WithCancel(ctx)
	n := &run{
		plan: p, ctx: ctx, began: time.Now(), rogue: rogue, undo: map[int]func(){}, log: logr.Discard(),
		attachedAt: map[string]time.Time{}, unwantedSince: map[string]time.Time{},
	}
	if *verbose {
		n.log = funcr.New(func(prefix, args string) { fmt.Println(time.Since(n.began).Round(time.Millisecond), prefix, args) }, funcr.Options{})
	}
	n.checker = newChecker(n)
	n.build()
	n.lock.Lock()
	for i := range 2 {
		n.startReplica(n.machines[i])
	}
	n.lock.Unlock()
	for n.seconds() < p.end() {
		n.step()
		<-time.After(tick)
	}
	n.lock.Lock()
	n.checker.checkEnd()
	for len(n.processes) > 0 {
		n.processes[0].kill()
	}
	n.lock.Unlock()
	cancel()
	n.running.Wait()
	return n.checker
}

func (n *run) seconds() int { return int(time.Since(n.began) / time.Second) }

// build makes the cluster.
func (n *run) build() {
	objects := []client.Object{}
	for _, name := range []string{shop, back, system, corev1.NamespaceNodeLease} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}})
	}
	add := func(more []client.Object, owners []*owner) {
		objects, n.owners = append(objects, more...), append(n.owners, owners...)
	}
	for i, w := range n.Workloads {
		add(w.objects(i))
	}
	add(agents())
	for _, policy := range n.policies() {
		objects = append(objects, policy.DeepCopy())
	}
	n.api = memory.New(scheme, []client.Object{&corev1.Pod{}, &corev1.Node{}, &v1alpha1.FailoverPolicy{}}, objects...)
	for i := range n.Nodes {
		n.addMachine(fmt.Sprintf("node-%02d", i), i)
	}
	n.note()
	for range 3 { // Nodes, pods, where they run.
		n.runKubernetes(n.ctx)
	}
}

func (n *run) addMachine(node string, i int) *machine {
	n.named++
	now := time.Now()
	m := &machine{
		index: n.named, node: node, id: fmt.Sprintf("i-%04d", n.named), zone: fmt.Sprintf("zone-%d", i%n.Zones), address: fmt.Sprintf("10.0.0.%d", n.named),
		boots: 1, on: true, onSince: now, kubelet: true, containers: true,
	}
	m.recordState(now, cloud.On, "running")
	m.startAgent(time.Duration(1+i%4) * time.Second)
	n.machines = append(n.machines, m)
	return m
}

// step has everything that is played take a step.
func (n *run) step() {
	n.lock.Lock()
	n.injectFaults()
	n.runMachines()
	n.runKubernetes(n.ctx)
	if n.touches > 0 && !n.apiDown {
		n.touchAll()
	}
	n.runAgents()
	n.restart()
	for _, p := range n.processes {
		p.refresh()
	}
	n.act()
	n.checker.observe()
	deliver := n.deliver
	n.deliver = nil
	n.lock.Unlock()
	for _, one := range deliver {
		one()
	}
}

// restart is a replica that has ended, and on which machine.
type restart struct {
	at   time.Time
	host *machine
}

// A replica is started again by its kubelet, or, once its pod was replaced, on another machine.
const (
	startedAgain = 4 * time.Second
	startedElse  = 100 * time.Second
)

// restart starts replicas again that have ended.
func (n *run) restart() {
	n.restarts = slices.DeleteFunc(n.restarts, func(one restart) bool {
		ago := time.Since(one.at)
		host := one.host
		if ago < startedAgain || n.apiDown {
			return false
		}
		if !n.canHost(host) && ago >= startedElse {
			if at := slices.IndexFunc(n.machines, n.canHost); at >= 0 {
				host = n.machines[at]
			}
		}
		if !n.canHost(host) {
			return false
		}
		n.startReplica(host)
		return true
	})
}

// canHost says whether a replica can be started on a machine.
func (n *run) canHost(m *machine) bool {
	return m.runs() && m.kubelet && m.registered && n.talk(m.node, apiEnd) && !slices.ContainsFunc(n.processes, func(p *process) bool { return p.host == m })
}

// look is what caches that are not behind show.
func (n *run) look() *view {
	if n.latest != nil && n.latest.version == n.version && time.Since(n.latestAt) < 2*time.Second {
		return n.latest
	}
	v := &view{version: n.version, leases: map[string]*coordinationv1.Lease{}}
	if n.fixed == nil || n.fixedAt != n.changes {
		n.fixed, n.fixedAt = n.readFixed(), n.changes
	}
	objects := slices.Clone(n.fixed)
	var leases coordinationv1.LeaseList
	must(n.api.Direct.List(n.ctx, &leases, client.InNamespace(corev1.NamespaceNodeLease)))
	for i := range leases.Items {
		v.leases[leases.Items[i].Name] = &leases.Items[i]
		objects = append(objects, &leases.Items[i])
	}
	v.policies = n.presentPolicies()
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	v.world = cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: n.seen(time.Now()), Server: "v1.36.3"})
	n.latest, n.latestAt = v, time.Now()
	return v
}

// readFixed reads what is no Lease.
func (n *run) readFixed() (objects []runtime.Object) {
	for _, list := range []client.ObjectList{
		&corev1.NodeList{}, &corev1.PodList{}, &corev1.NamespaceList{}, &appsv1.ReplicaSetList{}, &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &appsv1.DaemonSetList{},
		&batchv1.JobList{}, &storagev1.VolumeAttachmentList{},
	} {
		must(n.api.Direct.List(n.ctx, list))
		items, err := meta.ExtractList(list)
		must(err)
		objects = append(objects, items...)
	}
	return objects
}

func (n *run) presentPolicies() []v1alpha1.FailoverPolicy {
	var policies v1alpha1.FailoverPolicyList
	must(n.api.Direct.List(n.ctx, &policies))
	return policies.Items
}

// note records what people ask for from now on.
func (n *run) note() {
	now := asked{since: time.Now(), policies: n.presentPolicies(), replicas: map[types.UID]int{}}
	for _, w := range n.owners {
		now.replicas[w.owner.GetUID()] = w.replicas
	}
	n.history = append(n.history, now)
}

// machineOf is the machine of a node by name: the one that is registered last.
func (n *run) machineOf(node string) *machine {
	for _, m := range slices.Backward(n.machines) {
		if m.node == node {
			return m
		}
	}
	return nil
}

func (n *run) machineAt(address string) *machine {
	for _, m := range n.machines {
		if m.address == address {
			return m
		}
	}
	return nil
}

func (n *run) machineByProvider(id string) *machine {
	for _, m := range n.machines {
		if "aws:///"+m.zone+"/"+m.id == id {
			return m
		}
	}
	return nil
}
