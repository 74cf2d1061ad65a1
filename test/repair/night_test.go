package repair

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubernetes "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/controller/noderepair"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// tick is how much time passes between two looks at everything.
const tick = 15 * time.Second

// night is a cluster, a controller, and what goes wrong.
type night struct {
	plan
	c     *town
	watch *watch
	cloud *provider
	// checks are the guard's.
	checks []guard.Check
	// tamper, if any, breaks the controller itself, to see whether it is noticed.
	tamper tamper

	controller *noderepair.Reconciler
	// back is when a killed controller is started again.
	back time.Time
	// die is after how many more calls the controller is killed; negative is never. Whether the last of them is done is answered.
	die      int
	answered bool
	// flaky is until when calls fail, and how many of ten do; n counts calls, so that a night replays.
	flaky time.Time
	n     int
	// frozen is the world as a cache that hangs shows it, until when.
	frozen *cluster.Snapshot
	thaw   time.Time
	taken  *cluster.Snapshot
	// every is before each how manieth question about the lease it is lost, 0 is never; asks counts them.
	every, asks int
	// way is how the policy asks for nothing.
	way int
	// aimed are the machines that faults are about.
	aimed map[fault]*machine
	// shifted are the nodes that a zonal shift has cordoned.
	shifted map[string]bool
}

// tamper is a flaw that the controller does not have.
type tamper int

const (
	none tamper = iota
	// forgetful is a controller that, killed, has not written down that it has acted.
	forgetful
	// mortal is one that nobody starts again.
	mortal
	// stubbornly is one that acts on a node that a person has uncordoned.
	stubbornly
	// escalating is one that takes a refusal for an attempt that did not help.
	escalating
	// hasty is one that uncordons the node of each Remediation that has ended.
	hasty
)

// play plays the night in a bubble of testing/synctest, and says what was seen.
func (p plan) play(ctx context.Context, checks []guard.Check, flaw tamper) (*watch, error) {
	n := &night{plan: p, c: p.town(), checks: checks, tamper: flaw, die: -1, shifted: map[string]bool{}, aimed: map[fault]*machine{}}
	n.watch = newWatch(n.c, p.policy(), p.workloads())
	n.cloud = &provider{c: n.c, watch: n.watch}
	n.watch.rival = func() bool { return n.cloud.rival }
	n.c.api.Before, n.c.api.After = n.before, n.after
	if err := n.c.api.Direct.Create(ctx, n.watch.policy.DeepCopy()); err != nil {
		return nil, err
	}
	for i := range p.ticks() {
		if err := n.strike(ctx, i); err != nil {
			return nil, err
		}
		if err := n.c.step(ctx); err != nil {
			return nil, fmt.Errorf("stepping the cluster: %w", err)
		}
		n.taken = nil
		n.watch.look(ctx)
		if n.Approver {
			if err := n.approve(ctx); err != nil {
				return nil, err
			}
		}
		n.control(ctx, i)
		<-time.After(tick)
	}
	n.watch.end(ctx)
	return n.watch, nil
}

// control gives the controller its turn, in a goroutine that can be killed.
func (n *night) control(ctx context.Context, i int) {
	if n.controller == nil {
		if n.c.now().Before(n.back) {
			return
		}
		n.controller = n.newController()
	}
	n.watch.leaderless = false
	ended, well := make(chan bool), false
	go func() {
		alive := false
		defer func() { ended <- alive }()
		if i%8 == 0 {
			_ = n.controller.Sweep(ctx) // What fails is tried again, as by the real one.
		}
		_, err := n.controller.ReconcileAll(ctx)
		alive, well = true, err == nil
	}()
	alive := <-ended
	n.err(ctx)
	if well {
		n.watch.looked(ctx)
	}
	if !alive {
		n.controller, n.back, n.die = nil, n.c.now().Add(2*tick), -1
		n.spoil(ctx)
	}
}

// err does what a flawed controller would do all the time.
func (n *night) err(ctx context.Context) {
	switch n.tamper {
	case escalating:
		var ledger corev1.ConfigMap
		if n.c.api.Direct.Get(ctx, client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.LedgerName}, &ledger) != nil {
			return // There is none yet.
		}
		for key, data := range ledger.Data {
			ledger.Data[key] = strings.ReplaceAll(data, `"result":"Refused"`, `"result":"NotHelped"`)
		}
		if err := n.c.api.Direct.Update(ctx, &ledger); err != nil {
			panic(err)
		}
	case hasty:
		var all v1alpha1.RemediationList
		if err := n.c.api.Direct.List(ctx, &all); err != nil {
			panic(err)
		}
		for _, r := range all.Items {
			var node corev1.Node
			if r.Status.Phase != v1alpha1.PhaseEnded || n.c.api.Direct.Get(ctx, client.ObjectKey{Name: r.Spec.Node.Name}, &node) != nil {
				continue
			}
			node.Spec.Unschedulable = false
			if err := n.c.api.Direct.Update(ctx, &node); err != nil {
				panic(err)
			}
		}
	}
}

// spoil does what a flawed controller would leave behind when it is killed.
func (n *night) spoil(ctx context.Context) {
	switch n.tamper {
	case mortal:
		n.back = n.back.Add(24 * time.Hour)
	case forgetful:
		for _, r := range n.watch.running(ctx) {
			r.Status.Steps = slices.DeleteFunc(r.Status.Steps, func(s v1alpha1.Step) bool {
				return slices.Contains([]v1alpha1.StepName{v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify}, s.Name)
			})
			if err := n.c.api.Direct.Status().Update(ctx, &r); err != nil {
				panic(err)
			}
		}
	}
}

func (n *night) newController() *noderepair.Reconciler {
	records := &record.Records{Client: n.c.api.Client, Reader: n.c.api.Client, Clock: clock.RealClock{}}
	return &noderepair.Reconciler{
		World: n.world, Client: n.c.api.Client, Reader: n.c.api.Client, Records: records, Providers: cloud.Providers{n.cloud},
		Checks: n.checks, Leading: n.leading, ServerReady: n.serverReady, Clock: clock.RealClock{},
	}
}

var errFlaky = apierrors.NewInternalError(errors.New("the API server has a bad moment"))

// before fails calls, or kills the controller before they are done.
func (n *night) before(memory.Call) error {
	n.n++
	if n.die == 0 && !n.answered {
		runtime.Goexit()
	}
	if n.c.now().Before(n.flaky) && n.n%10 < 3 {
		return errFlaky
	}
	return nil
}

// after shows the watch what was done, and kills the controller, or loses the answer.
func (n *night) after(call memory.Call) error {
	n.watch.sees(context.Background(), call)
	if n.die == 0 {
		runtime.Goexit()
	}
	if n.die > 0 && call.Writes() {
		n.die--
	}
	if n.c.now().Before(n.flaky) && n.n%10 == 5 {
		return errFlaky
	}
	return nil
}

// world is the cluster as the controller's watch shows it.
func (n *night) world() *cluster.Snapshot {
	if n.c.now().Before(n.thaw) {
		return n.frozen
	}
	if n.taken == nil {
		n.taken = n.read()
	}
	return n.taken
}

func (n *night) read() *cluster.Snapshot {
	var objects []kubernetes.Object
	for _, list := range []client.ObjectList{&corev1.NodeList{}, &corev1.PodList{}, &corev1.NamespaceList{}, sets(), budgets()} {
		if err := n.c.api.Direct.List(context.Background(), list); err != nil {
			panic(err)
		}
		objects = append(objects, items(list)...)
	}
	for _, m := range n.c.sorted() {
		objects = append(objects, m.lease(n.c.now()))
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: n.c.now(), Server: "v1.36.3"})
}

// strike does what is planned for a tick.
func (n *night) strike(ctx context.Context, i int) error {
	for _, f := range n.Faults {
		if f.Tick == i {
			if err := n.do(ctx, f, true); err != nil {
				return err
			}
		}
		if f.Tick+f.For == i {
			if err := n.do(ctx, f, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// do begins a fault, or ends it.
func (n *night) do(ctx context.Context, f fault, begins bool) error {
	if people, err := n.meddle(ctx, f, begins); people {
		return err
	}
	m := n.aim(f, begins)
	if theirs, err := n.others(ctx, f, m, begins); theirs {
		return err
	}
	until := n.c.now().Add(time.Duration(f.For) * tick)
	switch f.Kind {
	case ill, stubborn:
		if begins {
			m.ill, m.stubborn = true, f.Kind == stubborn
		}
	case lie: // An agent that finds a fault where there is none, and thinks better of it.
		m.ill, m.stubborn = begins, begins
	case zoneIll:
		for _, one := range n.c.sorted() {
			if begins && one.zone == m.zone {
				one.ill = true
			}
		}
	case silentNode:
		n.power(m, !begins)
	case zoneOut:
		for _, one := range n.c.sorted() {
			if one.zone == m.zone {
				n.power(one, !begins)
			}
		}
	case flakyAPI:
		n.flaky = until
	case kill:
		if begins {
			n.die, n.answered = f.Target%7, f.Target%2 == 0
		}
	case staleCache:
		if begins {
			n.frozen, n.thaw = n.world(), until.Add(time.Duration(f.For)*tick)
		}
	case forbids:
		n.cloud.mood = obliging
		if begins {
			n.cloud.mood = refusing
		}
	case badCloud:
		n.cloud.mood = obliging
		if begins {
			n.cloud.mood = mood(1 + f.Target%int(moods-1))
		}
	}
	return nil
}

// aim is the machine that a fault is about: the same when it ends as when it began, though it may be gone by then.
func (n *night) aim(f fault, begins bool) *machine {
	if !begins {
		return n.aimed[f]
	}
	n.aimed[f] = n.c.machineAt(f.Target)
	return n.aimed[f]
}

// power turns a machine off, or lets it boot.
func (n *night) power(m *machine, on bool) {
	switch {
	case on && m.dead:
		m.dead, m.booted = false, n.c.now().Add(boot)
	case !on && !m.dead:
		m.dead, m.up = true, false
		if m.lost.IsZero() {
			m.lost = n.c.now()
		}
	}
}

func minutes(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Minute}
}
