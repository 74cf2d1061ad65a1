package fault

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/network"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

// emitted is what the detector tells of a fault, until it finds it.
func emitted(t *testing.T, id reason.ID) (all []evidence.Evidence, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made := false
	err = BreakLink(ctx, id, "eth7", network.Links(network.DefaultOptions()), clock.RealClock{}, func() { made = true }, func(e evidence.Evidence) {
		if !made {
			t.Errorf("before the fault it tells %+v", e)
		}
		if e.State == evidence.Fault {
			all = append(all, e)
			if e.Reason == id {
				cancel()
			}
		}
	})
	return all, err
}

// Each fault is told by the detector of real ones, and is nowhere else: neither the links of the process nor its own
// namespace change.
func TestLink(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	before, err := link.List()
	if err != nil {
		t.Fatal(err)
	}
	home := readlink(t, "/proc/self/ns/net")
	for _, id := range LinkReasons {
		all, err := emitted(t, id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if !slices.ContainsFunc(all, func(e evidence.Evidence) bool { return e.Reason == id && (e.Entity == "eth7" || e.Entity == "") }) {
			t.Errorf("%s: the detector tells %+v", id, all)
		}
		after, err := link.List()
		if err != nil || !slices.Equal(before, after) {
			t.Errorf("%s: the process' links are %+v (%v), and were %+v", id, after, err, before)
		}
		if now := readlink(t, "/proc/self/ns/net"); now != home {
			t.Errorf("%s: the process is in %s, and was in %s", id, now, home)
		}
	}
}

func readlink(t *testing.T, path string) string {
	t.Helper()
	to, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// without, set in the environment, says that the test's process has no capabilities.
const without = "NAOSU_TEST_WITHOUT"

// What the unprivileged variant of the agent can make is nothing, and it says what it would need.
func TestLinkWithoutCapabilities(t *testing.T) {
	if os.Getenv(without) == "" {
		agenttest.Need(t, agenttest.Root, "setpriv")
		itself, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.CommandContext(t.Context(), "setpriv", "--bounding-set=-all", "--inh-caps=-all", itself, "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), without+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if _, err := emitted(t, reason.InterfaceNotUp); err == nil || !strings.Contains(err.Error(), "it needs CAP_SYS_ADMIN and CAP_NET_ADMIN") {
		t.Errorf("it says %v", err)
	}
}

// A detector that cannot tell the fault from health proves nothing.
func TestLinkThatIsNeverWell(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	looks := 0
	detector := monitor.Periodic{IDs: []reason.ID{reason.InterfaceNotUp}, Find: func(context.Context) ([]evidence.Evidence, error) {
		if looks++; looks == 2 {
			cancel(errors.New("enough"))
		}
		return []evidence.Evidence{{Reason: reason.InterfaceNotUp, Entity: "eth7", State: evidence.Fault}}, nil
	}}
	err := BreakLink(ctx, reason.InterfaceNotUp, "eth7", detector, clock.RealClock{}, func() { t.Error("the fault was made") }, func(evidence.Evidence) {})
	if err == nil || !strings.Contains(err.Error(), "until the link is well: enough") {
		t.Errorf("it says %v", err)
	}
}

func TestLine(t *testing.T) {
	agenttest.Need(t, agenttest.Root)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made := 0
	if err := LogLine(ctx, host.Host{}, "c0ffee0ddba11", clock.RealClock{}, func() { made++ }); err != nil || made != 1 {
		t.Errorf("made %d times, %v", made, err)
	}
}

func TestLineWithoutALog(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	if err := os.MkdirAll(h.Path("/proc/sys/kernel/random"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"/proc/sys/kernel/random/boot_id": "b\n", "/proc/stat": "btime 1700000000\n"} {
		if err := os.WriteFile(h.Path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := LogLine(t.Context(), h, "c0ffee0ddba11", clock.RealClock{}, func() { t.Error("the line was written") })
	if err == nil || !strings.Contains(err.Error(), "it needs the host's /dev/kmsg") {
		t.Errorf("it says %v", err)
	}
}

// No pattern takes the line: neither one of the catalogue, which has those that the EKS agent publishes, nor words that any
// tool would look for.
func TestLineIsNoFault(t *testing.T) {
	line := text("0123456789abcdefghijklmnopqrstuv")
	for _, r := range reason.Catalogue {
		for _, m := range r.Matches {
			if regexp.MustCompile(m.Pattern).MatchString(line) {
				t.Errorf("%s takes %q", r.ID, line)
			}
		}
	}
	if words := regexp.MustCompile(`(?i)error|fail|fault|bug|oops|panic|kill|oom|memory|hung|block|stall|lockup|warn|corrupt|timeout|i/o|reset|nvme|xid|mce|remount|read-only|nf_|unregister|denied|invalid|unable|cannot|abort`); words.MatchString(line) {
		t.Errorf("%q has %q", line, words.FindString(line))
	}
}
