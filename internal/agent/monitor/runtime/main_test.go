package runtime

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
)

// writes has the test binary write to a file from a thread that is not its first, and never end: see TestPodStuckTerminating.
const writes = "NAOSU_TEST_WRITES"

func TestMain(m *testing.M) {
	if path := os.Getenv(writes); path != "" {
		runtime.LockOSThread() // The main goroutine keeps the first thread.
		go func() { _ = os.WriteFile(path, []byte("x"), 0o600) }()
		select {}
	}
	os.Exit(m.Run())
}

// watch runs the monitors of a host and some more, their looks as near each other as a test needs, and their reasons at the first
// evidence. What the catalogue's counts and times do to evidence is the Store's, and tested there.
func watch(t *testing.T, h host.Host, o Options, more ...monitor.Monitor) *agenttest.Watched {
	t.Helper()
	var quick []monitor.Monitor
	for _, m := range Monitors(h, o) {
		every, is := m.(monitor.Periodic)
		if !is {
			t.Fatalf("%s looks in another way", m.Name())
		}
		every.Period = max(250*time.Millisecond, 2*o.Patience)
		quick = append(quick, every)
	}
	quick = append(quick, more...)
	var overrides []agenttest.Override
	for _, m := range quick {
		overrides = append(overrides, agenttest.Sooner(m.Reasons()...))
	}
	return agenttest.Watch(t, quick, overrides...)
}

// soon is the patience of tests: less than half of what is between looks.
const soon = 100 * time.Millisecond

// nothing are options with which no monitor finds anything.
func nothing() Options {
	o := DefaultOptions()
	o.KubeletHealthz, o.Sockets, o.Patience = "", nil, soon
	return o
}
