package ethtool_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/source/ethtool"
)

// What ethtool itself prints of a pair of links is what is read of it.
func TestCounters(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "ethtool")
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", "ip link add eth1 type veth peer name eth1p; ip link set eth1 up").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	printed, err := exec.CommandContext(t.Context(), "ethtool", "-S", "eth1").Output()
	if err != nil {
		t.Fatal(err)
	}
	counters, err := ethtool.Counters("eth1", func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")[1:]
	if len(lines) != len(counters) || len(lines) == 0 {
		t.Errorf("reads %v, and ethtool\n%s", counters, printed)
	}
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if _, ok := counters[name]; !ok {
			t.Errorf("no counter %s", name)
		}
	}
	if _, err := ethtool.Counters("lo", func(string) bool { return true }); !errors.Is(err, ethtool.ErrNone) {
		t.Errorf("of lo: %v, not that it has none", err)
	}
	if _, err := ethtool.Counters("eth9", func(string) bool { return true }); err == nil || errors.Is(err, ethtool.ErrNone) {
		t.Errorf("of no link: %v", err)
	}
}
