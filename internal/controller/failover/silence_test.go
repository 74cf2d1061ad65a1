package failover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
)

// streams are agents on n1 to n4, which send heartbeats unless their node is off, and reach nodes that are not.
type streams struct {
	mu      sync.Mutex
	now     func() time.Time
	off     map[string]bool
	reached map[string]bool // although off: its agent alone is silent
	beat    map[string]time.Time
}

func (s *streams) Streams() []heartbeat.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []heartbeat.Stream
	for i := range 4 {
		name := fmt.Sprintf("n%d", i+1)
		if !s.off[name] {
			s.beat[name] = s.now()
		}
		all = append(all, heartbeat.Stream{Node: name, UID: types.UID("u" + name), LastBeat: s.beat[name]})
	}
	return all
}

func (s *streams) Probe(_ context.Context, witness types.UID, address string) (heartbeat.Probed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := "n" + strings.TrimSuffix(strings.TrimPrefix(address, "10.0.0."), ":10250")
	switch {
	case s.off[strings.TrimPrefix(string(witness), "u")]:
		return "", heartbeat.ErrNoStream
	case s.off[name] && !s.reached[name]:
		return heartbeat.Unreached, nil
	}
	return heartbeat.Reached, nil
}

func (*streams) Forget(func(types.UID) bool) {}

// silenceBench is a SilenceWatcher on a made API, with four nodes in two zones, on each of which runs an agent and a replica.
type silenceBench struct {
	*bench
	watcher *SilenceWatcher
	streams *streams
	running sync.WaitGroup
}

func newSilenceBench(t *testing.T, edits ...func(*v1alpha1.FailoverPolicy)) *silenceBench {
	t.Helper()
	p := policy(v1alpha1.ModeAuto)
	p.UID = "p1"
	p.Spec.ReplaceOnSilence, p.Spec.SilentAfterSeconds = v1alpha1.ReplaceReplicated, 4
	for _, edit := range edits {
		edit(p)
	}
	objects := []client.Object{p}
	for i := range 4 {
		name := fmt.Sprintf("n%d", i+1)
		n := node(name, corev1.ConditionTrue)
		n.UID, n.Status.NodeInfo.BootID = types.UID("u"+name), "b"+name
		n.Labels = map[string]string{corev1.LabelTopologyZone: fmt.Sprintf("z%d", i%2)}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.0.%d", i+1)}}
		agent := pod("agent-"+name, name)
		agent.Labels, agent.OwnerReferences = map[string]string{"app.kubernetes.io/name": agentName}, nil
		objects = append(objects, n, agent, pod("web-"+name, name), &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: name}, Spec: coordinationv1.LeaseSpec{RenewTime: new(metav1.NewMicroTime(now))},
		})
	}
	b := &silenceBench{bench: newBench(t, objects...)}
	var set appsv1.ReplicaSet
	edit(t, b.bench, client.ObjectKey{Namespace: "shop", Name: "web"}, &set, func(s *appsv1.ReplicaSet) { s.Spec.Replicas = new(int32(4)) })
	b.streams = &streams{now: b.clock.Now, off: map[string]bool{}, reached: map[string]bool{}, beat: map[string]time.Time{}}
	b.watcher = &SilenceWatcher{Reconciler: b.Reconciler, Streams: b.streams, Ticker: b.clock, Synced: func() bool { return true }}
	b.passSilence(t, 10*time.Second)
	return b
}

// passSilence lets time pass, a look at a time; what a look starts ends before the next.
func (b *silenceBench) passSilence(t *testing.T, of time.Duration) {
	t.Helper()
	for end := b.clock.Now().Add(of); b.clock.Now().Before(end); {
		b.clock.Step(observeInterval)
		b.watcher.observe(t.Context(), &b.running)
		b.running.Wait()
	}
}

// there says whether a pod exists.
func (b *silenceBench) there(t *testing.T, name string) bool {
	t.Helper()
	var p corev1.Pod
	err := b.Client.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, &p)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func (b *silenceBench) saidSilent(t *testing.T, name string) bool {
	t.Helper()
	var n corev1.Node
	if err := b.Client.Get(t.Context(), client.ObjectKey{Name: name}, &n); err != nil {
		t.Fatal(err)
	}
	_, declared := failoverpolicy.SilenceOf(&n)
	return declared
}

// The pods of a node that has failed while no policy asked for it are replaced once one does, also if so few nodes are left that none would be judged after a start.
func TestSilentBeforePolicyActs(t *testing.T) {
	b := newSilenceBench(t)
	pause := func(is bool) {
		edit(t, b.bench, client.ObjectKey{Name: "web"}, &v1alpha1.FailoverPolicy{}, func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = is })
	}
	pause(true)
	b.passSilence(t, time.Second)
	b.streams.off["n2"] = true
	b.passSilence(t, 40*time.Second)
	pause(false)
	b.passSilence(t, 3*time.Second)
	if !b.there(t, "web-n2") {
		t.Error("a pod is replaced although the node was not watched for long enough")
	}
	b.passSilence(t, 5*time.Second)
	if b.there(t, "web-n2") {
		t.Error("a pod is not replaced after the policy was paused")
	}
}

func TestReplaceOnSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		policy func(*v1alpha1.FailoverPolicy)
		edit   func(*testing.T, *silenceBench)
		want   bool
	}{
		"off":         {want: true},
		"mode Report": {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }},
		"paused":      {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }},
		"Never":       {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.ReplaceOnSilence = v1alpha1.ReplaceNever }},
		"waits longer": {policy: func(p *v1alpha1.FailoverPolicy) {
			p.Spec.SilentAfterSeconds = 60
		}},
		"another leads":        {edit: func(_ *testing.T, b *silenceBench) { b.leads = false }},
		"old facts":            {edit: func(_ *testing.T, b *silenceBench) { b.stale = 2 * maxSilentWorldAge }},
		"the node is reached":  {edit: func(_ *testing.T, b *silenceBench) { b.streams.reached["n2"] = true }},
		"another is silent":    {edit: func(_ *testing.T, b *silenceBench) { b.streams.off["n3"] = true }},
		"the Node is deleted":  {edit: func(t *testing.T, b *silenceBench) { b.deleteNode(t, "n2") }},
		"it may not be marked": {edit: func(_ *testing.T, b *silenceBench) { b.refuse["n2"] = errors.New("forbidden") }},
		"its Lease was renewed, and the watch is late": {edit: func(t *testing.T, b *silenceBench) {
			late := b.World()
			var lease coordinationv1.Lease
			edit(t, b.bench, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: "n2"}, &lease, func(l *coordinationv1.Lease) {
				l.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(time.Second)))
			})
			b.World = func() *cluster.Snapshot { return late }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var edits []func(*v1alpha1.FailoverPolicy)
			if tc.policy != nil {
				edits = append(edits, tc.policy)
			}
			b := newSilenceBench(t, edits...)
			b.streams.off["n2"] = true
			if tc.edit != nil {
				tc.edit(t, b)
			}
			b.passSilence(t, 8*time.Second)
			if gone := !b.there(t, "web-n2"); gone != tc.want {
				t.Errorf("the pod is deleted: %t, want %t", gone, tc.want)
			}
		})
	}
}

// A node waits for the declaration of another no longer than its own requests may take.
func TestDeclareInTime(t *testing.T) {
	b := newSilenceBench(t)
	b.watcher.act("un2")
	if err := b.watcher.declaring.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, _, err := b.watcher.declare(ctx, b.World(), b.World().Node("n2"), failoverpolicy.Declaration{By: "failoverpolicy/web"})
	if !errors.Is(err, context.DeadlineExceeded) || b.saidSilent(t, "n2") {
		t.Errorf("error %v", err)
	}
}

func (b *silenceBench) deleteNode(t *testing.T, name string) {
	t.Helper()
	if err := b.Client.Delete(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
}

func (b *silenceBench) told(reason string) (told int) {
	for {
		select {
		case e := <-b.events.Events:
			if strings.Contains(e, reason) {
				told++
			}
		default:
			return told
		}
	}
}

// A silent node gets the taint, one Event, and it keeps both until its kubelet renews its Lease; a pod that comes to it by a race is deleted too.
func TestSilentNode(t *testing.T) {
	b := newSilenceBench(t)
	const witnessed = "naosu_failover_nodes_witnessed"
	b.Elected = func() bool { return false }
	if got := scrape(t, b.Reconciler); !cmp.Equal(got, map[string]float64{witnessed: 4}) {
		t.Errorf("the metrics of a replica that does not lead are %v", got)
	}
	b.Elected = nil
	b.streams.off["n2"] = true
	b.passSilence(t, 8*time.Second)
	if got := scrape(t, b.Reconciler)[witnessed]; got != 4 { // Three know each other, and n2 was reached while it lived.
		t.Errorf("%v nodes are witnessed while one is silent", got)
	}
	if !b.saidSilent(t, "n2") || b.there(t, "web-n2") {
		t.Fatalf("declared %t, its pod is there: %t", b.saidSilent(t, "n2"), b.there(t, "web-n2"))
	}
	if !b.there(t, "agent-n2") || !b.there(t, "web-n1") {
		t.Error("other pods are gone")
	}
	if err := b.Client.Create(t.Context(), pod("web-late", "n2")); err != nil {
		t.Fatal(err)
	}
	b.passSilence(t, time.Second)
	if b.there(t, "web-late") {
		t.Error("a pod that came later is not replaced")
	}
	b.requests = nil
	b.passSilence(t, time.Minute)
	if len(b.requests) > 0 {
		t.Errorf("requests while nothing changes: %v", b.requests[:min(10, len(b.requests))])
	}
	if told := b.told(silentReason); told != 1 {
		t.Errorf("%d Events", told)
	}
	b.pass(t, 10*time.Second)
	if !b.saidSilent(t, "n2") {
		t.Error("it is taken back without a sign of life")
	}
	var lease coordinationv1.Lease
	edit(t, b.bench, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: "n2"}, &lease, func(l *coordinationv1.Lease) {
		l.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(time.Minute)))
	})
	b.pass(t, 10*time.Second)
	if b.saidSilent(t, "n2") || b.told(spokeReason) != 1 {
		t.Error("it is still declared silent")
	}
}

// What holds a failover up is told once, and the pods are replaced when it is gone.
func TestObstacleIsToldOnce(t *testing.T) {
	b := newSilenceBench(t)
	b.stale = 2 * maxSilentWorldAge
	b.streams.off["n2"] = true
	b.passSilence(t, time.Minute)
	if told := b.told(notReplacedReason); told != 1 || !b.there(t, "web-n2") {
		t.Errorf("%d Events, the pod is there: %t", told, b.there(t, "web-n2"))
	}
	b.stale = 0
	b.passSilence(t, 5*time.Second)
	if b.there(t, "web-n2") {
		t.Error("the pod is not replaced")
	}
}

// Of two nodes that are found silent by one look, as after another controller has led, one is declared: of four nodes one may be silent.
func TestDeclaredOneAfterTheOther(t *testing.T) {
	b := newSilenceBench(t)
	b.leads = false
	b.streams.off["n2"] = true
	b.passSilence(t, 40*time.Second)
	b.streams.off["n3"] = true
	b.passSilence(t, 10*time.Second)
	late := b.World() // without what is declared now
	b.World = func() *cluster.Snapshot { return late }
	b.leads = true
	b.passSilence(t, 3*time.Second)
	if b.saidSilent(t, "n2") == b.saidSilent(t, "n3") {
		t.Errorf("declared silent: n2 %t, n3 %t", b.saidSilent(t, "n2"), b.saidSilent(t, "n3"))
	}
}

// Pods of a silent node that are not replaced are set not ready once, and again only if their kubelet has set them ready.
func TestNotReadyOnSilence(t *testing.T) {
	b := newSilenceBench(t, func(p *v1alpha1.FailoverPolicy) { p.Spec.NotReadyOnSilence = v1alpha1.NotReadyUnreplaced })
	for _, on := range []string{"n1", "n2"} {
		db := pod("db-"+on, on)
		db.OwnerReferences[0].Kind, db.OwnerReferences[0].Name = "StatefulSet", "db"
		db.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		if err := b.Client.Create(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	ready := func(name string) bool {
		t.Helper()
		var p corev1.Pod
		if err := b.Client.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, &p); err != nil {
			t.Fatal(err)
		}
		return kube.IsPodReady(&p)
	}
	b.passSilence(t, 20*time.Second)
	if !ready("db-n1") || !ready("db-n2") {
		t.Fatal("a pod is set not ready without silence")
	}
	b.streams.off["n2"] = true
	b.passSilence(t, 8*time.Second)
	if !ready("db-n1") || ready("db-n2") || b.there(t, "web-n2") {
		t.Errorf("ready: db-n1 %t, db-n2 %t; web-n2 is there: %t", ready("db-n1"), ready("db-n2"), b.there(t, "web-n2"))
	}
	b.requests = nil
	b.passSilence(t, time.Minute)
	if len(b.requests) > 0 {
		t.Errorf("requests while nothing changes: %v", b.requests[:min(10, len(b.requests))])
	}
	if told := b.told("not ready, and the taint"); told != 1 {
		t.Errorf("%d Events", told)
	}
	if got := scrape(t, b.Reconciler)["naosu_failover_pods_set_not_ready_total web"]; got != 1 {
		t.Errorf("%v pods are counted", got)
	}
}

// In mode Report, one Event for each silence says what would be replaced.
func TestSilenceInReport(t *testing.T) {
	b := newSilenceBench(t, func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport })
	for i := range 2 {
		b.streams.off["n2"] = true
		b.passSilence(t, 20*time.Second)
		if told := b.told(silentReason); told != 1 || b.saidSilent(t, "n2") {
			t.Errorf("silence %d: %d Events, declared %t", i, told, b.saidSilent(t, "n2"))
		}
		b.streams.off["n2"] = false
		b.passSilence(t, 5*time.Second)
	}
}

// A sign of life that comes while pods are being deleted keeps the others.
func TestNodeSpeaksMeanwhile(t *testing.T) {
	b := newSilenceBench(t)
	for i := range 40 {
		if err := b.Client.Create(t.Context(), pod(fmt.Sprintf("more-%02d", i), "n2")); err != nil {
			t.Fatal(err)
		}
	}
	b.streams.off["n2"] = true
	b.onDelete = func() {
		b.streams.mu.Lock()
		b.streams.off["n2"] = false
		b.streams.mu.Unlock()
		b.watcher.mu.Lock()
		b.watcher.detector.Observe(b.clock.Now(), 4*time.Second, b.watcher.observed(b.clock.Now()))
		b.watcher.mu.Unlock()
	}
	b.passSilence(t, 10*time.Second)
	left := 0
	for i := range 40 {
		if b.there(t, fmt.Sprintf("more-%02d", i)) {
			left++
		}
	}
	if left < 40-writesAtOnce || left == 41 {
		t.Errorf("%d of 40 pods are left", left)
	}
}

// A node whose agent is quiet while its kubelet renews its Lease is logged once, and once when its agent is heard again.
func TestLogged(t *testing.T) {
	heard := nodeliveness.Node{LastBeat: now}
	quiet := nodeliveness.Node{LastBeat: now.Add(-time.Minute)}
	was := nodeliveness.State("")
	for _, step := range []struct {
		node        nodeliveness.Node
		state, want nodeliveness.State
	}{
		{heard, nodeliveness.Alive, ""},
		{quiet, nodeliveness.Suspect, ""},
		{quiet, nodeliveness.Reachable, nodeliveness.Reachable},
		{quiet, nodeliveness.Alive, nodeliveness.Reachable},
		{quiet, nodeliveness.Suspect, nodeliveness.Reachable},
		{heard, nodeliveness.Alive, ""},
		{quiet, nodeliveness.Silent, nodeliveness.Silent},
		{quiet, nodeliveness.NotWatched, ""},
	} {
		got := logged(step.node, step.state, was, now)
		if got != step.want {
			t.Errorf("%s after %q: %q, want %q", step.state, was, got, step.want)
		}
		was = got
	}
}
