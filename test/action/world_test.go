package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// world is a small cluster: an API server in memory, machines, and what Kubernetes does between two reconciles. n1 is unhealthy, and
// runs a pod of web, whose other is on n2, and one of the DaemonSet agent.
type world struct {
	t      *testing.T
	clock  *clocktesting.FakePassiveClock
	api    *memory.API
	policy *v1alpha1.NodeRepairPolicy
	cloud  *machines

	// leads is whether the performer has the lease.
	leads bool
	// brake is what the guard says of the API server.
	apiServerReady bool
	// noPolicy is whether the policy is gone.
	noPolicy bool
	// quiet demands that the performer never fails.
	quiet bool
	// allow are nodes that may be cordoned in the end, by others.
	allow []string
	// due is what happens at a time.
	due []event
	// replicas is how many pods web has.
	replicas int
	// agent is what n1's agent answers when it is asked to restart a service; empty is nothing.
	agent v1alpha1.AgentState
	// stuck keeps pods that are being deleted from ending; unready keeps new ones from being ready.
	stuck, unready bool
	// returns is how many of web's new pods come to n1 yet, although it is cordoned.
	returns int
	// made counts pods, for their names.
	made int
}

func newWorld(t *testing.T, what v1alpha1.Action) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, policyv1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{t: t, clock: clocktesting.NewFakePassiveClock(start), leads: true, apiServerReady: true, replicas: 2, policy: newPolicy(what)}
	w.api = memory.New(scheme, []client.Object{&v1alpha1.Remediation{}, &v1alpha1.NodeRepairPolicy{}, &corev1.Node{}, &corev1.Pod{}, &policyv1.PodDisruptionBudget{}},
		w.newNode("n1", "a", false), w.newNode("n2", "b", true), w.newNode("n3", "c", true),
		&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "rs"}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2))}},
		w.newPod("web-a", "n1", "ReplicaSet", "web", "rs"), w.newPod("web-b", "n2", "ReplicaSet", "web", "rs"),
		w.newPod("agent-n1", "n1", "DaemonSet", "agent", "ds"), w.newPod("agent-n2", "n2", "DaemonSet", "agent", "ds"),
		newRemediation(what), w.policy.DeepCopy(),
	)
	w.cloud = &machines{w: w}
	return w
}

func newPolicy(what v1alpha1.Action) *v1alpha1.NodeRepairPolicy {
	return &v1alpha1.NodeRepairPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		Spec: v1alpha1.NodeRepairPolicySpec{
			Mode: v1alpha1.ModeAuto,
			Rules: []v1alpha1.RepairRule{{
				Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, Action: what, Service: serviceOf(what),
			}},
			Budgets: v1alpha1.Budgets{Zone: new(intstr.FromInt32(1)), Group: new(intstr.FromInt32(1)), Cluster: new(intstr.FromInt32(1))},
			Brake:   v1alpha1.Brake{Nodes: 3, Percent: 20},

			NodeStartupGracePeriod: span(0),
			Drain:                  v1alpha1.Drain{Timeout: span(2 * time.Minute)},
			Verification: v1alpha1.Verification{
				NodeWithin: span(3 * time.Minute), Dwell: span(time.Minute), PodsWithin: span(time.Minute),
			},
		},
	}
}

func span(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

func serviceOf(what v1alpha1.Action) string {
	if what == v1alpha1.ActionRestartService {
		return "containerd.service"
	}
	return ""
}

func newRemediation(what v1alpha1.Action) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: "mend", UID: "mend", Finalizers: []string{v1alpha1.RemediationFinalizer}},
		Spec: v1alpha1.RemediationSpec{
			Policy:   v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "default", Rule: "network"},
			Node:     v1alpha1.NodeReference{Name: "n1", UID: "n1"},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse, Reason: "InterfaceNotUp", Since: metav1.NewTime(start.Add(-time.Hour))},
			Plan:     v1alpha1.NodePlan(what, serviceOf(what)),
		},
	}
}

func (w *world) newNode(name, zone string, well bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(w.clock.Now()),
		Labels: map[string]string{corev1.LabelTopologyZone: zone, "eks.amazonaws.com/nodegroup": "workers"},
	}}
	n.Status.NodeInfo.BootID = "first-" + name
	w.state(n, corev1.NodeReady, true)
	w.state(n, "NetworkingReady", well)
	return n
}

// state sets a condition, with its time if it changes.
func (w *world) state(n *corev1.Node, kind corev1.NodeConditionType, well bool) {
	status := corev1.ConditionFalse
	if well {
		status = corev1.ConditionTrue
	}
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == kind {
			if c.Status != status {
				c.Status, c.LastTransitionTime = status, metav1.NewTime(w.clock.Now().Truncate(time.Second))
			}
			return
		}
	}
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status, LastTransitionTime: metav1.NewTime(w.clock.Now())})
}

func (w *world) newPod(name, node, kind, owner string, uid types.UID) *corev1.Pod {
	w.made++
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID(fmt.Sprintf("%s-%d", name, w.made)), Labels: map[string]string{"app": owner},
		CreationTimestamp: metav1.NewTime(w.clock.Now()),
	}}
	if kind != "" {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner, UID: uid, Controller: new(true)}}
	}
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	if !w.unready || w.made <= 4 {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return p
}

// performer is one process; a world may see several.
func (w *world) performer() *action.Performer {
	return &action.Performer{
		Client: w.api.Client, Reader: w.api.Client,
		Records:   &record.Records{Client: w.api.Client, Reader: w.api.Client, Clock: w.clock},
		Providers: cloud.Providers{w.cloud}, Advisor: advisor{w}, Clock: w.clock,
		Leading: func(context.Context) (bool, error) { return w.leads, nil },
	}
}

// advisor answers from the world, by the real guard.
type advisor struct{ w *world }

func (a advisor) Assess(ctx context.Context, r *v1alpha1.Remediation, _ guard.Fact[ledger.Ledger]) (outcome.Outcome, error) {
	var pods corev1.PodList
	if err := a.w.api.Direct.List(ctx, &pods); err != nil {
		return outcome.Outcome{}, err
	}
	o := outcome.Outcome{Compared: &outcome.Comparison{Futures: 1}}
	for _, p := range pods.Items {
		if owner := metav1.GetControllerOf(&p); p.Spec.NodeName == r.Spec.Node.Name && (owner == nil || owner.Kind != "DaemonSet") && r.Spec.Action() != v1alpha1.ActionRestartService {
			o.Fates = append(o.Fates, outcome.Fate{Kind: outcome.Moved, Pod: change.Ref{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}, From: p.Spec.NodeName, To: "n2"})
		}
	}
	return o, nil
}

func (a advisor) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy, o outcome.Outcome, ledger guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	now := a.w.clock.Now()
	var nodes corev1.NodeList
	if err := a.w.api.Direct.List(ctx, &nodes); err != nil {
		return guard.Ruling{}, err
	}
	var all []guard.Node
	p := guard.Proposal{Remediation: r.Name, UID: r.UID, Action: r.Spec.Action(), Approval: r.Spec.Approval, Policy: policy.Spec, Confirmed: now}
	for _, n := range nodes.Items {
		_, member := n.Labels["node-role.kubernetes.io/control-plane"]
		node := guard.Node{
			Name: n.Name, Zone: cluster.Zone(&n), Group: cluster.GroupName(&n), Ready: kube.IsNodeReady(&n), Unhealthy: repairpolicy.NeedsRepair(policy.Spec.Rules, r, &n),
			Leaving: action.Leaving(&n), Annotations: action.OthersAnnotations(&n),
			Created: n.CreationTimestamp.Time, MachineKey: cloud.MachineOf(&n).Key(), ControlPlane: member,
		}
		all = append(all, node)
		if n.Name == r.Spec.Node.Name {
			p.Node = node
		}
	}
	return guard.Decide(guard.Checks(), p, guard.Facts{
		Now: now, Leading: guard.Known(a.w.leads, now), Ledger: ledger, Nodes: guard.Known(all, now),
		APIServer:    guard.Known(guard.APIServer{Ready: a.w.apiServerReady, Leases: 3}, now),
		ShiftedZones: guard.Known[[]string](nil, now), Outcome: guard.Known(o, now), Pods: guard.Known[[]guard.Pod](nil, now),
		AsForecast: guard.Known(0, now), Repairers: guard.Known[[]change.Ref](nil, now),
	}), nil
}

// machines are a cloud's. What it is asked for takes a minute.
type machines struct {
	w                  *world
	reboots, replaces  int
	rebooted, replaced time.Time
	// foreign owns no machine.
	foreign bool
	// deaf accepts and does nothing; sick comes back unhealthy; dead never comes back.
	deaf, sick, dead bool
	// may answers whether a call would be let through, and asked counts who wanted to know; nil is that it would.
	may   func() (cloud.Permission, error)
	asked int
	// fails answers a call in place of doing it; it is given how many there were.
	fails func(n int) error
	// seen is called at each call, lost after each that was done.
	seen, lost func() error
}

func (m *machines) Name() string { return "machines" }

func (m *machines) Owns(cloud.Machine) bool { return !m.foreign }

func (m *machines) States(context.Context, ...cloud.Machine) ([]cloud.State, error) { return nil, nil }

func (m *machines) Reboot(context.Context, cloud.Machine) (cloud.Operation, error) {
	return m.called(&m.reboots, &m.rebooted)
}

func (m *machines) Replace(context.Context, cloud.Machine) (cloud.Operation, error) {
	return m.called(&m.replaces, &m.replaced)
}

func (m *machines) May(context.Context, v1alpha1.Action, cloud.Machine) (cloud.Permission, error) {
	m.asked++
	if m.may == nil {
		return cloud.Permission{May: v1alpha1.MayYes}, nil
	}
	return m.may()
}

func (m *machines) called(n *int, at *time.Time) (cloud.Operation, error) {
	if m.seen != nil {
		if err := m.seen(); err != nil {
			return cloud.Operation{}, errors.Join(cloud.ErrUnsure, err)
		}
	}
	*n++
	if m.fails != nil {
		if err := m.fails(*n); err != nil {
			return cloud.Operation{}, err
		}
	}
	if at.IsZero() && !m.deaf {
		*at = m.w.clock.Now()
	}
	if m.lost != nil {
		if err := m.lost(); err != nil {
			return cloud.Operation{}, errors.Join(cloud.ErrUnsure, err)
		}
	}
	return cloud.Operation{ID: "op-1", At: m.w.clock.Now()}, nil
}

// tick is what Kubernetes, kubelets and machines do between two reconciles.
func (w *world) tick(ctx context.Context) {
	w.t.Helper()
	if at := w.cloud.rebooted; !at.IsZero() && w.clock.Since(at) >= time.Minute {
		w.cloud.rebooted = time.Time{}
		w.edit(ctx, "n1", func(n *corev1.Node) {
			n.Status.NodeInfo.BootID = "second-n1"
			w.state(n, corev1.NodeReady, !w.cloud.dead)
			w.state(n, "NetworkingReady", !w.cloud.sick)
		})
	}
	if at := w.cloud.replaced; !at.IsZero() && w.clock.Since(at) >= time.Minute {
		w.cloud.replaced = time.Time{}
		w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1")))
		w.must(w.api.Direct.Create(ctx, w.newNode("n4", "a", !w.cloud.sick)))
	}
	due := w.due
	w.due = nil
	for _, e := range due {
		if e.at.After(w.clock.Now()) {
			w.due = append(w.due, e)
		} else {
			e.do()
		}
	}
	w.answer(ctx)
	var pods corev1.PodList
	w.must(w.api.Direct.List(ctx, &pods))
	web := 0
	for i := range pods.Items {
		p := &pods.Items[i]
		if p.DeletionTimestamp != nil && !w.stuck {
			w.must(w.api.Ended(ctx, p))
		} else if p.DeletionTimestamp == nil && len(p.OwnerReferences) > 0 && p.OwnerReferences[0].UID == "rs" {
			web++
		}
	}
	for ; web < w.replicas; web++ {
		pod := w.newPod(fmt.Sprintf("web-%d", w.made), "n2", "ReplicaSet", "web", "rs")
		if w.returns > 0 {
			w.returns--
			pod.Spec.NodeName = "n1"
		}
		w.must(w.api.Direct.Create(ctx, pod))
	}
}

// answer is the agent's part: it takes up a restart that is written down, and a minute later it is done.
func (w *world) answer(ctx context.Context) {
	var r v1alpha1.Remediation
	if w.agent == "" || w.api.Direct.Get(ctx, client.ObjectKey{Name: "mend"}, &r) != nil || step(&r) != v1alpha1.StepAct || r.Status.Phase != v1alpha1.PhaseRunning {
		return
	}
	switch said := r.Status.Agent; {
	case said == nil && w.agent == v1alpha1.AgentRefused:
		r.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentRefused, At: metav1.NewMicroTime(w.clock.Now())}
	case said == nil:
		r.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentAccepted, At: metav1.NewMicroTime(w.clock.Now())}
	case said.State == v1alpha1.AgentAccepted && w.agent != v1alpha1.AgentAccepted && w.clock.Since(said.At.Time) >= time.Minute:
		said.State = w.agent
		if w.agent == v1alpha1.AgentDone {
			w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", true) })
		}
	default:
		return
	}
	w.must(w.api.Direct.Status().Update(ctx, &r))
}

// step is the one that goes on, empty if none does.
func step(r *v1alpha1.Remediation) v1alpha1.StepName {
	if n := len(r.Status.Steps); n > 0 && r.Status.Steps[n-1].EndedAt == nil {
		return r.Status.Steps[n-1].Name
	}
	return ""
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) node(ctx context.Context, name string) *corev1.Node {
	w.t.Helper()
	var n corev1.Node
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Name: name}, &n))
	return &n
}

// edit changes a node and its status.
func (w *world) edit(ctx context.Context, name string, change func(*corev1.Node)) {
	w.t.Helper()
	n := w.node(ctx, name)
	change(n)
	status := n.Status
	w.must(w.api.Direct.Update(ctx, n))
	n.Status = status
	w.must(w.api.Direct.Status().Update(ctx, n))
}

func (w *world) remediation(ctx context.Context) *v1alpha1.Remediation {
	w.t.Helper()
	var r v1alpha1.Remediation
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Name: "mend"}, &r))
	return &r
}

func (w *world) ledger(ctx context.Context) ledger.Ledger {
	w.t.Helper()
	ledger, err := (&record.Records{Client: w.api.Direct, Reader: w.api.Direct, Clock: w.clock}).ReadLedger(ctx)
	w.must(err)
	return ledger.Ledger
}

// errKilled is what a process gets that is being killed.
var errKilled = errors.New("killed")

// play lets the performer perform until the Remediation has ended, at most for some hours; between is called before each
// look. The cache has the policy as it was one look before. An error of the performer's is worth another try, as the controller would give it.
func (w *world) play(ctx context.Context, between func()) {
	w.t.Helper()
	p, cached := w.performer(), w.policy.DeepCopy()
	for range 2000 {
		if between != nil {
			between()
		}
		w.publish(ctx)
		again, err := p.Advance(ctx, "mend", cached)
		cached = w.policy.DeepCopy()
		if w.quiet && err != nil {
			w.t.Error(err)
		}
		if w.remediation(ctx).Status.Phase == v1alpha1.PhaseEnded {
			return
		}
		if err != nil || again == 0 {
			again = time.Second
		}
		w.clock.SetTime(w.clock.Now().Add(min(again, time.Minute)))
		w.tick(ctx)
	}
	w.t.Fatalf("the Remediation does not end; its steps are %v", w.story(ctx))
}

// publish has the API hold the policy as it is in the world.
func (w *world) publish(ctx context.Context) {
	var old v1alpha1.NodeRepairPolicy
	err := w.api.Direct.Get(ctx, client.ObjectKey{Name: w.policy.Name}, &old)
	switch {
	case err != nil: // It is gone.
	case w.noPolicy:
		w.must(w.api.Direct.Delete(ctx, &old))
	default:
		now := w.policy.DeepCopy()
		now.ResourceVersion = old.ResourceVersion
		w.must(w.api.Direct.Update(ctx, now))
	}
}

// until performs until a step goes on.
func (w *world) until(ctx context.Context, at v1alpha1.StepName) {
	w.t.Helper()
	for range 1000 {
		again, err := w.performer().Advance(ctx, "mend", w.policy)
		w.must(err)
		if step(w.remediation(ctx)) == at {
			return
		}
		w.clock.SetTime(w.clock.Now().Add(min(max(again, time.Second), 10*time.Second)))
		w.tick(ctx)
	}
	w.t.Fatalf("it never comes to %s: %v", at, w.story(ctx))
}

// event is something that happens at a time.
type event struct {
	at time.Time
	do func()
}

func (w *world) later(d time.Duration, do func()) {
	w.due = append(w.due, event{w.clock.Now().Add(d), do})
}

func (w *world) approve(ctx context.Context, word v1alpha1.Approval) {
	w.t.Helper()
	r := w.remediation(ctx)
	r.Spec.Approval = word
	w.must(w.api.Direct.Update(ctx, r))
}

// enter makes an entry in the ledger.
func (w *world) enter(ctx context.Context, e ledger.Entry) {
	w.t.Helper()
	e.Began = w.clock.Now()
	records := &record.Records{Client: w.api.Direct, Reader: w.api.Direct, Clock: w.clock}
	ledger, err := records.ReadLedger(ctx)
	w.must(err)
	w.must(records.WriteLedger(ctx, ledger, ledger.Reserve(e)))
}

func (w *world) scale(ctx context.Context, replicas int) {
	w.t.Helper()
	w.replicas = replicas
	var rs appsv1.ReplicaSet
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Namespace: "default", Name: "web"}, &rs))
	rs.Spec.Replicas = new(int32(replicas))
	w.must(w.api.Direct.Update(ctx, &rs))
}

func (w *world) editPod(ctx context.Context, name string, change func(*corev1.Pod)) {
	w.t.Helper()
	var p corev1.Pod
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, &p))
	change(&p)
	w.must(w.api.Direct.Status().Update(ctx, &p))
}

// line is a Remediation's steps, with their results if they were not done, and how it came out.
func (w *world) line(ctx context.Context) string {
	var words []string
	for _, s := range w.remediation(ctx).Status.Steps {
		word := string(s.Name)
		if s.Result != v1alpha1.StepDone {
			word += "(" + string(s.Result) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ") + ": " + w.story(ctx)[len(words)]
}

// story is a Remediation in a line a step, and how it came out.
func (w *world) story(ctx context.Context) []string {
	r := w.remediation(ctx)
	var lines []string
	for _, s := range r.Status.Steps {
		lines = append(lines, string(s.Name)+" "+string(s.Result))
	}
	for _, c := range r.Status.Conditions {
		if c.Type == v1alpha1.RemediationSucceeded {
			lines = append(lines, c.Reason)
		}
	}
	return lines
}

// tidy demands that nothing is left: no cordon, no mark, no entry that goes on.
func (w *world) tidy(ctx context.Context, k int) {
	w.t.Helper()
	var nodes corev1.NodeList
	w.must(w.api.Direct.List(ctx, &nodes))
	for _, n := range nodes.Items {
		if n.Spec.Unschedulable && !slices.Contains(w.allow, n.Name) || n.Annotations[action.CordonedByAnnotation] != "" {
			w.t.Errorf("killed at call %d, %s is left cordoned: %t by %q", k, n.Name, n.Spec.Unschedulable, n.Annotations[action.CordonedByAnnotation])
		}
		if mark, marked := n.Annotations[scaleDownDisabledBy]; marked {
			w.t.Errorf("killed at call %d, %s is left with autoscalers kept off by %q", k, n.Name, mark)
		}
	}
	for _, e := range w.ledger(ctx).Entries {
		if e.Ended.IsZero() {
			w.t.Errorf("killed at call %d, the ledger is left with %v", k, e)
		}
	}
}
