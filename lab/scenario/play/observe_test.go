package play

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

func node(ready corev1.ConditionStatus, taints ...corev1.Taint) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{Taints: taints}}
	if ready != "" {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: "Because"}}
	}
	return n
}

func pod(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns"}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
	if change != nil {
		change(p)
	}
	return p
}

func onN(p *corev1.Pod) { p.Spec.NodeName = "n" }

func runs(p *corev1.Pod) {
	onN(p)
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
}

func group(desired int, states ...string) *expr.Group {
	g := &expr.Group{Name: "g", Desired: desired}
	for i, state := range states {
		g.Instances = append(g.Instances, expr.Instance{ID: fmt.Sprintf("i-%d", i), State: state, Zone: "us-east-1a"})
	}
	return g
}

func disrupted(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		runs(p)
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason})
	}
}

func TestObserve(t *testing.T) {
	unreachable := corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}
	unschedulable := corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}
	attachment := func(attached, deleted bool) *storagev1.VolumeAttachment {
		a := &storagev1.VolumeAttachment{Spec: storagev1.VolumeAttachmentSpec{NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("pv")}}}
		a.Status.Attached = attached
		if deleted {
			a.DeletionTimestamp = &metav1.Time{}
		}
		return a
	}
	claim := func(phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv"},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	daemonSet := func(cpu string) *appsv1.DaemonSet {
		d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "d", Namespace: "ns"}}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
		}}}
		return d
	}
	job := func(condition batchv1.JobConditionType) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "ns"}}
		if condition != "" {
			j.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue, Reason: "Why", Message: "so"}}
		}
		return j
	}
	tests := []struct {
		name          string
		before, after any
		want          []string
	}{
		{"node joins", nil, node(""), []string{"node/n registered"}},
		{"node joins ready", nil, node("True"), []string{"node/n registered", "node/n Ready"}},
		{"node not ready from the first", nil, node("False"), []string{"node/n registered"}},
		{
			"node silent", node("True"), node("Unknown", unreachable, unschedulable),
			[]string{"node/n NotReady, state unknown: Because", "node/n tainted node.kubernetes.io/unreachable:NoExecute"},
		},
		{
			"node back", node("Unknown", unreachable), node("True"),
			[]string{"node/n Ready", "node/n no longer tainted node.kubernetes.io/unreachable:NoExecute"},
		},
		{"node says it is not ready", node("True"), node("False"), []string{"node/n NotReady: Because"}},
		{"heartbeat", node("True"), node("True"), nil},
		{"node gone", node("True"), nil, []string{"node/n deleted"}},

		{"pod created", nil, pod(nil), []string{"pod/ns/p created"}},
		{"pod placed", pod(nil), pod(onN), []string{"pod/ns/p placed on n"}},
		{"pod runs", pod(onN), pod(runs), []string{"pod/ns/p Running on n"}},
		{"pod loses readiness", pod(runs), pod(func(p *corev1.Pod) { runs(p); p.Status.Conditions = nil }), []string{"pod/ns/p no longer ready"}},
		{"pod ready again", pod(func(p *corev1.Pod) { runs(p); p.Status.Conditions = nil }), pod(runs), []string{"pod/ns/p ready again"}},
		{
			"pod restarted", pod(runs), pod(func(p *corev1.Pod) { runs(p); p.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 2}} }),
			[]string{"pod/ns/p restarted, 2 times by now"},
		},
		{"pod preempted", pod(runs), pod(disrupted("PreemptionByScheduler")), []string{"pod/ns/p preempted by the scheduler on n"}},
		{"pod evicted by taint", pod(runs), pod(disrupted("DeletionByTaintManager")), []string{"pod/ns/p evicted because of a taint on n"}},
		{"pod disrupted otherwise", pod(runs), pod(disrupted("TerminationByKubelet")), []string{"pod/ns/p disrupted on n: TerminationByKubelet"}},
		{"pod terminating", pod(runs), pod(func(p *corev1.Pod) { runs(p); p.DeletionTimestamp = &metav1.Time{} }), []string{"pod/ns/p terminating on n"}},
		{
			"pod failed", pod(runs), pod(func(p *corev1.Pod) { runs(p); p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted" }),
			[]string{"pod/ns/p Failed: Evicted"},
		},
		{"pod gone", pod(runs), nil, []string{"pod/ns/p gone on n"}},
		{"pod gone that was never placed", pod(nil), nil, []string{"pod/ns/p gone"}},

		{"attachment created", nil, attachment(false, false), []string{"volume/pv VolumeAttachment to n created"}},
		{"attached", attachment(false, false), attachment(true, false), []string{"volume/pv attached to n"}},
		{"attachment deleted", attachment(true, false), attachment(true, true), []string{"volume/pv VolumeAttachment to n is being deleted"}},
		{"attachment gone", attachment(true, true), nil, []string{"volume/pv VolumeAttachment to n is gone"}},
		{"claim bound", claim(corev1.ClaimPending), claim(corev1.ClaimBound), []string{"claim/ns/c Bound to pv"}},
		{"claim as it was", claim(corev1.ClaimBound), claim(corev1.ClaimBound), nil},
		{
			"daemon set grows", daemonSet("100m"), daemonSet("200m"),
			[]string{"daemonset/ns/d container c requests CPU 200m, memory 0 (before: 100m, 0)"},
		},
		{"daemon set as it was", daemonSet("100m"), daemonSet("0.1"), nil},
		{"job fails", job(""), job(batchv1.JobFailed), []string{"job/ns/j failed: Why: so"}},
		{"job complete", job(""), job(batchv1.JobComplete), []string{"job/ns/j complete"}},
		{"job about to fail", job(""), job(batchv1.JobFailureTarget), nil},
		{"group resized", group(2, "running"), group(3, "running"), []string{"group/g desired size 3 (before: 2)"}},
		{"instance launched", group(1), group(1, "pending"), []string{"group/g launches i-0 in us-east-1a"}},
		{"instance comes up", group(1, "pending"), group(1, "running"), nil},
		{"instance ends", group(1, "running"), group(1, "shutting-down"), []string{"group/g i-0 in us-east-1a is shutting-down"}},
		{"instance ended", group(1, "shutting-down"), group(1), nil},
		{"a kind that is not told of", nil, &corev1.ConfigMap{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range observe(tt.before, tt.after) {
				got = append(got, e.Object+" "+e.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimelineCountsReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := newTimeline(pace.New(10), nil)
		report := func(uid, reason, message string, count int32, series *corev1.EventSeries) {
			line.change(nil, &corev1.Event{
				ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}, Reason: reason, Message: message, Count: count, Series: series,
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "ns", Name: "p"},
			})
			<-time.After(time.Second) // ten of the scenario
		}
		report("a", "FailedScheduling", "before the start", 1, nil)
		line.begin()
		report("b", "NotTriggerScaleUp", "no group fits", 1, nil)
		report("c", "Scheduled", "not a key event", 1, nil)
		report("b", "NotTriggerScaleUp", "no group fits", 3, nil)
		report("d", "NotTriggerScaleUp", "no group fits", 0, &corev1.EventSeries{Count: 4})
		report("e", "NotTriggerScaleUp", "another message", 1, nil)
		line.change(nil, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "9f51a167-bae2-4e70-91eb-9fecc6e92534", Namespace: "ns", Name: "q"}})
		report("f", "Preempted", "Preempted by pod 9f51a167-bae2-4e70-91eb-9fecc6e92534 on node n", 1, nil)
		want := []Event{
			{AtSeconds: 0, Sort: Reported, Object: "pod/ns/p", Message: "NotTriggerScaleUp: no group fits", Count: 7, LastAtSeconds: 30},
			{AtSeconds: 40, Sort: Reported, Object: "pod/ns/p", Message: "NotTriggerScaleUp: another message", Count: 1, LastAtSeconds: 40},
			{AtSeconds: 50, Sort: Pod, Object: "pod/ns/q", Message: "created"},
			{AtSeconds: 50, Sort: Reported, Object: "pod/ns/p", Message: "Preempted: Preempted by pod ns/q on node n", Count: 1, LastAtSeconds: 50},
		}
		if diff := cmp.Diff(want, line.recorded()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
