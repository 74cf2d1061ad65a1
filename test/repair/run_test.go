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

// tick is how much time passes between two reconciliations.
const tick = 15 * time.Second

// run is a cluster, a controller, and the faults injected into them.
type run struct {
	plan
	c       *testCluster
	checker *checker
	cloud   *provider
	// checks are the guard's.
	checks []guard.Check
	// flaw, if any, breaks the controller itself, to see whether the checker finds it.
	flaw flaw

	controller *noderepair.Reconciler
	// restartAt is when a killed controller is started again.
	restartAt time.Time
	// callsUntilKill is after how many more calls the controller is killed; negative is never. Whether the last of them is done is answered.
	callsUntilKill int
	answered       bool
	// flakyUntil is until when three of ten calls fail; calls counts them, so that a run can be repeated.
	flakyUntil time.Time
	calls      int
	// staleSnapshot is what a cache shows that is not updated until staleUntil.
	staleSnapshot *cluster.Snapshot
	staleUntil    time.Time
	snapshot      *cluster.Snapshot
	// leaseLossPeriod is after how many reads of the lease it is lost each time, 0 is never; leaseReads counts them.
	leaseLossPeriod, leaseReads int
	// emptyVariant is in which of several ways the policy asks for nothing.
	emptyVariant int
	// targets are the machines that faults are about.
	targets map[fault]*machine
	// shifted are the nodes that a zonal shift has cordoned.
	shifted map[string]bool
}

// flaw is an injected defect of the controller.
type flaw int

const (
	noFlaw flaw = iota
	// unrecordedActs is a controller that, killed, has not written down that it has acted.
	unrecordedActs
	// neverRestarted is one that is not started again.
	neverRestarted
	// ignoresUncordon is one that acts on a node that a person has uncordoned.
	ignoresUncordon
	// countsRefusals is one that takes a refusal for an attempt that did not help.
	countsRefusals
	// uncordonsEnded is one that uncordons the node of each Remediation that has ended.
	uncordonsEnded
)

// play performs the run in a bubble of testing/synctest, and returns its checker.
func (p plan) play(ctx context.Context, checks []guard.Check, flaw flaw) (*checker, error) {
	n := &run{plan: p, c: p.newCluster(), checks: checks, flaw: flaw, callsUntilKill: -1, shifted: map[string]bool{}, targets: map[fault]*machine{}}
	n.checker = newChecker(n.c, p.policy(), p.workloads())
	n.cloud = &provider{c: n.c, checker: n.checker}
	n.checker.otherRepairer = func() bool { return n.cloud.otherRepairer }
	n.c.api.Before, n.c.api.After = n.before, n.after
	if err := n.c.api.Direct.Create(ctx, n.checker.policy.DeepCopy()); err != nil {
		return nil, err
	}
	for i := range p.ticks() {
		if err := n.injectFaults(ctx, i); err != nil {
			return nil, err
		}
		if err := n.c.step(ctx); err != nil {
			return nil, fmt.Errorf("stepping the cluster: %w", err)
		}
		n.snapshot = nil
		n.checker.observe(ctx)
		if n.Approver {
			if err := n.approve(ctx); err != nil {
				return nil, err
			}
		}
		n.runController(ctx, i)
		<-time.After(tick)
	}
	n.checker.checkEnd(ctx)
	return n.checker, nil
}

// runController gives the controller its turn, in a goroutine that can be killed.
func (n *run) runController(ctx context.Context, i int) {
	if n.controller == nil {
		if n.c.now().Before(n.restartAt) {
			return
		}
		n.controller = n.newController()
	}
	n.checker.leaderless = false
	ended, well := make(chan bool), false
	go func() {
		alive := false
		defer func() { ended <- alive }()
		if i%8 == 0 {
			_ = n.controller.CollectGarbage(ctx) // What fails is tried again, as by the real one.
		}
		_, err := n.controller.ReconcileAll(ctx)
		alive, well = true, err == nil
	}()
	alive := <-ended
	n.actAsFlawed(ctx)
	if well {
		n.checker.onReconcile(ctx)
	}
	if !alive {
		n.controller, n.restartAt, n.callsUntilKill = nil, n.c.now().Add(2*tick), -1
		n.killAsFlawed(ctx)
	}
}

// actAsFlawed does what a controller with the flaw would do between reconciliations.
func (n *run) actAsFlawed(ctx context.Context) {
	switch n.flaw {
	case countsRefusals:
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
	case uncordonsEnded:
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

// killAsFlawed does what a controller with the flaw would leave behind when it is killed.
func (n *run) killAsFlawed(ctx context.Context) {
	switch n.flaw {
	case neverRestarted:
		n.restartAt = n.restartAt.Add(24 * time.Hour)
	case unrecordedActs:
		for _, r := range n.checker.running(ctx) {
			r.Status.Steps = slices.DeleteFunc(r.Status.Steps, func(s v1alpha1.Step) bool {
				return slices.Contains([]v1alpha1.StepName{v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify}, s.Name)
			})
			if err := n.c.api.Direct.Status().Update(ctx, &r); err != nil {
				panic(err)
			}
		}
	}
}

func (n *run) newController() *noderepair.Reconciler {
	records := &record.Records{Client: n.c.api.Client, Reader: n.c.api.Client, Clock: clock.RealClock{}}
	return &noderepair.Reconciler{
		World: n.world, Client: n.c.api.Client, Reader: n.c.api.Client, Records: records, Providers: cloud.Providers{n.cloud},
		Checks: n.checks, Leading: n.leading, ServerReady: n.serverReady, Clock: clock.RealClock{},
	}
}

var errFlaky = apierrors.NewInternalError(errors.New("the API server has a bad moment"))

// before fails calls, or kills the controller before they are done.
func (n *run) before(memory.Call) error {
	n.calls++
	if n.callsUntilKill == 0 && !n.answered {
		runtime.Goexit()
	}
	if n.c.now().Before(n.flakyUntil) && n.calls%10 < 3 {
		return errFlaky
	}
	return nil
}

// after has the checker check the call, and kills the controller, or loses the answer.
func (n *run) after(call memory.Call) error {
	n.checker.onCall(context.Background(), call)
	if n.callsUntilKill == 0 {
		runtime.Goexit()
	}
	if n.callsUntilKill > 0 && call.Writes() {
		n.callsUntilKill--
	}
	if n.c.now().Before(n.flakyUntil) && n.calls%10 == 5 {
		return errFlaky
	}
	return nil
}

// world is the cluster as the controller's watch shows it.
func (n *run) world() *cluster.Snapshot {
	if n.c.now().Before(n.staleUntil) {
		return n.staleSnapshot
	}
	if n.snapshot == nil {
		n.snapshot = n.read()
	}
	return n.snapshot
}

func (n *run) read() *cluster.Snapshot {
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

// injectFaults does what is planned for a tick.
func (n *run) injectFaults(ctx context.Context, i int) error {
	for _, f := range n.Faults {
		if f.Tick == i {
			if err := n.injectFault(ctx, f, true); err != nil {
				return err
			}
		}
		if f.Tick+f.For == i {
			if err := n.injectFault(ctx, f, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// injectFault begins a fault, or ends it.
func (n *run) injectFault(ctx context.Context, f fault, begins bool) error {
	if people, err := n.peopleFault(ctx, f, begins); people {
		return err
	}
	m := n.targetOf(f, begins)
	if theirs, err := n.othersFault(ctx, f, m, begins); theirs {
		return err
	}
	until := n.c.now().Add(time.Duration(f.For) * tick)
	switch f.Kind {
	case rebootFixes, rebootDoesNotFix:
		if begins {
			m.unhealthy, m.persistent = true, f.Kind == rebootDoesNotFix
		}
	case falseReport: // An agent that finds a fault where there is none, and withdraws it.
		m.unhealthy, m.persistent = begins, begins
	case zoneUnhealthy:
		for _, one := range n.c.sorted() {
			if begins && one.zone == m.zone {
				one.unhealthy = true
			}
		}
	case nodeOff:
		n.power(m, !begins)
	case zoneOff:
		for _, one := range n.c.sorted() {
			if one.zone == m.zone {
				n.power(one, !begins)
			}
		}
	case apiFails:
		n.flakyUntil = until
	case controllerKilled:
		if begins {
			n.callsUntilKill, n.answered = f.Target%7, f.Target%2 == 0
		}
	case staleCache:
		if begins {
			n.staleSnapshot, n.staleUntil = n.world(), until.Add(time.Duration(f.For)*tick)
		}
	case cloudForbids:
		n.cloud.behavior = working
		if begins {
			n.cloud.behavior = forbidding
		}
	case cloudFails:
		n.cloud.behavior = working
		if begins {
			n.cloud.behavior = behavior(1 + f.Target%int(behaviors-1))
		}
	}
	return nil
}

// targetOf is the machine that a fault is about: the same when it ends as when it began, though it may be gone by then.
func (n *run) targetOf(f fault, begins bool) *machine {
	if !begins {
		return n.targets[f]
	}
	n.targets[f] = n.c.machineAt(f.Target)
	return n.targets[f]
}

// power turns a machine off, or lets it boot.
func (n *run) power(m *machine, on bool) {
	switch {
	case on && m.dead:
		m.dead, m.bootsAt = false, n.c.now().Add(boot)
	case !on && !m.dead:
		m.dead, m.up = true, false
		if m.silentSince.IsZero() {
			m.silentSince = n.c.now()
		}
	}
}

func minutes(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Minute}
}
