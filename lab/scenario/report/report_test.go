package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); go test -update writes it anew:\n%s", file, diff)
	}
}

// sample is a pass with one of everything.
func sample() Scenario {
	const lost, other, third = "ip-10-0-26-253.ec2.internal", "ip-10-0-3-120.ec2.internal", "ip-10-0-45-52.ec2.internal"
	web := "pod/default/web-6769c6d65f-"
	scaled := play.Result{
		With: "kubernetes", Title: "A node is lost, and its pods move", Scale: 20, Met: false,
		StartReal: 6320 * time.Millisecond, PlayReal: 37 * time.Second,
		Nodes:  map[string]string{"minion-2": lost},
		Claims: map[string]string{"pvc-5998f48d-1870-4757-8e5e-68e527addba7": "redash/redash-redis"},
		Impact: play.Impact{
			Workloads:   []play.WorkloadImpact{{Workload: "deployment/default/web", PodSeconds: 754.2, LongestSeconds: 372.3, Pods: 3}, {Workload: "statefulset/redash/redash-redis", PodSeconds: 12, LongestSeconds: 12, Pods: 1}},
			Nodes:       []play.NodeImpact{{Node: lost, Seconds: 330}},
			PreemptedAt: []float64{61, 62.5}, FailedJobsAt: []float64{75},
		},
		AtMinimum: []pace.Setting{{Name: "kube-scheduler podMaxBackoffSeconds", Stated: 10 * time.Second}, {Name: "periodSeconds of Deployment/web", Stated: 90 * time.Second}},
		Events: []play.Event{
			{AtSeconds: 0, Sort: play.Point, Object: "start", Message: "everything is built and running"},
			{AtSeconds: 0.06, Sort: play.Expected, Object: "one-of-each-per-node", Message: "met"},
			{AtSeconds: 30.02, Sort: play.Step, Object: "kubelet-stops", Message: "brings node/minion-2 to kubelet-down (" + lost + ")"},
			{AtSeconds: 30.04, Sort: play.Step, Object: "wait", Message: `waits up to 1m0s until pods.matching("story=lopsided").on(nodes.filter(n, n != node("minion-2"))).filter(p, running(p)).size() == 6`},
			{AtSeconds: 64.04, Sort: play.Node, Object: "node/" + lost, Message: "NotReady, state unknown: NodeStatusUnknown"},
			{AtSeconds: 65.84, Sort: play.Node, Object: "node/" + lost, Message: "tainted node.kubernetes.io/unreachable:NoExecute"},
			{AtSeconds: 366.55, Sort: play.Pod, Object: web + "wl67v", Message: "evicted because of a taint on " + lost},
			{AtSeconds: 366.6, Sort: play.Pod, Object: web + "zzzzz", Message: "evicted because of a taint on " + lost},
			{AtSeconds: 367.07, Sort: play.Pod, Object: web + "wl67v", Message: "terminating on " + lost},
			{AtSeconds: 367.08, Sort: play.Pod, Object: web + "zzzzz", Message: "terminating on " + lost},
			{AtSeconds: 367.55, Sort: play.Pod, Object: web + "gzhsk", Message: "created"},
			{AtSeconds: 368.43, Sort: play.Pod, Object: web + "gzhsk", Message: "placed on " + other},
			{AtSeconds: 370.65, Sort: play.Pod, Object: web + "gzhsk", Message: "Running on " + other},
			{
				AtSeconds: 379.5, Sort: play.Reported, Object: "pod/redash/redash-redis-657df658cb-7pn5n", Count: 146, LastAtSeconds: 4008.7,
				Message: "NotTriggerScaleUp: pod didn't trigger scale-up: 15 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match PersistentVolume's node affinity",
			},
			{
				AtSeconds: 380, Sort: play.Reported, Object: "pod/redash/redash-redis-657df658cb-7pn5n", Count: 1, LastAtSeconds: 380,
				Message: "FailedScheduling: 0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
			},
			{AtSeconds: 400, Sort: play.Volume, Object: "volume/pvc-5998f48d-1870-4757-8e5e-68e527addba7", Message: "VolumeAttachment to " + third + " created"},
			{AtSeconds: 401, Sort: play.Volume, Object: "volume/pvc-5998f48d-1870-4757-8e5e-68e527addba7", Message: "attached to " + third},
			{AtSeconds: 401.5, Sort: play.Program, Object: "naosu repair check -o json", Message: "ends with exit code 1"},
			{AtSeconds: 401.6, Sort: play.Repair, Object: "remediation/minion-2-x", Message: "Running"},
			{AtSeconds: 401.7, Sort: play.Repair, Object: "remediation/minion-2-x", Message: "step Cordon begun"},
			{AtSeconds: 402, Sort: play.Node, Object: "node/" + other, Message: "registered"},
			{AtSeconds: 403, Sort: play.Node, Object: "node/" + third, Message: "registered"},
			{AtSeconds: 404, Sort: play.Workload, Object: "daemonset/kube-system/calico-node-with-a-very-long-name", Message: "container calico-node requests CPU 200m, memory 0 (before: 120m, 0)"},
			{AtSeconds: 4000.5, Sort: play.Expected, Object: "the-returned-node-stays-empty", Message: "not met: was true for only 1m20s of the 2m0s it should hold"},
		},
		Expectations: []play.Expectation{
			{Name: "one-of-each-per-node", Met: true, AtSeconds: new(float64(0.06)), From: "start", FromSeconds: new(float64(0)), That: "true"},
			{Name: "replaced-after-the-toleration", Met: true, AtSeconds: new(float64(371.05)), From: "not-ready", FromSeconds: new(float64(64.27)), That: "true"},
			{Name: "an-expectation-with-a-name-as-long-as-names-may-be-which-is-63", Met: true, AtSeconds: new(float64(4000)), From: "another-long-name-of-a-step", FromSeconds: new(float64(64.27)), That: "true"},
			{
				Name: "the-returned-node-stays-empty", From: "kubelet-returns", FromSeconds: new(float64(431)), Problem: "was true for only 1m20s of the 2m0s it should hold",
				That: "ready(node(\"minion-2\")) &&\n  pods.matching(\"story=lopsided\").on(node(\"minion-2\")).filter(p, running(p)).size() == 0",
			},
			{Name: "later", From: "resized", Problem: `the point "resized" was not reached`, That: "true"},
		},
		Failure: "step resized could not be done: ValidationError: New SetDesiredCapacity value 5 is above max value 4 for the AutoScalingGroup.",
		Log:     "I1102 09:00:00 leads\nE1102 09:00:01 the API server does not answer",
	}
	plain := play.Result{
		With: "short-stop", Title: "The kubelet is back before the grace period ends, and nothing moves.", Scale: 1, Met: true,
		StartReal: 5 * time.Second, PlayReal: 8*time.Minute + 30*time.Second,
		Events:       []play.Event{{AtSeconds: 0, Sort: play.Point, Object: "start", Message: "everything is built and running"}},
		Expectations: []play.Expectation{{Name: "nothing-moves", Met: true, AtSeconds: new(float64(30)), From: "kubelet-stops", FromSeconds: new(float64(30)), That: "true"}},
	}
	absent := play.Result{With: "naosu", Title: "naosu evens the replicas out", Scale: 20, NotPlayed: "--naosu: the naosu program is neither beside this one nor on the PATH"}
	slow := play.Result{
		With: "slow", Title: "A machine that is too slow to judge a wait", Scale: 1, NotJudged: true, LagSeconds: 75.25, LagUsed: true,
		StartReal: 15 * time.Second, PlayReal: 3 * time.Minute,
		Events: []play.Event{
			{AtSeconds: 0, Sort: play.Point, Object: "start", Message: "everything is built and running"},
			{AtSeconds: 70, Sort: play.Expected, Object: "first", Message: "met"},
			{AtSeconds: 150, Sort: play.Expected, Object: "second", Message: "not judged: did not come true within 1m0s and 50s of lag; there are 1m10s of lag, too much to judge it: pods.size() is 0"},
			{AtSeconds: 180, Sort: play.Step, Object: "wait", Message: "is not judged, and the pass ends early"},
		},
		Expectations: []play.Expectation{
			{Name: "first", Met: true, AtSeconds: new(float64(70)), From: "start", FromSeconds: new(float64(0)), OverrunSeconds: 10.5, That: "true"},
			{
				Name: "second", From: "start", FromSeconds: new(float64(0)), NotJudged: true, That: "pods.size() == 1",
				Problem: "did not come true within 1m0s and 50s of lag; there are 1m10s of lag, too much to judge it: pods.size() is 0",
			},
		},
		Failure: "step wait: what it waits for did not come true within 1m0s and 55s of lag; there are 1m15s of lag, too much to judge it",
	}
	return Scenario{Name: "lopsided-return", Title: "A node dies, its pods move late, and nothing moves back", Passes: []play.Result{scaled, plain, absent, slow}}
}

func TestText(t *testing.T) {
	var plain, colored bytes.Buffer
	if err := Text(&plain, sample(), Style{}); err != nil {
		t.Fatal(err)
	}
	if err := Text(&colored, sample(), Style{Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", plain.Bytes())
	golden(t, "report-color.txt", colored.Bytes())
	for line := range strings.SplitSeq(plain.String(), "\n") {
		if n := len([]rune(line)); n > Width {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("there is colour in plain text")
	}
}

func TestSummary(t *testing.T) {
	one := play.Result{With: "naosu", Met: true, Impact: play.Impact{Workloads: []play.WorkloadImpact{{Workload: "deployment/default/api", PodSeconds: 1.5, LongestSeconds: 1.5, Pods: 1}}}}
	var several, single bytes.Buffer
	if err := Summary(&several, []Scenario{sample(), {Name: "another", Passes: []play.Result{one, {With: "larger", NotPlayed: "no naosu"}, {With: "slow", NotJudged: true}}}}, Style{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.txt", several.Bytes())
	if err := Summary(&single, []Scenario{{Name: "another", Passes: []play.Result{one}}}, Style{}); err != nil || single.Len() > 0 {
		t.Errorf("of a single pass: %q, %v", single.String(), err)
	}
}

func TestJSON(t *testing.T) {
	one, several := new(bytes.Buffer), new(bytes.Buffer)
	if err := JSON(one, []Scenario{sample()}); err != nil {
		t.Fatal(err)
	}
	if err := JSON(several, []Scenario{{Name: "a", Passes: []play.Result{{With: "kubernetes"}}}, {Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", one.Bytes())
	golden(t, "reports.json", several.Bytes())
}

func TestMet(t *testing.T) {
	failed, met, absent, slow := play.Result{}, play.Result{Met: true}, play.Result{NotPlayed: "no program"}, play.Result{NotJudged: true}
	for name, tt := range map[string]struct {
		passes      []play.Result
		met, missed bool
	}{
		"met":                          {[]play.Result{met, met}, true, false},
		"one failed":                   {[]play.Result{met, failed}, false, true},
		"one was not played":           {[]play.Result{met, absent}, false, true},
		"one was not judged":           {[]play.Result{slow, met}, false, false},
		"one failed, one not judged":   {[]play.Result{slow, failed}, false, true},
		"one not played, one unjudged": {[]play.Result{slow, absent}, false, true},
	} {
		if s := (Scenario{Passes: tt.passes}); s.Met() != tt.met || s.Missed() != tt.missed {
			t.Errorf("%s: met %v, missed %v, want %v, %v", name, s.Met(), s.Missed(), tt.met, tt.missed)
		}
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0:00.0", 9.96: "0:10.0", 59.94: "0:59.9", 59.96: "1:00.0", 754.2: "12:34.2", 3599.99: "1:00:00.0", 3661.5: "1:01:01.5"} {
		if got := clock(seconds); got != want {
			t.Errorf("clock(%g) = %s, want %s", seconds, got, want)
		}
	}
}

func TestTenths(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 90 * time.Second: "1m30s", 5 * time.Minute: "5m", 2 * time.Hour: "2h", time.Hour + 30*time.Second: "1h0m30s", 1234 * time.Millisecond: "1.2s",
	} {
		if got := tenths(d); got != want {
			t.Errorf("tenths(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"a b c", 5, []string{"a b c"}},
		{"a b c", 3, []string{"a b", "c"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a bcdefg", 3, []string{"a", "bcd", "efg"}},
		{"één twee", 4, []string{"één", "twee"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, wrap(tt.text, tt.width)); diff != "" {
			t.Errorf("wrap(%q, %d) (-want +got):\n%s", tt.text, tt.width, diff)
		}
	}
}
