package nodes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/naosu-dev/naosu/lab/pace"
)

var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// podSimulator advances one pod on a machine whose kubelet syncs it whenever that is due.
type podSimulator struct {
	*testing.T
	pod    *corev1.Pod
	life   podState
	s      syncInput
	lines  []string
	events bool
}

func newPodSimulator(t *testing.T, pod *corev1.Pod) *podSimulator {
	return &podSimulator{T: t, pod: pod, life: resume(pod), s: syncInput{now: epoch, canStart: true}}
}

// until advances to a time after the start, and notes each status that differs from the one before.
func (p *podSimulator) until(at time.Duration) {
	p.Helper()
	if p.life.startTime.IsZero() {
		p.life.startTime = p.s.now
	}
	for end := epoch.Add(at); !p.s.now.After(end); {
		next := p.look()
		if next.IsZero() || next.After(end) {
			p.s.now = end
			p.look()
			return
		}
		if !next.After(p.s.now) {
			p.Fatalf("at %s the next look is at %s", p.s.now, next)
		}
		p.s.now = next
	}
}

func (p *podSimulator) look() time.Time {
	p.Helper()
	before, copied := p.life, fmt.Sprintf("%+v", p.life)
	life, next := advance(p.pod, p.life, p.s)
	if now := fmt.Sprintf("%+v", before); now != copied {
		p.Errorf("advance changed its argument from\n%s to\n%s", copied, now)
	}
	for _, h := range podEvents(p.pod, before, life) {
		if p.events {
			p.lines = append(p.lines, fmt.Sprintf("%s ! %s: %s", p.s.now.Sub(epoch), h.reason, h.message))
		}
	}
	p.life = life
	status := statusOf(p.pod, &p.pod.Status, p.life, addresses{pod: "100.64.0.1", host: "10.0.0.1"}, p.s)
	p.patch(status)
	if again := statusOf(p.pod, status, p.life, addresses{pod: "100.64.0.1", host: "10.0.0.1"}, p.s); !cmp.Equal(status, again) {
		p.Errorf("the status does not come to rest: %s", cmp.Diff(status, again))
	}
	p.pod = p.pod.DeepCopy()
	p.pod.Status = *status
	p.note(summary(status))
	return next
}

// note adds a line unless the last status noted is the same.
func (p *podSimulator) note(line string) {
	for _, l := range slices.Backward(p.lines) {
		if _, last, is := strings.Cut(l, " | "); is {
			if last == line {
				return
			}
			break
		}
	}
	p.lines = append(p.lines, fmt.Sprintf("%s | %s", p.s.now.Sub(epoch), line))
}

// patch checks that the patch, applied as the API server does, gives the status.
func (p *podSimulator) patch(status *corev1.PodStatus) {
	p.Helper()
	patch, err := statusPatch(p.pod.UID, &p.pod.Status, status)
	if err != nil {
		p.Fatal(err)
	}
	if patch == nil {
		return
	}
	was, err := json.Marshal(corev1.Pod{Status: p.pod.Status})
	if err != nil {
		p.Fatal(err)
	}
	patched, err := strategicpatch.StrategicMergePatch(was, patch, corev1.Pod{})
	if err != nil {
		p.Fatalf("%v: %s", err, patch)
	}
	var got corev1.Pod
	if err := json.Unmarshal(patched, &got); err != nil {
		p.Fatal(err)
	}
	want := corev1.Pod{}
	wanted, err := json.Marshal(corev1.Pod{Status: *status})
	if err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(wanted, &want); err != nil {
		p.Fatal(err)
	}
	anyOrder := cmpopts.SortSlices(func(a, b corev1.PodCondition) bool { return a.Type < b.Type })
	if d := cmp.Diff(want.Status, got.Status, anyOrder); d != "" {
		p.Errorf("patch %s leaves (-want +got):\n%s", patch, d)
	}
}

// summary is "Phase ready container=state …", ready being "ready" or "-".
func summary(s *corev1.PodStatus) string {
	words := []string{string(s.Phase), "-"}
	if s.Reason != "" {
		words[0] += "(" + s.Reason + ")"
	}
	for _, c := range s.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			words[1] = "ready"
		}
	}
	for _, c := range slices.Concat(s.InitContainerStatuses, s.ContainerStatuses) {
		state := "running"
		switch {
		case c.State.Waiting != nil:
			state = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			state = fmt.Sprintf("%s/%d", c.State.Terminated.Reason, c.State.Terminated.ExitCode)
		case !c.Ready:
			state = "unready"
		}
		if c.RestartCount > 0 {
			state += fmt.Sprintf("*%d", c.RestartCount)
		}
		words = append(words, c.Name+"="+state)
	}
	return strings.Join(words, " ")
}

type option func(*corev1.Pod)

func newPod(options ...option) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "uid", Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			NodeName: "a", RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(30)),
			Containers: []corev1.Container{{Name: "c", Image: "i"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: "example.com/other", Status: corev1.ConditionTrue}}},
	}
	for _, o := range options {
		o(pod)
	}
	return pod
}

func does(pairs ...string) option {
	return func(p *corev1.Pod) {
		for pair := range slices.Chunk(pairs, 2) {
			p.Annotations["lab.naosu.dev/"+pair[0]] = pair[1]
		}
	}
}

func policy(r corev1.RestartPolicy) option {
	return func(p *corev1.Pod) { p.Spec.RestartPolicy = r }
}

func inits(containers ...corev1.Container) option {
	return func(p *corev1.Pod) { p.Spec.InitContainers = containers }
}

func deleted(grace int64) option {
	return func(p *corev1.Pod) {
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: epoch}, &grace
	}
}

var (
	prepare = corev1.Container{Name: "prepare", Image: "i"}
	sidecar = corev1.Container{Name: "sidecar", Image: "i", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}
)

// TestAdvanceHeld builds the start of a scenario, which takes five minutes: the time of an init container counts, that of a Job
// only from the scenario's beginning.
func TestAdvanceHeld(t *testing.T) {
	p := newPodSimulator(t, newPod(policy(corev1.RestartPolicyNever), inits(prepare), does("run-for", "1m", "run-for.prepare", "10s")))
	p.s.pace = pace.New(1)
	p.s.pace.Hold()
	p.until(5 * time.Minute)
	p.s.pace.Begin(p.s.now)
	p.until(time.Hour)
	want := []string{
		"0s | Pending - prepare=PodInitializing c=PodInitializing",
		"2s | Pending - prepare=unready c=PodInitializing",
		"12s | Pending - prepare=Completed/0 c=PodInitializing",
		"14s | Running ready prepare=Completed/0 c=running",
		"6m0s | Succeeded - prepare=Completed/0 c=Completed/0",
	}
	if diff := cmp.Diff(want, p.lines); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestAdvance(t *testing.T) {
	probe := func(p corev1.Probe) *corev1.Probe { return &p }
	tests := map[string]struct {
		pod   *corev1.Pod
		until time.Duration
		want  []string
	}{
		"a server starts and stays": {
			newPod(), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
			},
		},
		"a server that takes time": {
			newPod(does("start-delay", "10s", "ready-after", "5s")), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"10s | Running - c=unready",
				"15s | Running ready c=running",
			},
		},
		"readiness is seen by the next probe": {
			newPod(does("ready-after", "12s"), func(p *corev1.Pod) {
				p.Spec.Containers[0].ReadinessProbe = probe(corev1.Probe{InitialDelaySeconds: 5, PeriodSeconds: 4, SuccessThreshold: 2})
			}), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running - c=unready",
				"19s | Running ready c=running", // started at 2 s, probed at 7, 11, 15 (good) and 19 (good again)
			},
		},
		"readiness is not asked for before the startup probe has passed": {
			newPod(func(p *corev1.Pod) {
				p.Spec.Containers[0].StartupProbe = probe(corev1.Probe{InitialDelaySeconds: 30})
				p.Spec.Containers[0].ReadinessProbe = probe(corev1.Probe{InitialDelaySeconds: 1})
			}), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running - c=unready",
				"32s | Running ready c=running",
			},
		},
		"a job succeeds": {
			newPod(policy(corev1.RestartPolicyNever), does("run-for", "1m")), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"1m2s | Succeeded - c=Completed/0",
			},
		},
		"a job fails": {
			newPod(policy(corev1.RestartPolicyNever), does("run-for", "1m", "exit-code", "3")), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"1m2s | Failed - c=Error/3",
			},
		},
		"a crash loop backs off, doubling to five minutes": {
			newPod(does("run-for", "1s", "exit-code", "1", "start-delay", "0s")), 15 * time.Minute, []string{
				"0s | Running ready c=running",
				"1s | Running - c=Error/1",
				"2s | Running ready c=running*1",
				"3s | Running - c=CrashLoopBackOff*1",
				"13s | Running ready c=running*2",
				"14s | Running - c=CrashLoopBackOff*2",
				"34s | Running ready c=running*3",
				"35s | Running - c=CrashLoopBackOff*3",
				"1m15s | Running ready c=running*4",
				"1m16s | Running - c=CrashLoopBackOff*4",
				"2m36s | Running ready c=running*5",
				"2m37s | Running - c=CrashLoopBackOff*5",
				"5m17s | Running ready c=running*6",
				"5m18s | Running - c=CrashLoopBackOff*6",
				"10m18s | Running ready c=running*7",
				"10m19s | Running - c=CrashLoopBackOff*7",
			},
		},
		"what succeeds is not run again on failure": {
			newPod(policy(corev1.RestartPolicyOnFailure), does("run-for", "5s")), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"7s | Succeeded - c=Completed/0",
			},
		},
		"init containers run one after the other": {
			newPod(inits(prepare, corev1.Container{Name: "more", Image: "i"})), time.Hour, []string{
				"0s | Pending - prepare=PodInitializing more=PodInitializing c=PodInitializing",
				"2s | Pending - prepare=unready more=PodInitializing c=PodInitializing",
				"3s | Pending - prepare=Completed/0 more=PodInitializing c=PodInitializing",
				"5s | Pending - prepare=Completed/0 more=unready c=PodInitializing",
				"6s | Pending - prepare=Completed/0 more=Completed/0 c=PodInitializing",
				"8s | Running ready prepare=Completed/0 more=Completed/0 c=running",
			},
		},
		"a failed init container fails the pod": {
			newPod(policy(corev1.RestartPolicyNever), inits(prepare), does("exit-code.prepare", "4")), time.Hour, []string{
				"0s | Pending - prepare=PodInitializing c=PodInitializing",
				"2s | Pending - prepare=unready c=PodInitializing",
				"3s | Failed - prepare=Error/4 c=PodInitializing",
			},
		},
		"or is run again": {
			newPod(inits(prepare), does("exit-code.prepare", "4")), 10 * time.Second, []string{
				"0s | Pending - prepare=PodInitializing c=PodInitializing",
				"2s | Pending - prepare=unready c=PodInitializing",
				"3s | Pending - prepare=Error/4 c=PodInitializing",
				"4s | Pending - prepare=unready*1 c=PodInitializing",
				"5s | Pending - prepare=CrashLoopBackOff*1 c=PodInitializing",
			},
		},
		"a sidecar starts before the work and ends after it": {
			newPod(policy(corev1.RestartPolicyNever), inits(sidecar), does("run-for", "10s")), time.Hour, []string{
				"0s | Pending - sidecar=PodInitializing c=PodInitializing",
				"2s | Pending - sidecar=running c=PodInitializing",
				"4s | Running ready sidecar=running c=running",
				"14s | Running - sidecar=running c=Completed/0",
				"15s | Succeeded - sidecar=Completed/0 c=Completed/0",
			},
		},
		"a deadline ends work, and the pod has failed": {
			newPod(policy(corev1.RestartPolicyNever), func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(60)) }), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"1m1s | Failed(DeadlineExceeded) - c=Error/143",
			},
		},
		"work that is done in time meets no deadline": {
			newPod(policy(corev1.RestartPolicyNever), does("run-for", "10s"), func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(60)) }), time.Hour, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"12s | Succeeded - c=Completed/0",
			},
		},
		"a container that fails its liveness probe is started again": {
			newPod(does("fail-liveness-after", "1m"), func(p *corev1.Pod) {
				p.Spec.Containers[0].LivenessProbe = probe(corev1.Probe{PeriodSeconds: 10, FailureThreshold: 2})
			}), 3 * time.Minute, []string{
				"0s | Pending - c=ContainerCreating",
				"2s | Running ready c=running",
				"1m13s | Running - c=Completed/0", // fails at 1m2s and 1m12s, and takes a second to stop
				"1m14s | Running ready c=running*1",
				"2m25s | Running - c=CrashLoopBackOff*1",
				"2m35s | Running ready c=running*2",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPodSimulator(t, test.pod)
			p.until(test.until)
			if d := cmp.Diff(test.want, p.lines); d != "" {
				t.Errorf("what happened (-want +got):\n%s", d)
			}
		})
	}
}

// What happens to a pod that has run for ten seconds, or that is still starting.
func TestAdvanceEnd(t *testing.T) {
	work := policy(corev1.RestartPolicyNever)
	tests := map[string]struct {
		pod    *corev1.Pod
		before time.Duration
		change func(*podSimulator)
		want   []string
	}{
		"deleted, a server stops with success": {
			newPod(), 10 * time.Second, func(p *podSimulator) { deleted(30)(p.pod) }, []string{
				"11s | Succeeded - c=Completed/0",
			},
		},
		"deleted, work stops with failure": {
			newPod(work, does("stop-after", "5s")), 10 * time.Second, func(p *podSimulator) { deleted(30)(p.pod) }, []string{
				"15s | Failed - c=Error/143",
			},
		},
		"killed when its grace is over": {
			newPod(does("stop-after", "5m")), 10 * time.Second, func(p *podSimulator) { deleted(30)(p.pod) }, []string{
				"40s | Failed - c=Error/137",
			},
		},
		"deleted while it is starting": {
			newPod(does("start-delay", "1m")), 10 * time.Second, func(p *podSimulator) { deleted(30)(p.pod) }, []string{
				"10s | Failed - c=ContainerStatusUnknown/137",
			},
		},
		"deleted while it initializes": {
			newPod(inits(prepare), does("run-for.prepare", "1m")), 10 * time.Second, func(p *podSimulator) { deleted(30)(p.pod) }, []string{
				"11s | Failed - prepare=Error/143 c=PodInitializing",
			},
		},
		"sidecars stop after the rest, the last first": {
			newPod(inits(sidecar, corev1.Container{Name: "second", Image: "i", RestartPolicy: sidecar.RestartPolicy})), 10 * time.Second,
			func(p *podSimulator) { deleted(30)(p.pod) },
			[]string{
				"11s | Running - sidecar=running second=running c=Completed/0",
				"12s | Running - sidecar=running second=Completed/0 c=Completed/0",
				"13s | Succeeded - sidecar=Completed/0 second=Completed/0 c=Completed/0",
			},
		},
		"gone from the API, it is stopped all the same": {
			newPod(), 10 * time.Second, func(p *podSimulator) { p.s.deleted = true }, []string{
				"11s | Succeeded - c=Completed/0",
			},
		},
		"evicted": {
			newPod(does("stop-after", "20s")), 10 * time.Second,
			func(p *podSimulator) {
				p.life.termination = &termination{reason: "Evicted", disrupted: true, grace: time.Second}
			},
			[]string{
				"11s | Failed(Evicted) - c=Error/137",
			},
		},
		"rebooted, a server runs again": {
			newPod(), 10 * time.Second, func(p *podSimulator) { p.life.reboot(p.pod, p.s.now) }, []string{
				"10s | Running - c=Unknown/255",
				"11s | Running ready c=running*1",
			},
		},
		"rebooted, init containers run again first": {
			newPod(inits(prepare)), 10 * time.Second, func(p *podSimulator) { p.life.reboot(p.pod, p.s.now) }, []string{
				"10s | Pending - prepare=PodInitializing*1 c=Unknown/255",
				"12s | Pending - prepare=unready*1 c=Unknown/255",
				"13s | Running ready prepare=Completed/0*1 c=running*1",
			},
		},
		"rebooted, work that runs once has failed": {
			newPod(work), 10 * time.Second, func(p *podSimulator) { p.life.reboot(p.pod, p.s.now) }, []string{
				"10s | Failed - c=Unknown/255",
			},
		},
		"deleted meanwhile, a rebooted machine only says how it ended": {
			newPod(), 10 * time.Second, func(p *podSimulator) { p.life.reboot(p.pod, p.s.now); deleted(30)(p.pod) }, []string{
				"10s | Failed - c=Unknown/255",
			},
		},
		"a kubelet that looks late tells the true end": {
			newPod(work, does("run-for", "20s")), 10 * time.Second, func(p *podSimulator) { p.s.now = epoch.Add(5 * time.Minute) }, []string{
				"5m0s | Succeeded - c=Completed/0",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPodSimulator(t, test.pod)
			p.until(test.before)
			seen := len(p.lines)
			test.change(p)
			p.until(time.Hour)
			if d := cmp.Diff(test.want, p.lines[seen:]); d != "" {
				t.Errorf("what happened (-want +got):\n%s", d)
			}
		})
	}
}

func TestAdvanceWaitsForVolumes(t *testing.T) {
	p := newPodSimulator(t, newPod())
	p.s.canStart = false
	p.until(time.Minute)
	p.s.canStart = true
	p.until(2 * time.Minute)
	want := []string{"0s | Pending - c=ContainerCreating", "1m2s | Running ready c=running"}
	if d := cmp.Diff(want, p.lines); d != "" {
		t.Errorf("what happened (-want +got):\n%s", d)
	}
}

func TestLateSyncReportsTheEndTime(t *testing.T) {
	p := newPodSimulator(t, newPod(policy(corev1.RestartPolicyNever), does("run-for", "20s")))
	p.until(10 * time.Second)
	p.s.now = epoch.Add(5 * time.Minute)
	p.look()
	if end := p.life.containers[0].finished.Sub(epoch); end != 22*time.Second {
		t.Errorf("the container ended at %s, want 22s", end)
	}
}

func TestPaceScalesPrograms(t *testing.T) {
	p := newPodSimulator(t, newPod(does("run-for", "60s", "exit-code", "1")))
	p.s.pace = pace.New(20)
	p.until(3*time.Second + 500*time.Millisecond)
	want := []string{
		"0s | Pending - c=ContainerCreating",
		"100ms | Running ready c=running",
		"3.1s | Running - c=Error/1",
		"3.15s | Running ready c=running*1",
	}
	if d := cmp.Diff(want, p.lines); d != "" {
		t.Errorf("what happened (-want +got):\n%s", d)
	}
}

func TestPodEvents(t *testing.T) {
	p := newPodSimulator(t, newPod(does("run-for", "1s", "exit-code", "1"), inits(prepare)))
	p.events = true
	p.until(8 * time.Second)
	deleted(30)(p.pod)
	p.until(time.Minute)
	events := slices.DeleteFunc(p.lines, func(l string) bool { return !strings.Contains(l, " ! ") })
	want := []string{
		`0s ! Pulling: Pulling image "i"`,
		`2s ! Pulled: Successfully pulled image "i"`,
		`2s ! Created: Container created`,
		`2s ! Started: Container started`,
		`3s ! Pulling: Pulling image "i"`,
		`5s ! Pulled: Successfully pulled image "i"`,
		`5s ! Created: Container created`,
		`5s ! Started: Container started`,
		`7s ! Pulled: Container image "i" already present on machine`,
		`7s ! Created: Container created`,
		`7s ! Started: Container started`,
		`8s ! BackOff: Back-off restarting failed container c in pod p_ns(uid)`,
	}
	if d := cmp.Diff(want, events); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}
