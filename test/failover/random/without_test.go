package random

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	withoutFlag = flag.String("without", "", "play random runs of failover without each of these conditions, separated by commas, until one violates an invariant; all is every condition")
	runsFlag    = flag.Int("runs", 500, "how many runs are played at most without each condition")
)

// condition is one of failover's, and how it is taken out of the code.
type condition struct {
	name, file, is, without string
	// violation is what must be seen then, or what comes of it.
	violation violation
	// sequence is the name of the faults that each run contains then, so that it is seen soon: independent ones hardly ever amount to what the condition guards against.
	sequence string
}

const (
	detectorFile  = "internal/nodeliveness/detector.go"
	silenceFile   = "internal/failoverpolicy/silence.go"
	replaceFile   = "internal/controller/failover/replace.go"
	finalizerFile = "internal/failoverpolicy/finalizer.go"
	offFile       = "internal/controller/failover/outofservice.go"
)

// conditions are those that failover must not do without.
var conditions = []condition{
	{"witness", detectorFile, "case p.Inquiry != 0 && a == Reached:", "case false:", deletedReached, "reached-by-one"},
	{"two-witnesses", "internal/nodeliveness/baseline.go", "minWitnesses = 2", "minWitnesses = 1", unwitnessed, "one-tries"},
	{"two-zones", detectorFile, "&& len(zones) >= min(2, others)", "&& others >= 0 && len(zones) > 0", unwitnessed, "one-zone-tries"},
	{"correlated", detectorFile, "case d.quietFor(f, now) >= QuietAfter, near(f.LastBeat, of.LastBeat) && d.since(f.LastBeat, now) >= QuietAfter:", "case false:", correlated, ""},
	{"closed", detectorFile, "case f.Ended == Closed:\n\t\t\tif near", "case f.Ended == Closed:\n\t\t\tif false && near", correlated, "closed-and-cut-off"},
	{"returned", detectorFile, "if now.Sub(f.gap.to) <= correlatedWithin && near(f.gap", "if now.Sub(f.gap.to) < 0 && near(f.gap", returnedLately, "two-cut-off"},
	{"renewals", detectorFile, "if n.LeaseReceived.After(n.LastBeat) {", "if false {", deletedAlive, "cut-off-from-peers"},
	{"monotonic-clock", "internal/controller/failover/silence.go", "now := w.Clock.Now()\n\tw.mu", "now := w.Clock.Now().Round(0)\n\tw.mu", notSettled, "clock-set-on-silence"},
	{"silent-after", silenceFile, "case p == nil || quietFor < silentAfter(p):", "case p == nil:", deletedAlive, "clock-set-on-silence"},
	{"two-replicas", silenceFile, "*replicas >= 2", "*replicas >= 1", notMovable, ""},
	{"claims", silenceFile, "v.PersistentVolumeClaim != nil ||", "", notMovable, ""},
	{"ephemeral-claims", silenceFile, "|| v.Ephemeral != nil", "", notMovable, ""},
	{"not-ready-on-silence", silenceFile, "&& p.Spec.NotReadyOnSilence == v1alpha1.NotReadyUnreplaced", "", unasked, ""},
	{"tolerates", silenceFile, " || kube.Tolerates(pod.Spec.Tolerations, &SilentTaint)", "", notMovable, ""},
	{"budget", silenceFile, "case silent > max(1, len(world.Nodes())*silentShare/100):", "case false:", overBudget, ""},
	{"zone-state", silenceFile, "case notReady > disruptedMin && notReady*100 >= inZone*disruptedShare:", "case false:", inOutage, "zone-down"},
	{"mode", "api/v1alpha1/failoverpolicy_types.go", "p.Spec.Mode == ModeAuto && ", "", unasked, ""},
	{"paused", "api/v1alpha1/failoverpolicy_types.go", " && !p.Spec.Paused", "", unasked, ""},
	{"lead", replaceFile, "if leads, err := w.Leading(ctx); err != nil || !leads {", "if leads, err := w.Leading(ctx); err != nil || false && !leads {", leaderless, "lead-lost-on-silence"},
	{"fresh-policy", replaceFile, "asks[d.Policy.UID] = err == nil && policy.UID == d.Policy.UID && policy.Acts() && policy.Generation == d.Policy.Generation", "asks[d.Policy.UID] = true", unread, "paused-in-old-caches"},
	{"fresh-lease", "internal/action/declare.go", " &&\n\t\t!failoverpolicy.RenewedSince(lease, d.RenewTime)", "", declaredAlive, "off-in-old-caches"},
	{"declared-before", "internal/action/silence.go", "failoverpolicy.SilenceOf(node); declared {", "failoverpolicy.SilenceOf(node); declared && before.By == d.Proof {", twice, ""},
	{"deleted-before", "internal/action/tolerations.go", " || pod.DeletionTimestamp != nil", "", twice, ""},
	{"not-ready", "internal/failoverpolicy/outofservice.go", " && !kube.IsNodeReady(node) && !kube.IsOutOfService(node)", " && !kube.IsOutOfService(node)", declaredReady, ""},
	{"two-records", "internal/failoverpolicy/outofservice.go", "return first.State.IsOff() && ", "return ", unproven, ""},
	{"a-record-of-off", "internal/cloud/cloud.go", "return s.Running == Off || s.Running == Gone", "return s.Running != On", unproven, ""},
	{"fresh-declares", offFile, "|| !failoverpolicy.Declares(&policy):", "|| false:", unread, "paused-before-proof"},
	{"back", "internal/failoverpolicy/outofservice.go", "return node.Status.NodeInfo.BootID != d.BootID || kube.IsNodeReady(node) || RenewedSince(lease, d.RenewTime)", "return true", withdrewEarly, ""},
	{"spoke", silenceFile, "return node.Status.NodeInfo.BootID != d.BootID || RenewedSince(lease, d.RenewTime)", "return true", withdrewEarly, ""},
	{"volumes", finalizerFile, ", !hasVolumes(world, node):", ":", keptNeedlessly, "terminated-on-silence"},
	{"declared-by-hand", finalizerFile, " && !kube.IsOutOfService(node):", ":", releasedEarly, "declared-by-hand"},
	{"read-since-deletion", finalizerFile, "!last.Outdated(node) && ", "", releasedEarly, "terminated-on-silence"},
	{"unprovable", finalizerFile, " && !unprovable", " && (!unprovable || true)", keptNeedlessly, "deleted-while-running"},
	{"healthy-node", "internal/action/tolerations.go", "case !failoverpolicy.Healthy(&node):", "case false:", onSickNode, "sick-while-changed"},
	{"explicit", "internal/failoverpolicy/toleration.go", "if explicit(template, key) {\n\t\tfrom", "if false {\n\t\tfrom", unasked, ""},
	{"rate", "internal/controller/failover/reconciler.go", "changesPerSecond = 5\n", "changesPerSecond = 500\n", tooFast, ""},
}

// root is the module's folder, from this one.
const root = "../../.."

// TestConditionsAreThere keeps the conditions in step with the code: each is in it once, and there is its sequence.
func TestConditionsAreThere(t *testing.T) {
	for _, c := range conditions {
		text, err := os.ReadFile(filepath.Join(root, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), c.is); n != 1 {
			t.Errorf("%s: %q is %d times in %s", c.name, c.is, n, c.file)
		}
		if c.sequence != "" && !slices.ContainsFunc(sequences, func(s sequence) bool { return s.name == c.sequence }) {
			t.Errorf("%s: there is no sequence %s", c.name, c.sequence)
		}
	}
}

// TestWithout takes out one condition after the other, of those that -without names, and plays random runs until an invariant is violated. The
// code is compiled without the condition, and stays as it is.
func TestWithout(t *testing.T) {
	if *withoutFlag == "" {
		t.Skip("-without names no condition")
	}
	for _, c := range conditions {
		if *withoutFlag != "all" && !slices.Contains(strings.Split(*withoutFlag, ","), c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			out, err := c.play(t)
			if found := seen(out); err != nil && found != "" {
				t.Logf("%s: seen: %s", c.name, found)
			} else {
				t.Errorf("%s: it must be seen that it %s (%v):\n%s", c.name, c.violation, err, out)
			}
		})
	}
}

// failed is what rapid says of a run that fails, with the first violation; flaky, of one that does not fail again in the same way: who of several goroutines is
// first is drawn by nobody.
var (
	failed = regexp.MustCompile(`failed (after \d+ tests: .*)`)
	flaky  = regexp.MustCompile(`(?s)flaky test, can not reproduce a failure.*?Original traceback \(([^\n]*)`)
)

// seen is the first violation in what a run of this package has printed; empty if there is none.
func seen(out string) string {
	for _, of := range []*regexp.Regexp{failed, flaky} {
		if found := of.FindStringSubmatch(out); found != nil {
			return found[1]
		}
	}
	return ""
}

// play compiles this package without the condition, and plays its random runs.
func (c *condition) play(t *testing.T) (out string, err error) {
	file, err := filepath.Abs(filepath.Join(root, c.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	changed, overlay, program := filepath.Join(scratch, "changed.go"), filepath.Join(scratch, "overlay.json"), filepath.Join(scratch, "random.test")
	replaces, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{changed: []byte(strings.Replace(string(text), c.is, c.without, 1)), overlay: replaces} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if built, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("without %s it does not compile: %v\n%s", c.name, err, built)
	}
	run := exec.CommandContext(t.Context(), program, "-test.run", "^TestRandomFaults$/^0$", "-test.timeout", "1h", "-rapid.nofailfile", "-rapid.shrinktime", "1ns",
		"-rapid.checks", fmt.Sprint(*runsFlag), "-sequence", c.sequence)
	result, err := run.CombinedOutput()
	return string(result), err
}
