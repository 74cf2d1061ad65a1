package action

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

// deletedNode, tainted, takesPods, cordonedBySomebody are what others do to a node.
func deletedNode(n *corev1.Node) { n.DeletionTimestamp = new(metav1.NewTime(now)) }

func tainted(key string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoSchedule}, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
	}
}

func takesPods(n *corev1.Node) { n.Spec.Unschedulable = false }

func unmarked(n *corev1.Node) { delete(n.Annotations, CordonedByAnnotation) }

// TestInterfered has a row for each interference and each stage.
func TestInterfered(t *testing.T) {
	const (
		reboot, replace, restart = v1alpha1.ActionReboot, v1alpha1.ActionReplace, v1alpha1.ActionRestartService
		gaveUp, notNeeded        = v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationNotNeededReason
		rejected                 = v1alpha1.RemediationRejectedReason
	)
	cordoned := finished(ago(time.Minute, v1alpha1.StepCordon), v1alpha1.StepDone)
	proposed := running(reboot)
	proposed.Status.Phase = v1alpha1.PhaseProposed
	stages := map[string]*v1alpha1.Remediation{
		"proposed":        proposed,
		"cordoning":       running(reboot, ago(0, v1alpha1.StepCordon)),
		"draining":        running(reboot, cordoned, ago(0, v1alpha1.StepDrain)),
		"asking":          running(reboot, cordoned, ago(0, v1alpha1.StepAct)),
		"booting":         running(reboot, cordoned, ago(0, v1alpha1.StepWait)),
		"verifying":       running(reboot, cordoned, ago(0, v1alpha1.StepVerify)),
		"being replaced":  running(replace, cordoned, ago(0, v1alpha1.StepWait)),
		"restarting":      running(restart, ago(0, v1alpha1.StepAct)),
		"after a restart": running(restart, ago(0, v1alpha1.StepWait)),
	}
	goesOn := summary{}
	before := func(reason string, why message.ID) map[string]summary {
		ends := summary{reason: reason, why: why}
		return map[string]summary{
			"cordoning": ends, "draining": ends, "asking": ends, "restarting": ends,
			"proposed": goesOn, "booting": goesOn, "verifying": goesOn, "after a restart": goesOn, "being replaced": goesOn,
		}
	}
	but := func(all map[string]summary, stages []string, is summary) map[string]summary {
		for _, stage := range stages {
			all[stage] = is
		}
		return all
	}
	after := []string{"booting", "verifying", "after a restart"}
	removed := but(before(gaveUp, message.ActionNodeRemoved), after, summary{reason: gaveUp, why: message.ActionNodeRemoved})
	shut := before(gaveUp, message.ActionNodeShutDown)
	none := but(before("", ""), nil, goesOn)
	for name, tc := range map[string]struct {
		do   []func(*corev1.Node)
		want map[string]summary
	}{
		"nothing": {nil, none},
		"deletion": {
			[]func(*corev1.Node){deletedNode, takesPods},
			but(but(before(notNeeded, message.ActionNodeDeleted), []string{"proposed"}, summary{reason: notNeeded, why: message.ActionNodeDeleted}), after, summary{reason: gaveUp, why: message.ActionNodeDeleted}),
		},
		"the cluster autoscaler": {[]func(*corev1.Node){tainted("ToBeDeletedByClusterAutoscaler")}, removed},
		"Karpenter":              {[]func(*corev1.Node){tainted("karpenter.sh/disrupted")}, removed},
		"shut down":              {[]func(*corev1.Node){tainted("node.cloudprovider.kubernetes.io/shutdown")}, shut},
		"out of service":         {[]func(*corev1.Node){tainted("node.kubernetes.io/out-of-service")}, shut},
		"shut down and removed":  {[]func(*corev1.Node){tainted("node.kubernetes.io/out-of-service"), tainted("karpenter.sh/disrupted")}, removed},
		"another taint":          {[]func(*corev1.Node){tainted("DeletionCandidateOfClusterAutoscaler")}, none},
		"uncordoned": {
			[]func(*corev1.Node){takesPods}, but(before(rejected, message.ActionUncordoned), []string{"restarting"}, goesOn),
		},
		"uncordoned, and the mark taken off": {
			[]func(*corev1.Node){takesPods, unmarked}, but(before(rejected, message.ActionUncordoned), []string{"restarting", "cordoning"}, goesOn),
		},
		"the cordon taken over": {[]func(*corev1.Node){unmarked}, none},
	} {
		for stage, r := range stages {
			t.Run(name+"/"+stage, func(t *testing.T) {
				s := unhealthyNode()
				s.node.Spec.Unschedulable = true
				s.node.Annotations[CordonedByAnnotation] = r.Name
				for _, do := range tc.do {
					do(s.node)
				}
				if diff := cmp.Diff(tc.want[stage], summarize(transition{conclude: interferenceConclusion(r, s)}), cmp.AllowUnexported(summary{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestEveryResponseIsSaid demands a sentence, in both languages, of each that ends a Remediation.
func TestEveryResponseIsSaid(t *testing.T) {
	for what, answer := range responses {
		ends := answer.proposed+answer.beforeAct+answer.afterAct != ""
		if (answer.why != nil) != ends {
			t.Errorf("%s: %+v", what, answer)
		}
		for _, say := range []message.Printer{message.English(), message.Japanese()} {
			if ends && say.Say(answer.why(&v1alpha1.Remediation{}, &corev1.Node{})) == "" {
				t.Errorf("%s is not said in %s", what, say.Language())
			}
		}
	}
}

// TestTidied is what becomes of a node when a Remediation is over.
func TestTidied(t *testing.T) {
	r := running(v1alpha1.ActionReboot, finished(ago(time.Minute, v1alpha1.StepCordon), v1alpha1.StepDone), ago(0, v1alpha1.StepUncordon))
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.RemediationSucceeded}}
	for name, tc := range map[string]struct {
		do   []func(*corev1.Node)
		want effect
		said message.ID
	}{
		"cordoned by it":              {nil, uncordon, ""},
		"uncordoned":                  {[]func(*corev1.Node){takesPods}, uncordon, ""}, // The marks go.
		"uncordoned, no mark":         {[]func(*corev1.Node){takesPods, unmarked, enableScaleDown}, finish, ""},
		"taken over":                  {[]func(*corev1.Node){unmarked}, uncordon, ""}, // Autoscalers are let at it.
		"taken over, no mark":         {[]func(*corev1.Node){unmarked, enableScaleDown}, finish, message.ActionCordonedByOthers},
		"deleted":                     {[]func(*corev1.Node){deletedNode}, finish, message.ActionLeftCordoned},
		"removed":                     {[]func(*corev1.Node){tainted("karpenter.sh/disrupted")}, finish, message.ActionLeftCordoned},
		"removed, cordoned by others": {[]func(*corev1.Node){tainted("karpenter.sh/disrupted"), unmarked, enableScaleDown}, finish, message.ActionCordonedByOthers},
	} {
		t.Run(name, func(t *testing.T) {
			s := unhealthyNode()
			s.node.Spec.Unschedulable, s.node.Annotations[CordonedByAnnotation] = true, r.Name
			disableScaleDown(s.node, r.Name)
			for _, do := range tc.do {
				do(s.node)
			}
			if got := nextTransition(r, s); got.effect != tc.want {
				t.Errorf("it does %q, want %q", got.effect, tc.want)
			}
			if said := uncordonStepEnd(r, s).message.ID; tc.want == finish && said != tc.said {
				t.Errorf("it says %q, want %q", said, tc.said)
			}
		})
	}
}

// TestScaleDownMark reads marks that somebody else has written: nothing but the closed list is ever taken off.
func TestScaleDownMark(t *testing.T) {
	const autoscaler, karpenter = "cluster-autoscaler.kubernetes.io/scale-down-disabled", "karpenter.sh/do-not-disrupt"
	for name, tc := range map[string]struct {
		annotations, others map[string]string
		by                  string
	}{
		"none":              {map[string]string{karpenter: "true"}, map[string]string{karpenter: "true"}, ""},
		"empty":             {map[string]string{ScaleDownDisabledByAnnotation: " ", karpenter: "true"}, map[string]string{ScaleDownDisabledByAnnotation: " ", karpenter: "true"}, ""},
		"a name":            {map[string]string{ScaleDownDisabledByAnnotation: "r", karpenter: "true"}, map[string]string{ScaleDownDisabledByAnnotation: "r", karpenter: "true"}, "r"},
		"both":              {map[string]string{ScaleDownDisabledByAnnotation: "r " + karpenter + " " + autoscaler, karpenter: "true", autoscaler: "true", "a": "b"}, map[string]string{"a": "b"}, "r"},
		"not of the list":   {map[string]string{ScaleDownDisabledByAnnotation: "r " + v1alpha1.DoNotDisruptAnnotation, v1alpha1.DoNotDisruptAnnotation: "true"}, map[string]string{ScaleDownDisabledByAnnotation: "r " + v1alpha1.DoNotDisruptAnnotation, v1alpha1.DoNotDisruptAnnotation: "true"}, "r"},
		"changed by others": {map[string]string{ScaleDownDisabledByAnnotation: "r " + karpenter, karpenter: "5m"}, map[string]string{karpenter: "5m"}, "r"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: tc.annotations}}
			before := n.DeepCopy()
			if diff := cmp.Diff(tc.others, OthersAnnotations(n)); diff != "" || !cmp.Equal(before, n) {
				t.Errorf("others' annotations (-want +got):\n%s", diff)
			}
			if by, _ := scaleDownDisabledBy(n); by != tc.by {
				t.Errorf("by %q, want %q", by, tc.by)
			}
		})
	}
}

// TestCountReturns counts pods that were made after the node was cordoned, once for each look that sees a younger one.
func TestCountReturns(t *testing.T) {
	cordoned := ago(time.Hour, v1alpha1.StepCordon)
	cordoned.EndedAt = new(metav1.NewMicroTime(now.Add(-time.Hour)))
	pod := func(name, controller string, age time.Duration) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, CreationTimestamp: metav1.NewTime(now.Add(-age))}}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: controller, Controller: new(true)}}
		return p
	}
	returns := func(controller string, count int32, age time.Duration) v1alpha1.PodReturns {
		return v1alpha1.PodReturns{Controller: "ReplicaSet/shop/" + controller, Count: count, Last: metav1.NewTime(now.Add(-age))}
	}
	var many []*corev1.Pod
	for i := range 40 {
		many = append(many, pod("p", string(rune('A'+i)), time.Minute))
	}
	for name, tc := range map[string]struct {
		before    []v1alpha1.PodReturns
		pods      []*corev1.Pod
		want      []v1alpha1.PodReturns
		returning []string
	}{
		"none":                      {nil, nil, nil, nil},
		"it was there":              {nil, []*corev1.Pod{pod("a", "web", 2*time.Hour)}, nil, nil},
		"it came with the cordon":   {nil, []*corev1.Pod{pod("a", "web", time.Hour)}, nil, nil},
		"the first":                 {nil, []*corev1.Pod{pod("a", "web", time.Minute)}, []v1alpha1.PodReturns{returns("web", 1, time.Minute)}, nil},
		"two together":              {nil, []*corev1.Pod{pod("a", "web", 2*time.Minute), pod("b", "web", time.Minute)}, []v1alpha1.PodReturns{returns("web", 1, time.Minute)}, nil},
		"it has not gone yet":       {[]v1alpha1.PodReturns{returns("web", 2, time.Minute)}, []*corev1.Pod{pod("a", "web", time.Minute)}, nil, nil},
		"the third":                 {[]v1alpha1.PodReturns{returns("web", 2, time.Minute)}, []*corev1.Pod{pod("a", "web", time.Second)}, []v1alpha1.PodReturns{returns("web", 3, time.Second)}, []string{"shop/a"}},
		"still the third":           {[]v1alpha1.PodReturns{returns("web", 3, time.Second)}, []*corev1.Pod{pod("a", "web", time.Second)}, nil, []string{"shop/a"}},
		"one that was there stays":  {[]v1alpha1.PodReturns{returns("web", 3, time.Second)}, []*corev1.Pod{pod("a", "web", time.Second), pod("old", "web", 2*time.Hour)}, nil, []string{"shop/a"}},
		"of another that is so far": {[]v1alpha1.PodReturns{returns("db", 3, time.Second)}, []*corev1.Pod{pod("a", "web", time.Second)}, []v1alpha1.PodReturns{returns("db", 3, time.Second), returns("web", 1, time.Second)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			drain := ago(time.Hour, v1alpha1.StepDrain)
			drain.Returns = tc.before
			r := running(v1alpha1.ActionReboot, cordoned, drain)
			was := r.DeepCopy()
			got := countReturns(r, tc.pods)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("returns (-want +got):\n%s", diff)
			}
			returning, others := splitReturning(r, tc.pods, got)
			if diff := cmp.Diff(tc.returning, podNames(returning)); diff != "" || len(returning)+len(others) != len(tc.pods) {
				t.Errorf("returning, with %d others (-want +got):\n%s", len(others), diff)
			}
			if !cmp.Equal(was, r) {
				t.Error("it changed the Remediation")
			}
		})
	}
	got := countReturns(running(v1alpha1.ActionReboot, cordoned, ago(time.Hour, v1alpha1.StepDrain)), many)
	if len(got) != maxReturningControllers || !slices.IsSortedFunc(got, func(a, b v1alpha1.PodReturns) int { return slices.Compare([]byte(a.Controller), []byte(b.Controller)) }) {
		t.Errorf("of many: %v", got)
	}
}
