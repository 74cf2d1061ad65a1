package action

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// As they are on a node. The test has its own words for them: what is stored must be read by the next version.
const (
	cordonedBy          = "naosu.dev/cordoned-by"
	scaleDownDisabledBy = "naosu.dev/scale-down-disabled-by"
	scaleDownDisabled   = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	doNotDisrupt        = "karpenter.sh/do-not-disrupt"
)

// Taints by which others say what they do to a node.
var (
	removed  = []string{"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted"}
	shutDown = []string{"node.cloudprovider.kubernetes.io/shutdown", "node.kubernetes.io/out-of-service"}
)

func uncordon(n *corev1.Node) { n.Spec.Unschedulable = false }

func taint(key string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
}

func untaint(n *corev1.Node) { n.Spec.Taints = nil }

// interfere plays a repair and has others change the node, and do more, once a step goes on. It says how it came out.
func (w *world) interfere(ctx context.Context, at v1alpha1.StepName, change func(*corev1.Node), more ...func()) string {
	w.t.Helper()
	if at == v1alpha1.StepDrain {
		w.budget(ctx, 0) // So that the drain lasts.
	}
	done := false
	w.play(ctx, func() {
		if !done && step(w.remediation(ctx)) == at {
			done = true
			w.edit(ctx, "n1", change)
			w.budget(ctx, 5)
			for _, do := range more {
				do()
			}
		}
	})
	if !done {
		w.t.Errorf("it never came to %s", at)
	}
	return w.line(ctx)
}

// says is what the condition Succeeded says.
func (w *world) says(ctx context.Context) string {
	if end := meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
		return end.Message
	}
	return ""
}

// left is what is left of a repair on n1.
type left struct {
	Cordoned    bool
	Annotations map[string]string
}

func (w *world) left(ctx context.Context) left {
	n := w.node(ctx, "n1")
	return left{n.Spec.Unschedulable, maps.Clone(n.Annotations)}
}

func (w *world) leaves(ctx context.Context, cordoned bool, annotations ...string) {
	w.t.Helper()
	got := w.left(ctx)
	keys := slices.Sorted(maps.Keys(got.Annotations))
	if got.Cordoned != cordoned || !slices.Equal(keys, slices.Sorted(slices.Values(annotations))) {
		w.t.Errorf("the node is left cordoned: %t, with %v; want %t, %v", got.Cordoned, keys, cordoned, annotations)
	}
}

// TestUncordonedByOthers has a person uncordon the node before its machine is acted on: nothing more is done to it, then or
// by garbage collection.
func TestUncordonedByOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		before, change func(*corev1.Node)
	}{
		"the cordon":            {func(*corev1.Node) {}, uncordon},
		"the cordon, with mark": {func(*corev1.Node) {}, func(n *corev1.Node) { uncordon(n); delete(n.Annotations, cordonedBy) }},
		"their own cordon":      {func(n *corev1.Node) { n.Spec.Unschedulable = true }, uncordon},
	} {
		for _, action := range []v1alpha1.Action{reboot, replace} {
			t.Run(name+"/"+string(action), func(t *testing.T) {
				w, ctx := newWorld(t, action), t.Context()
				w.edit(ctx, "n1", tc.before)
				evictions := 0
				got := w.interfere(ctx, v1alpha1.StepDrain, func(n *corev1.Node) {
					tc.change(n)
					w.must(w.api.Direct.Create(ctx, w.newPod("web-new", "n1", "ReplicaSet", "web", "rs"))) // as the scheduler may have it
					w.api.Before = func(c memory.Call) error {
						evictions += map[string]int{"create/eviction": 1}[c.Verb]
						return nil
					}
				})
				if want := "Assess Guard Cordon Drain(Skipped) Uncordon: Rejected"; got != want || w.cloud.reboots+w.cloud.replaces > 0 || evictions > 0 {
					t.Errorf("got  %s\nwant %s\n%d reboots, %d replacements, %d evictions", got, want, w.cloud.reboots, w.cloud.replaces, evictions)
				}
				if !w.ledger(ctx).Rejected(repairpolicy.RejectionOf("n1", w.remediation(ctx).Spec.Evidence)) {
					t.Error("it may be proposed again for the same evidence")
				}
				w.must(w.performer().CollectGarbage(ctx))
				w.leaves(ctx, false)
				w.tidy(ctx, 0)
			})
		}
	}
}

// TestUncordonedAtOnce uncordons the node right after the cordon was written, before it is read.
func TestUncordonedAtOnce(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	patches := 0
	w.api.After = func(c memory.Call) error {
		if c.Kind == "Node" && c.Writes() {
			if patches++; patches == 1 {
				w.edit(ctx, "n1", uncordon)
			}
		}
		return nil
	}
	w.play(ctx, nil)
	if got, want := w.line(ctx), "Assess Guard Cordon(Skipped) Uncordon: Rejected"; got != want || w.cloud.reboots > 0 {
		t.Errorf("got  %s\nwant %s\n%d reboots", got, want, w.cloud.reboots)
	}
	w.leaves(ctx, false)
}

// TestUncordonedWhileAsked uncordons the node while calls to a provider are retried.
func TestUncordonedWhileAsked(t *testing.T) {
	for action, fails := range map[v1alpha1.Action]error{reboot: cloud.ErrPassing, replace: cloud.ErrUnsure} {
		t.Run(string(action), func(t *testing.T) {
			w, ctx := newWorld(t, action), t.Context()
			w.cloud.deaf = true
			w.cloud.fails = func(n int) error {
				if n == 1 {
					w.edit(ctx, "n1", uncordon)
				}
				return errors.Join(fails, errors.New("as scripted"))
			}
			w.play(ctx, nil)
			if asked := w.cloud.reboots + w.cloud.replaces; asked != 1 {
				t.Errorf("the cloud was asked %d times: %s", asked, w.line(ctx))
			}
			w.leaves(ctx, false)
		})
	}
}

// TestUncordonedAfterTheAct uncordons the node while it boots: the repair goes on, and the node stays uncordoned.
func TestUncordonedAfterTheAct(t *testing.T) {
	for _, at := range []v1alpha1.StepName{v1alpha1.StepWait, v1alpha1.StepDwell} {
		w, ctx := newWorld(t, reboot), t.Context()
		w.api.Before = func(c memory.Call) error {
			if c.Kind == "Node" && c.Writes() && step(w.remediation(ctx)) != v1alpha1.StepCordon && step(w.remediation(ctx)) != v1alpha1.StepUncordon {
				t.Errorf("the node is changed in %s", step(w.remediation(ctx)))
			}
			return nil
		}
		got := w.interfere(ctx, at, uncordon)
		if want := "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast"; got != want || w.cloud.reboots != 1 {
			t.Errorf("in %s: got  %s\nwant %s\n%d reboots", at, got, want, w.cloud.reboots)
		}
		w.leaves(ctx, false)
	}
}

// TestNodeIsBeingDeleted has others delete the Node, which a finalizer holds.
func TestNodeIsBeingDeleted(t *testing.T) {
	for name, tc := range map[string]struct {
		action v1alpha1.Action
		at     v1alpha1.StepName
		want   string
		asked  int
		// left are the annotations that are left on the node.
		left []string
	}{
		"before a reboot": {reboot, v1alpha1.StepDrain, "Assess Guard Cordon Drain(Skipped) Uncordon(Skipped): NotNeeded", 0, []string{cordonedBy, scaleDownDisabledBy, scaleDownDisabled, doNotDisrupt}},
		"after a reboot":  {reboot, v1alpha1.StepWait, "Assess Guard Cordon Drain Act Wait(Skipped) Uncordon(Skipped): GaveUp", 1, []string{cordonedBy, scaleDownDisabledBy, scaleDownDisabled, doNotDisrupt}},
		"while it dwells": {reboot, v1alpha1.StepDwell, "Assess Guard Cordon Drain Act Wait Dwell(Skipped) Uncordon(Skipped): GaveUp", 1, []string{cordonedBy, scaleDownDisabledBy, scaleDownDisabled, doNotDisrupt}},
		"before a replacement": {
			replace, v1alpha1.StepDrain, "Assess Guard Cordon Drain(Skipped) Uncordon(Skipped): NotNeeded", 0, []string{cordonedBy},
		},
		"a restart that the agent has not taken up": {restart, v1alpha1.StepAct, "Assess Guard Act(Skipped): NotNeeded", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, tc.action), t.Context()
			w.edit(ctx, "n1", func(n *corev1.Node) { n.Finalizers = []string{"karpenter.sh/termination"} })
			began := time.Time{}
			got := w.interfere(ctx, tc.at, func(*corev1.Node) {}, func() {
				began = w.clock.Now()
				w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1")))
				w.cloud.rebooted = time.Time{} // It does not come back either.
			})
			if asked := w.cloud.reboots + w.cloud.replaces; got != tc.want || asked != tc.asked {
				t.Errorf("got  %s\nwant %s\nthe cloud was asked %d times, want %d", got, tc.want, asked, tc.asked)
			}
			if took := w.clock.Since(began); took > 30*time.Second {
				t.Errorf("it took %s to see it", took)
			}
			if !strings.Contains(w.says(ctx), "Something other than naosu is deleting") {
				t.Errorf("it says %q", w.says(ctx))
			}
			w.must(w.performer().CollectGarbage(ctx))
			w.leaves(ctx, tc.action != restart, tc.left...)
		})
	}
}

// TestReplacedNodeIsDeleted sees a machine that was asked to be replaced go step by step, as it must.
func TestReplacedNodeIsDeleted(t *testing.T) {
	w, ctx := newWorld(t, replace), t.Context()
	w.edit(ctx, "n1", func(n *corev1.Node) { n.Finalizers = []string{"karpenter.sh/termination"} })
	got := w.interfere(ctx, v1alpha1.StepWait, func(n *corev1.Node) {
		taint(removed[1])(n)
		w.cloud.replaced = time.Time{}
		w.later(time.Second, func() { w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1"))) })
		w.later(time.Minute, func() {
			n := w.node(ctx, "n1")
			n.Finalizers = nil
			w.must(w.api.Direct.Update(ctx, n))
			w.must(w.api.Direct.Create(ctx, w.newNode("n4", "a", true)))
		})
	})
	if want := "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast"; got != want || w.cloud.replaces != 1 {
		t.Errorf("got  %s\nwant %s\n%d replacements", got, want, w.cloud.replaces)
	}
}

// TestOthersTaints taints the node as autoscalers do that remove it, or as it is shut down, during a drain and after the act. The cordon
// stays for as long as they have not let the node go, and then garbage collection takes it off.
func TestOthersTaints(t *testing.T) {
	for _, key := range slices.Concat(removed, shutDown) {
		for _, at := range []v1alpha1.StepName{v1alpha1.StepDrain, v1alpha1.StepWait} {
			t.Run(key+"/"+string(at), func(t *testing.T) {
				w, ctx := newWorld(t, reboot), t.Context()
				got, want, asked := w.interfere(ctx, at, taint(key)), "Assess Guard Cordon Drain(Skipped) Uncordon(Skipped): GaveUp", 0
				switch {
				case at == v1alpha1.StepWait && slices.Contains(removed, key):
					want, asked = "Assess Guard Cordon Drain Act Wait(Skipped) Uncordon(Skipped): GaveUp", 1
				case at == v1alpha1.StepWait: // It may be of the reboot.
					want, asked = "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast", 1
				}
				if got != want || w.cloud.reboots != asked {
					t.Errorf("got  %s\nwant %s\n%d reboots", got, want, w.cloud.reboots)
				}
				if slices.ContainsFunc(w.ledger(ctx).Entries, func(e ledger.Entry) bool { return e.Ended.IsZero() }) {
					t.Error("the ledger has an entry that goes on")
				}
				w.must(w.performer().CollectGarbage(ctx))
				w.leaves(ctx, true, cordonedBy, scaleDownDisabledBy, scaleDownDisabled, doNotDisrupt)
				w.edit(ctx, "n1", untaint)
				w.must(w.performer().CollectGarbage(ctx))
				w.leaves(ctx, false)
			})
		}
	}
}

// TestLeavingNodesWait begins nothing on a node that others remove, until they let it go.
func TestLeavingNodesWait(t *testing.T) {
	for _, key := range slices.Concat(removed, shutDown) {
		t.Run(key, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.edit(ctx, "n1", taint(key))
			if _, err := w.performer().Advance(ctx, "mend", w.policy); err != nil {
				t.Fatal(err)
			}
			r := w.remediation(ctx)
			if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed); c == nil || c.Reason != "NodeLeaving" || !strings.Contains(c.Message, key) || r.Status.Phase != v1alpha1.PhaseWaiting {
				t.Errorf("phase %s, condition %+v", r.Status.Phase, c)
			}
			w.edit(ctx, "n1", untaint)
			w.play(ctx, nil)
			if got, want := w.line(ctx), "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestCordonTaken has a person take the cordon over during the drain, or while the node boots: the repair goes on, and the
// node stays cordoned.
func TestCordonTaken(t *testing.T) {
	for _, at := range []v1alpha1.StepName{v1alpha1.StepDrain, v1alpha1.StepWait} {
		for name, change := range map[string]func(*corev1.Node){
			"the mark is taken off": func(n *corev1.Node) { delete(n.Annotations, cordonedBy) },
			"all marks are":         func(n *corev1.Node) { n.Annotations = nil },
		} {
			t.Run(name+"/"+string(at), func(t *testing.T) {
				w, ctx := newWorld(t, reboot), t.Context()
				got := w.interfere(ctx, at, change)
				if want := "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast"; got != want || w.cloud.reboots != 1 {
					t.Errorf("got  %s\nwant %s\n%d reboots", got, want, w.cloud.reboots)
				}
				w.must(w.performer().CollectGarbage(ctx))
				w.leaves(ctx, true)
			})
		}
	}
}

// TestLeftCordonIsTakenOver begins a repair on a node that bears the marks of another, which is over: it is naosu's own
// cordon, and garbage collection in between does not take it off.
func TestLeftCordonIsTakenOver(t *testing.T) {
	for _, action := range []v1alpha1.Action{reboot, replace} {
		w, ctx := newWorld(t, action), t.Context()
		w.edit(ctx, "n1", func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			n.Annotations = map[string]string{cordonedBy: "before", scaleDownDisabledBy: "before " + scaleDownDisabled, scaleDownDisabled: "true"}
		})
		w.play(ctx, func() {
			if step(w.remediation(ctx)) == v1alpha1.StepDrain {
				w.must(w.performer().CollectGarbage(ctx))
			}
		})
		if got := w.line(ctx); !strings.HasSuffix(got, ": AsForecast") {
			t.Errorf("%s: %s", action, got)
		}
		w.tidy(ctx, 0)
	}
}

// TestAutoscalersAreKeptOff keeps the empty node from autoscalers while it reboots, by their own annotations, and takes off
// only what it has set.
func TestAutoscalersAreKeptOff(t *testing.T) {
	for name, tc := range map[string]struct {
		action         v1alpha1.Action
		before, midway func(*corev1.Node)
		during, after  map[string]string
	}{
		"a reboot": {action: reboot, during: map[string]string{
			cordonedBy: "mend", scaleDownDisabledBy: "mend " + scaleDownDisabled + " " + doNotDisrupt, scaleDownDisabled: "true", doNotDisrupt: "true",
		}},
		"a replacement": {action: replace, during: map[string]string{cordonedBy: "mend"}},
		"others' values stay": {
			action: reboot, before: func(n *corev1.Node) {
				n.Annotations = map[string]string{scaleDownDisabled: "true", doNotDisrupt: "false", "a": "b"}
			},
			during: map[string]string{cordonedBy: "mend", scaleDownDisabledBy: "mend", scaleDownDisabled: "true", doNotDisrupt: "false", "a": "b"},
			after:  map[string]string{scaleDownDisabled: "true", doNotDisrupt: "false", "a": "b"},
		},
		"one of theirs": {
			action: reboot, before: func(n *corev1.Node) { n.Annotations = map[string]string{scaleDownDisabled: ""} },
			during: map[string]string{cordonedBy: "mend", scaleDownDisabledBy: "mend " + doNotDisrupt, scaleDownDisabled: "", doNotDisrupt: "true"},
			after:  map[string]string{scaleDownDisabled: ""},
		},
		"a value that others change meanwhile": {
			action: reboot, midway: func(n *corev1.Node) { n.Annotations[scaleDownDisabled] = "for now" },
			during: map[string]string{
				cordonedBy: "mend", scaleDownDisabledBy: "mend " + scaleDownDisabled + " " + doNotDisrupt, scaleDownDisabled: "true", doNotDisrupt: "true",
			},
			after: map[string]string{scaleDownDisabled: "for now"},
		},
		"on a node that a person has cordoned": {
			action: reboot, before: func(n *corev1.Node) { n.Spec.Unschedulable = true },
			during: map[string]string{scaleDownDisabledBy: "mend " + scaleDownDisabled + " " + doNotDisrupt, scaleDownDisabled: "true", doNotDisrupt: "true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, tc.action), t.Context()
			w.allow = []string{"n1"}
			if tc.before != nil {
				w.edit(ctx, "n1", tc.before)
			}
			cordoned := w.node(ctx, "n1").Spec.Unschedulable
			w.cloud.seen = func() error {
				if diff := cmp.Diff(tc.during, w.left(ctx).Annotations); diff != "" {
					t.Errorf("when the machine is acted on (-want +got):\n%s", diff)
				}
				if tc.midway != nil {
					w.edit(ctx, "n1", tc.midway)
				}
				return nil
			}
			w.play(ctx, nil)
			if got := w.line(ctx); !strings.HasSuffix(got, ": AsForecast") {
				t.Error(got)
			}
			if tc.action == replace {
				return // There is no such node any more.
			}
			after := w.left(ctx)
			if diff := cmp.Diff(tc.after, after.Annotations); diff != "" && len(tc.after)+len(after.Annotations) > 0 || after.Cordoned != cordoned {
				t.Errorf("cordoned %t, was %t; annotations afterwards (-want +got):\n%s", after.Cordoned, cordoned, diff)
			}
		})
	}
}

// TestOthersDoNotDisrupt is honoured during a drain too, and taken for others' although naosu sets the same key.
func TestOthersDoNotDisrupt(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	got := w.interfere(ctx, v1alpha1.StepDrain, func(n *corev1.Node) {
		n.Annotations[scaleDownDisabledBy] = "mend " + scaleDownDisabled // The other is a person's now.
	})
	if want := "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp"; got != want || w.cloud.reboots > 0 {
		t.Errorf("got  %s\nwant %s\n%d reboots", got, want, w.cloud.reboots)
	}
	w.leaves(ctx, false, doNotDisrupt)
}

// TestReturningPods has web's pods come back to the cordoned node, so many times.
func TestReturningPods(t *testing.T) {
	for name, tc := range map[string]struct {
		times    int
		replicas int
		fallback v1alpha1.DrainFallback
		want     string
		// evictions is how many there are at most.
		evictions int
		says      string
	}{
		"for ever": {1000, 2, v1alpha1.DrainGiveUp, "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", 3, "Pods of replicaset/web returned to node/n1 3 times although the node is cordoned: default/web-"},
		"once":     {1, 2, v1alpha1.DrainGiveUp, "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", 2, ""},
		"five together, once": {
			5, 6, v1alpha1.DrainGiveUp, "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", 6, "",
		},
		"for ever, where the policy goes on": {
			1000, 2, v1alpha1.DrainProceed, "Assess Guard Cordon Drain(Failed) Act Wait Dwell Verify Uncordon: AsForecast", 3, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.policy.Spec.Drain = v1alpha1.Drain{Timeout: span(time.Hour), Fallback: tc.fallback}
			w.replicas, w.returns = tc.replicas, tc.times
			evictions := 0
			w.api.Before = func(c memory.Call) error {
				evictions += map[string]int{"create/eviction": 1}[c.Verb]
				return nil
			}
			w.play(ctx, nil)
			if got := w.line(ctx); got != tc.want || evictions > tc.evictions || evictions == 0 {
				t.Errorf("got  %s\nwant %s\n%d evictions, want at most %d", got, tc.want, evictions, tc.evictions)
			}
			if says := w.says(ctx); !strings.Contains(says, tc.says) {
				t.Errorf("it says %q, want %q", says, tc.says)
			}
			w.tidy(ctx, 0)
		})
	}
}

// TestReturningPodsAndOthers waits for pods that do leave before it acts with those that come back.
func TestReturningPodsAndOthers(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.Drain = v1alpha1.Drain{Timeout: span(time.Hour), Fallback: v1alpha1.DrainProceed}
	w.returns = 1000
	held := w.newPod("db-0", "n1", "StatefulSet", "db", "db")
	held.Finalizers = []string{"test/held"}
	w.must(w.api.Direct.Create(ctx, held))
	released := false
	w.later(10*time.Minute, func() {
		released = true
		var pod corev1.Pod
		w.must(w.api.Direct.Get(ctx, client.ObjectKey{Namespace: "default", Name: "db-0"}, &pod))
		pod.Finalizers = slices.DeleteFunc(pod.Finalizers, func(f string) bool { return f == "test/held" })
		w.must(w.api.Direct.Update(ctx, &pod))
	})
	w.cloud.seen = func() error {
		if !released {
			return errors.New("it acts while a pod that leaves is there")
		}
		return nil
	}
	w.play(ctx, nil)
	if !released || w.cloud.reboots != 1 {
		t.Errorf("%s; %d reboots", w.line(ctx), w.cloud.reboots)
	}
}

// TestForecastTellsLocalData writes down which pods have data on the node alone.
func TestForecastTellsLocalData(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.Paused = true
	pod := w.newPod("db-0", "n1", "StatefulSet", "db", "db")
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "memory", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}},
	}
	w.must(w.api.Direct.Create(ctx, pod))
	if _, err := w.performer().Advance(ctx, "mend", w.policy); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, p := range w.remediation(ctx).Status.Forecast.Pods {
		got[p.Name] = p.LocalData
	}
	if diff := cmp.Diff(map[string][]string{"db-0": {"scratch"}, "web-a": nil}, got); diff != "" {
		t.Errorf("local data (-want +got):\n%s", diff)
	}
}
